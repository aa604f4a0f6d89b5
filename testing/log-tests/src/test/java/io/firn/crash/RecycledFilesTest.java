package io.firn.crash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.Compression;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.RecordHandler.Action;
import io.firn.Tailer;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import io.firn.host.HostedPartition;
import io.firn.host.ReplicaAppender;
import io.firn.kafka.SourceLog;
import io.firn.open.StoreBuilder;
import io.firn.sim.FirstRunOnly;
import io.firn.sim.SimulatedFileMedium;
import io.firn.sim.Survival;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Segments that are written into the files of segments which retention has deleted (O37). */
@FirstRunOnly
class RecycledFilesTest {
    /** A segment holds ten of them. */
    private static final int VALUE_BYTES = 6_000;

    private static final TopicOptions OPTIONS =
            Simulation.SMALL.withRetentionBytes(2L * Simulation.SMALL.segmentBytes());

    private final SimulatedFileMedium medium = new SimulatedFileMedium();
    private final Simulation simulation = new Simulation(medium);
    private long acked;

    @BeforeAll
    static void silence() {
        Simulation.silenceLog();
    }

    private static byte[] value(long offset) {
        byte[] value = new byte[VALUE_BYTES];
        Arrays.fill(value, (byte) (offset * 31 + 7));
        return value;
    }

    private void append(LogStore store, Partition partition, int records) {
        try (Appender appender = partition.openExclusiveAppender()) {
            for (int i = 0; i < records; i++) {
                acked = appender.append(value(partition.nextOffset())) + 1;
                simulation.pass(store, 200);
            }
        }
    }

    /** Reads from the log start to the end; each record has to be the next one. */
    private static long readAll(Partition partition) {
        long[] next = {partition.logStartOffset()};
        try (Tailer tailer = partition.openTailer()) {
            tailer.seek(next[0]);
            while (tailer.poll(
                            record -> {
                                assertEquals(next[0], record.offset());
                                byte[] found = new byte[record.valueLength()];
                                record.getValue(found, 0);
                                assertTrue(Arrays.equals(value(next[0]), found), "" + next[0]);
                                next[0]++;
                                return Action.CONTINUE;
                            },
                            100)
                    > 0) {
                continue;
            }
        }
        return next[0];
    }

    /** How many segments were begun in the file of another one. */
    private long recycled() {
        return medium.history().stream()
                .filter(each -> each.contains(".active.tmp ") && each.endsWith(".spare"))
                .count();
    }

    private boolean hasSpare() throws IOException {
        for (String topic : medium.list(Simulation.SEGMENTS)) {
            Path directory = Simulation.SEGMENTS.resolve(topic).resolve("0");
            if (topic.length() == 36
                    && medium.list(directory).stream().anyMatch(each -> each.endsWith(".spare"))) {
                return true;
            }
        }
        return false;
    }

    @Test
    void shouldWriteNewSegmentsIntoTheFilesOfThoseThatRetentionDeletes() {
        try (LogStore store = simulation.open()) {
            Partition partition = store.createTopic("t", OPTIONS).partition(0);
            append(store, partition, 100);
            assertTrue(recycled() >= 4, recycled() + " files");
            assertEquals(100, readAll(partition));
        }
        try (LogStore store = simulation.open()) {
            Partition partition = store.openTopic("t").partition(0);
            append(store, partition, 50);
            assertEquals(150, readAll(partition));
            assertEquals(List.of(), store.findings());
        }
    }

    /** The former life of a file holds whole batches of the same partition, at the same places. */
    @Test
    void shouldReadNoRecordOfTheFormerLifeWhereverThePowerIsCut() {
        List<String> failures = new ArrayList<>();
        int[] images = {0};
        try (LogStore store = simulation.open()) {
            Partition partition = store.createTopic("t", OPTIONS).partition(0);
            append(store, partition, 58);
            long before = recycled();
            medium.onOperation(
                    number -> {
                        long start = partition.logStartOffset();
                        for (Survival each :
                                List.of(
                                        Survival.NONE,
                                        Survival.NAMES,
                                        Survival.shredded(number),
                                        Survival.random(number))) {
                            check(medium.crash(each), start, each + " before " + number, failures);
                        }
                        check(medium.kill(), start, "killed before " + number, failures);
                        images[0]++;
                    });
            append(store, partition, 24);
            medium.ignoreOperations();
            assertTrue(recycled() > before, "nothing was recycled meanwhile");
        }
        assertEquals(List.of(), failures);
        assertTrue(images[0] > 50, images[0] + " operations");
    }

    private void check(SimulatedFileMedium left, long start, String what, List<String> failures) {
        long durable = acked;
        try (LogStore store = new Simulation(left).open()) {
            Partition partition = store.openTopic("t").partition(0);
            long end = readAll(partition);
            assertTrue(end >= durable && end <= durable + 1, "end " + end + ", acked " + durable);
            assertTrue(partition.logStartOffset() >= start);
            assertEquals(List.of(), partition.damage());
            append(new Simulation(left), store, partition);
        } catch (AssertionError | RuntimeException e) {
            failures.add(what + ": " + e);
        }
    }

    private static void append(Simulation on, LogStore store, Partition partition) {
        try (Appender appender = partition.openExclusiveAppender()) {
            long offset = appender.append(value(partition.nextOffset()));
            on.pass(store, 200);
            assertEquals(offset + 1, readAll(partition));
        }
    }

    /** Nothing would tell an old batch from one of the other log: it would have to be erased. */
    @Test
    void shouldDeleteTheFilesOfAReplica() throws IOException {
        SourceLog source = new SourceLog(0, 0);
        for (int i = 0; i < 60; i++) {
            source.append(Compression.NONE, "x".repeat(VALUE_BYTES));
        }
        try (LogStore store = simulation.open()) {
            ReplicaAppender appender =
                    HostedPartition.of(
                                    store.createTopic("r", OPTIONS.withReplicated(true))
                                            .partition(0))
                            .openReplicaAppender();
            while (appender.nextOffset() < source.nextOffset()) {
                appender.append(source.fetch(appender.nextOffset(), 1));
                simulation.pass(store, 200);
                assertTrue(!hasSpare());
            }
            assertTrue(store.openTopic("r").partition(0).logStartOffset() > 0);
            appender.close();
        }
        assertEquals(0, recycled());
    }

    @Test
    void shouldKeepNoFileForAPartitionThatHasNotRolledForLong() throws IOException {
        try (LogStore store = simulation.open()) {
            Duration hour = Duration.ofHours(1);
            TopicOptions byAge = Simulation.SMALL.withRetentionAge(hour);
            Partition partition = store.createTopic("t", byAge).partition(0);
            append(store, partition, 15);
            for (int i = 0; i < 4; i++) {
                simulation.pass(store, hour.toMillis());
            }
            assertTrue(partition.logStartOffset() >= 10);
            assertTrue(!hasSpare());
        }
    }

    @Test
    void shouldDrainATierThatHasASpareFile() throws IOException {
        try (LogStore store =
                StoreBuilder.over(Simulation.DIRECTORY, medium)
                        .tier("hot", FileTier.at(Simulation.SEGMENTS).withMedium(medium))
                        .tier("cold", FileTier.at(Path.of("/sim/archive")).withMedium(medium))
                        .clock(simulation.clock)
                        .invokerMode()
                        .open()) {
            Partition partition = store.createTopic("t", OPTIONS).partition(0);
            append(store, partition, 45);
            partition.deleteRecordsBefore(acked - 1);
            simulation.pass(store, 200);
            assertTrue(hasSpare());
            boolean isDone = false;
            for (int i = 0; i < 5 && !isDone; i++) {
                isDone = store.drain("hot", LogStore.MoveControl.UNLIMITED);
                simulation.pass(store, 200);
            }
            assertTrue(isDone, "the tier is not empty");
        }
    }

    @Test
    void shouldRemoveTheSpareFileWithItsTopic() throws IOException {
        try (LogStore store = simulation.open()) {
            Partition partition = store.createTopic("t", OPTIONS).partition(0);
            append(store, partition, 45);
            partition.deleteRecordsBefore(acked - 1);
            simulation.pass(store, 200);
            assertTrue(hasSpare());
            store.deleteTopic("t");
            simulation.pass(store, 200);
            assertTrue(
                    medium.list(Simulation.SEGMENTS).stream().noneMatch(each -> each.length() > 30),
                    "" + medium.list(Simulation.SEGMENTS));
        }
    }
}
