package io.firn.medium;

import java.io.IOException;
import java.nio.file.Path;

/** Distinguishes a full file system, of bytes or of inodes, from other failures. */
public final class NoSpace {
    private NoSpace() {}

    /**
     * Returns whether an error means that there is no space, for bytes or for another file. Where
     * the system's message is not known, the remaining bytes decide.
     *
     * @param wanted the bytes that were to be written below the path
     */
    public static boolean isMeantBy(IOException e, FileMedium medium, Path path, long wanted) {
        if (isOfInodes(e) || SystemMessage.NO_SPACE.isMeantBy(e)) {
            return true;
        }
        try {
            return medium.usableBytes(path) < wanted;
        } catch (IOException again) {
            e.addSuppressed(again);
            return false;
        }
    }

    /** Returns whether an error means that there is no inode for another file. */
    public static boolean isOfInodes(IOException e) {
        return e instanceof OutOfInodesException;
    }
}
