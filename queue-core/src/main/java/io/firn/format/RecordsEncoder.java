package io.firn.format;

import io.firn.RecordTooLargeException;

/**
 * Encodes the records of a batch one after another, after room for the batch's header. Not
 * thread-safe.
 */
final class RecordsEncoder {
    /** A batch with at most so many bytes has room for any record. */
    private static final int ROOMY = 1 << 30;

    private final Scratch bytes = new Scratch(1024);
    private final PlainHead plain;
    private final int maxRecordBytes;
    private int count;
    private int largestRecord;
    private long baseTimestamp;
    private long maxTimestamp;

    /** Creates it for a topic that allows records up to so many bytes. */
    RecordsEncoder(int maxRecordBytes) {
        this.maxRecordBytes = maxRecordBytes;
        this.plain = new PlainHead(maxRecordBytes);
        clear();
    }

    /** Removes all records. */
    void clear() {
        bytes.length(BatchFormat.HEADER_LENGTH);
        count = 0;
        largestRecord = 0;
    }

    /**
     * Adds a record that has only a value, the usual one, in the fewest steps.
     *
     * @return false when it is not of that kind or not allowed, and {@link #add} decides
     */
    boolean addPlain(byte[] value, long time) {
        if (count == 0) {
            baseTimestamp = time;
            maxTimestamp = time;
        }
        long timestampDelta = time - baseTimestamp;
        if (!plain.fits(value.length, timestampDelta, count) || bytes.length() > ROOMY) {
            return false;
        }
        int at = bytes.length();
        byte[] b = bytes.ensure(at + PlainHead.ROOM + value.length + 1);
        at = plain.put(b, at, timestampDelta, count);
        System.arraycopy(value, 0, b, at, value.length);
        endPlain(b, at + value.length, time);
        return true;
    }

    private void endPlain(byte[] b, int at, long time) {
        b[at] = 0; // no headers
        bytes.length(at + 1);
        largestRecord = Math.max(largestRecord, plain.bodyBytes());
        maxTimestamp = Math.max(maxTimestamp, time);
        count++;
    }

    /**
     * Adds a record.
     *
     * @param key {@link Source#none} for none, as for the value
     * @param described has the headers
     * @throws RecordTooLargeException when the topic does not allow it, or the batch has no room
     */
    void add(Source key, Source value, RecordDraft described, long time) {
        if (count == 0) {
            baseTimestamp = time;
            maxTimestamp = time;
        }
        long timestampDelta = time - baseTimestamp;
        if (key.length() < 0
                && !described.hasHeaders()
                && plain.fits(value.length(), timestampDelta, count)
                && bytes.length() <= ROOMY) {
            int at = bytes.length();
            byte[] b = bytes.ensure(at + PlainHead.ROOM + value.length() + 1);
            at = plain.put(b, at, timestampDelta, count);
            value.copyTo(b, at);
            endPlain(b, at + value.length(), time);
        } else {
            addAny(key, value, described, timestampDelta);
            maxTimestamp = Math.max(maxTimestamp, time);
            count++;
        }
    }

    private void addAny(Source key, Source value, RecordDraft described, long timestampDelta) {
        int keyBytes = Math.max(key.length(), 0);
        int valueBytes = Math.max(value.length(), 0);
        int body =
                checked(
                        1L
                                + Varint.size(timestampDelta)
                                + Varint.size(count)
                                + Varint.size(key.length())
                                + keyBytes
                                + Varint.size(value.length())
                                + valueBytes
                                + described.headerBytes());
        largestRecord = Math.max(largestRecord, body);
        byte[] b = bytes.ensure(bytes.length() + Varint.size(body) + body);
        int at = Varint.put(b, bytes.length(), body);
        b[at] = 0; // attributes
        at = Varint.put(b, at + 1, timestampDelta);
        at = Varint.put(b, at, count);
        at = Varint.put(b, at, key.length());
        if (keyBytes > 0) {
            key.copyTo(b, at);
        }
        at = Varint.put(b, at + keyBytes, value.length());
        if (valueBytes > 0) {
            value.copyTo(b, at);
        }
        bytes.length(described.putHeaders(b, at + valueBytes));
    }

    /** Returns the bytes after the length field of a record if it may be added. */
    private int checked(long body) {
        if (body > maxRecordBytes) {
            throw RecordLimit.tooLarge(body, maxRecordBytes);
        }
        if (bytes.length() > Integer.MAX_VALUE - 64 - body) {
            throw new RecordTooLargeException(
                    "a batch holds less than 2 GiB, this one has "
                            + bytes.length()
                            + " bytes: append it, then continue with an empty one");
        }
        return (int) body;
    }

    /** Returns the encoded records, after room for a header. */
    Scratch bytes() {
        return bytes;
    }

    /** Returns the number of records. */
    int count() {
        return count;
    }

    /** Returns the size of the largest record, without its length field. */
    int largestRecord() {
        return largestRecord;
    }

    /** Returns the timestamp of the first record. */
    long baseTimestamp() {
        return baseTimestamp;
    }

    /** Returns the largest timestamp. */
    long maxTimestamp() {
        return maxTimestamp;
    }
}
