package io.firn.format;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Compression;
import io.firn.kafka.KafkaBatches;
import java.nio.ByteBuffer;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BatchVerifierTest {
    private static final int AT = 100;
    private static final long OFFSET = 5_000_000_000L;

    private final BatchVerifier verifier = new BatchVerifier();

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 1_000, 16_300, 16_316, 16_317, 16_384, 40_000, 1_000_000})
    void shouldAcceptAWholeBatchOfAnySize(int valueBytes) {
        ByteBuffer memory = memory(valueBytes);
        int size = BatchFormat.size(memory, AT);

        assertEquals(size, verifier.check(memory, AT, AT + size, OFFSET));
        assertEquals(size, verifier.check(memory, AT, memory.limit(), OFFSET));
        assertEquals(size, verifier.checkHeader(memory, AT, AT + size, OFFSET));
    }

    @Test
    void shouldRefuseEveryFlippedBitButTheEpochs() {
        ByteBuffer memory = memory(50);
        int size = BatchFormat.size(memory, AT);
        for (int bit = 0; bit < size * 8; bit++) {
            int at = AT + bit / 8;
            memory.put(at, (byte) (memory.get(at) ^ (1 << (bit % 8))));
            boolean epoch = bit / 8 >= BatchFormat.EPOCH && bit / 8 < BatchFormat.MAGIC;
            int found = verifier.check(memory, AT, AT + size, OFFSET);
            memory.put(at, (byte) (memory.get(at) ^ (1 << (bit % 8))));

            assertEquals(epoch ? size : -1, found, "bit " + bit);
        }
    }

    @Test
    void shouldRefuseEveryFlippedBitOfALongBatch() {
        ByteBuffer memory = memory(40_000);
        int size = BatchFormat.size(memory, AT);
        for (int at = AT + BatchFormat.CRC; at < AT + size; at += 97) {
            memory.put(at, (byte) (memory.get(at) ^ 4));
            assertEquals(-1, verifier.check(memory, AT, AT + size, OFFSET), "byte " + at);
            assertTrue(Set.of("CRC", "last offset").contains(verifier.reason()), verifier.reason());
            memory.put(at, (byte) (memory.get(at) ^ 4));
        }
    }

    @Test
    void shouldSayWhatIsWrong() {
        ByteBuffer memory = memory(50);
        int size = BatchFormat.size(memory, AT);

        assertRefused(memory, AT + 60, OFFSET, "no room for a batch header");
        assertRefused(memory, AT + size - 1, OFFSET, "length");
        assertRefused(memory, AT + size, OFFSET + 1, "base offset");
        memory.putInt(AT + BatchFormat.LENGTH, 48);
        assertRefused(memory, AT + size, OFFSET, "length");
        memory.putInt(AT + BatchFormat.LENGTH, -1);
        assertRefused(memory, AT + size, OFFSET, "length");
        memory.putInt(AT + BatchFormat.LENGTH, Integer.MAX_VALUE);
        assertRefused(memory, AT + size, OFFSET, "length");
        memory.putInt(AT + BatchFormat.LENGTH, size - BatchFormat.LENGTH_OVERHEAD);
        memory.putInt(AT + BatchFormat.LAST_OFFSET_DELTA, -1);
        assertRefused(memory, AT + size, OFFSET, "last offset");
        memory.putInt(AT + BatchFormat.LAST_OFFSET_DELTA, 7);
        assertEquals(-1, verifier.check(memory, AT, AT + size, OFFSET));
        assertEquals("CRC", verifier.reason());
        memory.put(AT + BatchFormat.MAGIC, (byte) 1);
        assertRefused(memory, AT + size, OFFSET, "magic");
    }

    private void assertRefused(ByteBuffer memory, int end, long offset, String reason) {
        assertEquals(-1, verifier.checkHeader(memory, AT, end, offset));
        assertEquals(reason, verifier.reason());
        assertEquals(-1, verifier.check(memory, AT, end, offset));
        assertEquals(reason, verifier.reason());
    }

    private static ByteBuffer memory(int valueBytes) {
        ByteBuffer batch = KafkaBatches.of(Compression.NONE).encode(null, new byte[valueBytes]);
        ByteBuffer memory = ByteBuffer.allocateDirect(AT + batch.remaining() + 200);
        memory.position(AT).put(batch).clear();
        return memory.putLong(AT, OFFSET);
    }
}
