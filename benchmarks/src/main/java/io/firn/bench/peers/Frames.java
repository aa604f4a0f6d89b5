package io.firn.bench.peers;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The frames of the hand-written logs: the length of the body, its CRC32C (or 0), and the body,
 * which is a length and a value for each record. A frame ends at a multiple of 8; a length of 0 is
 * the end.
 */
final class Frames {
    static final int HEADER = 8;
    static final int LENGTH = 4;

    private final boolean checked;
    private final CRC32C crc = new CRC32C();

    Frames(boolean checked) {
        this.checked = checked;
    }

    /** Returns the space of a frame. */
    static int size(int bytes, int records) {
        return (HEADER + records * (LENGTH + bytes) + 7) & -8;
    }

    /** Fills a buffer with a frame and flips it. */
    ByteBuffer fill(ByteBuffer frame, byte[] value, int records) {
        frame.clear().position(HEADER);
        for (int i = 0; i < records; i++) {
            frame.putInt(value.length).put(value);
        }
        int end = frame.position();
        int crcOf = crc(frame, HEADER, end);
        frame.limit(frame.capacity()).putInt(0, end - HEADER).putInt(Integer.BYTES, crcOf);
        return frame.position(0).limit((end + 7) & -8);
    }

    /** Returns the CRC of a value that is one record of a frame; 0 if frames are not checked. */
    int crc(byte[] value) {
        if (!checked) {
            return 0;
        }
        crc.reset();
        crc.update(value);
        return (int) crc.getValue();
    }

    /** Returns the CRC of the body between two positions; 0 if frames are not checked. */
    int crc(ByteBuffer buffer, int from, int to) {
        if (!checked) {
            return 0;
        }
        int position = buffer.position();
        int limit = buffer.limit();
        crc.reset();
        crc.update(buffer.limit(to).position(from));
        buffer.limit(limit).position(position);
        return (int) crc.getValue();
    }

    /** Whether the body between two positions has a CRC; true if frames are not checked. */
    boolean matches(ByteBuffer buffer, int from, int to, int expected) {
        return !checked || crc(buffer, from, to) == expected;
    }
}
