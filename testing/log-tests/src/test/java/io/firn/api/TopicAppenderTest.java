package io.firn.api;

import static io.firn.api.Stores.bytes;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.BusyException;
import io.firn.ClosedException;
import io.firn.ExclusiveAppender;
import io.firn.InvalidOptionException;
import io.firn.LogStore;
import io.firn.RecordId;
import io.firn.StoredRecord;
import io.firn.TailerOptions;
import io.firn.Topic;
import io.firn.TopicAppender;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TopicAppenderTest {
    private static final int PARTITIONS = 5;

    @TempDir private Path directory;
    private LogStore store;
    private Topic topic;

    @BeforeEach
    void open() {
        store = Stores.at(directory).open();
        topic = store.createTopic("t", Stores.small().withPartitions(PARTITIONS));
    }

    @AfterEach
    void close() {
        store.close();
    }

    @Test
    void shouldPickThePartitionThatKafkasProducerPicks() {
        // Hashes that Kafka's own tests of its murmur2 expect.
        Map<String, Integer> hashes =
                Map.of(
                        "21", -973932308,
                        "foobar", -790332482,
                        "a-little-bit-long-string", -985981536,
                        "a-little-bit-longer-string", -1486304829,
                        "lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58897971,
                        "abc", 479470107);
        try (TopicAppender appender = topic.openAppender()) {
            hashes.forEach(
                    (key, hash) -> {
                        int expected = (hash & 0x7fffffff) % PARTITIONS;
                        assertEquals(expected, appender.partitionFor(bytes(key)), key);
                        RecordId id = appender.append(bytes(key), bytes("v"));
                        assertEquals(expected, id.partition());
                        StoredRecord record = read(id);
                        assertArrayEquals(bytes(key), record.key());
                        assertEquals(id.offset(), record.offset());
                    });
        }
    }

    private StoredRecord read(RecordId id) {
        var tailer = topic.openTailer(TailerOptions.defaults().withPartitions(id.partition()));
        tailer.seek(id.offset());
        return Stores.read(tailer, 1).get(0);
    }

    @Test
    void shouldStayWithOnePartitionForABatchsWorthOfRecordsWithoutKeys() {
        List<Integer> picked = new ArrayList<>();
        TreeSet<Integer> all = new TreeSet<>();
        try (TopicAppender appender = topic.openAppender()) {
            for (int i = 0; i < 400; i++) {
                RecordId id = appender.append(null, new byte[1024]);
                picked.add(id.partition());
                all.add(id.partition());
            }
        }
        int changes = 0;
        for (int i = 1; i < picked.size(); i++) {
            changes += picked.get(i).equals(picked.get(i - 1)) ? 0 : 1;
        }
        assertEquals(24, changes, "16 KiB, then another one");
        assertEquals(PARTITIONS, all.size());
    }

    @Test
    void shouldTakeRecordsWithoutKeyOrValue() {
        try (TopicAppender appender = topic.openAppender()) {
            assertNull(read(appender.append(null, null)).value());
            assertNull(read(appender.append(bytes("k"), null)).value());
            assertEquals(0, read(appender.append(new byte[0], new byte[0])).key().length);
        }
    }

    @Test
    void shouldServeManyThreads() throws Exception {
        int threads = 4;
        int each = 300;
        List<Stores.Task<Map<Integer, Long>>> tasks = new ArrayList<>();
        try (TopicAppender appender = topic.openAppender()) {
            for (int t = 0; t < threads; t++) {
                int thread = t;
                tasks.add(Stores.start(() -> appendMany(appender, thread, each)));
            }
            for (Stores.Task<Map<Integer, Long>> task : tasks) {
                task.result();
            }
        }
        List<StoredRecord> found = Stores.read(topic.openTailer(), threads * each);
        Map<String, Integer> last = new HashMap<>();
        for (StoredRecord record : found) {
            String key = Stores.text(record.key());
            int number = Integer.parseInt(Stores.text(record.value()));
            Integer before = last.put(key, number);
            assertTrue(before == null || before < number, "out of order: " + key);
        }
        assertEquals(threads * 3, last.size());
    }

    private static Map<Integer, Long> appendMany(TopicAppender appender, int thread, int count) {
        Map<Integer, Long> last = new HashMap<>();
        for (int i = 0; i < count; i++) {
            RecordId id = appender.append(bytes(thread + "-" + i % 3), bytes("" + i));
            Long before = last.put(id.partition(), id.offset());
            assertTrue(before == null || before < id.offset());
        }
        return last;
    }

    @Test
    void shouldLeaveNothingOpenWhenAPartitionIsTaken() {
        try (ExclusiveAppender taken = topic.partition(3).openExclusiveAppender()) {
            assertThrows(BusyException.class, () -> topic.openAppender());
            topic.partition(0).openExclusiveAppender().close();
            taken.append(bytes("x"));
        }
        topic.openAppender().close();
    }

    @Test
    void shouldCloseThePartitionsAppendersWithItself() {
        TopicAppender appender = topic.openAppender();
        appender.partition(2).append(bytes("x"));
        assertThrows(InvalidOptionException.class, () -> appender.partition(5));
        assertThrows(InvalidOptionException.class, () -> appender.partition(-1));
        appender.close();
        appender.close();
        assertThrows(ClosedException.class, () -> appender.append(null, bytes("x")));
        assertThrows(ClosedException.class, () -> appender.partition(2).append(bytes("x")));
        topic.partition(2).openExclusiveAppender().close();
    }
}
