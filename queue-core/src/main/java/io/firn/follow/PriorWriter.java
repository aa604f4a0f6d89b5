package io.firn.follow;

import io.firn.StoreLockedException;
import io.firn.medium.FileMedium;
import io.firn.medium.FileMedium.MediumLock;
import io.firn.medium.MediumFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.UUID;

/**
 * The writer whose term is in the file of the published offsets, as the next writer finds it. A
 * lock belongs to a file, so deleting or replacing a lock file lets a second writer have a lock
 * while the first one runs. The term tells of the first one.
 *
 * @param term above 0 while it has the store open, also when it was killed
 * @param store the store that it writes
 * @param system the start of the system on which it runs
 * @param lock the identity of the lock file that it locked
 * @param file the identity of its file with the offsets: another one in a copy
 * @param process see {@link FileMedium#thisProcess}
 * @param directory where it has opened the store
 */
record PriorWriter(
        long term,
        UUID store,
        UUID system,
        String lock,
        String file,
        String process,
        String directory) {
    private static final int PARTS = 4;

    /** Returns the text that a writer leaves in its file. */
    static String describe(
            FileMedium medium, MediumLock lock, Object file, Path directory, String unknown) {
        String process = medium.thisProcess();
        return String.join(
                "\n",
                textOf(lock.identity(), unknown),
                textOf(file, unknown),
                process == null ? unknown : process,
                placeOf(directory));
    }

    private static String textOf(Object identity, String unknown) {
        return identity == null ? unknown : identity.toString();
    }

    private static String placeOf(Path directory) {
        return directory.toAbsolutePath().normalize().toString();
    }

    /** Reads the file; returns null when it tells of no writer. */
    static PriorWriter read(FileMedium medium, Path path) throws IOException {
        byte[] header = new byte[PublishedOffsetsFormat.HEADER_BYTES];
        try (MediumFile file = medium.open(path, false)) {
            if (file.read(0, header, 0, header.length) < header.length) {
                return null;
            }
        } catch (NoSuchFileException e) {
            return null;
        }
        ByteBuffer in = ByteBuffer.wrap(header).order(ByteOrder.nativeOrder());
        long length = in.getLong(PublishedOffsetsFormat.OWNER_LENGTH);
        if (in.getLong(PublishedOffsetsFormat.MAGIC_AT) != PublishedOffsetsFormat.MAGIC
                || in.getLong(PublishedOffsetsFormat.VERSION_AT) != PublishedOffsetsFormat.VERSION
                || length <= 0
                || length > PublishedOffsetsFormat.MOST_OWNER_BYTES) {
            return null;
        }
        String text =
                new String(
                        header, PublishedOffsetsFormat.OWNER, (int) length, StandardCharsets.UTF_8);
        String[] parts = text.split("\n", PARTS);
        return parts.length < PARTS
                ? null
                : new PriorWriter(
                        in.getLong(PublishedOffsetsFormat.TERM),
                        idAt(in, PublishedOffsetsFormat.STORE),
                        idAt(in, PublishedOffsetsFormat.SYSTEM),
                        parts[0],
                        parts[1],
                        parts[2],
                        parts[3]);
    }

    private static UUID idAt(ByteBuffer in, int at) {
        return new UUID(in.getLong(at), in.getLong(at + Long.BYTES));
    }

    /**
     * Checks that it does not write the store any more. It does not if this process holds the lock
     * on the very file that it had locked, which is how each store is opened after a crash.
     *
     * @param held the lock of this process
     * @throws StoreLockedException when it runs, or may run where this process cannot see it
     */
    void requireGone(FileMedium medium, Path path, UUID thisStore, MediumLock held)
            throws IOException {
        boolean isOver = term <= 0 || !system.equals(medium.runningSystem());
        if (isOver || !store.equals(thisStore) || lock.equals(String.valueOf(held.identity()))) {
            return;
        }
        boolean isItsFile = file.equals(String.valueOf(medium.identityOf(path)));
        FileMedium.Life life = medium.lifeOf(process);
        // In a copy, only a writer that had this very directory can be meant: its directory was
        // moved away and the copy moved here. Another container's directories say nothing.
        boolean mayRun =
                isItsFile
                        ? life != FileMedium.Life.ENDED
                        : life == FileMedium.Life.RUNS
                                && directory.equals(placeOf(path.getParent()));
        if (mayRun) {
            throw new StoreLockedException(refusal(path, life));
        }
    }

    private String refusal(Path path, FileMedium.Life life) {
        boolean runs = life == FileMedium.Life.RUNS;
        return path
                + " says that another process has the store open: "
                + process
                + ", which "
                + (runs ? "runs" : "may run where this process cannot see it")
                + "; its lock file was deleted or replaced, which does not end it (expected the"
                + " lock file "
                + lock
                + ", found another one): "
                + (runs
                        ? "stop that process, or close the store there"
                        : "stop that process; if it is certain that it has ended, delete " + path)
                + ", then open the store again";
    }
}
