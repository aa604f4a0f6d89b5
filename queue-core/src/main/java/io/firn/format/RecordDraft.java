package io.firn.format;

import io.firn.InvalidOptionException;
import java.nio.charset.StandardCharsets;

/**
 * The record that a user describes before it is added to a batch: copies of its key, its value and
 * its headers, and its timestamp. Not thread-safe.
 */
final class RecordDraft {
    private static final long NO_TIMESTAMP = Long.MIN_VALUE;
    private static final int MAX_VARINT_BYTES = 5;

    private final Scratch key = new Scratch(64);
    private final Scratch value = new Scratch(256);
    private final Scratch headers = new Scratch(64);
    private final int maxRecordBytes;
    private int keyLength;
    private int valueLength;
    private int headerCount;
    private long timestamp;
    private boolean isDescribed = true; // so that the first clear does it

    /** Creates an empty draft for a topic that allows records up to so many bytes. */
    RecordDraft(int maxRecordBytes) {
        this.maxRecordBytes = maxRecordBytes;
        clear();
    }

    /** Forgets everything that was described. */
    void clear() {
        if (!isDescribed) {
            return;
        }
        isDescribed = false;
        keyLength = -1;
        valueLength = -1;
        headers.length(0);
        headerCount = 0;
        timestamp = NO_TIMESTAMP;
    }

    /** Returns whether anything was described since it was cleared. */
    boolean isDescribed() {
        return isDescribed;
    }

    /** Copies the key. */
    void key(Source bytes) {
        isDescribed = true;
        keyLength = keep(bytes, key);
    }

    /** Copies the value. */
    void value(Source bytes) {
        isDescribed = true;
        valueLength = keep(bytes, value);
    }

    private int keep(Source bytes, Scratch copy) {
        if (bytes.length() > maxRecordBytes) {
            clear();
            throw RecordLimit.tooLarge(bytes.length(), maxRecordBytes);
        }
        if (bytes.length() > 0) {
            bytes.copyTo(copy.ensure(bytes.length()), 0);
        }
        return bytes.length();
    }

    /** Adds a header; the value may be null. */
    void header(String name, byte[] content) {
        if (name == null) {
            throw new NullPointerException("the key of a header is expected, found null");
        }
        isDescribed = true;
        byte[] nameBytes = name.getBytes(StandardCharsets.UTF_8);
        int contentBytes = content == null ? 0 : content.length;
        int most = 2 * MAX_VARINT_BYTES + nameBytes.length + contentBytes;
        byte[] h = headers.ensure(headers.length() + most);
        int at = Varint.put(h, headers.length(), nameBytes.length);
        System.arraycopy(nameBytes, 0, h, at, nameBytes.length);
        at = Varint.put(h, at + nameBytes.length, content == null ? -1 : contentBytes);
        if (content != null) {
            System.arraycopy(content, 0, h, at, contentBytes);
        }
        headers.length(at + contentBytes);
        headerCount++;
    }

    /** Sets the timestamp. */
    void timestamp(long timestampMs) {
        if (timestampMs < 0) {
            throw new InvalidOptionException("a timestamp must not be negative: " + timestampMs);
        }
        isDescribed = true;
        timestamp = timestampMs;
    }

    /** Returns whether the timestamp was set. */
    boolean hasTimestamp() {
        return timestamp != NO_TIMESTAMP;
    }

    /** Returns the timestamp that was set. */
    long timestamp() {
        return timestamp;
    }

    /** Returns whether it has neither a key nor headers. */
    boolean isPlain() {
        return keyLength < 0 && headerCount == 0;
    }

    /** Points at the value that was copied. */
    Source valueIn(Source target) {
        return valueLength < 0 ? target.none() : target.wrap(value.bytes(), 0, valueLength);
    }

    /** Returns the bytes of the encoded key. */
    int keyBytes() {
        return Varint.size(keyLength) + Math.max(keyLength, 0);
    }

    /** Encodes the key, and returns the index after it. */
    int putKey(byte[] target, int from) {
        int at = Varint.put(target, from, keyLength);
        if (keyLength > 0) {
            System.arraycopy(key.bytes(), 0, target, at, keyLength);
            at += keyLength;
        }
        return at;
    }

    /** Returns the bytes of the encoded headers. */
    int headerBytes() {
        return Varint.size(headerCount) + headers.length();
    }

    /** Encodes the headers, and returns the index after them. */
    int putHeaders(byte[] target, int from) {
        int at = Varint.put(target, from, headerCount);
        if (headerCount > 0) {
            System.arraycopy(headers.bytes(), 0, target, at, headers.length());
            at += headers.length();
        }
        return at;
    }
}
