package io.firn.format;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.firn.kafka.SeededTest;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import org.apache.kafka.common.utils.internals.ByteUtils;
import org.junit.jupiter.api.Test;

class VarintTest {
    @Test
    void shouldWriteWhatKafkaWritesWhereTheLengthChanges() {
        for (int shift = 0; shift < 64; shift++) {
            for (long near = -2; near <= 2; near++) {
                checkLong((1L << shift) + near);
                checkLong(-(1L << shift) + near);
                checkInt((int) ((1L << shift) + near));
                checkInt((int) (-(1L << shift) + near));
            }
        }
        checkLong(Long.MIN_VALUE);
        checkLong(Long.MAX_VALUE);
        checkInt(Integer.MIN_VALUE);
        checkInt(Integer.MAX_VALUE);
    }

    @SeededTest
    void shouldWriteWhatKafkaWritesForAnyNumber(long seed) {
        Random random = new Random(seed);
        for (int i = 0; i < 10_000; i++) {
            checkLong(random.nextLong() >> random.nextInt(64));
            checkInt(random.nextInt() >> random.nextInt(32));
        }
    }

    @Test
    void shouldEndANumberThatNeverEndsAfterTenBytes() {
        byte[] endless = new byte[20];
        Arrays.fill(endless, (byte) 0xff);

        assertEquals(10, Varint.length(ByteBuffer.wrap(endless), 3));
        assertEquals(Long.MIN_VALUE, Varint.get(ByteBuffer.wrap(endless), 3));
    }

    private static void checkInt(int value) {
        ByteBuffer kafka = ByteBuffer.allocate(20);
        ByteUtils.writeVarint(value, kafka);
        byte[] ours = new byte[20];
        int end = Varint.put(ours, 3, value);

        check(kafka, ours, end);
        assertEquals(end - 3, Varint.size(value));
        assertEquals(value, Varint.get(ByteBuffer.wrap(ours), 3));
    }

    private static void checkLong(long value) {
        ByteBuffer kafka = ByteBuffer.allocate(20);
        ByteUtils.writeVarlong(value, kafka);
        byte[] ours = new byte[20];
        int end = Varint.put(ours, 3, value);

        check(kafka, ours, end);
        assertEquals(end - 3, Varint.size(value));
        assertEquals(value, Varint.get(ByteBuffer.wrap(ours), 3));
    }

    private static void check(ByteBuffer kafka, byte[] ours, int end) {
        assertEquals(kafka.flip(), ByteBuffer.wrap(ours, 3, end - 3));
        assertEquals(end - 3, Varint.length(ByteBuffer.wrap(ours), 3));
    }
}
