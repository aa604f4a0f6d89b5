package io.firn.batch;

import io.firn.Batch;
import io.firn.Compression;
import io.firn.InvalidOptionException;
import io.firn.RecordTooLargeException;
import io.firn.compress.Codecs;
import io.firn.compress.Scratch;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.EpochClock;

/**
 * Encodes records into a Kafka batch on the heap. The batch is complete but for its base offset and
 * epoch, which the log sets (both lie outside the CRC), so that all of this happens before
 * anybody's turn to append.
 */
public final class BatchEncoder implements Batch {
    private static final long NO_TIMESTAMP = Long.MIN_VALUE;

    /** A batch with at most so many bytes has room for any record. */
    private static final int ROOMY = 1 << 30;

    private final EpochClock clock;
    private final Compression compression;
    private final int maxRecordBytes;
    private final CRC32C crc = new CRC32C();
    private final Scratch records = new Scratch(1024);
    private final Scratch compressed;
    private final Scratch headers = new Scratch(64);
    private final Scratch keyCopy = new Scratch(64);
    private final Source source = new Source();
    private final PlainHead plain = new PlainHead();

    private int keyLength = -1;
    private int valueLength = -1;
    private final Scratch valueCopy = new Scratch(256);
    private int headerCount;
    private long timestamp = NO_TIMESTAMP;

    private int count;
    private int largestRecord;
    private long baseTimestamp;
    private long maxTimestamp;
    private long producerId = -1;
    private int producerEpoch = -1;
    private int baseSequence = -1;

    /** For a topic's batches. */
    public BatchEncoder(EpochClock clock, Compression compression, int maxRecordBytes) {
        this.clock = clock;
        this.compression = compression;
        this.maxRecordBytes = maxRecordBytes;
        this.compressed = new Scratch(compression == Compression.NONE ? 0 : 1024);
        clear();
    }

    @Override
    public Batch clear() {
        records.length(BatchFormat.HEADER_LENGTH);
        count = 0;
        largestRecord = 0;
        producerId = -1;
        producerEpoch = -1;
        baseSequence = -1;
        forgetRecord();
        return this;
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

    @Override
    public Batch header(String key, byte[] value) {
        byte[] name = key.getBytes(StandardCharsets.UTF_8);
        int valueBytes = value == null ? 0 : value.length;
        byte[] h = headers.ensure(headers.length() + 10 + name.length + valueBytes);
        int at = Varint.put(h, headers.length(), name.length);
        System.arraycopy(name, 0, h, at, name.length);
        at = Varint.put(h, at + name.length, value == null ? -1 : valueBytes);
        if (value != null) {
            System.arraycopy(value, 0, h, at, valueBytes);
        }
        headers.length(at + valueBytes);
        headerCount++;
        return this;
    }

    @Override
    public Batch timestamp(long timestampMs) {
        if (timestampMs < 0) {
            throw new InvalidOptionException("a timestamp must not be negative: " + timestampMs);
        }
        timestamp = timestampMs;
        return this;
    }

    @Override
    public Batch add() {
        return add(
                valueLength < 0 ? source.none() : source.wrap(valueCopy.bytes(), 0, valueLength));
    }

    /**
     * Without the copy on the way, as the other forms of {@code add} that bring the value along.
     */
    @Override
    public Batch add(byte[] value) {
        return add(value == null ? source.none() : source.wrap(value, 0, value.length));
    }

    @Override
    public Batch add(ByteBuffer value) {
        return add(value == null ? source.none() : source.wrap(value));
    }

    @Override
    public Batch add(byte[] key, byte[] value) {
        key(key);
        return add(value);
    }

    private Batch add(Source value) {
        long time = timestamp == NO_TIMESTAMP ? clock.time() : timestamp;
        if (count == 0) {
            baseTimestamp = time;
            maxTimestamp = time;
        }
        long timestampDelta = time - baseTimestamp;
        if (keyLength < 0
                && headerCount == 0
                && plain.fits(value.length(), timestampDelta, count)
                && plain.bodyBytes() <= maxRecordBytes
                && records.length() <= ROOMY) {
            addPlain(value, timestampDelta);
        } else {
            addAny(value, timestampDelta);
        }
        maxTimestamp = Math.max(maxTimestamp, time);
        count++;
        forgetRecord();
        return this;
    }

    private void addPlain(Source value, long timestampDelta) {
        int at = records.length();
        byte[] b = records.ensure(at + PlainHead.ROOM + value.length() + 1);
        at = plain.put(b, at, timestampDelta, count);
        value.copyTo(b, at);
        at += value.length();
        b[at] = 0; // no headers
        records.length(at + 1);
        largestRecord = Math.max(largestRecord, plain.bodyBytes());
    }

    private void addAny(Source value, long timestampDelta) {
        int body = bodyBytes(timestampDelta, value.length());
        largestRecord = Math.max(largestRecord, body);
        byte[] b = records.ensure(records.length() + Varint.size(body) + body);
        int at = Varint.put(b, records.length(), body);
        b[at++] = 0;
        at = Varint.put(b, at, timestampDelta);
        at = Varint.put(b, at, count);
        at = Varint.put(b, at, keyLength);
        if (keyLength > 0) {
            System.arraycopy(keyCopy.bytes(), 0, b, at, keyLength);
            at += keyLength;
        }
        at = Varint.put(b, at, value.length());
        if (value.length() > 0) {
            value.copyTo(b, at);
            at += value.length();
        }
        at = Varint.put(b, at, headerCount);
        if (headerCount > 0) {
            System.arraycopy(headers.bytes(), 0, b, at, headers.length());
            at += headers.length();
        }
        records.length(at);
    }

    /** Bytes after the length field of the record that is described, when it may be added. */
    private int bodyBytes(long timestampDelta, int valueBytes) {
        long body =
                1L
                        + Varint.size(timestampDelta)
                        + Varint.size(count)
                        + Varint.size(keyLength)
                        + Math.max(keyLength, 0)
                        + Varint.size(valueBytes)
                        + Math.max(valueBytes, 0)
                        + Varint.size(headerCount)
                        + headers.length();
        if (body > maxRecordBytes) {
            forgetRecord();
            throw tooLarge(body, maxRecordBytes);
        }
        if (records.length() > Integer.MAX_VALUE - 64 - body) {
            forgetRecord();
            throw new RecordTooLargeException(
                    "a batch holds less than 2 GiB, this one has "
                            + records.length()
                            + " bytes: append it, then continue with an empty one");
        }
        return (int) body;
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
        return this;
    }

    @Override
    public int count() {
        return count;
    }

    @Override
    public int sizeBytes() {
        return records.length();
    }

    /**
     * Completes the batch.
     *
     * @return the bytes, from 0 to the scratch's length, valid until the next change of the batch
     * @throws InvalidOptionException when it is empty
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
        if (count == 0) {
            throw new InvalidOptionException("a batch must hold at least one record: call add()");
        }
        Scratch whole = records;
        if (compression != Compression.NONE) {
            int recordBytes = records.length() - BatchFormat.HEADER_LENGTH;
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
                    compression, records.bytes(), BatchFormat.HEADER_LENGTH, recordBytes, whole);
        }
        HeaderBytes.write(
                whole.bytes(),
                whole.length(),
                compression.id(),
                count,
                baseTimestamp,
                maxTimestamp,
                producerId,
                producerEpoch,
                baseSequence);
        return whole;
    }

    /**
     * Completes the batch but for its CRC, for who computes that while the copy of the bytes is on
     * its way to memory. Otherwise as {@link #finish(int)}.
     */
    public Scratch compose(int topicsMaxRecordBytes) {
        checkLargest(topicsMaxRecordBytes);
        return compose();
    }

    /**
     * Completes the batch for a topic, which need not be the one that the batch is from.
     *
     * @throws RecordTooLargeException as {@link #finish()}, and when the topic allows only smaller
     *     records
     */
    public Scratch finish(int topicsMaxRecordBytes) {
        checkLargest(topicsMaxRecordBytes);
        return finish();
    }

    private void checkLargest(int topicsMaxRecordBytes) {
        if (largestRecord > topicsMaxRecordBytes) {
            throw tooLarge(largestRecord, topicsMaxRecordBytes);
        }
    }

    static RecordTooLargeException tooLarge(long found, int limit) {
        return new RecordTooLargeException(
                "the record has "
                        + found
                        + " bytes, the topic allows records up to maxRecordBytes = "
                        + limit);
    }

    private Batch key(Source bytes) {
        keyLength = keep(bytes, keyCopy);
        return this;
    }

    private Batch value(Source bytes) {
        valueLength = keep(bytes, valueCopy);
        return this;
    }

    private int keep(Source bytes, Scratch copy) {
        if (bytes.length() > maxRecordBytes) {
            forgetRecord();
            throw tooLarge(bytes.length(), maxRecordBytes);
        }
        if (bytes.length() > 0) {
            bytes.copyTo(copy.ensure(bytes.length()), 0);
        }
        return bytes.length();
    }

    private void forgetRecord() {
        keyLength = -1;
        valueLength = -1;
        headers.length(0);
        headerCount = 0;
        timestamp = NO_TIMESTAMP;
    }
}
