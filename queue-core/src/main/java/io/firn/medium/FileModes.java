package io.firn.medium;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Set;

/**
 * Who may use the files that a store creates: their owner only. In a directory with the
 * set-group-ID bit, which its owner has so prepared to share the store with the readers of a group,
 * what is created has the group's right to read, if the directory has it. Rights to write are never
 * given away, and a umask can take more. On file systems without these modes there is nothing to
 * set.
 */
final class FileModes {
    private static final FileAttribute<?>[] NONE = {};
    private static final Integer ROOT = 0;
    private static final Path STATUS = Path.of("/proc/self/status");

    /** Place in the line of users, whose first word is its name. */
    private static final int EFFECTIVE_USER = 2;

    private static final int SET_GROUP_ID = 02000;
    private static final int GROUP_READS = 0040;

    private static final FileAttribute<?>[] OWNERS_FILE = attributes("rw-------");
    private static final FileAttribute<?>[] GROUPS_FILE = attributes("rw-r-----");
    private static final FileAttribute<?>[] OWNERS_DIRECTORY = attributes("rwx------");
    private static final FileAttribute<?>[] GROUPS_DIRECTORY = attributes("rwxr-x---");

    private FileModes() {}

    private static FileAttribute<?>[] attributes(String permissions) {
        return new FileAttribute<?>[] {
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))
        };
    }

    /** Returns with what a file is created. */
    static FileAttribute<?>[] ofFile(Path file) {
        return choose(file, OWNERS_FILE, GROUPS_FILE);
    }

    /** Returns with what a directory is created. */
    static FileAttribute<?>[] ofDirectory(Path directory) {
        return choose(directory, OWNERS_DIRECTORY, GROUPS_DIRECTORY);
    }

    private static FileAttribute<?>[] choose(
            Path path, FileAttribute<?>[] owners, FileAttribute<?>[] groups) {
        Set<String> views = path.getFileSystem().supportedFileAttributeViews();
        if (!views.contains("posix")) {
            return NONE;
        }
        return views.contains("unix") && isShared(path.toAbsolutePath().getParent())
                ? groups
                : owners;
    }

    private static boolean isShared(Path directory) {
        try {
            return directory != null
                    && Files.getAttribute(directory, "unix:mode") instanceof Integer mode
                    && (mode & SET_GROUP_ID) != 0
                    && (mode & GROUP_READS) != 0;
        } catch (IOException e) {
            return false; // the creation says what is wrong with the directory
        }
    }

    /**
     * Returns the permissions of a path if others than its owner may write to it, such as {@code
     * rwxrwxr-x}; null if they may not, if it does not exist, or if that is not known.
     */
    static String writableByOthers(Path path) {
        if (!path.getFileSystem().supportedFileAttributeViews().contains("posix")) {
            return null;
        }
        try {
            Set<PosixFilePermission> all = Files.getPosixFilePermissions(path);
            Set<PosixFilePermission> writing =
                    EnumSet.of(PosixFilePermission.GROUP_WRITE, PosixFilePermission.OTHERS_WRITE);
            writing.retainAll(all);
            return writing.isEmpty() ? null : PosixFilePermissions.toString(all);
        } catch (IOException | UnsupportedOperationException e) {
            return null;
        }
    }

    /**
     * Returns the owner of a path if it is neither root nor the user of this process; null if it is
     * one of them, if the path does not exist, or if that is not known.
     */
    static String foreignOwner(Path path) {
        try {
            Object owner = Files.getAttribute(path, "unix:uid");
            Integer own = ownUser();
            boolean isTrusted = own == null || owner.equals(own) || owner.equals(ROOT);
            return isTrusted ? null : Files.getOwner(path).getName();
        } catch (IOException | UnsupportedOperationException | IllegalArgumentException e) {
            return null;
        }
    }

    /** Returns the number of the user with whose rights this process runs; null if unknown. */
    private static Integer ownUser() {
        try {
            for (String line : Files.readAllLines(STATUS, ISO_8859_1)) {
                if (line.startsWith("Uid:")) {
                    return Integer.valueOf(line.split("\\s+")[EFFECTIVE_USER]);
                }
            }
        } catch (IOException | RuntimeException e) {
            return null; // another system, or one that hides it
        }
        return null;
    }
}
