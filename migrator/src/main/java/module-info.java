/** Moves segments between tiers: what to move, when, and how fast. */
module io.firn.migrator {
    requires transitive io.firn;

    exports io.firn.migrator;
}
