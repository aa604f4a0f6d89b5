package io.firn.crash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.CleanupPolicy;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.PartitionReader.CompactionResult;
import io.firn.RecordHandler.Action;
import io.firn.Tailer;
import io.firn.TopicOptions;
import io.firn.host.HostedStore;
import io.firn.kill.Flaws;
import io.firn.sim.SecondRun;
import io.firn.sim.SimulatedFileMedium;
import io.firn.sim.Survival;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Power cuts and kills at every operation of compactions (O14). After each, the latest record of
 * every key is there, no key that was deleted has come back, and a repeated batch is recognized.
 */
class CompactionCrashTest {
    private static final int KEYS = 7;
    private static final int VALUE_BYTES = 3_000;
    private static final int MOST_FAILURES = 3;
    private static final Duration TOMBSTONES = Duration.ofMinutes(10);
    private static final TopicOptions OPTIONS =
            Simulation.SMALL.withCleanup(CleanupPolicy.COMPACT).withTombstoneRetention(TOMBSTONES);

    private final Simulation simulation = new Simulation(new SimulatedFileMedium());
    private final SimulatedFileMedium medium = simulation.medium;
    private final List<String> failures = new ArrayList<>();

    /** By key the offset of its last record; negative for that of a tombstone, less one. */
    private final Map<String, Long> latest = new TreeMap<>();

    private long producer;
    private long repeatedOffset;
    private String doing = "nothing";
    private int looks;

    @BeforeAll
    static void silence() {
        Simulation.silenceLog();
    }

    private static byte[] key(int number) {
        return ("key-" + number).getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] value(long offset) {
        byte[] value = new byte[VALUE_BYTES];
        for (int i = 0; i < value.length; i++) {
            value[i] = (byte) (offset * 31 + i);
        }
        return value;
    }

    /** What is under way is not known, so nobody looks meanwhile. */
    private void append(LogStore store, Partition partition, int count) {
        medium.onOperation(number -> {});
        for (int i = 0; i < count; i++) {
            long offset = partition.nextOffset();
            int key = (int) (offset * 5 % KEYS);
            boolean isTombstone = offset % 6 == 5;
            try (Appender appender = partition.openExclusiveAppender()) {
                appender.append(key(key), isTombstone ? null : value(offset));
            }
            latest.put("key-" + key, isTombstone ? -offset - 1 : offset);
            simulation.pass(store, 200);
        }
        medium.onOperation(this::look);
    }

    /** A batch that is superseded at once. */
    private void appendRepeatable(LogStore store, Partition partition) {
        producer = HostedStore.of(store).newProducerId();
        try (Appender appender = partition.openExclusiveAppender()) {
            repeatedOffset = appendRepeatable(appender);
        }
        latest.put("key-0", repeatedOffset);
    }

    private long appendRepeatable(Appender appender) {
        byte[] text = "once".getBytes(StandardCharsets.UTF_8);
        return appender.append(appender.newBatch().producer(producer, 0, 0).add(key(0), text));
    }

    @Test
    void shouldKeepTheLatestRecordOfEachKeyWhenPowerIsCutAtAnyOperation() {
        LogStore store = simulation.open();
        Partition partition = store.createTopic("t", OPTIONS).partition(0);
        appendRepeatable(store, partition);
        append(store, partition, 70);
        compact(store, "the first compaction");
        append(store, partition, 30);
        simulation.pass(store, 2 * TOMBSTONES.toMillis());
        compact(store, "a compaction that removes tombstones");
        compact(store, "a compaction that finds nothing");
        doing = "a deletion of records";
        partition.deleteRecordsBefore(20);
        simulation.pass(store, 200);
        append(store, partition, 30);
        compact(store, "a compaction after a deletion");
        doing = "a close";
        store.close();
        medium.onOperation(number -> {});
        assertEquals(List.of(), failures);
        assertTrue(looks > SecondRun.share(100, 3), looks + " looks");
    }

    /** Their checkpoint is written once a second: the batch comes, and goes, between two. */
    @Test
    void shouldKnowABatchThatWasCompactedAwayBeforeTheNextCheckpoint() {
        LogStore store = simulation.open();
        Partition partition = store.createTopic("t", OPTIONS).partition(0);
        appendRepeatable(store, partition);
        simulation.pass(store, 1);
        appendRepeatable(store, partition);
        while (store.snapshot().partitions().get(0).segments().size() < 2) {
            long offset = partition.nextOffset();
            try (Appender appender = partition.openExclusiveAppender()) {
                appender.append(key(0), value(offset));
            }
            latest.put("key-0", offset);
            simulation.pass(store, 1);
        }
        CompactionResult result = store.compact("t", 0);
        assertTrue(result.removedRecords() > 2, result.toString());
        check(medium.crash(Survival.NONE));
        check(medium.kill());
    }

    private void compact(LogStore store, String what) {
        doing = what;
        CompactionResult result = store.compact("t", 0);
        assertEquals(List.of(), result.skipped());
        simulation.pass(store, 200);
    }

    private void look(int number) {
        if (SecondRun.leavesOut(number, 3) || failures.size() >= MOST_FAILURES) {
            return;
        }
        look(number, "a power cut", medium.crash(Survival.NONE));
        look(number, "a kill", medium.kill());
        look(number, "a torn cut", medium.crash(Survival.random(number)));
        Survival other = number % 2 == 0 ? Survival.NAMES : Survival.BYTES;
        look(number, other.toString(), medium.crash(other));
    }

    private void look(int number, String how, SimulatedFileMedium left) {
        looks++;
        try {
            check(left);
            check(left.crash(Survival.NONE));
        } catch (RuntimeException | AssertionError e) {
            failures.add(
                    doing + ", " + how + " after " + medium.history().get(number - 1) + ": " + e);
        }
    }

    private void check(SimulatedFileMedium left) {
        Simulation again = new Simulation(left);
        again.clock.update(simulation.clock.time());
        LogStore store = again.open();
        assertEquals(List.of(), Flaws.of(store));
        Partition partition = store.openTopic("t").partition(0);
        assertEquals(List.of(), partition.damage());
        Map<String, Long> found = new HashMap<>();
        long[] before = {-1};
        try (Tailer tailer = partition.openTailer()) {
            while (tailer.poll(
                            record -> {
                                assertTrue(record.offset() > before[0], "offsets ascend");
                                before[0] = record.offset();
                                String key =
                                        new String(record.copy().key(), StandardCharsets.UTF_8);
                                found.put(
                                        key,
                                        record.hasValue() ? record.offset() : -record.offset() - 1);
                                return Action.CONTINUE;
                            },
                            100)
                    > 0) {
                continue;
            }
        }
        long start = partition.logStartOffset();
        latest.forEach(
                (key, offset) -> {
                    boolean isTombstone = offset < 0;
                    boolean mayBeMissing = isTombstone || offset < start;
                    Long there = found.get(key);
                    assertTrue(
                            offset.equals(there) || (there == null && mayBeMissing),
                            key + ": its last record is " + offset + ", found " + there);
                });
        long next = partition.nextOffset();
        try (Appender appender = partition.openExclusiveAppender()) {
            assertEquals(repeatedOffset, appendRepeatable(appender), "a repeated batch");
        }
        assertEquals(next, partition.nextOffset());
    }
}
