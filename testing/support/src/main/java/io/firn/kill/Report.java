package io.firn.kill;

import java.io.DataInput;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;

/**
 * What a child says through the pipe. Each report is written with one call, so a kill leaves it
 * whole or not at all.
 *
 * <pre>
 *  0      1       5           13            21            29       33
 *  | kind | lane  | first     | second      | third       | number |
 * </pre>
 */
record Report(Kind kind, int lane, long first, long second, long third, int number) {
    private static final int LENGTH = 33;

    /** What it is about. */
    enum Kind {
        /** The JVM is up and is about to open the store. */
        OPENING,
        /** The store is open. */
        OPENED,
        /** A lane begins as another producer: producer id, epoch, sequence. */
        RENEWED,
        /** A batch is acknowledged: its first record's number, offset, sum; 1 when repeated. */
        ACKED,
        /** So many rolls since the last report. */
        ROLLED,
        /** What this round waits for has happened. */
        READY,
        /** Records of the lane's partition are about to be deleted before the offset. */
        DELETING,
        /** They are. */
        DELETED,
        /** The lane's cursor was forced at the offset. */
        CURSOR,
        /** The store is about to be closed. */
        CLOSING,
        /** The store is closed. */
        CLOSED
    }

    static Report of(Kind kind) {
        return new Report(kind, -1, 0, 0, 0, 0);
    }

    static Report of(Kind kind, int lane, long value) {
        return new Report(kind, lane, value, 0, 0, 0);
    }

    void write(OutputStream out) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(LENGTH);
        bytes.put((byte) kind.ordinal()).putInt(lane).putLong(first).putLong(second);
        bytes.putLong(third).putInt(number);
        synchronized (out) {
            out.write(bytes.array());
        }
    }

    /** The next report; null at the end. */
    static Report read(DataInput in) throws IOException {
        try {
            Kind kind = Kind.values()[in.readByte()];
            return new Report(
                    kind, in.readInt(), in.readLong(), in.readLong(), in.readLong(), in.readInt());
        } catch (EOFException e) {
            return null;
        }
    }
}
