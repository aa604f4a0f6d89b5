package io.firn.server.state;

import io.firn.medium.Fields;
import io.firn.medium.FileErrors;
import io.firn.medium.FileMedium;
import io.firn.medium.SmallFile;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.UnaryOperator;
import javax.annotation.concurrent.GuardedBy;

/**
 * An immutable snapshot, and the one file that it is kept in. The file is replaced as a whole with
 * each change. A change is durable before it is used, and before it is answered (rule O25): who was
 * told of it can rely on it after a crash. Thread-safe; to read the snapshot costs one volatile
 * read.
 *
 * @param <T> the type of the snapshot
 */
public final class StateFile<T> {
    private final FileMedium medium;
    private final Path file;
    private final Format<T> format;
    private volatile T snapshot;

    /** Whether the file may have another content than the snapshot, because a write has failed. */
    @GuardedBy("this")
    private boolean uncertain;

    /**
     * How a snapshot is written.
     *
     * @param <T> the type of the snapshot
     */
    public interface Format<T> {

        /** Returns one word that says what kind of file it is. */
        String magic();

        /** Returns the version of the format, 1 or greater. */
        int version();

        /** Returns the keys and values of the file. */
        Map<String, String> format(T snapshot);

        /**
         * Returns the snapshot that was written.
         *
         * @throws IllegalArgumentException if it was not; the message says what is wrong
         */
        T parse(Map<String, String> lines);

        /** Returns how many keys the file may have for a change that adds something. */
        default int mostLines() {
            return Integer.MAX_VALUE;
        }

        /** Returns how many characters the file may have for a change that adds something. */
        default long mostChars() {
            return Long.MAX_VALUE;
        }
    }

    private StateFile(FileMedium medium, Path file, Format<T> format, T snapshot) {
        this.medium = medium;
        this.file = file;
        this.format = format;
        this.snapshot = snapshot;
    }

    /**
     * Reads the file.
     *
     * @param file its directory exists
     * @param none the snapshot if there is no file, which is then not created
     * @throws io.firn.medium.FileErrors.DamagedFileException if it contains something else
     * @throws IOException if the file cannot be read, or is a link to nothing
     */
    public static <T> StateFile<T> open(FileMedium medium, Path file, Format<T> format, T none)
            throws IOException {
        Fields known = read(medium, file, format);
        if (known == null) {
            return new StateFile<>(medium, file, format, none);
        }
        try {
            return new StateFile<>(medium, file, format, format.parse(known.values()));
        } catch (IllegalArgumentException e) {
            throw known.damaged(e.getMessage());
        }
    }

    private static Fields read(FileMedium medium, Path file, Format<?> format) throws IOException {
        Path target = targetOf(medium, file);
        try {
            Fields found = Fields.read(medium, target, format.magic(), format.version());
            return found == null ? null : Fields.of(file, found.values());
        } catch (IOException e) {
            if (target.equals(file)) {
                throw e;
            }
            throw new IOException(file + " is a link: " + FileErrors.describe(e), e);
        }
    }

    /** An administrator may have put a link to the file there; a change replaces the link. */
    private static Path targetOf(FileMedium medium, Path file) throws IOException {
        try {
            return medium.isLink(file) ? file.toRealPath() : file;
        } catch (NoSuchFileException e) {
            // Without it everything that it forbids would be allowed.
            throw new IOException(
                    file
                            + " is a link to a file that cannot be found: expected the file;"
                            + " restore it, or delete the link to begin without one",
                    e);
        }
    }

    /** Returns the snapshot. */
    public T get() {
        return snapshot;
    }

    /**
     * Makes a change, all of it or nothing, durably on return.
     *
     * @param change returns the next snapshot from the present one, or the present one itself
     * @param adds whether it adds something, so that the limits of the format hold
     * @return false if the file would be too large; nothing has changed
     * @throws IOException if it could not be written; whether it is there after a restart is then
     *     unknown, and until then the present snapshot is used
     */
    public synchronized boolean change(UnaryOperator<T> change, boolean adds) throws IOException {
        T next = change.apply(snapshot);
        if (next == snapshot && !uncertain) {
            return true;
        }
        Map<String, String> lines = format.format(next);
        if (adds && (lines.size() > format.mostLines() || chars(lines) > format.mostChars())) {
            return false;
        }
        write(lines);
        snapshot = next; // only now, by O25
        return true;
    }

    /**
     * Writes the file as it is; for one that has to exist.
     *
     * @throws IOException if it could not be written
     */
    public synchronized void write() throws IOException {
        write(format.format(snapshot));
    }

    @GuardedBy("this")
    private void write(Map<String, String> lines) throws IOException {
        uncertain = true;
        SmallFile.write(medium, file, format.magic(), format.version(), lines);
        uncertain = false;
    }

    private static long chars(Map<String, String> lines) {
        long chars = 0;
        for (Map.Entry<String, String> each : lines.entrySet()) {
            chars += each.getKey().length() + each.getValue().length() + 2;
        }
        return chars;
    }
}
