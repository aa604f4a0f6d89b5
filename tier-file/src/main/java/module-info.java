/** The file tier: segments as files in a directory per partition. */
module io.firn.file {
    requires transitive io.firn;
    requires static io.firn.annotations;

    provides io.firn.spi.TierInspector with
            io.firn.file.FileInspector;

    exports io.firn.file;
}
