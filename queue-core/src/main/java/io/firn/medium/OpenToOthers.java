package io.firn.medium;

import java.nio.file.Path;

/**
 * Names in the log what others than the user of this process can change. Nothing is refused:
 * volumes of containers often belong to another user, or may be written to by a group.
 *
 * @see io.firn.spi.StorageTier
 */
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

    /**
     * As {@link #warn}; also logs a warning if the owner is neither the user of this process nor
     * root. For what this process writes to: a reader's files often belong to another account.
     */
    public static void warnOfOwnerToo(FileMedium medium, String what, Path path) {
        warn(medium, what, path);
        String owner = medium.foreignOwner(path);
        if (owner != null) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "{0} {1} belongs to {2}: expected the user of this process or root; {2} can"
                            + " change or delete it. Change its owner, or run as that user",
                    what,
                    path,
                    owner);
        }
    }
}
