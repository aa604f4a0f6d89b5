package io.firn.server.log;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.utils.ByteUtils;

/**
 * The one batch of a produce request, for one partition: what has to be right about its header
 * before the log checks the rest. The bytes are the request's own.
 *
 * <pre>
 *  0 base offset   8 length   12 epoch   16 magic   17 CRC   21 attributes   23 last offset delta
 * 27 base timestamp   35 max timestamp   43 producer id   51 its epoch   53 sequence   57 count
 * </pre>
 */
final class ForeignRecords {
    private static final int HEADER = 61;
    private static final int LENGTH = 8;
    private static final int LENGTH_OVERHEAD = 12;
    private static final int MAGIC = 16;
    private static final int CRC = 17;
    private static final int ATTRIBUTES = 21;
    private static final int MAX_TIMESTAMP = 35;
    private static final int COUNT = 57;
    private static final int COMPRESSION = 7;
    private static final int ZSTD = 4;
    private static final int APPEND_TIME = 8;
    private static final short FIRST_WITH_ZSTD = 7;
    private static final int FEW_RECORDS = 64;
    private static final int LEAST_RECORD_BYTES = 7;

    private final ByteBuffer bytes;
    private final int at;

    ForeignRecords(ByteBuffer bytes) {
        this.bytes = bytes;
        this.at = bytes.position();
    }

    /** What is wrong with it, or {@link Errors#NONE}. */
    Errors check(TopicSettings settings, short version, long nowMs) {
        if (bytes.remaining() < HEADER) {
            return Errors.INVALID_RECORD;
        }
        if (bytes.get(at + MAGIC) != 2) {
            return Errors.INVALID_RECORD; // as a broker says since produce requests have version 3
        }
        long size = (long) bytes.getInt(at + LENGTH) + LENGTH_OVERHEAD;
        if (size < HEADER) {
            return Errors.CORRUPT_MESSAGE;
        }
        if (size != bytes.remaining()) {
            return Errors.INVALID_RECORD; // one batch for a partition, complete, nothing after it
        }
        if (size > settings.maxMessageBytes()) {
            return Errors.MESSAGE_TOO_LARGE;
        }
        int attributes = bytes.getShort(at + ATTRIBUTES);
        int compression = attributes & COMPRESSION;
        if (compression > ZSTD || (compression == ZSTD && version < FIRST_WITH_ZSTD)) {
            return Errors.UNSUPPORTED_COMPRESSION_TYPE;
        }
        if (!settings.isAppendTime()
                && ((attributes & APPEND_TIME) != 0
                        || !settings.acceptsTimestamp(bytes.getLong(at + MAX_TIMESTAMP), nowMs))) {
            return Errors.INVALID_TIMESTAMP; // time is the log's to say only where it does
        }
        if (settings.isCompacted() && compression == 0 && !haveKeys()) {
            return Errors.INVALID_RECORD; // compaction could neither keep nor drop them
        }
        return Errors.NONE;
    }

    /** Whether each record has a key; of records that are malformed the log says so itself. */
    private boolean haveKeys() {
        ByteBuffer in = bytes.duplicate().position(at + HEADER);
        try {
            for (int left = count(); left > 0 && in.hasRemaining(); left--) {
                int end = ByteUtils.readVarint(in) + in.position();
                in.get(); // attributes
                ByteUtils.readVarlong(in); // timestamp
                ByteUtils.readVarint(in); // offset
                if (ByteUtils.readVarint(in) < 0) {
                    return false;
                }
                if (end < in.position()) {
                    return true; // else a length below zero would go round for each record
                }
                in.position(end);
            }
        } catch (BufferUnderflowException | IllegalArgumentException e) {
            return true;
        }
        return true;
    }

    /**
     * Whether it is compressed and says that it contains more records than as many bytes could
     * without compression. The log decompresses such a batch to count them, which may take long.
     */
    boolean isDense() {
        if (bytes.remaining() < HEADER || (bytes.getShort(at + ATTRIBUTES) & COMPRESSION) == 0) {
            return false;
        }
        int room = bytes.remaining() - HEADER;
        return count() > Math.max(FEW_RECORDS, room / LEAST_RECORD_BYTES);
    }

    int count() {
        return bytes.getInt(at + COUNT);
    }

    ByteBuffer bytes() {
        return bytes;
    }

    /** Gives all records our time; false when the batch is not what its maker checksummed. */
    boolean stamp(long nowMs) {
        if (crc() != bytes.getInt(at + CRC)) {
            return false;
        }
        bytes.putShort(at + ATTRIBUTES, (short) (bytes.getShort(at + ATTRIBUTES) | APPEND_TIME));
        bytes.putLong(at + MAX_TIMESTAMP, nowMs);
        bytes.putInt(at + CRC, crc());
        return true;
    }

    private int crc() {
        CRC32C crc = new CRC32C();
        crc.update(bytes.duplicate().position(at + ATTRIBUTES));
        return (int) crc.getValue();
    }
}
