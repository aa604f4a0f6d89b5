package io.firn.file;

import io.firn.StoreFullException;
import io.firn.medium.Uncollected;
import io.firn.spi.StorageTier;
import java.io.IOException;
import java.util.concurrent.Semaphore;

/** What a block needs of its tier. */
interface BlockOwner {
    /** Returns the tier. */
    StorageTier tier();

    /** Returns what collects the mappings that are released while a user may hold a buffer. */
    Uncollected uncollected();

    /** Returns a place for each file that may be open for the system to send it. */
    Semaphore filesToSend();

    /** Returns the descriptors that are kept for sealing and deleting. */
    SpareDescriptors spareDescriptors();

    /** Returns the files that are kept for new segments. */
    SpareFiles spareFiles();

    /**
     * Checks that the file system has space for bytes of a segment, if need be without the spare
     * files.
     *
     * @throws StoreFullException when it has not
     */
    void requireSpace(PartitionDirectory directory, long bytes) throws IOException;

    /**
     * Notes that there was no space for bytes of a segment, and returns why.
     *
     * @param given what the segment may give back when it is deleted now
     */
    StoreFullException noSpace(StoreFullException why, long given) throws IOException;

    /** Notes and logs that a file is damaged that can be rebuilt. */
    void foundDamage(String what);

    /** Removes a block whose segment was deleted. */
    void forget(FileBlock block);
}
