package io.firn.format;

import io.firn.Compression;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Takes records out of a batch. What is left keeps its offsets: base offset, last offset, producer
 * and codec stay as they are, and so do the bytes of each record, unless a delete horizon is set.
 *
 * <p>A <em>delete horizon</em> is the time from which the tombstones of a batch may be removed. As
 * in Kafka (KIP-534), attribute bit 6 says that there is one; it then stands in the field of the
 * base timestamp, and the records' timestamps count from it.
 *
 * <p>The caller goes through the records with {@link #next}, and after the last one calls {@link
 * #finish}, and {@link #writeTo}. Each of the three decompresses the batch anew, or does so if it
 * has to: a batch of 1 KB may contain 100 MB, and of these only pieces are held. So the memory that
 * it takes has a limit, whatever is in the batch ({@link Codecs#MOST_HELD}, what a compressor
 * takes, and about 2 MiB). Not thread-safe.
 */
public final class BatchRewriter implements AutoCloseable {
    /** Given to {@link #finish} to leave the horizon as it is. */
    public static final long NO_HORIZON = Long.MIN_VALUE;

    private static final int MAX_HEAD_BYTES = 5 + 1 + 10;
    private static final int PIECE = 8192;

    private final KeyHash hash;
    private final byte[] headerBytes = new byte[BatchFormat.HEADER_LENGTH];
    private final ByteBuffer header = ByteBuffer.wrap(headerBytes);
    private final byte[] madeHeader = new byte[BatchFormat.HEADER_LENGTH];
    private final byte[] head = new byte[MAX_HEAD_BYTES];
    private final KeptRecords kept = new KeptRecords();
    private final HeldBatch made = new HeldBatch();

    private ByteBuffer source;
    private Compression codec;
    private boolean isAppendTime;
    private RecordScan record;
    private boolean isKept;
    private int count;
    private int keptCount;
    private long maxTimestamp;
    private long timestampShift;
    private boolean isShifted;

    /**
     * Creates one without a batch.
     *
     * @param hash gets the key of each record
     */
    public BatchRewriter(KeyHash hash) {
        this.hash = hash;
    }

    /**
     * Opens a batch before its first record. Its header and CRC were checked.
     *
     * @param memory has the batch, and is not changed until the next one is opened. If it is a
     *     mapping that faults, this and the other methods throw an {@link InternalError}
     * @param position where the batch begins
     * @param length the bytes of the batch
     * @throws IOException when its compression is not known
     */
    public void open(ByteBuffer memory, int position, int length) throws IOException {
        close();
        memory.get(position, headerBytes);
        source = memory.slice(position + headerBytes.length, length - headerBytes.length);
        int attributes = attributes();
        codec = Compression.ofId(attributes & BatchFormat.COMPRESSION_MASK);
        isAppendTime = (attributes & BatchFormat.APPEND_TIME_FLAG) != 0;
        if (codec == null) {
            throw new IOException(
                    "unknown compression " + (attributes & BatchFormat.COMPRESSION_MASK));
        }
        count = 0;
        keptCount = 0;
        kept.clear();
        maxTimestamp = -1;
    }

    private RecordStream records() throws IOException {
        return RecordStream.openSmall(codec, source);
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

    /** Returns the largest timestamp, as its header says. */
    public long maxTimestamp() {
        return header.getLong(BatchFormat.MAX_TIMESTAMP);
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
     * @throws IOException when the batch cannot be decompressed with as much memory as there is,
     *     has too many records, or does not consist of as many as its header says
     * @throws io.firn.MissingCodecException when the codec's library is not there, or does not load
     */
    public boolean next() throws IOException {
        if (record == null) {
            record = scan(hash);
        }
        isKept = false;
        if (record.next()) {
            count = record.count();
            return true;
        }
        close();
        if (count != recordCount()) {
            throw new IOException(
                    "the batch has " + count + " records, its header says " + recordCount());
        }
        return false;
    }

    /**
     * Goes through all records, before the first one.
     *
     * @throws IOException as {@link #next} throws it
     */
    public void check() throws IOException {
        record = scan(null);
        while (next()) {
            // each was parsed
        }
        count = 0;
    }

    private RecordScan scan(KeyHash target) throws IOException {
        if (recordCount() > KeptRecords.MOST) {
            throw KeptRecords.tooMany();
        }
        long most = codec == Compression.NONE ? source.limit() : BatchFormat.MAX_DECOMPRESSED;
        return new RecordScan(records(), target, baseOffset(), nextOffset(), most);
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

    /**
     * Keeps the record. One that is not kept is removed.
     *
     * @throws IOException when the batch has too many records
     */
    public void keep() throws IOException {
        if (isKept) {
            return;
        }
        isKept = true;
        kept.add(count - 1);
        keptCount++;
        long timestamp =
                isAppendTime
                        ? header.getLong(BatchFormat.MAX_TIMESTAMP)
                        : header.getLong(BatchFormat.BASE_TIMESTAMP) + record.timestampDelta();
        maxTimestamp = Math.max(maxTimestamp, timestamp);
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
     * @return its size; {@link #writeTo} writes it
     * @throws IOException when it is larger than 2 GiB
     */
    public int finish(long horizonMs) throws IOException {
        ByteBuffer b = ByteBuffer.wrap(madeHeader).put(0, headerBytes);
        b.putInt(BatchFormat.COUNT, keptCount);
        if (!isAppendTime) {
            b.putLong(BatchFormat.MAX_TIMESTAMP, maxTimestamp);
        }
        isShifted = horizonMs != NO_HORIZON;
        if (isShifted) {
            timestampShift = header.getLong(BatchFormat.BASE_TIMESTAMP) - horizonMs;
            b.putShort(
                    BatchFormat.ATTRIBUTES,
                    (short) (attributes() | BatchFormat.DELETE_HORIZON_FLAG));
            b.putLong(BatchFormat.BASE_TIMESTAMP, horizonMs);
        }
        made.begin(madeHeader);
        writeRecords(made);
        long size = BatchFormat.HEADER_LENGTH + made.size();
        if (size > Integer.MAX_VALUE) {
            throw new IOException("what is left of the batch takes " + size + " bytes");
        }
        b.putInt(BatchFormat.LENGTH, (int) size - BatchFormat.LENGTH_OVERHEAD);
        b.putInt(BatchFormat.CRC, made.crc());
        return (int) size;
    }

    /** Returns the largest timestamp of the batch that was made. */
    public long madeMaxTimestamp() {
        return ByteBuffer.wrap(madeHeader).getLong(BatchFormat.MAX_TIMESTAMP);
    }

    /**
     * Writes the batch that was made. A large one is compressed once more.
     *
     * @throws IOException when the target throws it
     */
    public void writeTo(OutputStream target) throws IOException {
        target.write(madeHeader);
        if (made.isHeld()) {
            target.write(made.bytes(), 0, (int) made.size());
            return;
        }
        int crc = made.crc();
        long size = made.size();
        made.begin(madeHeader);
        writeRecords(new Both(target, made));
        if (made.crc() != crc || made.size() != size) {
            throw new IllegalStateException(
                    codec + " has compressed the same bytes to others: compact without it");
        }
    }

    /** Writes to a target what another one computes a CRC of. */
    private static final class Both extends OutputStream {
        private final OutputStream target;
        private final OutputStream checked;

        Both(OutputStream target, OutputStream checked) {
            this.target = target;
            this.checked = checked;
        }

        @Override
        public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int from, int length) throws IOException {
            target.write(bytes, from, length);
            checked.write(bytes, from, length);
        }
    }

    private void writeRecords(OutputStream target) throws IOException {
        try (RecordStream in = records();
                OutputStream compressor = Codecs.compressing(codec, target);
                OutputStream out = new BufferedOutputStream(compressor, PIECE)) {
            for (int i = 0; i < count; i++) {
                int length = in.nextInt();
                if (!kept.contains(i)) {
                    in.skipTo(in.position() + length);
                } else if (isShifted) {
                    writeShifted(in, length, out);
                } else {
                    in.writeNumber(out);
                    in.copy(length, out);
                }
            }
        }
    }

    /** Writes a record whose timestamp counts from another base. */
    private void writeShifted(RecordStream in, int length, OutputStream out) throws IOException {
        int attributes = in.nextByte();
        long delta = in.nextLong() + timestampShift;
        int rest = length - 1 - in.numberBytes();
        int at = Varint.put(head, 0, 1 + Varint.size(delta) + rest);
        head[at++] = (byte) attributes;
        out.write(head, 0, Varint.put(head, at, delta));
        in.copy(rest, out);
    }

    /** Releases the decompressor of a batch that was not gone through to its end. */
    @Override
    public void close() {
        RecordScan open = record;
        record = null;
        if (open != null) {
            try {
                open.close();
            } catch (IOException e) {
                return; // it has read memory, and is not used any more
            }
        }
    }

    /** Which records of a batch are kept, by their place in it: a bit for each. Not thread-safe. */
    static final class KeptRecords {
        /** A batch with more records is not judged: the bits take 512 KiB. */
        static final int MOST = 1 << 22;

        private static final int FEW_LONGS = 16;

        private long[] bits = new long[FEW_LONGS];
        private int used;

        /** Forgets all. */
        void clear() {
            Arrays.fill(bits, 0, used, 0);
            used = 0;
        }

        /**
         * Adds a record.
         *
         * @throws IOException when it is one of too many
         */
        void add(int index) throws IOException {
            int at = index / Long.SIZE;
            if (index >= MOST) {
                throw tooMany();
            }
            if (at >= bits.length) {
                bits = Arrays.copyOf(bits, Math.max(at + 1, 2 * bits.length));
            }
            used = Math.max(used, at + 1);
            bits[at] |= 1L << index;
        }

        static IOException tooMany() {
            return new IOException(
                    "it has more records than the "
                            + MOST
                            + " that a batch may have to be compacted");
        }

        /** Returns whether a record is kept. */
        boolean contains(int index) {
            int at = index / Long.SIZE;
            return at < used && (bits[at] & 1L << index) != 0;
        }
    }
}
