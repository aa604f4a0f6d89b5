package io.firn.format;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;

/**
 * Finds the parts of one record after another in the uncompressed records of a batch. Every length
 * is checked against the end of the record before it is used: a foreign compressed batch may
 * contain anything. A record that begins with the same bytes as the one before is not parsed again
 * ({@link PlainShape}). Not thread-safe.
 */
public class RecordParser {
    private static final int MAX_INT_BYTES = 5;

    private final PlainShape shape = new PlainShape();
    private ByteBuffer bytes;
    private long baseOffset;
    private long nextOffset;
    private long baseTimestamp;
    private boolean isAppendTime;
    private int end;

    private int cursor;
    private long offset;
    private long timestamp;
    private int keyAt;
    private int keyLength;
    private int valueAt;
    private int valueLength;
    private int headersAt;
    private int headerCount;

    /** Points at memory. */
    public final void pointAt(ByteBuffer memory) {
        bytes = memory;
    }

    /**
     * Points at the records of a batch.
     *
     * @param base its first offset
     * @param next the offset after its last
     * @param time its base timestamp, or with append time its largest
     * @param ofAppend whether all records have that time
     * @param recordsEnd position after the last record
     */
    public final void batch(long base, long next, long time, boolean ofAppend, int recordsEnd) {
        baseOffset = base;
        nextOffset = next;
        baseTimestamp = time;
        isAppendTime = ofAppend;
        end = recordsEnd;
    }

    /**
     * Parses the record at a position of the memory.
     *
     * @return the position of the next one; −1 when there is no well-formed record, or its offset
     *     is not one of the batch's
     */
    public final int parse(int position) {
        try {
            int next = parseLikeLast(position);
            return next < 0 ? tryParse(position) : next;
        } catch (IndexOutOfBoundsException | BufferUnderflowException e) {
            return -1;
        }
    }

    /** Parses a record that has the shape of the last one; −1 when it has another. */
    private int parseLikeLast(int position) {
        PlainShape plain = shape;
        int next = position + plain.recordBytes();
        if (next > end || !plain.matches(bytes, position)) {
            return -1;
        }
        long record = baseOffset + plain.offsetDelta();
        if (record < baseOffset || record >= nextOffset) {
            return -1;
        }
        offset = record;
        timestamp = isAppendTime ? baseTimestamp : baseTimestamp + plain.timestampDelta();
        keyLength = -1;
        valueAt = position + plain.headBytes();
        valueLength = plain.valueLength();
        headerCount = 0;
        headersAt = next;
        return next;
    }

    private int tryParse(int position) {
        cursor = position;
        int length = nextInt();
        int lengthBytes = cursor - position;
        if (length < 0 || length > end - cursor) {
            return -1;
        }
        int recordEnd = cursor + length;
        cursor++; // attributes, unused
        long timestampDelta = next();
        timestamp = isAppendTime ? baseTimestamp : baseTimestamp + timestampDelta;
        offset = baseOffset + nextInt();
        if (offset < baseOffset || offset >= nextOffset) {
            return -1;
        }
        keyLength = nextInt();
        keyAt = cursor;
        cursor += Math.max(keyLength, 0);
        if (keyLength < -1 || cursor < keyAt || cursor > recordEnd) {
            return -1;
        }
        valueLength = nextInt();
        valueAt = cursor;
        cursor += Math.max(valueLength, 0);
        if (valueLength < -1 || cursor < valueAt || cursor > recordEnd) {
            return -1;
        }
        headerCount = nextInt();
        headersAt = cursor;
        if (headerCount == 0 ? cursor != recordEnd : !headersFit(recordEnd)) {
            return -1;
        }
        if (keyLength < 0 && headerCount == 0) {
            shape.learn(bytes, position, lengthBytes, valueAt, valueLength, recordEnd);
        }
        return recordEnd;
    }

    private boolean headersFit(int recordEnd) {
        if (headerCount < 0) {
            return false;
        }
        for (int i = 0; i < headerCount; i++) {
            for (int part = 0; part < 2; part++) {
                int length = nextInt();
                if (length < (part == 0 ? 0 : -1) || length > recordEnd - cursor) {
                    return false;
                }
                cursor += Math.max(length, 0);
            }
        }
        return cursor == recordEnd;
    }

    private long next() {
        byte first = bytes.get(cursor);
        if (first >= 0) {
            cursor++;
            return (first >>> 1) ^ -(long) (first & 1);
        }
        long value = Varint.get(bytes, cursor);
        cursor += Varint.length(bytes, cursor);
        if (bytes.get(cursor - 1) < 0) {
            throw new IndexOutOfBoundsException("a number without an end");
        }
        return value;
    }

    /** As Kafka reads it: an encoding of more bytes than an int needs is not an int. */
    private int nextInt() {
        int from = cursor;
        long value = next();
        if (cursor - from > MAX_INT_BYTES || value != (int) value) {
            throw new IndexOutOfBoundsException("a number of more than 32 bits");
        }
        return (int) value;
    }

    /** Returns the memory. */
    final ByteBuffer memory() {
        return bytes;
    }

    /** Returns the record's offset. */
    public final long offset() {
        return offset;
    }

    /** Returns the record's timestamp. */
    public final long timestamp() {
        return timestamp;
    }

    /** Returns the position of the key. */
    final int keyAt() {
        return keyAt;
    }

    /** Returns the key's bytes; −1 when there is none. */
    public final int keyLength() {
        return keyLength;
    }

    /** Returns the position of the value. */
    final int valueAt() {
        return valueAt;
    }

    /** Returns the value's bytes; −1 when there is none. */
    public final int valueLength() {
        return valueLength;
    }

    /** Returns the position of the first header. */
    final int headersAt() {
        return headersAt;
    }

    /** Returns the number of headers. */
    public final int headerCount() {
        return headerCount;
    }
}
