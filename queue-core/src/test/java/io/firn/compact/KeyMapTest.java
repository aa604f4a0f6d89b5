package io.firn.compact;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Compression;
import io.firn.batch.BatchFormat;
import io.firn.batch.BatchRewriter;
import io.firn.kafka.KafkaBatches;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class KeyMapTest {
    private static final int SLOT = 24;

    private static BatchRewriter record(String key, long offset) throws IOException {
        ByteBuffer batch = KafkaBatches.of(Compression.NONE).encode(key.getBytes(UTF_8), null);
        byte[] bytes = new byte[batch.remaining()];
        batch.get(bytes);
        ByteBuffer.wrap(bytes).putLong(BatchFormat.BASE_OFFSET, offset);
        BatchRewriter record = new BatchRewriter();
        record.open(bytes, bytes.length);
        assertTrue(record.next());
        return record;
    }

    @Test
    void shouldReturnTheLatestOffsetOfEachKey() throws IOException {
        KeyMap map = new KeyMap(2_000 * SLOT);
        Map<String, Long> expected = new HashMap<>();
        Random random = new Random(1);
        for (int i = 0; i < 10_000; i++) {
            String key = "key-" + random.nextInt(1_500);
            assertTrue(map.put(record(key, i)));
            expected.put(key, (long) i);
        }
        assertEquals(expected.size(), map.keys());
        for (Map.Entry<String, Long> each : expected.entrySet()) {
            assertEquals(each.getValue(), map.latest(record(each.getKey(), 0)));
        }
        assertEquals(-1, map.latest(record("another", 0)));
    }

    @Test
    void shouldRefuseANewKeyButNotAKnownOneWhenFull() throws IOException {
        KeyMap map = new KeyMap(100 * SLOT);
        for (int i = 0; i < 90; i++) {
            assertTrue(map.put(record("key-" + i, i)));
        }
        assertFalse(map.put(record("one more", 90)));
        assertTrue(map.put(record("key-7", 91)));
        assertEquals(90, map.keys());
        assertEquals(91, map.latest(record("key-7", 0)));
        assertEquals(-1, map.latest(record("one more", 0)));
    }
}
