package io.firn.medium;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;

/**
 * Thrown when a file could not be opened because the process, or the machine, has too many open
 * files. Nothing was read or written: the same call may succeed later, so it is no failure of the
 * medium.
 */
public final class OutOfDescriptorsException extends IOException {
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
