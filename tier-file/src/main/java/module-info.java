/** The file tier: segments as files in a directory per partition. */
module io.firn.file {
    requires transitive io.firn;

    exports io.firn.file;
}
