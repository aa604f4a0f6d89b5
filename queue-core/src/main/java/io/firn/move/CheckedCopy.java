package io.firn.move;

import io.firn.spi.BlockCopy;
import java.io.IOException;
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
}
