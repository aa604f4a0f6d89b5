/** The log itself: topics, partitions, appenders, tailers, and what a storage tier must do. */
module io.firn {
    requires transitive org.agrona.core;
    requires jdk.jfr;
    requires jdk.unsupported;
    requires static com.github.luben.zstd_jni;
    requires static org.lz4.java;

    uses io.firn.spi.TierInspector;

    exports io.firn;
    exports io.firn.medium;
    exports io.firn.spi;
}
