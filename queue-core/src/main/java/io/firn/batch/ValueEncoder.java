package io.firn.batch;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * Encodes one record that has only a value straight into log memory: the header is composed in a
 * small array, the CRC is taken over that array and over the user's bytes, and the value is copied
 * once. The log's memory is only stored to, never read. Not thread-safe.
 */
public final class ValueEncoder {
    private static final int RECORD_HEADER_MAX = 14;
    private static final byte[] NO_HEADERS = {0};

    private final byte[] head = new byte[BatchFormat.HEADER_LENGTH + RECORD_HEADER_MAX];
    private final byte[] copy = new byte[4096];
    private final CRC32C crc = new CRC32C();
    private final int maxRecordBytes;
    private int headLength;

    /** For a topic that takes records up to so many bytes. */
    public ValueEncoder(int maxRecordBytes) {
        this.maxRecordBytes = maxRecordBytes;
        HeaderBytes.write(head, 0, 0, 1, 0, 0, -1, -1, -1);
    }

    /**
     * Begins a record.
     *
     * @return bytes that the batch takes
     * @throws io.firn.RecordTooLargeException when the topic does not take it
     */
    public int begin(int valueLength) {
        // attributes, timestamp delta, offset delta and key length take one byte each
        int body = 4 + Varint.size(valueLength) + valueLength + 1;
        if (body > maxRecordBytes || body < 0) {
            throw BatchEncoder.tooLarge(body < 0 ? Integer.MAX_VALUE : body, maxRecordBytes);
        }
        int at = Varint.put(head, BatchFormat.HEADER_LENGTH, body);
        head[at] = 0;
        head[at + 1] = 0;
        head[at + 2] = 0;
        head[at + 3] = 1; // key length −1
        headLength = Varint.put(head, at + 4, valueLength);
        return headLength + valueLength + 1;
    }

    /** Where the value lies, counted from the start of the batch. */
    public int valuePosition() {
        return headLength;
    }

    /** Stores the whole batch. */
    public void store(
            ByteBuffer memory, int position, long offset, int epoch, long time, Source value) {
        int size = headLength + value.length() + 1;
        compose(size, offset, epoch, time);
        crc.reset();
        crc.update(head, BatchFormat.ATTRIBUTES, headLength - BatchFormat.ATTRIBUTES);
        value.updateCrc(crc);
        crc.update(NO_HEADERS, 0, 1);
        HeaderBytes.putInt(head, BatchFormat.CRC, (int) crc.getValue());
        memory.put(position, head, 0, headLength);
        value.copyTo(memory, position + headLength);
        memory.put(position + size - 1, (byte) 0);
    }

    /** Stores everything but the value, which lies in the memory already. */
    public void storeAround(
            ByteBuffer memory, int position, long offset, int epoch, long time, int valueLength) {
        int size = headLength + valueLength + 1;
        compose(size, offset, epoch, time);
        crc.reset();
        crc.update(head, BatchFormat.ATTRIBUTES, headLength - BatchFormat.ATTRIBUTES);
        // Through an array: the CRC's intrinsic on a mapping that faults kills the JVM.
        int done = 0;
        while (done < valueLength) {
            int n = Math.min(copy.length, valueLength - done);
            memory.get(position + headLength + done, copy, 0, n);
            crc.update(copy, 0, n);
            done += n;
        }
        crc.update(NO_HEADERS, 0, 1);
        HeaderBytes.putInt(head, BatchFormat.CRC, (int) crc.getValue());
        memory.put(position, head, 0, headLength);
        memory.put(position + size - 1, (byte) 0);
    }

    private void compose(int size, long offset, int epoch, long time) {
        HeaderBytes.putLong(head, BatchFormat.BASE_OFFSET, offset);
        HeaderBytes.putInt(head, BatchFormat.LENGTH, size - BatchFormat.LENGTH_OVERHEAD);
        HeaderBytes.putInt(head, BatchFormat.EPOCH, epoch);
        HeaderBytes.putLong(head, BatchFormat.BASE_TIMESTAMP, time);
        HeaderBytes.putLong(head, BatchFormat.MAX_TIMESTAMP, time);
    }
}
