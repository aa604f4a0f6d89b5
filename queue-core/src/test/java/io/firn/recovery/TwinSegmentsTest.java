package io.firn.recovery;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.firn.compact.ReplacedSegments;
import io.firn.log.InMemory;
import io.firn.spi.Block;
import io.firn.spi.Mark;
import io.firn.spi.MemoryTier;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which of two copies of a segment stays after a crash in a move. */
class TwinSegmentsTest {
    private static final long EPOCH = 42;

    private MemoryTier hot;
    private MemoryTier cold;

    @BeforeEach
    void open() throws IOException {
        hot = InMemory.tier();
        cold = InMemory.tier();
    }

    private static Block sealed(MemoryTier tier, long baseOffset, long epoch, int fill) {
        Block block = InMemory.block(tier, epoch);
        ByteBuffer memory = block.memory();
        int length = InMemory.put(memory, 0, baseOffset, epoch, 10);
        memory.put(length - 1, (byte) (memory.get(length - 1) + fill));
        write(block, baseOffset, length);
        return block;
    }

    private static void write(Block block, long baseOffset, int length) {
        try {
            long epoch = block.mark().epoch();
            block.seal(block.mark().sealed(epoch, baseOffset, length, baseOffset + 10, 77));
            block.finishSeal(new byte[0], new byte[0]);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void shouldDeleteTheHotterOfTwoEqualSegments() throws IOException {
        Block source = sealed(hot, 0, EPOCH, 0);
        Block copy = sealed(cold, 0, EPOCH, 0);

        assertEquals(List.of(copy), TwinSegments.drop(List.of(source, copy)));
        assertEquals(List.of(), hot.list());
        assertEquals(List.of(copy), cold.list());
    }

    @Test
    void shouldKeepBothWhenTheirBytesDiffer() throws IOException {
        Block source = sealed(hot, 0, EPOCH, 0);
        Block copy = sealed(cold, 0, EPOCH, 1);

        assertEquals(List.of(source, copy), TwinSegments.drop(List.of(source, copy)));
        assertEquals(List.of(source), hot.list());
        assertEquals(List.of(copy), cold.list());
    }

    @Test
    void shouldKeepBothWhenTheirEpochsDiffer() throws IOException {
        Block source = sealed(hot, 0, EPOCH, 0);
        Block other = sealed(cold, 0, EPOCH + 1, 0);

        assertEquals(List.of(source, other), TwinSegments.drop(List.of(source, other)));
    }

    @Test
    void shouldReturnTheSegmentsByBaseOffset() throws IOException {
        Block second = sealed(hot, 10, EPOCH, 0);
        Block first = sealed(cold, 0, EPOCH, 0);
        Block copyOfSecond = sealed(cold, 10, EPOCH, 0);

        assertEquals(
                List.of(first, copyOfSecond),
                TwinSegments.drop(List.of(second, first, copyOfSecond)));
    }

    /** A mark that was rewritten in place, in the copy that a crash left. */
    @Test
    void shouldKeepBothWhenTheirGenerationsDiffer() throws IOException {
        Block source = sealed(hot, 0, EPOCH, 0);
        Block copy = sealed(cold, 0, EPOCH, 0);
        Mark mark = copy.mark();
        copy.rewriteMark(mark.sealed(EPOCH, 0, mark.position(), 10, 77).inGeneration(1, 10));

        assertEquals(List.of(copy, source), TwinSegments.drop(List.of(source, copy)));
        assertEquals(List.of(source), ReplacedSegments.among(List.of(source, copy)).replaced());
    }
}
