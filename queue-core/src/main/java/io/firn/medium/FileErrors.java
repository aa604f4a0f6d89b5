package io.firn.medium;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;

/** What errors of a file system mean. */
public final class FileErrors {
    private FileErrors() {}

    /**
     * Returns the error's message, or what it says by its type and a file: the JDK's exceptions may
     * only name the file.
     */
    public static String describe(IOException e) {
        if (!(e instanceof FileSystemException failed) || failed.getReason() != null) {
            return e.getMessage() == null ? e.toString() : e.getMessage();
        }
        return failed.getMessage() + " " + verb(failed);
    }

    private static String verb(FileSystemException e) {
        if (e instanceof NoSuchFileException) {
            return "does not exist";
        } else if (e instanceof AccessDeniedException) {
            return "may not be accessed by this user";
        } else if (e instanceof NotDirectoryException) {
            return "is not a directory";
        } else if (e instanceof FileAlreadyExistsException) {
            return "exists already";
        } else if (e instanceof DirectoryNotEmptyException) {
            return "is a directory that is not empty";
        }
        return "could not be accessed (" + e.getClass().getSimpleName() + ")";
    }

    /**
     * Returns whether an error means that there is no space, for bytes or for another file. Where
     * the system's message is not known, the remaining bytes decide.
     *
     * @param wanted the bytes that were to be written below the path
     */
    public static boolean isNoSpace(IOException e, FileMedium medium, Path path, long wanted) {
        if (isOutOfInodes(e) || SystemMessage.NO_SPACE.isMeantBy(e)) {
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
    public static boolean isOutOfInodes(IOException e) {
        return e instanceof OutOfInodesException;
    }
}
