package io.firn.format;

import java.nio.ByteBuffer;

/**
 * Encodes one record that has only a value, directly into log memory: the CRC is computed over the
 * header in an array and over the user's bytes, and the value is copied once. The log's memory is
 * only stored to, never read. Not thread-safe.
 *
 * <p>The bytes that the CRC covers before the value depend on the value's length and the time only.
 * They stay in the array until one of these changes, since most records are as long as the one
 * before and have its time: copy and CRC then read bytes that were stored long ago, not bytes that
 * are still on their way to the cache.
 */
public final class ValueEncoder {
    private static final int RECORD_HEADER_MAX = 14;
    private static final byte[] NO_HEADERS = {0};

    private final byte[] head = new byte[BatchFormat.HEADER_LENGTH + RECORD_HEADER_MAX];
    private final HeadedCrc crc = new HeadedCrc();
    private final int maxRecordBytes;
    private int valueLength = Integer.MIN_VALUE;
    private int headLength;
    private int size;

    /** The length and a place for the epoch. */
    private long lengthBits;

    private long headTime;

    /** Creates an encoder for a topic that allows records up to so many bytes. */
    public ValueEncoder(int maxRecordBytes) {
        this.maxRecordBytes = maxRecordBytes;
        HeaderBytes.write(head, 0, 0, 1, headTime, headTime, -1, -1, -1);
    }

    /**
     * Begins a record.
     *
     * @return bytes of the batch
     * @throws io.firn.RecordTooLargeException when the topic does not allow it
     */
    public int begin(int length) {
        if (length != valueLength) {
            composeLength(length);
        }
        return size;
    }

    /** Stores the whole batch. */
    public void store(
            ByteBuffer memory, int position, long offset, int epoch, long time, Source value) {
        // The copy first: while its lines come into the cache the CRC is computed.
        value.copyTo(memory, position + headLength);
        if (time != headTime) {
            composeTime(time);
        }
        int sum = crc.of(head, BatchFormat.ATTRIBUTES, headLength, value);
        finish(memory, position, offset, epoch, sum);
    }

    private void composeLength(int length) {
        // attributes, timestamp delta, offset delta and key length take one byte each
        int body = 4 + Varint.size(length) + length + NO_HEADERS.length;
        if (body > maxRecordBytes || body < 0) {
            throw RecordLimit.tooLarge(body < 0 ? Integer.MAX_VALUE : body, maxRecordBytes);
        }
        int at = Varint.put(head, BatchFormat.HEADER_LENGTH, body);
        head[at] = 0;
        head[at + 1] = 0;
        head[at + 2] = 0;
        head[at + 3] = 1; // key length −1
        headLength = Varint.put(head, at + 4, length);
        size = headLength + length + NO_HEADERS.length;
        lengthBits = (long) (size - BatchFormat.LENGTH_OVERHEAD) << Integer.SIZE;
        valueLength = length;
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
