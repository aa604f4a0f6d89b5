package io.firn.follow;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.firn.follow.BatchesAboveMark.End;
import io.firn.log.InMemory;
import io.firn.spi.Block;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a reader in another process accepts of a segment whose writer is gone. */
class BatchesInABlockTest {
    private static final long BASE = 1_000;
    private static final long EPOCH = 42;

    private final BatchesAboveMark batches = new BatchesAboveMark();
    private Block block;
    private ByteBuffer memory;

    @BeforeEach
    void reserve() throws IOException {
        block = InMemory.block(InMemory.tier(), EPOCH);
        memory = block.memory();
    }

    @Test
    void shouldEndAtTheFirstBatchThatRecoveryWouldCut() throws IOException {
        int first = InMemory.put(memory, 0, BASE, EPOCH, 3);
        int second = InMemory.put(memory, first, BASE + 3, EPOCH, 4);
        assertEquals(new End(second, BASE + 7), batches.after(block, 0, BASE));
        assertEquals(new End(second, BASE + 7), batches.after(block, first, BASE + 3));

        InMemory.put(memory, second, BASE + 7, EPOCH - 1, 1);
        assertEquals(new End(second, BASE + 7), batches.after(block, 0, BASE), "another epoch");
        InMemory.put(memory, second, BASE + 8, EPOCH, 1);
        assertEquals(new End(second, BASE + 7), batches.after(block, 0, BASE), "another offset");
        memory.put(first - 1, (byte) ~memory.get(first - 1));
        assertEquals(new End(0, BASE), batches.after(block, 0, BASE), "torn");
    }

    @Test
    void shouldEndWhereTheBlockEnds() throws IOException {
        int at = 0;
        long offset = BASE;
        while (block.capacity() - at > 5_000) {
            at = InMemory.put(memory, at, offset, EPOCH, 10);
            offset += 10;
        }
        assertEquals(new End(at, offset), batches.after(block, 0, BASE));
    }

    @Test
    void shouldReadTheBaseOffsetFromTheFirstBatch() throws IOException {
        InMemory.put(memory, 0, BASE, EPOCH, 3);
        assertEquals(BASE, batches.baseOffset(block));
    }
}
