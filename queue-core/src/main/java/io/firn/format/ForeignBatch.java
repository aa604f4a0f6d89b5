package io.firn.format;

import io.firn.Compression;
import io.firn.host.InvalidBatchException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongPredicate;
import java.util.function.Predicate;
import java.util.zip.CRC32C;

/** Checks a batch that another producer made, before a byte of it is stored. */
public final class ForeignBatch {
    private static final int FEW_RECORDS = 64;

    private ForeignBatch() {}

    /**
     * Checks the one batch between position and limit.
     *
     * @param needsKeys whether each record needs a key. A compressed batch is then decompressed,
     *     which may take long
     * @return the number of its records
     * @throws InvalidBatchException when it cannot be stored
     * @throws io.firn.MissingCodecException when it has to be decompressed, and the codec's library
     *     is not there, or does not load
     */
    public static int check(ByteBuffer buffer, boolean needsKeys) {
        if (buffer == null) {
            throw new NullPointerException("a Kafka record batch is expected, found null");
        }
        checkFrame(buffer);
        int at = buffer.position();
        int size = buffer.remaining();
        int attributes = buffer.getShort(at + BatchFormat.ATTRIBUTES);
        if ((attributes & BatchFormat.CONTROL_FLAG) != 0) {
            throw invalid("only the log itself appends control batches");
        }
        Compression compression = Compression.ofId(attributes & BatchFormat.COMPRESSION_MASK);
        if (compression == null) {
            throw invalid("unknown compression " + (attributes & BatchFormat.COMPRESSION_MASK));
        }
        int count = buffer.getInt(at + BatchFormat.COUNT);
        int lastOffsetDelta = buffer.getInt(at + BatchFormat.LAST_OFFSET_DELTA);
        if (count < 1 || lastOffsetDelta != count - 1) {
            throw invalid(
                    "record count "
                            + count
                            + " and last offset delta "
                            + lastOffsetDelta
                            + " do not agree");
        }
        checkProducer(buffer, at);
        if (compression == Compression.NONE) {
            checkRecords(buffer, at, size, count, needsKeys);
        } else if (needsKeys || isDense(size, count)) {
            // Each record takes an offset, and a segment has room for 2³¹: an invented count would
            // use up segments.
            checkCompressed(buffer, count, compression, needsKeys);
        }
        return count;
    }

    /** Checks that it is one batch, whose bytes are those that were sent. */
    private static void checkFrame(ByteBuffer buffer) {
        int at = buffer.position();
        int size = buffer.remaining();
        if (size < BatchFormat.HEADER_LENGTH) {
            throw invalid(
                    "a batch has at least " + BatchFormat.HEADER_LENGTH + " bytes, found " + size);
        }
        if (buffer.order() != java.nio.ByteOrder.BIG_ENDIAN) {
            throw invalid("the buffer must be big-endian");
        }
        byte magic = buffer.get(at + BatchFormat.MAGIC);
        if (magic != BatchFormat.MAGIC_2) {
            throw invalid("expected magic 2, found " + magic);
        }
        int length = buffer.getInt(at + BatchFormat.LENGTH);
        if (length != size - BatchFormat.LENGTH_OVERHEAD) {
            throw invalid(
                    "expected exactly one batch of "
                            + size
                            + " bytes, its header says "
                            + ((long) length + BatchFormat.LENGTH_OVERHEAD));
        }
        int stored = buffer.getInt(at + BatchFormat.CRC);
        int computed = crc(buffer, at, size);
        if (stored != computed) {
            throw new InvalidBatchException(
                    String.format(
                            "not a Kafka record batch that can be stored: its CRC says %08x, its"
                                    + " bytes give %08x",
                            stored, computed),
                    true);
        }
    }

    /**
     * Returns whether the batch between position and limit is compressed and claims more records
     * than as many bytes could hold without compression, and more than a few. {@link #check}
     * decompresses such a batch to count its records, which may take long.
     */
    public static boolean isDense(ByteBuffer buffer) {
        int at = buffer.position();
        int size = buffer.remaining();
        return size >= BatchFormat.HEADER_LENGTH
                && (buffer.getShort(at + BatchFormat.ATTRIBUTES) & BatchFormat.COMPRESSION_MASK)
                        != 0
                && isDense(size, buffer.getInt(at + BatchFormat.COUNT));
    }

    /** Returns whether the batch between position and limit is compressed, if it is a batch. */
    public static boolean isCompressed(ByteBuffer buffer) {
        return buffer.remaining() >= BatchFormat.HEADER_LENGTH
                && (buffer.getShort(buffer.position() + BatchFormat.ATTRIBUTES)
                                & BatchFormat.COMPRESSION_MASK)
                        != 0;
    }

    private static boolean isDense(int size, int count) {
        int room = size - BatchFormat.HEADER_LENGTH;
        return count > Math.max(FEW_RECORDS, room / CompressedRecords.LEAST_RECORD_BYTES);
    }

    /**
     * Returns which records of a batch have no key: their numbers in the batch, ascending, up to
     * the first record that is malformed. Takes as long as {@link #check}, which has refused the
     * batch.
     *
     * @param most how many to return at most
     */
    public static List<Integer> withoutKey(ByteBuffer buffer, int most) {
        int at = buffer.position();
        int size = buffer.remaining();
        int count = buffer.getInt(at + BatchFormat.COUNT);
        if (isCompressed(buffer)) {
            int attributes = buffer.getShort(at + BatchFormat.ATTRIBUTES);
            Compression codec = Compression.ofId(attributes & BatchFormat.COMPRESSION_MASK);
            byte[] compressed = new byte[size - BatchFormat.HEADER_LENGTH];
            buffer.get(at + BatchFormat.HEADER_LENGTH, compressed);
            try {
                return CompressedRecords.withoutKey(codec, compressed, count, most);
            } catch (IOException e) {
                return List.of();
            }
        }
        return find(buffer, record -> record.keyLength() < 0, most);
    }

    /**
     * Returns which records of a batch that is not compressed have another timestamp than is
     * accepted, by their numbers in the batch. Its header was checked; where a record is malformed,
     * it ends. Those of a compressed batch are not looked at.
     *
     * @param most how many are looked for
     */
    public static List<Integer> outsideTime(ByteBuffer buffer, LongPredicate accepted, int most) {
        return isCompressed(buffer)
                ? List.of()
                : find(buffer, record -> !accepted.test(record.timestamp()), most);
    }

    private static List<Integer> find(
            ByteBuffer buffer, Predicate<RecordParser> isWanted, int most) {
        int at = buffer.position();
        int count = buffer.getInt(at + BatchFormat.COUNT);
        long baseTimestamp = buffer.getLong(at + BatchFormat.BASE_TIMESTAMP);
        List<Integer> found = new ArrayList<>();
        RecordParser record = new RecordParser();
        record.pointAt(buffer);
        record.batch(0, count, baseTimestamp, false, at + buffer.remaining());
        int position = at + BatchFormat.HEADER_LENGTH;
        for (int i = 0; i < count && found.size() < most; i++) {
            position = record.parse(position);
            if (position < 0 || record.offset() != i) {
                break;
            }
            if (isWanted.test(record)) {
                found.add(i);
            }
        }
        return found;
    }

    private static void checkCompressed(
            ByteBuffer buffer, int count, Compression codec, boolean needsKeys) {
        int size = buffer.remaining();
        byte[] compressed = new byte[size - BatchFormat.HEADER_LENGTH];
        buffer.get(buffer.position() + BatchFormat.HEADER_LENGTH, compressed);
        try {
            int without = CompressedRecords.check(codec, compressed, count, needsKeys);
            if (without >= 0) {
                throw withoutKey(without);
            }
        } catch (IOException e) {
            String found = e.getMessage() == null ? e.toString() : e.getMessage();
            throw invalid("record count " + count + " in " + size + " bytes: " + found);
        }
    }

    private static int crc(ByteBuffer buffer, int at, int size) {
        CRC32C crc = new CRC32C();
        ByteBuffer covered = buffer.duplicate();
        covered.limit(at + size).position(at + BatchFormat.ATTRIBUTES);
        crc.update(covered);
        return (int) crc.getValue();
    }

    private static void checkProducer(ByteBuffer buffer, int at) {
        long producerId = buffer.getLong(at + BatchFormat.PRODUCER_ID);
        int epoch = buffer.getShort(at + BatchFormat.PRODUCER_EPOCH);
        int sequence = buffer.getInt(at + BatchFormat.BASE_SEQUENCE);
        if (producerId >= 0 && (epoch < 0 || sequence < 0)) {
            throw invalid(
                    "producer " + producerId + " with epoch " + epoch + ", sequence " + sequence);
        }
        int attributes = buffer.getShort(at + BatchFormat.ATTRIBUTES);
        if (producerId < 0 && (attributes & BatchFormat.TRANSACTIONAL_FLAG) != 0) {
            throw invalid("a batch of a transaction has a producer, this one has none");
        }
    }

    private static void checkRecords(
            ByteBuffer buffer, int at, int size, int count, boolean needsKeys) {
        RecordParser record = new RecordParser();
        record.pointAt(buffer);
        record.batch(0, count, 0, false, at + size);
        int position = at + BatchFormat.HEADER_LENGTH;
        for (int i = 0; i < count; i++) {
            int next = record.parse(position);
            if (next < 0 || record.offset() != i) {
                throw invalid("record " + i + " of " + count + " is malformed");
            }
            if (needsKeys && record.keyLength() < 0) {
                throw withoutKey(i);
            }
            position = next;
        }
        if (position != at + size) {
            throw invalid((at + size - position) + " bytes follow the last record");
        }
    }

    private static InvalidBatchException withoutKey(int record) {
        return invalid(
                "record "
                        + record
                        + " has no key, and the topic is compacted, so that each record needs one");
    }

    private static InvalidBatchException invalid(String why) {
        return new InvalidBatchException("not a Kafka record batch that can be stored: " + why);
    }
}
