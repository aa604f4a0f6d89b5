/** The persistent-memory tier: segments in the blocks of a pool. */
module io.firn.pmem {
    requires transitive io.firn;
    requires jdk.nio.mapmode;

    exports io.firn.pmem;
}
