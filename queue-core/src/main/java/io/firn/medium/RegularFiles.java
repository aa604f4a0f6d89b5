package io.firn.medium;

import io.firn.medium.FileErrors.OutOfDescriptorsException;
import io.firn.medium.FileErrors.UnexpectedFileException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;

/**
 * Opens files of this machine, for all of this package: regular files only. A symbolic link is not
 * followed, because what is written through it changes a file of another user. A FIFO, socket or
 * device is not opened: that may wait for ever, or have effects.
 *
 * <p>A channel does not follow a link even if it took the file's place just now. A {@link
 * RandomAccessFile} would, so the name is looked at before and after it was opened; see SECURITY.md
 * for what is left.
 */
final class RegularFiles {
    private RegularFiles() {}

    /**
     * Opens an existing file.
     *
     * @throws java.nio.file.NoSuchFileException when it does not exist
     */
    static RandomAccessFile open(Path file, boolean writable) throws IOException {
        require(file);
        RandomAccessFile opened;
        try {
            opened = new RandomAccessFile(file.toFile(), writable ? "rw" : "r");
        } catch (IOException e) {
            require(file); // the exception of the JDK is the same for all reasons
            throw OutOfDescriptorsException.orSame(file, e);
        }
        try {
            require(file);
            return opened;
        } catch (IOException | RuntimeException e) {
            opened.close();
            throw e;
        }
    }

    /** Opens an existing file; {@code options} are those of {@link FileChannel#open}. */
    static FileChannel openChannel(Path file, OpenOption... options) throws IOException {
        require(file);
        OpenOption[] all = new OpenOption[options.length + 1];
        System.arraycopy(options, 0, all, 0, options.length);
        all[options.length] = LinkOption.NOFOLLOW_LINKS;
        try {
            return FileChannel.open(file, all);
        } catch (IOException e) {
            throw OutOfDescriptorsException.orSame(file, e);
        }
    }

    /** Opens a directory to force it; one that is named by a link may be meant. */
    static FileChannel openDirectory(Path directory, OpenOption option) throws IOException {
        requireDirectory(directory);
        try {
            return FileChannel.open(directory, option);
        } catch (IOException e) {
            throw OutOfDescriptorsException.orSame(directory, e);
        }
    }

    /**
     * Checks that a name, or the link that has it, leads to a directory: to list a FIFO waits, too.
     *
     * @throws java.nio.file.NoSuchFileException when nothing has it
     * @throws NotDirectoryException when it is something else
     */
    static void requireDirectory(Path directory) throws IOException {
        if (!attributesOf(directory, true).isDirectory()) {
            throw new NotDirectoryException(directory.toString());
        }
    }

    /** Returns what has the name itself, also if it is a link. */
    static BasicFileAttributes attributesOf(Path path) throws IOException {
        return attributesOf(path, false);
    }

    /**
     * Returns what has a name.
     *
     * @param follows whether that of a link is what it leads to
     * @throws NoSuchFileException only when it is certain that nothing has the name
     */
    static BasicFileAttributes attributesOf(Path path, boolean follows) throws IOException {
        try {
            return follows
                    ? Files.readAttributes(path, BasicFileAttributes.class)
                    : Files.readAttributes(
                            path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        } catch (NoSuchFileException e) {
            throw e;
        } catch (IOException e) {
            throw isBelowAFile(path) ? new NoSuchFileException(path.toString()) : e;
        }
    }

    /** The system has an error of its own for this, and the JDK passes on only its text. */
    private static boolean isBelowAFile(Path path) {
        Path each = path.toAbsolutePath().getParent();
        for (; each != null; each = each.getParent()) {
            try {
                return !Files.readAttributes(each, BasicFileAttributes.class).isDirectory();
            } catch (IOException e) {
                continue; // what is above it tells
            }
        }
        return false;
    }

    /**
     * Checks what has a name.
     *
     * @throws java.nio.file.NoSuchFileException when nothing has it
     * @throws UnexpectedFileException when it is no regular file
     */
    static void require(Path file) throws IOException {
        BasicFileAttributes found = attributesOf(file);
        if (!found.isRegularFile()) {
            throw new UnexpectedFileException(file, what(found));
        }
    }

    private static String what(BasicFileAttributes found) {
        if (found.isDirectory()) {
            return "is a directory, should be a file";
        }
        return found.isSymbolicLink()
                ? "is a symbolic link, should be a file: links are not followed here, put the file"
                        + " itself in its place"
                : "is a device, FIFO or socket, should be a file: it was not opened; remove it, or"
                        + " restore the file";
    }
}
