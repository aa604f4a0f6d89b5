package io.firn.format;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Encodes one record with a value and perhaps a key, directly into log memory: the CRC is computed
 * over header and key in an array and over the user's bytes, and the value is copied once. The
 * log's memory is only stored to, never read. Not thread-safe.
 *
 * <p>Without a key, the bytes that the CRC covers before the value depend on the value's length and
 * the time only. They stay in the array until one of these changes, since most records are as long
 * as the one before and have its time: copy and CRC then read bytes that were stored long ago, not
 * bytes that are still on their way to the cache.
 */
public final class RecordEncoder {
    /** Bytes before a value, without those of the key. */
    private static final int MOST_HEAD = BatchFormat.HEADER_LENGTH + 18;

    private static final byte[] NO_HEADERS = {0};
    private static final int NONE = Integer.MIN_VALUE;

    private final HeadedCrc crc = new HeadedCrc();
    private final int maxRecordBytes;
    private byte[] head = new byte[MOST_HEAD];

    /** The length of the value, if the head in the array has no key. */
    private int keylessLength = NONE;

    private int headLength;
    private int size;

    /** The length and a place for the epoch. */
    private long lengthBits;

    private long headTime;

    /** Creates an encoder for a topic with this limit of the bytes of a record. */
    public RecordEncoder(int maxRecordBytes) {
        this.maxRecordBytes = maxRecordBytes;
        HeaderBytes.write(head, 0, 0, 1, headTime, headTime, -1, -1, -1);
    }

    /**
     * Begins a record.
     *
     * @param key may be {@link Source#none}, as the value's length may be −1
     * @return bytes of the batch
     * @throws io.firn.RecordTooLargeException when the topic does not allow it
     */
    public int begin(Source key, int length) {
        if (length != keylessLength || key.length() >= 0) {
            compose(key, length);
        }
        return size;
    }

    /** Stores the whole batch. */
    public void store(
            ByteBuffer memory, int position, long offset, int epoch, long time, Source value) {
        // The copy first: while its lines come into the cache the CRC is computed.
        if (value.length() > 0) {
            value.copyTo(memory, position + headLength);
        }
        if (time != headTime) {
            composeTime(time);
        }
        int sum = crc.of(head, BatchFormat.ATTRIBUTES, headLength, value);
        finish(memory, position, offset, epoch, sum);
    }

    private void compose(Source key, int length) {
        int keyBytes = Math.max(key.length(), 0);
        int valueBytes = Math.max(length, 0);
        // attributes, timestamp delta, offset delta and the count of headers take one byte each
        long body = 4L + Varint.size(key.length()) + keyBytes + Varint.size(length) + valueBytes;
        if (body > maxRecordBytes) {
            throw RecordLimit.tooLarge(body, maxRecordBytes);
        }
        if (head.length < MOST_HEAD + keyBytes) {
            head = Arrays.copyOf(head, MOST_HEAD + 2 * keyBytes);
        }
        int at = Varint.put(head, BatchFormat.HEADER_LENGTH, (int) body);
        head[at] = 0;
        head[at + 1] = 0;
        head[at + 2] = 0;
        at = Varint.put(head, at + 3, key.length());
        if (keyBytes > 0) {
            key.copyTo(head, at);
        }
        headLength = Varint.put(head, at + keyBytes, length);
        size = headLength + valueBytes + NO_HEADERS.length;
        lengthBits = (long) (size - BatchFormat.LENGTH_OVERHEAD) << Integer.SIZE;
        keylessLength = key.length() < 0 ? length : NONE;
        crc.reset();
    }

    private void composeTime(long time) {
        HeaderBytes.putLong(head, BatchFormat.BASE_TIMESTAMP, time);
        HeaderBytes.putLong(head, BatchFormat.MAX_TIMESTAMP, time);
        headTime = time;
        crc.reset();
    }

    private void finish(ByteBuffer memory, int position, long offset, int epoch, int sum) {
        memory.put(
                position + BatchFormat.MAGIC,
                head,
                BatchFormat.MAGIC,
                headLength - BatchFormat.MAGIC);
        memory.put(position + size - NO_HEADERS.length, NO_HEADERS[0]);
        memory.putLong(position + BatchFormat.BASE_OFFSET, offset);
        memory.putLong(position + BatchFormat.LENGTH, lengthBits | Integer.toUnsignedLong(epoch));
        memory.putInt(position + BatchFormat.CRC, sum);
    }
}
