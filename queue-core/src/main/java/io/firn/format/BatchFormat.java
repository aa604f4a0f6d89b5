package io.firn.format;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The Kafka record batch, magic 2. All numbers are big-endian.
 *
 * <pre>
 *  0            8        12       16    17    21     23           27
 *  | baseOffset | length | epoch  | mag | crc | attr | lastOffΔ   |
 *  27              35             43           51      53        57      61
 *  | baseTimestamp | maxTimestamp | producerId | pEpoch | baseSeq | count | records …
 * </pre>
 *
 * {@code length} counts from byte 12. The CRC32C covers byte 21 to the end. {@code baseOffset} and
 * {@code epoch} are not covered, so that the log can set them in a batch that it did not make. Nor
 * are {@code length} and {@code magic}: a damaged one shows in the CRC or in the next offset.
 *
 * <p>This is the only table of these fields, except that the oracle of crashlab and the floors of
 * the benchmarks have their own on purpose.
 */
public final class BatchFormat {
    /** The most bytes that the records of a compressed batch may take when decompressed. */
    public static final int MAX_DECOMPRESSED = 128 << 20;

    /** Position of the first record's offset in the log. */
    public static final int BASE_OFFSET = 0;

    /** Position of the length, which counts the bytes after its field. */
    public static final int LENGTH = 8;

    /** Position of the low 31 bits of the writer's epoch. */
    public static final int EPOCH = 12;

    /** Position of the magic, always 2. */
    public static final int MAGIC = 16;

    /** Position of the CRC32C of everything after it. */
    public static final int CRC = 17;

    /** Position of the compression and flags. */
    public static final int ATTRIBUTES = 21;

    /** Position of the last record's offset, relative to the first one's. */
    public static final int LAST_OFFSET_DELTA = 23;

    /**
     * Position of the timestamp from which the records' deltas count. In a batch with a delete
     * horizon it is that horizon: what sets one rewrites the deltas, so that base and delta still
     * give a record's timestamp.
     */
    public static final int BASE_TIMESTAMP = 27;

    /** Position of the largest timestamp. */
    public static final int MAX_TIMESTAMP = 35;

    /** Position of the idempotent producer's id; −1 for none. */
    public static final int PRODUCER_ID = 43;

    /** Position of the producer's epoch; −1 for none. */
    public static final int PRODUCER_EPOCH = 51;

    /** Position of the first record's sequence number; −1 for none. */
    public static final int BASE_SEQUENCE = 53;

    /** Position of the number of records. */
    public static final int COUNT = 57;

    /** Bytes of the header; the records follow. */
    public static final int HEADER_LENGTH = 61;

    /** Bytes before those that {@code length} counts. */
    public static final int LENGTH_OVERHEAD = 12;

    /** The magic that Firn stores. */
    public static final byte MAGIC_2 = 2;

    /** The attributes' bits that contain the compression. */
    public static final int COMPRESSION_MASK = 0x07;

    /** The attributes' flag of a batch whose timestamps the log has set. */
    public static final int APPEND_TIME_FLAG = 0x08;

    /** The attributes' flag of a batch in a transaction. */
    public static final int TRANSACTIONAL_FLAG = 0x10;

    /** The attributes' flag of a batch that a coordinator wrote, not a client. */
    public static final int CONTROL_FLAG = 0x20;

    /**
     * The attributes' flag of a batch with a delete horizon, which is in the place of the base
     * timestamp: from then on, in ms since 1970, its tombstones may be removed (KIP-534).
     */
    public static final int DELETE_HORIZON_FLAG = 0x40;

    /**
     * The attributes' bits that a client may set; the log sets the others, or they are not used
     * yet.
     */
    public static final int CLIENT_MASK = COMPRESSION_MASK | APPEND_TIME_FLAG | TRANSACTIONAL_FLAG;

    private BatchFormat() {}

    /** Returns the bits of an epoch that a batch contains. */
    public static int epochBits(long epoch) {
        return (int) (epoch & 0x7FFF_FFFF);
    }

    /** Returns the size of the whole batch in bytes, as its header says. */
    public static int size(ByteBuffer b, int at) {
        return b.getInt(at + LENGTH) + LENGTH_OVERHEAD;
    }

    /** Returns the offset after the batch. */
    public static long nextOffset(ByteBuffer b, int at) {
        return b.getLong(at + BASE_OFFSET) + b.getInt(at + LAST_OFFSET_DELTA) + 1;
    }

    /** Computes the CRC of a batch in an array. */
    public static int computeCrc(CRC32C crc, byte[] bytes, int from, int size) {
        crc.reset();
        crc.update(bytes, from + ATTRIBUTES, size - ATTRIBUTES);
        return (int) crc.getValue();
    }
}
