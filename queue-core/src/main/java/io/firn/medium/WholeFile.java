package io.firn.medium;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Reads and replaces files as a whole: after a crash a file has its old content or its new content.
 * The order of a replacement:
 *
 * <ol>
 *   <li>write the content under a temporary name,
 *   <li>force it,
 *   <li>rename it to the final name,
 *   <li>force the directory: until then a crash may restore the old content.
 * </ol>
 *
 * One thread at a time may replace a file.
 */
public final class WholeFile {
    private WholeFile() {}

    /** Replaces the content of a file, durably on return. */
    public static void write(FileMedium medium, Path file, byte[] content) throws IOException {
        replace(medium, file, content);
        forceName(medium, file);
    }

    /**
     * Replaces the content of a file, durably on return, using space that was reserved.
     *
     * @param reserved an existing file in the same directory, at most as long as the content; it is
     *     overwritten and renamed
     */
    public static void write(FileMedium medium, Path file, byte[] content, Path reserved)
            throws IOException {
        try (MediumFile out = medium.open(reserved, true)) {
            out.write(0, content, 0, content.length);
            // Before the rename, as below.
            out.force();
        }
        medium.rename(reserved, file);
        forceName(medium, file);
    }

    /**
     * Replaces the content of a file whose directory the caller forces. Saves all but one of these
     * forces when several files of a directory are replaced.
     */
    public static void replace(FileMedium medium, Path file, byte[] content) throws IOException {
        Path temporary = temporaryFor(file);
        try (MediumFile out = createAnew(medium, temporary)) {
            out.write(0, content, 0, content.length);
            // Before the rename: otherwise a crash could leave the new name with no bytes.
            out.force();
        }
        medium.rename(temporary, file);
    }

    /**
     * Replaces the content of a file that can be rebuilt, without any force: after a crash the file
     * may be empty or have the old content.
     */
    public static void replaceUnforced(FileMedium medium, Path file, byte[] content)
            throws IOException {
        Path temporary = temporaryFor(file);
        try (MediumFile out = createAnew(medium, temporary)) {
            out.write(0, content, 0, content.length);
        }
        medium.rename(temporary, file);
    }

    /** Returns all bytes of a file; null when it does not exist. */
    public static byte[] read(FileMedium medium, Path file) throws IOException {
        try (MediumFile in = medium.open(file, false)) {
            byte[] bytes = new byte[Math.toIntExact(in.size())];
            int length = in.read(0, bytes, 0, bytes.length);
            return length == bytes.length ? bytes : Arrays.copyOf(bytes, length);
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    /**
     * Returns the name under which the next content of a file is written; a file of this name is
     * ignored after a crash.
     */
    public static Path temporaryFor(Path file) {
        return file.resolveSibling("." + file.getFileName() + ".tmp");
    }

    private static MediumFile createAnew(FileMedium medium, Path file) throws IOException {
        medium.delete(file); // of an earlier replacement that failed
        return medium.create(file);
    }

    private static void forceName(FileMedium medium, Path file) throws IOException {
        medium.forceDirectory(file.toAbsolutePath().getParent());
    }
}
