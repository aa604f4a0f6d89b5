package io.firn.bench;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;

/**
 * The floor of appends of one shape, a hand-written loop: encodes keys, values and headers as a
 * Kafka batch in an array, sums it, copies it into a mapping whose pages are present, and publishes
 * the next offset. Walks repeatedly through a file of the size of Firn's segment.
 */
final class ShapedFloor implements AutoCloseable {
    private static final VarHandle LONG =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle INT =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle NEXT;
    private static final byte[] NAME = AppendShape.HEADER_NAME.getBytes(StandardCharsets.UTF_8);
    private static final byte[] HEADER_VALUE = Values.ofLength(24);

    static {
        try {
            NEXT = MethodHandles.lookup().findVarHandle(ShapedFloor.class, "next", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final CRC32C crc = new CRC32C();
    private final AppendShape.Way way;
    private final AppendInputs inputs;
    private final FloorFile file;
    private final MappedByteBuffer memory;
    private final byte[] image;
    private final long time = System.currentTimeMillis();
    private long next;
    private int position;

    ShapedFloor(AppendShape shape, String directory, int mib) throws IOException {
        way = shape.way();
        inputs = new AppendInputs(shape);
        image = BatchImage.batch(new byte[shape.most() + 96], way.records);
        file = FloorFile.open(directory, mib);
        memory = file.memory();
    }

    /** Appends once, and returns the offset of the first record. */
    long append() {
        byte[] b = image;
        int end = BatchImage.HEADER_LENGTH;
        for (int i = 0; i < way.records; i++) {
            inputs.next();
            end = put(b, end, i);
        }
        long offset = next;
        LONG.set(b, 0, offset);
        INT.set(b, BatchImage.LENGTH, end - BatchImage.LENGTH_OVERHEAD);
        LONG.set(b, BatchImage.BASE_TIMESTAMP, time);
        LONG.set(b, BatchImage.MAX_TIMESTAMP, time);
        crc.reset();
        crc.update(b, BatchImage.CRC_FROM, end - BatchImage.CRC_FROM);
        INT.set(b, BatchImage.CRC, (int) crc.getValue());
        if (memory.capacity() - position < end) {
            position = 0;
        }
        memory.put(position, b, 0, end);
        position += end;
        NEXT.setRelease(this, offset + way.records);
        return offset;
    }

    private int put(byte[] b, int from, int delta) {
        byte[] key = way.hasKey ? inputs.key() : null;
        byte[] value = inputs.value();
        int keyBytes = key == null ? 0 : key.length; // below 64, as all but the value
        int headerBytes = way.hasHeader ? 2 + NAME.length + HEADER_VALUE.length : 0;
        int valueBytes = value.length;
        int body = 5 + keyBytes + varintSize(valueBytes) + valueBytes + headerBytes;
        int at = putVarint(b, from, body);
        b[at] = 0;
        b[at + 1] = 0;
        b[at + 2] = (byte) (delta << 1);
        b[at + 3] = (byte) (key == null ? 1 : keyBytes << 1);
        at += 4;
        if (key != null) {
            System.arraycopy(key, 0, b, at, keyBytes);
            at += keyBytes;
        }
        at = putVarint(b, at, valueBytes);
        System.arraycopy(value, 0, b, at, valueBytes);
        at += valueBytes;
        b[at++] = (byte) (way.hasHeader ? 2 : 0);
        return way.hasHeader ? putHeader(b, at) : at;
    }

    private static int putHeader(byte[] b, int from) {
        int at = from;
        b[at++] = (byte) (NAME.length << 1);
        System.arraycopy(NAME, 0, b, at, NAME.length);
        at += NAME.length;
        b[at++] = (byte) (HEADER_VALUE.length << 1);
        System.arraycopy(HEADER_VALUE, 0, b, at, HEADER_VALUE.length);
        return at + HEADER_VALUE.length;
    }

    private static int varintSize(int value) {
        return value < 64 ? 1 : value < 8192 ? 2 : 3;
    }

    private static int putVarint(byte[] b, int from, int value) {
        int at = from;
        int v = value << 1;
        while (v >= 0x80) {
            b[at++] = (byte) (v | 0x80);
            v >>>= 7;
        }
        b[at] = (byte) v;
        return at + 1;
    }

    @Override
    public void close() {
        file.close();
    }
}
