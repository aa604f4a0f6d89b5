package io.firn.batch;

import io.firn.Compression;
import io.firn.compress.Codecs;
import io.firn.compress.Scratch;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.zip.CRC32C;

/**
 * Takes records out of a batch. What is left keeps its offsets: base offset, last offset, producer
 * and codec stay as they are, and so do the bytes of each record, unless a delete horizon is set.
 *
 * <p>A <em>delete horizon</em> is the time from which the tombstones of a batch may be removed. As
 * in Kafka (KIP-534), attribute bit 6 says that there is one; it then stands in the field of the
 * base timestamp, and the records' timestamps count from it.
 *
 * <p>The caller goes through the records with {@link #next}, and after the last one calls {@link
 * #finish}. Not thread-safe.
 */
public final class BatchRewriter {
    /** Given to {@link #finish} to leave the horizon as it is. */
    public static final long NO_HORIZON = Long.MIN_VALUE;

    private static final int MAX_VARINT_BYTES = 10;

    private final RecordParser record = new RecordParser();
    private final CRC32C crc = new CRC32C();
    private final Scratch decompressed = new Scratch(1024);
    private final Scratch kept = new Scratch(1024);
    private final Scratch out = new Scratch(1024);

    private byte[] batch;
    private ByteBuffer header;
    private Compression codec;
    private boolean isAppendTime;

    /** The bytes with the records: the batch, or what it was decompressed to. */
    private byte[] bytes;

    private int at;
    private int end;
    private int next;
    private int count;
    private int keptCount;
    private long maxTimestamp;

    /** Where the record begins in {@link #kept}, when it is kept. */
    private boolean isKept;

    /**
     * Opens a batch before its first record. Its header and CRC were checked.
     *
     * @param source an array that begins with the batch, and is not changed until the batch is
     *     finished
     * @param length the bytes of the batch
     * @throws IOException when its records cannot be decompressed; the message says why
     * @throws io.firn.MissingCodecException when the codec's library is not there, or does not load
     */
    public void open(byte[] source, int length) throws IOException {
        batch = source;
        header = ByteBuffer.wrap(source, 0, length);
        int attributes = attributes();
        codec = Compression.ofId(attributes & BatchFormat.COMPRESSION_MASK);
        isAppendTime = (attributes & BatchFormat.APPEND_TIME_FLAG) != 0;
        if (codec == null) {
            throw new IOException(
                    "unknown compression " + (attributes & BatchFormat.COMPRESSION_MASK));
        }
        if (codec == Compression.NONE) {
            bytes = source;
            at = BatchFormat.HEADER_LENGTH;
            end = length;
        } else {
            int from = BatchFormat.HEADER_LENGTH;
            int most = BatchFormat.MOST_IN_MEMORY;
            Codecs.decompress(codec, source, from, length - from, decompressed, most);
            bytes = decompressed.bytes();
            at = 0;
            end = decompressed.length();
        }
        next = at;
        count = 0;
        keptCount = 0;
        kept.length(0);
        maxTimestamp = -1;
        record.pointAt(ByteBuffer.wrap(bytes, 0, end));
        long time =
                header.getLong(
                        isAppendTime ? BatchFormat.MAX_TIMESTAMP : BatchFormat.BASE_TIMESTAMP);
        record.batch(baseOffset(), nextOffset(), time, isAppendTime, end);
    }

    // ---- the batch

    /** Returns its first offset. */
    public long baseOffset() {
        return header.getLong(BatchFormat.BASE_OFFSET);
    }

    /** Returns the offset after it. */
    public long nextOffset() {
        return BatchFormat.nextOffset(header, 0);
    }

    /** Returns whether a coordinator wrote it. */
    public boolean isControl() {
        return (attributes() & BatchFormat.CONTROL_FLAG) != 0;
    }

    /** Returns whether it belongs to a transaction. */
    public boolean isTransactional() {
        return (attributes() & BatchFormat.TRANSACTIONAL_FLAG) != 0;
    }

    /** Returns the id of its producer; −1 for none. */
    public long producerId() {
        return header.getLong(BatchFormat.PRODUCER_ID);
    }

    /** Returns the number of its records, as its header says. */
    public int recordCount() {
        return header.getInt(BatchFormat.COUNT);
    }

    /** Returns the time from which its tombstones may go; {@link #NO_HORIZON} when none is set. */
    public long horizonMs() {
        return (attributes() & BatchFormat.DELETE_HORIZON_FLAG) == 0
                ? NO_HORIZON
                : header.getLong(BatchFormat.BASE_TIMESTAMP);
    }

    private int attributes() {
        return header.getShort(BatchFormat.ATTRIBUTES);
    }

    // ---- its records

    /**
     * Steps to the next record.
     *
     * @return false after the last one
     * @throws IOException when the batch does not consist of as many records as its header says
     */
    public boolean next() throws IOException {
        if (next >= end) {
            if (count != header.getInt(BatchFormat.COUNT)) {
                throw new IOException(
                        "the batch has "
                                + count
                                + " records, its header says "
                                + header.getInt(BatchFormat.COUNT));
            }
            return false;
        }
        long before = count == 0 ? baseOffset() - 1 : record.offset();
        at = next;
        next = record.parse(at);
        if (next < 0 || record.offset() <= before) {
            throw new IOException("record " + count + " of the batch is malformed");
        }
        count++;
        isKept = false;
        return true;
    }

    /** Returns the record's offset. */
    public long offset() {
        return record.offset();
    }

    /** Returns whether it has a key. */
    public boolean hasKey() {
        return record.keyLength() >= 0;
    }

    /** Returns whether it has a value; one without is a tombstone. */
    public boolean hasValue() {
        return record.valueLength() >= 0;
    }

    /** Passes its key to a digest. */
    public void digestKey(MessageDigest digest) {
        digest.update(bytes, record.keyAt(), record.keyLength());
    }

    /** Keeps the record. One that is not kept is removed. */
    public void keep() {
        if (isKept) {
            return;
        }
        isKept = true;
        int length = next - at;
        int from = kept.length();
        System.arraycopy(bytes, at, kept.ensure(from + length), from, length);
        kept.length(from + length);
        keptCount++;
        maxTimestamp = Math.max(maxTimestamp, record.timestamp());
    }

    /** Returns the number of records before {@link #next} returned false. */
    public int count() {
        return count;
    }

    /** Returns the number of those that were kept. */
    public int keptCount() {
        return keptCount;
    }

    // ---- what is left

    /**
     * Makes the batch of the records that were kept, of which there is one at least.
     *
     * @param horizonMs the time from which tombstones may go, in ms since 1970; {@link #NO_HORIZON}
     *     to leave that as it is
     * @return its size; {@link #bytes} has it
     */
    public int finish(long horizonMs) {
        boolean setsHorizon = horizonMs != NO_HORIZON;
        if (setsHorizon) {
            countFrom(horizonMs);
        }
        out.length(0);
        System.arraycopy(
                batch,
                0,
                out.ensure(BatchFormat.HEADER_LENGTH + kept.length()),
                0,
                BatchFormat.HEADER_LENGTH);
        out.length(BatchFormat.HEADER_LENGTH);
        if (codec == Compression.NONE) {
            System.arraycopy(
                    kept.bytes(), 0, out.bytes(), BatchFormat.HEADER_LENGTH, kept.length());
            out.length(BatchFormat.HEADER_LENGTH + kept.length());
        } else {
            Codecs.compress(codec, kept.bytes(), 0, kept.length(), out);
        }
        int made = out.length();
        ByteBuffer b = ByteBuffer.wrap(out.bytes(), 0, made);
        b.putInt(BatchFormat.LENGTH, made - BatchFormat.LENGTH_OVERHEAD);
        b.putInt(BatchFormat.COUNT, keptCount);
        if (!isAppendTime) {
            b.putLong(BatchFormat.MAX_TIMESTAMP, maxTimestamp);
        }
        if (setsHorizon) {
            b.putShort(
                    BatchFormat.ATTRIBUTES,
                    (short) (attributes() | BatchFormat.DELETE_HORIZON_FLAG));
            b.putLong(BatchFormat.BASE_TIMESTAMP, horizonMs);
        }
        b.putInt(BatchFormat.CRC, BatchFormat.computeCrc(crc, out.bytes(), 0, made));
        return made;
    }

    /** Returns an array that begins with the batch that was made. */
    public byte[] bytes() {
        return out.bytes();
    }

    /** Encodes the timestamps of what was kept anew, relative to another base. */
    private void countFrom(long baseMs) {
        byte[] from = kept.bytes();
        int length = kept.length();
        ByteBuffer in = ByteBuffer.wrap(from, 0, length);
        long oldBaseMs = header.getLong(BatchFormat.BASE_TIMESTAMP);
        Scratch anew = new Scratch(length + keptCount * MAX_VARINT_BYTES);
        byte[] to = anew.bytes();
        int put = 0;
        for (int p = 0; p < length; ) {
            int body = (int) Varint.get(in, p);
            int start = p + Varint.length(in, p);
            int end = start + body;
            int deltaAt = start + 1; // after the attributes
            int rest = deltaAt + Varint.length(in, deltaAt);
            long delta = oldBaseMs + Varint.get(in, deltaAt) - baseMs;
            put = Varint.put(to, put, 1 + Varint.size(delta) + end - rest);
            to[put++] = from[start];
            put = Varint.put(to, put, delta);
            System.arraycopy(from, rest, to, put, end - rest);
            put += end - rest;
            p = end;
        }
        System.arraycopy(to, 0, kept.ensure(put), 0, put);
        kept.length(put);
    }
}
