package io.firn.pmem;

import io.firn.Survives;
import io.firn.medium.MediumFile;
import java.io.IOException;
import java.nio.file.Path;

/** A way to access persistent memory, or memory that emulates it. */
interface PmemProvider {

    /** Returns the kind of provider, never {@link Provider#AUTO}. */
    Provider kind();

    /** Returns why this provider was chosen, for the log and the API. */
    String reason();

    /** Returns what a forced byte survives. */
    Survives survives();

    /**
     * Maps a whole pool file for reading and writing.
     *
     * @param file the open file, of the right size; the caller closes it
     */
    PmemMemory map(MediumFile file, Path path, Superblock pool) throws IOException;
}
