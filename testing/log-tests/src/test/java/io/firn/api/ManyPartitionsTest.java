package io.firn.api;

import static io.firn.api.Stores.bytes;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.InvalidOptionException;
import io.firn.LogStore;
import io.firn.OffsetOutOfRangeException;
import io.firn.RecordHandler.Action;
import io.firn.Tailer;
import io.firn.TailerOptions;
import io.firn.Topic;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A tailer over several partitions. */
class ManyPartitionsTest {
    private static final int EACH = 50;

    @TempDir private Path directory;
    private LogStore store;
    private Topic topic;

    @BeforeEach
    void open() {
        store = Stores.at(directory).open();
        topic = store.createTopic("t", Stores.small().withPartitions(4));
        for (int p = 0; p < 4; p++) {
            if (p != 2) { // one stays empty
                append(p, EACH);
            }
        }
    }

    @AfterEach
    void close() {
        store.close();
    }

    private void append(int partition, int count) {
        try (Appender appender = topic.partition(partition).openAppender()) {
            for (int i = 0; i < count; i++) {
                appender.append(bytes("p" + partition));
            }
        }
    }

    @Test
    void shouldReadEachPartitionInOrderAndKeepToTheLimitAcrossThem() {
        for (int limit : new int[] {1, 3, 49, 50, 51, 120, 149, 1000}) {
            Tailer tailer = topic.openTailer();
            long[] next = new long[4];
            int total = 0;
            while (total < 3 * EACH) {
                int taken =
                        tailer.poll(
                                record -> {
                                    assertEquals(next[record.partition()]++, record.offset());
                                    return Action.CONTINUE;
                                },
                                limit);
                assertTrue(taken > 0 && taken <= limit, "took " + taken);
                total += taken;
                for (int p = 0; p < 4; p++) {
                    assertEquals(next[p], tailer.offset(p));
                }
            }
            assertEquals(0, tailer.poll(record -> Action.CONTINUE, limit));
        }
    }

    @Test
    void shouldTakeTurnsSoThatNoPartitionStarves() {
        Tailer tailer = topic.openTailer(TailerOptions.defaults().withPartitions(0, 1, 3));
        long[] next = new long[4];
        for (int round = 1; round <= 10; round++) {
            for (int turn = 0; turn < 3; turn++) {
                tailer.poll(
                        record -> {
                            next[record.partition()]++;
                            return Action.CONTINUE;
                        },
                        2);
                append(0, 2); // always something to read in the first
            }
            assertEquals(2L * round, next[0]);
            assertEquals(2L * round, next[1]);
            assertEquals(2L * round, next[3]);
        }
    }

    @Test
    void shouldEndThePollOfAllPartitionsWhenTheHandlerSaysSo() {
        for (Action action : List.of(Action.STOP, Action.RETRY)) {
            Tailer tailer = topic.openTailer();
            List<Integer> seen = new ArrayList<>();
            tailer.poll(
                    record -> {
                        seen.add(record.partition());
                        return record.offset() == EACH - 1 ? action : Action.CONTINUE;
                    },
                    1000);
            assertEquals(EACH, seen.size());
            assertEquals(1, seen.stream().distinct().count());
            int first = seen.get(0);
            assertEquals(action == Action.STOP ? EACH : EACH - 1, tailer.offset(first));
        }
    }

    @Test
    void shouldServeTheOthersWhenOnePartitionIsOutOfRange() {
        Tailer tailer = topic.openTailer();
        tailer.seek(1, 1000);
        int[] taken = new int[4];
        int failures = 0;
        for (int i = 0; i < 20; i++) {
            try {
                tailer.poll(
                        record -> {
                            taken[record.partition()]++;
                            return Action.CONTINUE;
                        },
                        30);
            } catch (OffsetOutOfRangeException e) {
                assertTrue(e.getMessage().startsWith("t-1:"), e.getMessage());
                failures++;
            }
        }
        assertTrue(failures > 0);
        assertEquals("[50, 0, 0, 50]", Arrays.toString(taken));
        tailer.seek(1, 0);
        while (tailer.poll(record -> Action.CONTINUE, 30) > 0) {
            continue;
        }
        assertEquals(EACH, tailer.offset(1));
    }

    @Test
    void shouldWakeForARecordInAnyPartition() throws Exception {
        for (int partition : new int[] {0, 2, 3}) {
            Tailer tailer = topic.openTailer();
            tailer.seekToEnd();
            int[] from = {-1};
            Stores.Task<Integer> waits =
                    Stores.start(
                            () ->
                                    tailer.poll(
                                            record -> {
                                                from[0] = record.partition();
                                                return Action.CONTINUE;
                                            },
                                            10,
                                            Duration.ofMinutes(10)));
            Stores.await("it", () -> waits.thread().getState() == Thread.State.TIMED_WAITING);
            append(partition, 1);
            assertEquals(1, waits.result());
            assertEquals(partition, from[0]);
        }
    }

    @Test
    void shouldReadOnlyWhatWasChosen() {
        Tailer tailer = topic.openTailer(TailerOptions.defaults().withPartitions(3, 1));
        tailer.seekToStart();
        List<Integer> seen = new ArrayList<>();
        tailer.poll(
                record -> {
                    seen.add(record.partition());
                    return Action.CONTINUE;
                },
                1000);
        assertEquals(List.of(1, 3), seen.stream().distinct().sorted().toList());
        assertThrows(InvalidOptionException.class, () -> tailer.offset(0));
        assertThrows(InvalidOptionException.class, () -> tailer.seek(0, 0));
        assertThrows(InvalidOptionException.class, () -> tailer.offset());
        assertThrows(InvalidOptionException.class, () -> tailer.seek(0));
        assertThrows(
                InvalidOptionException.class,
                () -> topic.openTailer(TailerOptions.defaults().withPartitions(1, 1)));
        assertThrows(
                InvalidOptionException.class,
                () -> topic.openTailer(TailerOptions.defaults().withPartitions(4)));
        assertThrows(
                InvalidOptionException.class,
                () -> topic.openTailer(TailerOptions.defaults().withPartitions(-1)));
        assertEquals(
                EACH,
                topic.openTailer(TailerOptions.defaults().withPartitions(3))
                        .poll(record -> Action.CONTINUE, 100));
    }
}
