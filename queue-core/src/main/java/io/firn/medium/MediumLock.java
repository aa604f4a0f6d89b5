package io.firn.medium;

import java.io.IOException;

/**
 * A lock that this process holds on a lock file. A lock belongs to the file, not to its name: when
 * the file is deleted, replaced or moved, another process can lock what has the name next. Its
 * holder therefore has to look. Thread-safe.
 */
public interface MediumLock extends AutoCloseable {

    /**
     * Looks whether the name still leads to the locked file.
     *
     * @return null while it does, as far as is known; otherwise what was expected and found
     */
    String lost();

    /** Returns {@link FileMedium.FileStatus#identity} of the locked file; null when unknown. */
    Object identity();

    /** Returns whether there was no file, so that this lock has created it. */
    boolean isNew();

    /** Releases the lock. Idempotent. */
    @Override
    void close() throws IOException;
}
