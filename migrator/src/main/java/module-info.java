/** Moves segments between tiers: what to move, when, and how fast. */
module io.firn.migrator {
    requires transitive io.firn;
    requires static io.firn.annotations;

    exports io.firn.migrator;
}
