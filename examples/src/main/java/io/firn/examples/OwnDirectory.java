package io.firn.examples;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;

/**
 * A directory with a known name in one that everybody can write to, such as {@code /tmp}: another
 * user may have made it first, to read or to change what is written to it.
 */
final class OwnDirectory {
    private static final FileAttribute<?> FOR_ITS_OWNER =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

    private OwnDirectory() {}

    /**
     * Returns the directory, which is made if there is none.
     *
     * @throws IOException when it is a link, or belongs to another user
     */
    static Path at(Path directory) throws IOException {
        try {
            boolean hasModes =
                    directory.getFileSystem().supportedFileAttributeViews().contains("posix");
            return hasModes
                    ? Files.createDirectory(directory, FOR_ITS_OWNER)
                    : Files.createDirectory(directory);
        } catch (FileAlreadyExistsException e) {
            require(directory);
            return directory;
        }
    }

    private static void require(Path directory) throws IOException {
        if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
            throw refusal(directory, "is a link or a file, should be a directory");
        }
        UserPrincipal owner = Files.getOwner(directory, LinkOption.NOFOLLOW_LINKS);
        UserPrincipal own = ownUser();
        if (!owner.equals(own)) {
            throw refusal(
                    directory,
                    "belongs to " + owner.getName() + ", should belong to " + own.getName());
        }
    }

    private static IOException refusal(Path directory, String why) {
        return new IOException(
                directory + ": " + why + ": remove it, or name another one with --dir");
    }

    /** Returns who owns what this process makes. */
    private static UserPrincipal ownUser() throws IOException {
        Path made = Files.createTempFile("firn-owner-", null);
        try {
            return Files.getOwner(made);
        } finally {
            Files.delete(made);
        }
    }
}
