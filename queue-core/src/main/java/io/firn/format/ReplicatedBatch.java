package io.firn.format;

import io.firn.host.InvalidBatchException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * Checks a batch that another log has stored, before it is stored here as it is. Its records were
 * checked by that log, and its CRC says that they are the same; only those of a control batch are
 * looked at, because this log reads them, too. Not thread-safe.
 */
public final class ReplicatedBatch {
    private static final int LEAST_KEY = 4;

    private final CRC32C crc = new CRC32C();
    private final RecordParser record = new RecordParser();
    private ByteBuffer lastSeen;
    private ByteBuffer covered;

    /**
     * Checks the batch at a position of a buffer.
     *
     * @param limit where the bytes end
     * @return its size
     * @throws InvalidBatchException when it is not whole, or not valid
     */
    public int check(ByteBuffer bytes, int at, int limit) {
        if (bytes.order() != ByteOrder.BIG_ENDIAN) {
            throw invalid("the buffer must be big-endian");
        }
        if (limit - at < BatchFormat.HEADER_LENGTH) {
            throw invalid((limit - at) + " bytes are less than the header of a batch");
        }
        int length = bytes.getInt(at + BatchFormat.LENGTH);
        if (length < BatchFormat.HEADER_LENGTH - BatchFormat.LENGTH_OVERHEAD
                || length > limit - at - BatchFormat.LENGTH_OVERHEAD) {
            throw invalid("its length is " + length + ", and " + (limit - at) + " bytes are there");
        }
        byte magic = bytes.get(at + BatchFormat.MAGIC);
        if (magic != BatchFormat.MAGIC_2) {
            throw invalid("expected magic 2, found " + magic);
        }
        int size = length + BatchFormat.LENGTH_OVERHEAD;
        int stored = bytes.getInt(at + BatchFormat.CRC);
        int computed = crc(bytes, at, size);
        if (stored != computed) {
            throw new InvalidBatchException(
                    String.format(
                            "a replicated batch cannot be stored: its CRC says %08x, its bytes"
                                    + " give %08x",
                            stored, computed),
                    true);
        }
        checkOffsets(bytes, at);
        int attributes = bytes.getShort(at + BatchFormat.ATTRIBUTES);
        if ((attributes & BatchFormat.CONTROL_FLAG) != 0) {
            checkControl(bytes, at, size);
        }
        return size;
    }

    private static void checkOffsets(ByteBuffer bytes, int at) {
        long base = bytes.getLong(at + BatchFormat.BASE_OFFSET);
        int delta = bytes.getInt(at + BatchFormat.LAST_OFFSET_DELTA);
        int count = bytes.getInt(at + BatchFormat.COUNT);
        if (base < 0
                || delta < 0
                || delta == Integer.MAX_VALUE
                || base > Long.MAX_VALUE - 1 - delta) {
            throw invalid("base offset " + base + " with last offset delta " + delta);
        }
        if (count < 0 || count - 1 > delta) {
            throw invalid("record count " + count + " with last offset delta " + delta);
        }
    }

    /** Recovery reads the record of a control batch, so it has to be where it says it is. */
    private void checkControl(ByteBuffer bytes, int at, int size) {
        int count = bytes.getInt(at + BatchFormat.COUNT);
        if (count == 0) {
            return; // compaction has emptied it
        }
        int codec = bytes.getShort(at + BatchFormat.ATTRIBUTES) & BatchFormat.COMPRESSION_MASK;
        int first = at + BatchFormat.HEADER_LENGTH;
        record.pointAt(bytes);
        record.batch(0, 1, 0, false, at + size);
        if (codec != 0 || record.parse(first) < 0 || record.keyLength() < LEAST_KEY) {
            throw invalid("the record of a control batch is malformed");
        }
    }

    @SuppressWarnings("ReferenceEquality") // another buffer needs another duplicate
    private int crc(ByteBuffer bytes, int at, int size) {
        if (bytes != lastSeen) {
            lastSeen = bytes;
            covered = bytes.duplicate();
        }
        covered.limit(at + size).position(at + BatchFormat.ATTRIBUTES);
        crc.reset();
        crc.update(covered);
        return (int) crc.getValue();
    }

    private static InvalidBatchException invalid(String why) {
        return new InvalidBatchException("a replicated batch cannot be stored: " + why);
    }
}
