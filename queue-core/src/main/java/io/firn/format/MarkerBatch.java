package io.firn.format;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * A marker: the control batch with one record by which a transaction ends in a partition, as
 * Kafka's clients expect it. The record:
 *
 * <pre>
 *  key    | version 0 (2) | 0 abort, 1 commit (2) |
 *  value  | version 0 (2) | decision (4)          |
 * </pre>
 *
 * <p>Kafka calls the last number the coordinator's epoch. Here it says which decision the marker
 * carries out, so that recovery can tell the batches before it from those of a later transaction of
 * the same producer and epoch.
 */
public final class MarkerBatch {
    /** Bytes of a marker that {@link #encode} makes. */
    public static final int LENGTH = BatchFormat.HEADER_LENGTH + 17;

    /** Bytes of a marker whose timestamp delta is large, since compaction gave it a horizon. */
    public static final int MOST_LENGTH = LENGTH + 16;

    private static final int KEY_BYTES = 4;
    private static final int VALUE_BYTES = 6;
    private static final int COMMIT = 1;

    private MarkerBatch() {}

    /** Returns a marker; the log sets its offset and its epoch. */
    public static byte[] encode(
            long producerId, int producerEpoch, boolean isCommit, int decision, long timeMs) {
        byte[] b = new byte[LENGTH];
        int attributes = BatchFormat.TRANSACTIONAL_FLAG | BatchFormat.CONTROL_FLAG;
        HeaderBytes.write(b, LENGTH, attributes, 1, timeMs, timeMs, producerId, producerEpoch, -1);
        int at = BatchFormat.HEADER_LENGTH;
        at = Varint.put(b, at, LENGTH - BatchFormat.HEADER_LENGTH - 1);
        b[at++] = 0; // attributes
        at = Varint.put(b, at, 0L); // timestamp delta
        at = Varint.put(b, at, 0); // offset delta
        at = Varint.put(b, at, KEY_BYTES);
        b[at + 3] = (byte) (isCommit ? COMMIT : 0);
        at = Varint.put(b, at + KEY_BYTES, VALUE_BYTES);
        HeaderBytes.putInt(b, at + 2, decision);
        Varint.put(b, at + VALUE_BYTES, 0); // no headers
        HeaderBytes.putInt(b, BatchFormat.CRC, BatchFormat.computeCrc(new CRC32C(), b, 0, LENGTH));
        return b;
    }

    /** Returns the position of the key in a control batch whose header was checked. */
    private static int keyAt(ByteBuffer bytes, int at) {
        int place = at + BatchFormat.HEADER_LENGTH;
        place += Varint.length(bytes, place) + 1; // length, attributes
        place += Varint.length(bytes, place); // timestamp delta
        place += Varint.length(bytes, place); // offset delta
        return place + Varint.length(bytes, place); // length of the key
    }

    /** Returns whether a control batch is a marker: compaction may have emptied it. */
    public static boolean isAt(ByteBuffer bytes, int at) {
        return bytes.getInt(at + BatchFormat.COUNT) == 1
                && BatchFormat.size(bytes, at) >= LENGTH
                && bytes.getShort(keyAt(bytes, at)) == 0;
    }

    /** Returns whether the marker at a position commits. */
    public static boolean isCommit(ByteBuffer bytes, int at) {
        return bytes.getShort(keyAt(bytes, at) + 2) == COMMIT;
    }

    /** Returns which decision the marker at a position carries out. */
    public static int decision(ByteBuffer bytes, int at) {
        int valueLength = keyAt(bytes, at) + KEY_BYTES;
        return bytes.getInt(valueLength + Varint.length(bytes, valueLength) + 2);
    }
}
