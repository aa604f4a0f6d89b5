/** The persistent-memory tier: segments in the blocks of a pool. */
module io.firn.pmem {
    requires transitive io.firn;
    requires jdk.nio.mapmode;
    requires static io.firn.annotations;

    provides io.firn.spi.TierInspector with
            io.firn.pmem.PoolInspector;

    exports io.firn.pmem;
}
