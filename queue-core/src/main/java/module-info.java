/** The log itself: topics, partitions, appenders, tailers, and what a storage tier must do. */
@SuppressWarnings("module") // the modules that packages are exported to are built after this one
module io.firn {
    requires transitive org.agrona.core;
    requires jdk.jfr;
    requires jdk.unsupported;
    requires static io.firn.annotations;
    requires static com.github.luben.zstd_jni;
    requires static org.lz4.java;

    uses io.firn.LogStoreBuilder;
    uses io.firn.spi.TierInspector;

    provides io.firn.LogStoreBuilder with
            io.firn.open.StoreBuilder;

    exports io.firn;
    // The format of a batch, for the tier whose pools are repaired and the server that is sent
    // batches: it is written down once.
    exports io.firn.format to
            io.firn.junit,
            io.firn.pmem,
            io.firn.server;
    // The limits of the server, also of that in firn-junit, are shares of the same heap.
    exports io.firn.budget to
            io.firn.junit,
            io.firn.server;
    exports io.firn.host;
    exports io.firn.inspect to
            io.firn.tools;
    exports io.firn.medium;
    // A store on a simulated disk.
    exports io.firn.open to
            io.firn.junit;
    exports io.firn.spi;
    exports io.firn.stream;
}
