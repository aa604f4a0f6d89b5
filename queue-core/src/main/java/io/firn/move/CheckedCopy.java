package io.firn.move;

import io.firn.LogStore.MoveControl;
import io.firn.spi.BlockCopy;
import java.io.IOException;
import java.util.function.BooleanSupplier;
import java.util.zip.CRC32C;

/**
 * Writes a copy from beginning to end, forces it, and only then reads it back, so that what is
 * compared is what was forced (O6, O14). For one thread.
 */
public final class CheckedCopy {
    /** The bytes of a piece that is read or written at a time. */
    public static final int PIECE = 256 * 1024;

    /**
     * The copy is forced after this many bytes, so that a foreground force never waits for a whole
     * segment.
     */
    private static final int FORCE_EVERY = 4 << 20;

    private final BlockCopy copy;
    private final String what;
    private final CRC32C given = new CRC32C();
    private int written;
    private int forced;

    /**
     * Begins to write.
     *
     * @param what the copy and its tier, for messages
     */
    public CheckedCopy(BlockCopy copy, String what) {
        this.copy = copy;
        this.what = what;
    }

    /** Returns the number of bytes that were written. */
    public int written() {
        return written;
    }

    /** Writes bytes after those that were written before. */
    public void write(byte[] source, int from, int length) throws IOException {
        given.update(source, from, length);
        copy.write(written, source, from, length);
        written += length;
        if (written - forced >= FORCE_EVERY) {
            copy.force();
            forced = written;
        }
    }

    /**
     * Forces the copy and compares it with what was written.
     *
     * @return false when it is not wanted any more
     * @throws IOException when the medium fails or returns other bytes
     */
    public boolean finish(Pace pace) throws IOException {
        copy.force();
        CRC32C taken = new CRC32C();
        byte[] piece = new byte[Math.min(PIECE, Math.max(1, written))];
        for (int at = 0; at < written; at += piece.length) {
            int read = copy.read(at, piece, 0, Math.min(piece.length, written - at));
            taken.update(piece, 0, Math.max(read, 0));
            if (!pace.isWanted()) {
                return false;
            }
        }
        if (taken.getValue() != given.getValue()) {
            throw new IOException(
                    what + " reads back as other bytes than were written: check that medium");
        }
        return true;
    }

    /** Waits between the pieces of a copy as long as its control demands. For one thread. */
    public static final class Pace {
        private static final long SLICE_MS = 5;

        private final MoveControl control;
        private final BooleanSupplier isWanted;
        private boolean isCancelled;

        /**
         * Creates a pace.
         *
         * @param isWanted whether the copy is still wanted; asked again and again during a wait
         */
        public Pace(MoveControl control, BooleanSupplier isWanted) {
            this.control = control;
            this.isWanted = isWanted;
        }

        /** Returns whether the copy is still wanted. */
        public boolean isWanted() {
            return !isCancelled && isWanted.getAsBoolean();
        }

        /**
         * Waits before a piece; see {@link MoveControl#pauseNs} for the parameters. Once it was
         * cancelled, by the control or by an interrupt, the copy is not wanted any more.
         *
         * @return false when the copy is not wanted any more
         */
        public boolean pause(long copied, long total, int next) {
            long pauseNs = control.pauseNs(copied, total, next);
            if (pauseNs < 0) {
                isCancelled = true;
                return false;
            }
            long until = System.nanoTime() + pauseNs;
            try {
                for (long left = pauseNs;
                        left > 0 && isWanted();
                        left = until - System.nanoTime()) {
                    long ms = Math.min(left / 1_000_000, SLICE_MS);
                    Thread.sleep(ms, ms == SLICE_MS ? 0 : (int) (left % 1_000_000));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                isCancelled = true;
                return false;
            }
            return isWanted();
        }
    }
}
