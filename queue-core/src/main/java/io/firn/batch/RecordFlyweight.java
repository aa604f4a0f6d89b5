package io.firn.batch;

import io.firn.Record;
import io.firn.StoredRecord;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Shows one record after another of a batch. Every length is checked against the batch's end before
 * it is believed: a foreign compressed batch may hold anything.
 */
public final class RecordFlyweight implements Record {
    private static final int MAX_INT_BYTES = 5;

    private ByteBuffer bytes;
    private ByteBuffer keyView;
    private ByteBuffer valueView;
    private final HeadersFlyweight headers = new HeadersFlyweight();

    private int partition;
    private long baseOffset;
    private long nextOffset;
    private long baseTimestamp;
    private boolean appendTime;
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

    private boolean over;
    private Runnable onHandOut;

    /** Points at memory whose buffers may be kept. */
    public void wrap(ByteBuffer memory) {
        wrap(memory, null);
    }

    /**
     * Points at memory; makes the views that the handler gets.
     *
     * @param told run when one of them is handed out for the first time; null for nobody
     */
    public void wrap(ByteBuffer memory, Runnable told) {
        onHandOut = told;
        ByteBuffer readOnly = memory.asReadOnlyBuffer();
        bytes = readOnly;
        keyView = readOnly.duplicate();
        valueView = readOnly.duplicate();
        headers.view = null;
    }

    /** Whether the memory may be looked at by who has this record: in a handler only. */
    public void valid(boolean isValid) {
        over = !isValid;
    }

    /**
     * Points at the records of a batch.
     *
     * @param base its first offset
     * @param next the offset after its last
     * @param time its base timestamp, or with append time its largest
     */
    public void batch(
            int inPartition, long base, long next, long time, boolean logsOwnTime, int recordsEnd) {
        partition = inPartition;
        baseOffset = base;
        nextOffset = next;
        baseTimestamp = time;
        appendTime = logsOwnTime;
        end = recordsEnd;
    }

    /**
     * Shows the record at a position of the memory.
     *
     * @return the position of the next one; −1 when there is no well-formed record, or its offset
     *     is not one of the batch's
     */
    public int show(int position) {
        try {
            return parse(position);
        } catch (IndexOutOfBoundsException | BufferUnderflowException e) {
            return -1;
        }
    }

    private int parse(int position) {
        cursor = position;
        int length = nextInt();
        if (length < 0 || length > end - cursor) {
            return -1;
        }
        int recordEnd = cursor + length;
        cursor++; // attributes, unused
        long timestampDelta = next();
        timestamp = appendTime ? baseTimestamp : baseTimestamp + timestampDelta;
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

    @Override
    public int partition() {
        return partition;
    }

    @Override
    public long offset() {
        return offset;
    }

    @Override
    public long timestamp() {
        return timestamp;
    }

    @Override
    public boolean hasKey() {
        return keyLength >= 0;
    }

    @Override
    public int keyLength() {
        return keyLength;
    }

    private void checkValid() {
        if (over) {
            throw new IllegalStateException(
                    "a record is valid only inside of the handler that got it: copy() keeps it");
        }
    }

    /** Before a buffer of the memory goes to a user, who may keep it. */
    private void handOut() {
        checkValid();
        if (onHandOut != null) {
            onHandOut.run();
            onHandOut = null;
        }
    }

    @Override
    public ByteBuffer key() {
        handOut();
        return keyOrNull();
    }

    private ByteBuffer keyOrNull() {
        return keyLength < 0 ? null : keyView.limit(keyAt + keyLength).position(keyAt);
    }

    @Override
    public boolean hasValue() {
        return valueLength >= 0;
    }

    @Override
    public int valueLength() {
        return valueLength;
    }

    @Override
    public ByteBuffer value() {
        handOut();
        return valueOrNull();
    }

    private ByteBuffer valueOrNull() {
        return valueLength < 0 ? null : valueView.limit(valueAt + valueLength).position(valueAt);
    }

    @Override
    public void getValue(byte[] target, int at) {
        checkValid();
        bytes.get(valueAt, target, at, Math.max(valueLength, 0));
    }

    @Override
    public int headerCount() {
        return headerCount;
    }

    @Override
    public Headers headers() {
        headers.left = headerCount;
        headers.at = headersAt;
        return headers;
    }

    @Override
    public StoredRecord copy() {
        checkValid();
        List<StoredRecord.Header> copies = new ArrayList<>(headerCount);
        headers();
        while (headers.next()) {
            copies.add(new StoredRecord.Header(headers.key(), bytesOf(headers.valueOrNull())));
        }
        return new StoredRecord(
                partition,
                offset,
                timestamp,
                bytesOf(keyOrNull()),
                bytesOf(valueOrNull()),
                List.copyOf(copies));
    }

    private static byte[] bytesOf(ByteBuffer view) {
        if (view == null) {
            return null;
        }
        byte[] copy = new byte[view.remaining()];
        view.get(view.position(), copy);
        return copy;
    }

    private final class HeadersFlyweight implements Headers {
        private ByteBuffer view;
        private int left;
        private int at;
        private int nameAt;
        private int nameLength;
        private int contentAt;
        private int contentLength;

        @Override
        public boolean next() {
            if (left == 0) {
                return false;
            }
            checkValid();
            left--;
            cursor = at;
            nameLength = (int) RecordFlyweight.this.next();
            nameAt = cursor;
            cursor += nameLength;
            contentLength = (int) RecordFlyweight.this.next();
            contentAt = cursor;
            at = cursor + Math.max(contentLength, 0);
            return true;
        }

        @Override
        public String key() {
            checkValid();
            byte[] name = new byte[nameLength];
            bytes.get(nameAt, name);
            return new String(name, StandardCharsets.UTF_8);
        }

        @Override
        public ByteBuffer value() {
            handOut();
            return valueOrNull();
        }

        private ByteBuffer valueOrNull() {
            if (contentLength < 0) {
                return null;
            }
            if (view == null) {
                view = bytes.duplicate();
            }
            return view.limit(contentAt + contentLength).position(contentAt);
        }
    }
}
