package io.firn.pmem;

import io.firn.DurabilityClass;
import io.firn.spi.MediumFile;
import java.io.IOException;
import java.nio.file.Path;

/** A way to reach persistent memory, or memory that stands in for it. */
interface PmemProvider {

    /** Which one it is, never {@link Provider#AUTO}. */
    Provider kind();

    /** Why this one and no other, for the log and the API. */
    String reason();

    /** What a forced byte survives. */
    DurabilityClass durabilityClass();

    /**
     * Maps a pool file, all of it, for reading and writing.
     *
     * @param file open, and of the right size; stays the caller's
     */
    PmemMemory map(MediumFile file, Path path, Superblock pool) throws IOException;
}
