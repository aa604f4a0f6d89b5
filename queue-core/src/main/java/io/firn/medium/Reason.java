package io.firn.medium;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;

/** What an error of a file system means, in words: the JDK's exceptions may only name the file. */
public final class Reason {
    private Reason() {}

    /** Returns the error's message, or what it says by its type and a file. */
    public static String of(IOException e) {
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
}
