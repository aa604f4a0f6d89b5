package io.firn.metadata;

import io.firn.findings.Findings;
import io.firn.medium.FileMedium;
import java.nio.file.Path;

/**
 * Where the small files of a store are, and what those who read and write them share.
 *
 * @param spareSpace for writes that record a deletion
 * @param findings gets what is wrong in a file that the store can do without
 */
public record StoreFiles(
        FileMedium medium, Path directory, SpareSpace spareSpace, Findings findings) {

    /** The directory with a directory for each topic. */
    public Path topics() {
        return topicsIn(directory);
    }

    static Path topicsIn(Path storeDirectory) {
        return storeDirectory.resolve("topics");
    }
}
