package io.firn.medium;

import java.io.IOException;
import java.nio.file.Path;

/**
 * Thrown when a file or directory could not be created although its file system has space for
 * bytes: it has no inode for it.
 */
public final class OutOfInodesException extends IOException {
    private static final long serialVersionUID = 1L;

    /** What a new file and its entry in a directory need at most, on the systems that are usual. */
    private static final int ENOUGH_BYTES = 64 * 1024;

    /** Creates the exception for a file that could not be created. */
    public OutOfInodesException(Path path, long usableBytes, IOException cause) {
        super(
                path
                        + " could not be created although "
                        + usableBytes
                        + " bytes are usable: the file system has no inodes left (df -i), or a"
                        + " quota of them is used up, or, on btrfs, there is no space for metadata;"
                        + " delete files, or let retention do so",
                cause);
    }

    /** Returns this exception if an error in creating a file means it, or the error itself. */
    static IOException orSame(FileMedium medium, Path path, IOException e) {
        try {
            if (SystemMessage.NO_SPACE.isMeantBy(e)) {
                long usable = medium.usableBytes(path);
                return usable < ENOUGH_BYTES ? e : new OutOfInodesException(path, usable, e);
            }
        } catch (IOException again) {
            e.addSuppressed(again);
        }
        return e;
    }
}
