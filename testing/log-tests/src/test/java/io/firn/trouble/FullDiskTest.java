package io.firn.trouble;

import static io.firn.api.Waiting.HANGS_AFTER_S;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.firn.Appender;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.PoisonedException;
import io.firn.RecordHandler.Action;
import io.firn.StoreFullException;
import io.firn.Tailer;
import io.firn.TopicOptions;
import io.firn.api.Waiting;
import io.firn.file.FileTier;
import io.firn.open.StoreBuilder;
import io.firn.sim.SimulatedFileMedium;
import io.firn.sim.Survival;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.CachedEpochClock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** No room for another segment: appends are refused, reads go on, and appends too when there is. */
class FullDiskTest {
    private static final int ROUNDS = 3;

    @TempDir Path temporary;

    /** Makes room, or takes it. */
    @FunctionalInterface
    private interface Room {
        /** Changes how much there is. */
        void change() throws Exception;
    }

    @Test
    void shouldRefuseAppendsAndGoOnReadingWhileASmallFileSystemIsFull() throws Exception {
        Path mount = Files.createDirectory(temporary.resolve("small"));
        assumeTrue(run("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", mount.toString()));
        try {
            Disk disk = new Disk(mount);
            Path ballast = mount.resolve("ballast");
            Files.write(ballast, new byte[300_000]);
            try (LogStore store = disk.open()) {
                fillAndGoOn(
                        store,
                        Thread::onSpinWait,
                        () -> Files.delete(ballast),
                        () -> takeWhenDeletedFilesAreGone(ballast));
            }
            try (LogStore store = disk.open()) {
                assertTrue(Found.in(Disk.partition(store)).lost().isEmpty());
                assertEquals("[]", store.findings().toString());
            }
        } finally {
            assertTrue(run("umount", mount.toString()));
        }
    }

    /** A segment is out of the log before its file is gone. */
    private static void takeWhenDeletedFilesAreGone(Path ballast) {
        Waiting.await(
                "the deletion of the files",
                () -> {
                    try {
                        Files.write(ballast, new byte[300_000]);
                        return true;
                    } catch (IOException full) {
                        ballast.toFile().delete();
                        return false;
                    }
                });
    }

    private static boolean run(String... command) throws IOException, InterruptedException {
        Process process;
        try {
            process = new ProcessBuilder(command).redirectErrorStream(true).start();
        } catch (IOException e) {
            return false; // no such command here
        }
        process.getInputStream().readAllBytes();
        return process.waitFor(HANGS_AFTER_S, TimeUnit.SECONDS) && process.exitValue() == 0;
    }

    /**
     * When a file system takes the space of what is written, and gives back that of the deleted.
     */
    private enum Taken {
        WHEN_WRITTEN,
        WHEN_FORCED;

        void on(SimulatedFileMedium medium) {
            if (this == WHEN_FORCED) {
                medium.faults().takeSpaceLate();
            }
        }
    }

    private static final Path SIMULATED = Path.of("/sim");

    private final SimulatedFileMedium medium = new SimulatedFileMedium();

    private LogStore openSimulated() {
        return openSimulated(medium);
    }

    private static LogStore openSimulated(SimulatedFileMedium medium) {
        return StoreBuilder.over(Path.of("/sim/store"), medium)
                .tier(FileTier.at(Path.of("/sim/segments")).withMedium(medium))
                .clock(new CachedEpochClock())
                .invokerMode()
                .open();
    }

    @Test
    void shouldRefuseAppendsAndGoOnReadingWhileASimulatedDiskIsFull() throws Exception {
        try (LogStore store = openSimulated()) {
            medium.faults().limitBytes(700_000);
            fillAndGoOn(
                    store,
                    store::doWork,
                    () -> medium.faults().limitBytes(1_000_000),
                    () -> medium.faults().limitBytes(700_000));
        }
    }

    /** Rolling and sealing need no space but what was set aside. */
    @Test
    void shouldKeepWhatWasAppendedWhenThereIsNoSpaceAtAll() {
        try (LogStore store = openSimulated()) {
            Partition partition = Disk.partition(store);
            Disk.append(partition, 4);
            store.doWork();
            medium.faults().limitBytes(0);
            try (Appender appender = partition.openExclusiveAppender()) {
                assertThrows(StoreFullException.class, () -> appendForever(appender));
                assertEquals(1, partition.metrics().rolls());
                assertEquals(4, partition.durableOffset());
                assertEquals(4, Found.in(partition).records().size());
                medium.faults().none();
                assertEquals(4, appender.append(Disk.value(0)));
            }
        }
    }

    /** A seal has the space of the mark pages, which were forced when the file was made. */
    @Test
    void shouldSealInTheSpaceThatWasSetAsideWhereSpaceIsTakenByForces() throws IOException {
        medium.faults().takeSpaceLate();
        CachedEpochClock clock = new CachedEpochClock();
        try (LogStore store =
                StoreBuilder.over(Path.of("/sim/store"), medium)
                        .tier(FileTier.at(Path.of("/sim/segments")).withMedium(medium))
                        .clock(clock)
                        .invokerMode()
                        .open()) {
            TopicOptions options = Disk.SMALL.withRollAge(Duration.ofSeconds(1));
            Partition partition = store.createTopic(Disk.TOPIC, options).partition(0);
            Disk.append(partition, 4);
            store.doWork();
            medium.faults().limitBytes(usedBytes());
            clock.advance(2_000);
            store.doWork();
            assertEquals(1, partition.metrics().rolls());
            assertFalse(partition.metrics().isPoisoned());
            assertEquals(4, Found.in(partition).records().size());
            medium.faults().none();
        }
    }

    @Test
    void shouldBePoisonedWhereSpaceIsTakenByForces() {
        try (LogStore store = openSimulated()) {
            Partition partition = Disk.partition(store);
            Disk.append(partition, 4);
            store.doWork();
            medium.faults().takeSpaceLate();
            medium.faults().limitBytes(0);
            try (Appender appender = partition.openExclusiveAppender()) {
                assertThrows(PoisonedException.class, () -> appendForever(appender));
            }
            assertEquals(4, Found.in(partition).records().size());
            medium.faults().none();
        }
        try (LogStore store = openSimulated()) {
            Disk.append(Disk.partition(store), 2);
            assertTrue(Disk.partition(store).durableOffset() >= 6);
        }
    }

    /** Not one byte: what takes records away has to be written down all the same. */
    @ParameterizedTest
    @EnumSource
    void shouldMakeRoomOnADiskWithoutAFreeByte(Taken taken) throws IOException {
        taken.on(medium);
        SimulatedFileMedium lost;
        try (LogStore store = openSimulated()) {
            Partition partition = Disk.partition(store);
            store.createTopic("other", Disk.SMALL);
            Disk.append(partition, 30);
            store.doWork();
            medium.faults().limitBytes(usedBytes());
            assertEquals(0, medium.usableBytes(SIMULATED));
            assertEquals(18, partition.deleteRecordsBefore(18));
            store.doWork();
            store.deleteTopic("other");
            store.doWork();
            assertEquals(18, partition.logStartOffset());
            Disk.append(partition, 6);
            assertEquals(24, partition.deleteRecordsBefore(24));
            store.doWork();
            medium.faults().none();
            lost = medium.crash(Survival.NONE);
        }
        try (LogStore store = openSimulated(lost)) {
            assertEquals(24, Disk.partition(store).logStartOffset());
            assertEquals("[t]", store.topicNames().toString());
        }
    }

    /** Before each operation others take what is free: also what a deletion has freed. */
    @ParameterizedTest
    @EnumSource
    void shouldRecordDeletionsWhileOthersTakeWhatIsFree(Taken taken) throws IOException {
        SimulatedFileMedium lost;
        try (LogStore store = openSimulated()) {
            Partition partition = Disk.partition(store);
            Partition other = store.createTopic("other", Disk.SMALL).partition(0);
            store.createTopic("third", Disk.SMALL);
            Disk.append(partition, 60);
            Disk.append(other, 60);
            store.doWork();
            taken.on(medium);
            medium.onOperation(number -> takeWhatIsFree());
            for (int i = 10; i < 60; i += 7) {
                assertEquals(i, partition.deleteRecordsBefore(i));
                store.doWork();
                assertEquals(i, other.deleteRecordsBefore(i));
                store.doWork();
            }
            store.deleteTopic("third");
            store.doWork();
            assertEquals(1, partition.metrics().segments());
            medium.ignoreOperations();
            lost = medium.crash(Survival.NONE);
        } finally {
            medium.ignoreOperations();
            medium.faults().none();
        }
        try (LogStore store = openSimulated(lost)) {
            assertEquals(59, Disk.partition(store).logStartOffset());
            assertEquals(59, store.openTopic("other").partition(0).logStartOffset());
            assertEquals("[other, t]", store.topicNames().toString());
            assertEquals("[]", store.findings().toString());
        }
    }

    /** Otherwise it could not be deleted: its indexes, which can be rebuilt, would keep it. */
    @ParameterizedTest
    @EnumSource
    void shouldFinishASegmentWithoutItsIndexesAndDeleteIt(Taken taken) {
        CachedEpochClock clock = new CachedEpochClock();
        try (LogStore store =
                StoreBuilder.over(Path.of("/sim/store"), medium)
                        .tier(FileTier.at(Path.of("/sim/segments")).withMedium(medium))
                        .clock(clock)
                        .invokerMode()
                        .open()) {
            TopicOptions options = Disk.SMALL.withRollAge(Duration.ofSeconds(1));
            Partition partition = store.createTopic(Disk.TOPIC, options).partition(0);
            Disk.append(partition, 4);
            store.doWork();
            taken.on(medium);
            medium.onOperation(number -> takeWhatIsFree());
            clock.advance(2_000);
            store.doWork();
            assertEquals(1, partition.metrics().rolls());
            Found.in(partition).assertReadable(0, 4);
            partition.deleteRecordsBefore(4);
            store.doWork();
            assertEquals(0, partition.metrics().segments());
            medium.ignoreOperations();
            medium.faults().none();
        }
    }

    /** A killed process leaves an unsealed segment, whose next writer needs an epoch. */
    @Test
    void shouldOpenAndDeleteOnAFullDiskAfterAProcessWasKilled() throws IOException {
        SimulatedFileMedium killed;
        try (LogStore store = openSimulated()) {
            Partition partition = Disk.partition(store);
            Disk.append(partition, 20);
            store.doWork();
            killed = medium.kill();
        }
        killed.faults().limitBytes(Long.MAX_VALUE - 1);
        killed.faults().limitBytes(Long.MAX_VALUE - 1 - killed.usableBytes(SIMULATED));
        try (LogStore store = openSimulated(killed)) {
            Partition partition = Disk.partition(store);
            Found.in(partition).assertReadable(0, 20);
            assertEquals(14, partition.deleteRecordsBefore(14));
            store.doWork();
            try (Appender appender = partition.openExclusiveAppender()) {
                assertEquals(20, appender.append(Disk.value(0)));
            }
        }
    }

    /** Indexes are made again in memory, where there is no room for their files. */
    @ParameterizedTest
    @EnumSource
    void shouldOpenAndReadOnAFullDiskWithoutIndexes(Taken taken) throws IOException {
        SimulatedFileMedium left;
        try (LogStore store = openSimulated()) {
            Disk.append(Disk.partition(store), 20);
            store.doWork();
            left = medium.kill();
        }
        int deleted = 0;
        Path segments = SIMULATED.resolve("segments");
        for (String topic : left.list(segments)) {
            Path partition = segments.resolve(topic).resolve("0");
            for (String file : left.exists(partition) ? left.list(partition) : List.of("")) {
                if (file.endsWith(".index") || file.endsWith(".timeindex")) {
                    left.delete(partition.resolve(file));
                    deleted++;
                }
            }
        }
        assertTrue(deleted > 4);
        taken.on(left);
        left.faults().limitBytes(Long.MAX_VALUE - 1);
        left.faults().limitBytes(Long.MAX_VALUE - 1 - left.usableBytes(SIMULATED));
        left.onOperation(number -> takeWhatIsFree(left));
        try (LogStore store = openSimulated(left)) {
            Partition partition = Disk.partition(store);
            Found.in(partition).assertReadable(0, 20);
            assertNull(partition.findTimestamp(Long.MAX_VALUE));
            try (Tailer tailer = partition.openTailer()) {
                for (int i = 19; i >= 0; i--) {
                    int offset = i;
                    tailer.seek(offset);
                    tailer.poll(
                            record -> {
                                assertEquals(offset, record.offset());
                                return Action.STOP;
                            },
                            1);
                }
            }
            assertEquals(14, partition.deleteRecordsBefore(14));
            store.doWork();
            left.ignoreOperations();
            left.faults().none();
        }
    }

    private void takeWhatIsFree() {
        takeWhatIsFree(medium);
    }

    private static void takeWhatIsFree(SimulatedFileMedium medium) {
        try {
            medium.faults().limitBytes(usedBytes(medium));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Nothing more is stored in a partition than what can be deleted when the disk is full. */
    @Test
    void shouldWriteALogStartBeforeThereIsASecondSegment() throws IOException {
        try (LogStore store = openSimulated()) {
            Partition partition = Disk.partition(store);
            try (Appender appender = partition.openExclusiveAppender()) {
                appender.append(new byte[1]);
            }
            store.doWork();
            Path start =
                    SIMULATED
                            .resolve("store/topics")
                            .resolve(partition.topic().id().toString())
                            .resolve("start-0");
            assertFalse(medium.exists(start));
            Disk.append(partition, 8);
            assertEquals(2, partition.metrics().segments());
            assertTrue(medium.crash(Survival.NONE).exists(start));
            assertEquals(0, partition.logStartOffset());
        }
    }

    private long usedBytes() throws IOException {
        return usedBytes(medium);
    }

    private static long usedBytes(SimulatedFileMedium medium) throws IOException {
        medium.faults().limitBytes(Long.MAX_VALUE - 1);
        return Long.MAX_VALUE - 1 - medium.usableBytes(SIMULATED);
    }

    private static void fillAndGoOn(LogStore store, Runnable wait, Room make, Room take)
            throws Exception {
        Partition partition = Disk.partition(store);
        try (Appender appender = partition.openExclusiveAppender()) {
            for (int round = 0; round < ROUNDS; round++) {
                long before = partition.nextOffset();
                StoreFullException full =
                        assertThrows(StoreFullException.class, () -> appendForever(appender));
                assertTrue(full.getMessage().contains("t-0"), full.getMessage());
                assertTrue(partition.nextOffset() > before);
                assertThrows(StoreFullException.class, () -> appendForever(appender));
                assertEquals(partition.nextOffset(), partition.durableOffset());
                Found found = Found.in(partition);
                assertTrue(found.lost().isEmpty());
                found.assertReadable(partition.logStartOffset(), partition.nextOffset());
                make.change();
                appendOnceThereIsRoom(partition, appender, wait);
                // Records that go give their space back.
                partition.deleteRecordsBefore(partition.durableOffset());
                Waiting.await(
                        "the deletion",
                        () -> {
                            wait.run();
                            return partition.metrics().segments() == 1;
                        });
                take.change();
            }
        }
    }

    /** A look for room that had begun before there was some may still refuse an append. */
    private static void appendOnceThereIsRoom(
            Partition partition, Appender appender, Runnable wait) {
        long next = partition.nextOffset();
        Waiting.await(
                "room",
                () -> {
                    try {
                        assertEquals(next, appender.append(Disk.value(0)));
                        return true;
                    } catch (StoreFullException e) {
                        wait.run();
                        return false;
                    }
                });
    }

    private static void appendForever(Appender appender) {
        for (int i = 0; i < 1_000; i++) {
            appender.append(Disk.value(i));
        }
    }
}
