package io.firn.compact;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Compression;
import io.firn.format.BatchRewriter;
import io.firn.kafka.KafkaBatches;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class OffsetMapTest {
    private static final int SLOT = 24;

    private static void hash(OffsetMap map, String key) throws IOException {
        ByteBuffer batch = KafkaBatches.of(Compression.NONE).encode(key.getBytes(UTF_8), null);
        try (BatchRewriter record = new BatchRewriter(map.hash())) {
            record.open(batch, batch.position(), batch.remaining());
            assertTrue(record.next());
        }
    }

    private static boolean put(OffsetMap map, String key, long offset) throws IOException {
        hash(map, key);
        return map.put(offset);
    }

    private static long latest(OffsetMap map, String key) throws IOException {
        hash(map, key);
        return map.latest();
    }

    @Test
    void shouldReturnTheLatestOffsetOfEachKey() throws IOException {
        OffsetMap map = new OffsetMap(2_000 * SLOT);
        Map<String, Long> expected = new HashMap<>();
        Random random = new Random(1);
        for (int i = 0; i < 10_000; i++) {
            String key = "key-" + random.nextInt(1_500);
            assertTrue(put(map, key, i));
            expected.put(key, (long) i);
        }
        assertEquals(expected.size(), map.keys());
        for (Map.Entry<String, Long> each : expected.entrySet()) {
            assertEquals(each.getValue(), latest(map, each.getKey()));
        }
        assertEquals(-1, latest(map, "another"));
    }

    @Test
    void shouldRefuseANewKeyButNotAKnownOneWhenFull() throws IOException {
        OffsetMap map = new OffsetMap(100 * SLOT);
        for (int i = 0; i < 90; i++) {
            assertTrue(put(map, "key-" + i, i));
        }
        assertFalse(put(map, "one more", 90));
        assertTrue(put(map, "key-7", 91));
        assertEquals(90, map.keys());
        assertEquals(91, latest(map, "key-7"));
        assertEquals(-1, latest(map, "one more"));
    }
}
