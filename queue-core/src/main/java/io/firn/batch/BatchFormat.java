package io.firn.batch;

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
 * {@code epoch} lie outside of it so that the log can set them in a batch it did not make; {@code
 * length} and {@code magic} too, and a damaged one shows in the CRC or the chain of offsets.
 */
public final class BatchFormat {
    /** A compressed batch is read only when its records take no more, decompressed. */
    public static final int MAX_DECOMPRESSED = 128 << 20;

    /** The log's offset of the first record. */
    public static final int BASE_OFFSET = 0;

    /** Bytes that follow the length field. */
    public static final int LENGTH = 8;

    /** The low 31 bits of the writer's epoch. */
    public static final int EPOCH = 12;

    /** Always 2. */
    public static final int MAGIC = 16;

    /** CRC32C of everything after it. */
    public static final int CRC = 17;

    /** Compression and flags. */
    public static final int ATTRIBUTES = 21;

    /** Offset of the last record less that of the first. */
    public static final int LAST_OFFSET_DELTA = 23;

    /** Timestamp that the records' deltas count from. */
    public static final int BASE_TIMESTAMP = 27;

    /** The largest timestamp. */
    public static final int MAX_TIMESTAMP = 35;

    /** Idempotent producer, or −1. */
    public static final int PRODUCER_ID = 43;

    /** Its epoch, or −1. */
    public static final int PRODUCER_EPOCH = 51;

    /** Sequence of the first record, or −1. */
    public static final int BASE_SEQUENCE = 53;

    /** Number of records. */
    public static final int COUNT = 57;

    /** Where the records start. */
    public static final int HEADER_LENGTH = 61;

    /** Bytes in front of those that {@code length} counts. */
    public static final int LENGTH_OVERHEAD = 12;

    /** The magic that Firn stores. */
    public static final byte MAGIC_2 = 2;

    /** Attribute bits that name the compression. */
    public static final int COMPRESSION_MASK = 0x07;

    /** The timestamps are the log's. */
    public static final int APPEND_TIME_FLAG = 0x08;

    /** Part of a transaction. */
    public static final int TRANSACTIONAL_FLAG = 0x10;

    /** Written by a coordinator, not by a client. */
    public static final int CONTROL_FLAG = 0x20;

    private BatchFormat() {}

    /** The bits of an epoch that a batch carries. */
    public static int epochBits(long epoch) {
        return (int) (epoch & 0x7FFF_FFFF);
    }

    /** The whole batch's size. */
    public static int size(ByteBuffer b, int at) {
        return b.getInt(at + LENGTH) + LENGTH_OVERHEAD;
    }

    /** Offset that follows the batch. */
    public static long nextOffset(ByteBuffer b, int at) {
        return b.getLong(at + BASE_OFFSET) + b.getInt(at + LAST_OFFSET_DELTA) + 1;
    }

    /** The CRC that a batch in an array should carry. */
    public static int computeCrc(CRC32C crc, byte[] bytes, int from, int size) {
        crc.reset();
        crc.update(bytes, from + ATTRIBUTES, size - ATTRIBUTES);
        return (int) crc.getValue();
    }
}
