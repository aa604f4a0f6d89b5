package io.firn.medium;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.Locale;

/**
 * What errors of a file system mean, and the exceptions for those that their caller tells from
 * others.
 *
 * @see io.firn.spi.StorageTier
 */
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

    /** Thrown when a file could be read, and its content is not what was written. */
    public static final class DamagedFileException extends IOException {
        private static final long serialVersionUID = 1L;

        /** Creates the exception. */
        public DamagedFileException(String message) {
            super(message);
        }
    }

    /**
     * Something else has the name of a file or directory: a link, a FIFO, a device. It was not
     * opened, and nothing was changed.
     */
    public static final class UnexpectedFileException extends FileSystemException {
        private static final long serialVersionUID = 1;

        UnexpectedFileException(Path path, String reason) {
            super(path.toString(), null, reason);
        }
    }

    /** Thrown when data on the medium was written by a newer version of Firn. It is not changed. */
    public static final class UnsupportedVersionException extends IOException {
        private static final long serialVersionUID = 1L;

        /** Creates the exception with the version found and the newest version known. */
        public UnsupportedVersionException(String what, int known, int found) {
            super(
                    what
                            + " has format version "
                            + found
                            + ", this Firn reads versions up to "
                            + known
                            + ": open it with the Firn that wrote it or a newer one");
        }
    }

    /** Thrown when the system starts no more threads for the process. */
    public static final class OutOfThreadsException extends IOException {
        private static final long serialVersionUID = 1L;

        /**
         * Creates the exception.
         *
         * @param purpose what the thread is for, to follow "to"
         */
        public OutOfThreadsException(String purpose, OutOfMemoryError cause) {
            super(
                    "no thread could be started to "
                            + purpose
                            + " ("
                            + cause.getMessage()
                            + "): raise the limit of processes and threads (ulimit -u, the pids limit of"
                            + " the container), or end some",
                    cause);
        }
    }

    /**
     * Thrown when a file or directory could not be created although its file system has space for
     * bytes: it has no inode for it.
     */
    public static final class OutOfInodesException extends IOException {
        private static final long serialVersionUID = 1L;

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
    }

    /**
     * Thrown when a file could not be opened because the process, or the machine, has too many open
     * files. Nothing was read or written: the same call may succeed later, so it is no failure of
     * the medium.
     */
    public static final class OutOfDescriptorsException extends IOException {
        private static final long serialVersionUID = 1L;

        /** Creates the exception for a file that could not be opened. */
        public OutOfDescriptorsException(Path path, IOException cause) {
            super(
                    path
                            + " could not be opened, because there are too many open files: raise the"
                            + " limit (ulimit -n), or close some",
                    cause);
        }

        /** Returns this exception if an error in opening a file means it, or the error itself. */
        static IOException orSame(Path path, IOException e) {
            return SystemMessage.TOO_MANY_OPEN_FILES.isMeantBy(e)
                    ? new OutOfDescriptorsException(path, e)
                    : e;
        }

        /** Returns whether this is the reason for an error. */
        public static boolean isReasonFor(Throwable error) {
            return in(error) != null;
        }

        private static Throwable in(Throwable error) {
            Throwable each = error;
            while (each != null && !(each instanceof OutOfDescriptorsException)) {
                each = each.getCause();
            }
            return each;
        }

        /** Returns whether it is the machine that has too many, not the process. */
        public static boolean isOfMachine(Throwable error) {
            Throwable found = in(error);
            return found != null
                    && found.getCause() != null
                    && String.valueOf(found.getCause().getMessage())
                            .toLowerCase(Locale.ROOT)
                            .contains("too many open files in system");
        }
    }
}
