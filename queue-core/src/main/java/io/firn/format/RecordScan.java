package io.firn.format;

import java.io.EOFException;
import java.io.IOException;

/**
 * Goes through the records of a batch, of which it holds no more than a piece, however large they
 * are. It accepts what {@link RecordParser} accepts. For one thread; the caller closes it.
 */
final class RecordScan implements AutoCloseable {
    private final RecordStream in;
    private final KeyHash hash;
    private final long baseOffset;
    private final long nextOffset;
    private final long most;
    private long offset;
    private long timestampDelta;
    private int keyLength;
    private int valueLength;
    private int count;

    /**
     * Begins before the first record.
     *
     * @param hash gets the key of each record; null for none
     * @param baseOffset the batch's first offset
     * @param nextOffset the offset after its last
     * @param most the bytes that the records may take
     */
    RecordScan(RecordStream in, KeyHash hash, long baseOffset, long nextOffset, long most) {
        this.in = in;
        this.hash = hash;
        this.baseOffset = baseOffset;
        this.nextOffset = nextOffset;
        this.most = most;
        this.offset = baseOffset - 1;
    }

    /**
     * Steps to the next record.
     *
     * @return false after the last one
     * @throws IOException when there is none, but bytes
     */
    boolean next() throws IOException {
        if (in.isAtEnd()) {
            return false;
        }
        long last = offset;
        try {
            parse();
        } catch (EOFException | RecordStream.MalformedRecordException e) {
            throw new IOException("record " + count + " of the batch is malformed", e);
        }
        if (offset <= last) {
            throw new IOException("record " + count + " of the batch is malformed");
        }
        count++;
        return true;
    }

    private void parse() throws IOException {
        int length = in.nextInt();
        long end = in.position() + length;
        if (end > most) {
            throw new IOException("batch decompresses to more than " + most + " bytes");
        }
        require(length >= 0);
        in.nextByte(); // attributes, unused
        timestampDelta = in.nextLong();
        offset = baseOffset + in.nextInt();
        require(offset >= baseOffset && offset < nextOffset);
        keyLength = nextLength(-1, end);
        if (keyLength >= 0 && hash != null) {
            hash.begin();
            in.hash(keyLength, hash);
            hash.end();
        } else {
            skip(keyLength);
        }
        valueLength = nextLength(-1, end);
        skip(valueLength);
        int headers = in.nextInt();
        require(headers >= 0);
        for (int i = 0; i < headers; i++) {
            skip(nextLength(0, end));
            skip(nextLength(-1, end));
        }
        require(in.position() == end);
    }

    private void skip(int length) throws IOException {
        in.skipTo(in.position() + Math.max(length, 0));
    }

    /** Reads the length of a part that ends at the record's end at the latest. */
    private int nextLength(int least, long end) throws IOException {
        int length = in.nextInt();
        require(length >= least && length <= end - in.position());
        return length;
    }

    private static void require(boolean condition) throws RecordStream.MalformedRecordException {
        if (!condition) {
            throw new RecordStream.MalformedRecordException(
                    "lengths or offsets contradict each other");
        }
    }

    /** Returns the record's offset. */
    long offset() {
        return offset;
    }

    /** Returns what is to be added to the batch's base timestamp. */
    long timestampDelta() {
        return timestampDelta;
    }

    /** Returns the key's bytes; −1 when there is none. */
    int keyLength() {
        return keyLength;
    }

    /** Returns the value's bytes; −1 when there is none. */
    int valueLength() {
        return valueLength;
    }

    /** Returns the number of records up to this one. */
    int count() {
        return count;
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
