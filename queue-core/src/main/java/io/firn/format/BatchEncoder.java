package io.firn.format;

import io.firn.Batch;
import io.firn.Compression;
import io.firn.InvalidOptionException;
import io.firn.RecordTooLargeException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.EpochClock;

/**
 * Encodes records into a Kafka batch on the heap. The batch is complete except for its base offset
 * and epoch, which the log sets (the CRC covers neither), so all of this happens before the turn to
 * append. Not thread-safe.
 */
public final class BatchEncoder implements Batch {
    /** Says that the batch is appended at whatever offset is next. */
    public static final long ANY_OFFSET = -1;

    private final EpochClock clock;
    private final Compression compression;
    private final Source source = new Source();
    private final Source keySource = new Source();
    private final RecordDraft draft;
    private final RecordsEncoder records;
    private final Scratch compressed;
    private final CRC32C crc = new CRC32C();
    private long producerId = -1;
    private int producerEpoch = -1;
    private int baseSequence = -1;
    private int flags;
    private long expectedOffset = ANY_OFFSET;

    /** Creates an empty batch for a topic. */
    public BatchEncoder(EpochClock clock, Compression compression, int maxRecordBytes) {
        this.clock = clock;
        this.compression = compression;
        this.draft = new RecordDraft(maxRecordBytes);
        this.records = new RecordsEncoder(maxRecordBytes);
        this.compressed = new Scratch(compression == Compression.NONE ? 0 : 1024);
    }

    /**
     * Returns a batch as what it is.
     *
     * @throws InvalidOptionException when {@code newBatch()} has not made it
     */
    public static BatchEncoder of(Batch batch) {
        if (!(batch instanceof BatchEncoder encoder)) {
            String expected = "a batch that newBatch() made is expected, found ";
            if (batch == null) {
                throw new NullPointerException(expected + "null");
            }
            throw new InvalidOptionException(expected + "a " + batch.getClass().getName());
        }
        return encoder;
    }

    @Override
    public Batch clear() {
        draft.clear();
        records.clear();
        producerId = -1;
        producerEpoch = -1;
        baseSequence = -1;
        flags = 0;
        expectedOffset = ANY_OFFSET;
        return this;
    }

    @Override
    public Batch expectedOffset(long offset) {
        if (offset < 0) {
            throw new InvalidOptionException("expectedOffset must be 0 or more, not " + offset);
        }
        expectedOffset = offset;
        return this;
    }

    /** Returns the offset that the first record has to get, or {@link #ANY_OFFSET}. */
    public long expectedOffset() {
        return expectedOffset;
    }

    @Override
    public Batch key(byte[] key, int from, int length) {
        return key(key == null ? source.none() : source.wrap(key, from, length));
    }

    @Override
    public Batch key(ByteBuffer key) {
        return key(key == null ? source.none() : source.wrap(key));
    }

    @Override
    public Batch key(DirectBuffer key, int from, int length) {
        return key(source.wrap(key, from, length));
    }

    @Override
    public Batch value(byte[] value, int from, int length) {
        return value(value == null ? source.none() : source.wrap(value, from, length));
    }

    @Override
    public Batch value(ByteBuffer value) {
        return value(value == null ? source.none() : source.wrap(value));
    }

    @Override
    public Batch value(DirectBuffer value, int from, int length) {
        return value(source.wrap(value, from, length));
    }

    private Batch key(Source bytes) {
        draft.key(bytes);
        return this;
    }

    private Batch value(Source bytes) {
        draft.value(bytes);
        return this;
    }

    @Override
    public Batch header(String key, byte[] value) {
        draft.header(key, value);
        return this;
    }

    @Override
    public Batch timestamp(long timestampMs) {
        draft.timestamp(timestampMs);
        return this;
    }

    @Override
    public Batch add() {
        return add(draft.keyIn(keySource), draft.valueIn(source));
    }

    /** As the other forms of {@code add} that take bytes, saves one copy of them. */
    @Override
    public Batch add(byte[] value) {
        if (value != null && !draft.isDescribed() && records.addPlain(value, clock.time())) {
            return this;
        }
        return add(draft.keyIn(keySource), source.wrapAny(value));
    }

    @Override
    public Batch add(ByteBuffer value) {
        return add(draft.keyIn(keySource), value == null ? source.none() : source.wrap(value));
    }

    @Override
    public Batch add(byte[] key, byte[] value) {
        return add(keySource.wrapAny(key), source.wrapAny(value));
    }

    private Batch add(Source key, Source value) {
        long time = draft.hasTimestamp() ? draft.timestamp() : clock.time();
        try {
            records.add(key, value, draft, time);
        } catch (RecordTooLargeException e) {
            draft.clear();
            throw e;
        }
        draft.clear();
        return this;
    }

    @Override
    public Batch producer(long id, int epoch, int sequence) {
        if (id < 0 || epoch < 0 || epoch > Short.MAX_VALUE || sequence < 0) {
            throw new InvalidOptionException(
                    "producer id, epoch (up to 32767) and sequence must not be negative: "
                            + id
                            + ", "
                            + epoch
                            + ", "
                            + sequence);
        }
        producerId = id;
        producerEpoch = epoch;
        baseSequence = sequence;
        flags = 0;
        return this;
    }

    /** As {@link #producer}, for a batch of a transaction. */
    public void transactional(long id, int epoch, int sequence) {
        producer(id, epoch, sequence);
        flags = BatchFormat.TRANSACTIONAL_FLAG;
    }

    @Override
    public int count() {
        return records.count();
    }

    @Override
    public int sizeBytes() {
        return records.bytes().length();
    }

    /**
     * Completes the batch.
     *
     * @return the bytes, from 0 to the scratch's length, valid until the next change of the batch
     * @throws InvalidOptionException when it is empty, or a record was described and not added
     * @throws RecordTooLargeException when no reader would decompress it
     */
    public Scratch finish() {
        Scratch whole = compose();
        HeaderBytes.putInt(
                whole.bytes(),
                BatchFormat.CRC,
                BatchFormat.computeCrc(crc, whole.bytes(), 0, whole.length()));
        return whole;
    }

    private Scratch compose() {
        if (draft.isDescribed()) {
            throw new InvalidOptionException(
                    "the last record was described and not added, so that it would be lost: call"
                            + " add() before the batch is appended, or clear()");
        }
        if (records.count() == 0) {
            throw new InvalidOptionException("a batch must hold at least one record: call add()");
        }
        Scratch plain = records.bytes();
        Scratch whole = plain;
        if (compression != Compression.NONE) {
            int recordBytes = plain.length() - BatchFormat.HEADER_LENGTH;
            if (recordBytes > BatchFormat.MAX_DECOMPRESSED) {
                throw new RecordTooLargeException(
                        "the batch's records have "
                                + recordBytes
                                + " bytes, a compressed batch may have up to "
                                + BatchFormat.MAX_DECOMPRESSED
                                + ": append fewer at once, or do not compress");
            }
            whole = compressed;
            whole.ensure(BatchFormat.HEADER_LENGTH);
            whole.length(BatchFormat.HEADER_LENGTH);
            Codecs.compress(
                    compression, plain.bytes(), BatchFormat.HEADER_LENGTH, recordBytes, whole);
        }
        HeaderBytes.write(
                whole.bytes(),
                whole.length(),
                compression.id() | flags,
                records.count(),
                records.baseTimestamp(),
                records.maxTimestamp(),
                producerId,
                producerEpoch,
                baseSequence);
        return whole;
    }

    /**
     * Completes the batch except for its CRC, for callers that compute it while the copy of the
     * bytes is on its way to memory. Otherwise as {@link #finish(int)}.
     */
    public Scratch compose(int topicsMaxRecordBytes) {
        checkLargest(topicsMaxRecordBytes);
        return compose();
    }

    /**
     * Completes the batch for a topic, possibly another one than it was created for.
     *
     * @throws RecordTooLargeException as {@link #finish()}, and when the topic allows only smaller
     *     records
     */
    public Scratch finish(int topicsMaxRecordBytes) {
        checkLargest(topicsMaxRecordBytes);
        return finish();
    }

    /**
     * Checks, for a topic that is compacted, that each record has a key.
     *
     * @throws InvalidOptionException when one has none
     */
    public void checkKeys() {
        int without = Keys.firstWithout(records.bytes(), records.count());
        if (without >= 0) {
            throw new InvalidOptionException(
                    "record "
                            + without
                            + " of the batch has no key, and the topic is compacted, so that each"
                            + " record needs one: set it by key(...), or by add(key, value)");
        }
    }

    /** Returns copies of the records' keys; null for a record without one. */
    public List<byte[]> keys() {
        return Keys.of(records.bytes(), records.count());
    }

    private void checkLargest(int topicsMaxRecordBytes) {
        if (records.largestRecord() > topicsMaxRecordBytes) {
            throw RecordLimit.tooLarge(records.largestRecord(), topicsMaxRecordBytes);
        }
    }

    /** The keys of a batch that this process has made. */
    static final class Keys {
        private Keys() {}

        /**
         * Returns the first record without a key in a batch of this process; −1 when all have one.
         */
        static int firstWithout(Scratch batch, int count) {
            RecordParser record = parser(batch, count);
            int at = BatchFormat.HEADER_LENGTH;
            for (int i = 0; i < count; i++) {
                at = record.parse(at);
                if (record.keyLength() < 0) {
                    return i;
                }
            }
            return -1;
        }

        /** Returns copies of the keys of a batch of this process; null for a record without one. */
        static List<byte[]> of(Scratch batch, int count) {
            RecordParser record = parser(batch, count);
            List<byte[]> keys = new ArrayList<>(count);
            int at = BatchFormat.HEADER_LENGTH;
            for (int i = 0; i < count; i++) {
                at = record.parse(at);
                int key = record.keyAt();
                keys.add(
                        record.keyLength() < 0
                                ? null
                                : Arrays.copyOfRange(batch.bytes(), key, key + record.keyLength()));
            }
            return keys;
        }

        private static RecordParser parser(Scratch batch, int count) {
            RecordParser record = new RecordParser();
            record.pointAt(ByteBuffer.wrap(batch.bytes(), 0, batch.length()));
            record.batch(0, count, 0, false, batch.length());
            return record;
        }
    }
}
