package io.firn.medium;

import io.firn.medium.FileErrors.DamagedFileException;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

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
 *
 * <p>Several files of a directory are replaced together ({@link #writeAll}) by taking each step for
 * all of them before the next one. A crash may then restore the old content of any of them by
 * itself, and each is whole nevertheless: no file gets its final name before its own content was
 * forced. None is reported as replaced before the one force of the directory.
 *
 * @see io.firn.spi.StorageTier
 */
public final class WholeFile {
    private WholeFile() {}

    /** Replaces the content of a file, durably on return. */
    public static void write(FileMedium medium, Path file, byte[] content) throws IOException {
        replace(medium, file, content);
        forceName(medium, file);
    }

    /**
     * Replaces the content of a file whose directory the caller forces. Saves all but one of these
     * forces when several files of a directory are replaced.
     */
    public static void replace(FileMedium medium, Path file, byte[] content) throws IOException {
        store(medium, file, content);
        medium.rename(temporaryFor(file), file);
    }

    /** Stores the next content of a file durably, under its temporary name. */
    private static void store(FileMedium medium, Path file, byte[] content) throws IOException {
        try (MediumFile out = createAnew(medium, temporaryFor(file))) {
            out.write(0, content, 0, content.length);
            // Before the rename: otherwise a crash could leave the new name with no bytes.
            out.force();
        }
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

    /**
     * Returns all bytes of a file; null when it does not exist.
     *
     * @param mostBytes more are not read: the file is not what was written
     * @throws DamagedFileException when it has more
     */
    public static byte[] read(FileMedium medium, Path file, int mostBytes) throws IOException {
        try (MediumFile in = medium.open(file, false)) {
            long size = in.size();
            if (size > mostBytes) {
                throw new DamagedFileException(
                        file + " has " + size + " bytes, at most " + mostBytes + " expected");
            }
            byte[] bytes = new byte[(int) size];
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

    /** A file and its next content. */
    public record Replacement(Path file, byte[] content) {}

    /**
     * Replaces several files of one directory, durably on return. One that fails is tried once
     * more, alone.
     *
     * @param forces runs what it is given, each once, in any order and on any threads, and returns
     *     when all have ended
     * @return by index why a file was not replaced; null for one that was
     * @throws IOException when the directory could not be forced: each of the files may have its
     *     old content or its new one
     */
    public static IOException[] writeAll(
            FileMedium medium, List<Replacement> all, Consumer<List<Runnable>> forces)
            throws IOException {
        IOException[] failures = replaceAll(medium, all, forces);
        for (int i = 0; i < failures.length && all.size() > 1; i++) {
            if (failures[i] != null) {
                // Together they need more space and descriptors than one after another.
                failures[i] = replaceAll(medium, List.of(all.get(i)), forces)[0];
            }
        }
        return failures;
    }

    private static IOException[] replaceAll(
            FileMedium medium, List<Replacement> all, Consumer<List<Runnable>> forces)
            throws IOException {
        IOException[] failures = new IOException[all.size()];
        List<Runnable> steps = new ArrayList<>();
        for (int i = 0; i < failures.length; i++) {
            int index = i;
            steps.add(() -> failures[index] = tryStore(medium, all.get(index)));
        }
        forces.accept(steps);
        Path renamed = null;
        for (int i = 0; i < failures.length; i++) {
            Path file = all.get(i).file();
            try {
                if (failures[i] == null) {
                    medium.rename(temporaryFor(file), file);
                    renamed = file;
                }
            } catch (IOException e) {
                failures[i] = e;
            }
        }
        if (renamed != null) {
            forceName(medium, renamed);
        }
        return failures;
    }

    private static IOException tryStore(FileMedium medium, Replacement each) {
        try {
            store(medium, each.file(), each.content());
            return null;
        } catch (IOException e) {
            return e;
        }
    }

    private static void forceName(FileMedium medium, Path file) throws IOException {
        medium.forceDirectory(file.toAbsolutePath().getParent());
    }
}
