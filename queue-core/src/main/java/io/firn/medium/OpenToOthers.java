package io.firn.medium;

import java.nio.file.Path;

/** Names in the log what others than its owner can change. Nothing is refused. */
public final class OpenToOthers {
    private static final GuardedLog LOG = GuardedLog.get();

    private OpenToOthers() {}

    /**
     * Logs a warning if others than the owner of a file or directory may write to it; does nothing
     * if it does not exist.
     *
     * @param what what it is, such as {@code the store}
     */
    public static void warn(FileMedium medium, String what, Path path) {
        String rights = medium.writableByOthers(path);
        if (rights != null) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "{0} {1} has the permissions {2}: expected that only its owner can write;"
                            + " others can change or delete it. chmod go-w takes this right from"
                            + " them",
                    what,
                    path,
                    rights);
        }
    }
}
