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
    private static final int MAX_ASCII = 0x7F;

    /** Of a char; a pair of surrogates takes fewer. */
    private static final int MAX_UTF8_BYTES = 3;

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

    /** Adds a header; the value may be null. Allocates nothing if the name is ASCII. */
    void header(String name, byte[] content) {
        if (name == null) {
            throw new NullPointerException("the key of a header is expected, found null");
        }
        isDescribed = true;
        int contentBytes = content == null ? 0 : content.length;
        int most = 2 * MAX_VARINT_BYTES + name.length() * MAX_UTF8_BYTES + contentBytes;
        byte[] h = headers.ensure(headers.length() + most);
        int at = putName(name, h, headers.length());
        at = Varint.put(h, at, content == null ? -1 : contentBytes);
        if (content != null) {
            System.arraycopy(content, 0, h, at, contentBytes);
        }
        headers.length(at + contentBytes);
        headerCount++;
    }

    private static int putName(String name, byte[] target, int from) {
        int length = name.length();
        int at = Varint.put(target, from, length);
        for (int i = 0; i < length; i++) {
            char c = name.charAt(i);
            if (c > MAX_ASCII) {
                byte[] encoded = name.getBytes(StandardCharsets.UTF_8);
                at = Varint.put(target, from, encoded.length);
                System.arraycopy(encoded, 0, target, at, encoded.length);
                return at + encoded.length;
            }
            target[at + i] = (byte) c;
        }
        return at + length;
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

    /** Returns whether it has headers. */
    boolean hasHeaders() {
        return headerCount > 0;
    }

    /** Points at the key that was copied. */
    Source keyIn(Source target) {
        return keyLength < 0 ? target.none() : target.wrap(key.bytes(), 0, keyLength);
    }

    /** Points at the value that was copied. */
    Source valueIn(Source target) {
        return valueLength < 0 ? target.none() : target.wrap(value.bytes(), 0, valueLength);
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
