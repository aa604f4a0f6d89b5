package io.firn.follow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Compression;
import io.firn.format.BatchFormat;
import io.firn.format.MarkerBatch;
import io.firn.kafka.KafkaBatches;
import io.firn.spi.Block;
import io.firn.spi.BlockReader.BlockReusedException;
import io.firn.spi.Mark;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A block of another process with three batches above its mark, read as a follower reads it. */
class BatchesAboveMarkTest {
    private static final int CAPACITY = 400_000;
    private static final int FROM = 64;
    private static final long EPOCH = (5L << 31) + 7;
    private static final long OFFSET = 1_000;
    private static final int COUNT = 3;

    private final ByteBuffer bytes = ByteBuffer.allocate(CAPACITY);
    private final int[] positions = new int[COUNT + 1];
    private final BatchesAboveMark batches = new BatchesAboveMark();
    private int longestRead;
    private int goneFrom = CAPACITY;

    private final Block block =
            (Block)
                    Proxy.newProxyInstance(
                            Block.class.getClassLoader(),
                            new Class<?>[] {Block.class},
                            (proxy, method, arguments) ->
                                    switch (method.getName()) {
                                        case "mark" ->
                                                Mark.reserved(new UUID(1, 2), 0, EPOCH)
                                                        .active(EPOCH, OFFSET, FROM, OFFSET);
                                        case "capacity" -> CAPACITY;
                                        case "read" ->
                                                read(
                                                        (int) arguments[0],
                                                        (byte[]) arguments[1],
                                                        (int) arguments[3]);
                                        default -> throw new AssertionError(method);
                                    });

    private int read(int position, byte[] target, int length) {
        if (position >= goneFrom) {
            throw new BlockReusedException("block 1");
        }
        int n = Math.max(0, Math.min(length, CAPACITY - position));
        bytes.get(position, target, 0, n);
        longestRead = Math.max(longestRead, n);
        return n;
    }

    @BeforeEach
    void store() {
        int at = FROM;
        for (int i = 0; i < COUNT; i++) {
            positions[i] = at;
            // Longer than the buffer that is there at first.
            byte[] value = new byte[i == 1 ? 100_000 : 100];
            ByteBuffer batch = KafkaBatches.of(Compression.NONE).encode(null, value);
            int size = batch.remaining();
            bytes.put(at, batch, batch.position(), size);
            bytes.putLong(at + BatchFormat.BASE_OFFSET, OFFSET + i);
            bytes.putInt(at + BatchFormat.EPOCH, BatchFormat.epochBits(EPOCH));
            at += size;
        }
        positions[COUNT] = at;
    }

    @Test
    void shouldFindAllWholeBatches() throws IOException {
        assertFound(COUNT);
    }

    /** Of a marker, the CRC is checked when all of it was read. */
    @Test
    void shouldFindMarkersAndTheBatchesAfterThem() throws IOException {
        byte[] marker = MarkerBatch.encode(7, 0, true, 0, 0);
        int at = positions[COUNT];
        for (int i = 0; i < 2; i++, at += marker.length) {
            bytes.put(at, marker);
            bytes.putLong(at + BatchFormat.BASE_OFFSET, OFFSET + COUNT + i);
            bytes.putInt(at + BatchFormat.EPOCH, BatchFormat.epochBits(EPOCH));
        }
        assertEquals(
                new BatchesAboveMark.End(at, OFFSET + COUNT + 2),
                batches.after(block, FROM, OFFSET));

        bytes.put(at - 1, (byte) 1);
        assertEquals(
                new BatchesAboveMark.End(at - marker.length, OFFSET + COUNT + 1),
                batches.after(block, FROM, OFFSET));
    }

    @Test
    void shouldEndAtABatchWithAWrongCrc() throws IOException {
        bytes.put(positions[1] + 5_000, (byte) 1);

        assertFound(1);
    }

    @Test
    void shouldEndAtABatchOfAnotherEpochAndReadOnlyItsHeader() throws IOException {
        bytes.putInt(positions[1] + BatchFormat.EPOCH, BatchFormat.epochBits(EPOCH) - 1);

        assertFound(1);
        assertTrue(longestRead < 1_000, longestRead + " bytes were read");
    }

    @Test
    void shouldEndAtABatchThatIsNotTheNextOneOrDoesNotFit() throws IOException {
        bytes.putLong(positions[2], OFFSET + 3);
        assertFound(2);

        bytes.putLong(positions[2], OFFSET + 2);
        bytes.putInt(positions[2] + BatchFormat.LENGTH, CAPACITY);
        assertFound(2);
    }

    @Test
    void shouldFindNothingInABlockThatWasReused() throws IOException {
        goneFrom = 0;
        assertFound(0);
        assertEquals(-1, batches.baseOffset(block));

        goneFrom = positions[2];
        assertFound(2);
    }

    private void assertFound(int count) throws IOException {
        BatchesAboveMark.End end = batches.after(block, FROM, OFFSET);

        assertEquals(new BatchesAboveMark.End(positions[count], OFFSET + count), end);
    }
}
