package io.firn.pmem;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.firn.format.FillerBatch;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class BatchChainTest {
    @Test
    void shouldFollowFillersAsOtherBatches() {
        int each = FillerBatch.LENGTH;
        ByteBuffer block = ByteBuffer.allocate(10 * each);
        FillerBatch.put(block, 0, 100, 110, 3);
        FillerBatch.put(block, each, 110, 112, 3);
        FillerBatch.put(block, 2 * each, 112, 5_000_000, 4);
        FillerBatch.put(block, 3 * each, 5_000_000, 5_000_001, 2); // of an earlier use of the block

        assertEquals(new BatchChain(3 * each, 100, 5_000_000, 4), BatchChain.in(block.array()));
    }
}
