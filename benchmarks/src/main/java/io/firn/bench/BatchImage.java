package io.firn.bench;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The bytes of a Kafka batch of equal records. The floors copy them, so that they move as many
 * bytes as Firn does.
 */
final class BatchImage {
    static final int HEADER_LENGTH = 61;
    static final int LENGTH = 8;
    static final int CRC = 17;
    static final int CRC_FROM = 21;
    static final int BASE_TIMESTAMP = 27;
    static final int MAX_TIMESTAMP = 35;
    static final int LENGTH_OVERHEAD = 12;

    private BatchImage() {}

    /** Returns a record without key and headers, as it is stored in a batch. */
    static byte[] record(byte[] value, int offsetDelta) {
        ByteBuffer body = ByteBuffer.allocate(16 + value.length);
        body.put((byte) 0).put((byte) 0);
        putVarint(body, offsetDelta);
        putVarint(body, -1);
        putVarint(body, value.length);
        body.put(value);
        putVarint(body, 0);
        ByteBuffer record = ByteBuffer.allocate(body.position() + 5);
        putVarint(record, body.position());
        record.put(body.flip());
        return bytes(record);
    }

    /** Writes a record of a batch with a time of 0 at a place; returns the place after it. */
    static int putRecord(byte[] target, int from, byte[] value, int offsetDelta) {
        int body = 5 + varintSize(value.length) + value.length; // the delta is below 64
        int at = putVarint(target, from, body);
        target[at] = 0;
        target[at + 1] = 0;
        target[at + 2] = (byte) (offsetDelta << 1);
        target[at + 3] = 1; // no key
        at = putVarint(target, at + 4, value.length);
        System.arraycopy(value, 0, target, at, value.length);
        at += value.length;
        target[at] = 0;
        return at + 1;
    }

    private static int varintSize(int value) {
        return value < 64 ? 1 : value < 8192 ? 2 : 3;
    }

    private static int putVarint(byte[] target, int from, int value) {
        int at = from;
        int v = value << 1;
        while (v >= 0x80) {
            target[at++] = (byte) (v | 0x80);
            v >>>= 7;
        }
        target[at] = (byte) v;
        return at + 1;
    }

    /** Returns a batch; offsets, epoch and times are 0. */
    static byte[] batch(byte[] value, int records) {
        ByteBuffer batch =
                ByteBuffer.allocate(HEADER_LENGTH + records * (value.length + 16))
                        .position(HEADER_LENGTH);
        for (int i = 0; i < records; i++) {
            batch.put(record(value, i));
        }
        batch.putInt(LENGTH, batch.position() - LENGTH_OVERHEAD);
        batch.put(16, (byte) 2);
        batch.putInt(23, records - 1);
        batch.putLong(43, -1).putShort(51, (short) -1).putInt(53, -1).putInt(57, records);
        byte[] image = bytes(batch);
        CRC32C crc = new CRC32C();
        crc.update(image, CRC_FROM, image.length - CRC_FROM);
        ByteBuffer.wrap(image).putInt(CRC, (int) crc.getValue());
        return image;
    }

    private static void putVarint(ByteBuffer target, int value) {
        int v = (value << 1) ^ (value >> 31);
        while ((v & ~0x7F) != 0) {
            target.put((byte) (v | 0x80));
            v >>>= 7;
        }
        target.put((byte) v);
    }

    private static byte[] bytes(ByteBuffer filled) {
        byte[] bytes = new byte[filled.position()];
        filled.flip().get(bytes);
        return bytes;
    }
}
