package io.firn.trouble;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.LogReader;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.PoisonedException;
import io.firn.StoreOpenException;
import io.firn.Topic;
import io.firn.file.FileTier;
import io.firn.open.StoreBuilder;
import io.firn.sim.SimulatedFileMedium;
import io.firn.sim.Survival;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.agrona.concurrent.CachedEpochClock;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A medium that fails, or that refuses: typed errors, no acknowledgement, and reads go on. */
class FailingMediumTest {
    private static final Logger LOG = Logger.getLogger("io.firn");

    @TempDir Path temporary;
    private final SimulatedFileMedium medium = new SimulatedFileMedium();
    private final CachedEpochClock clock = new CachedEpochClock();

    @BeforeEach
    void silence() {
        LOG.setLevel(Level.OFF);
    }

    private LogStore open(SimulatedFileMedium on) {
        return StoreBuilder.over(Path.of("/sim/store"), on)
                .tier(FileTier.at(Path.of("/sim/segments")).withMedium(on))
                .clock(clock)
                .invokerMode()
                .open();
    }

    /** The next operation that reads like this fails; whoever tries again succeeds. */
    private void failOnce(Predicate<String> operations) {
        boolean[] failed = {false};
        medium.faults()
                .failOperations(
                        number -> {
                            List<String> history = medium.history();
                            boolean fails =
                                    !failed[0] && operations.test(history.get(history.size() - 1));
                            failed[0] |= fails;
                            return fails;
                        });
    }

    private static boolean isForceOfData(String operation) {
        return operation.startsWith("force [") && operation.endsWith(".active");
    }

    @Test
    void shouldAcknowledgeNothingMoreWhenAForceFailed() {
        LogStore store = open(medium);
        Partition partition = Disk.partition(store);
        Disk.append(partition, 4);
        Appender appender = partition.openExclusiveAppender();
        failOnce(FailingMediumTest::isForceOfData);
        PoisonedException failed =
                assertThrows(PoisonedException.class, () -> appender.append(Disk.value(4)));
        assertTrue(failed.getMessage().contains("Input/output error"), failed.getMessage());
        // The next force would return normally, and mean nothing.
        assertThrows(PoisonedException.class, () -> appender.append(Disk.value(5)));
        assertThrows(PoisonedException.class, () -> appender.awaitDurable(4));
        assertThrows(PoisonedException.class, partition::force);
        for (int i = 0; i < 5; i++) {
            clock.advance(1_000);
            store.doWork();
        }
        assertTrue(partition.metrics().isPoisoned());
        assertEquals(4, partition.durableOffset());
        assertEquals(4, Found.in(partition).records().size());
        store.close();
        // What was not acknowledged may be there or not, and what is there stays.
        try (LogStore again = open(medium.crash(Survival.NONE))) {
            assertEquals(4, Found.in(Disk.partition(again)).records().size());
        }
    }

    /**
     * The mark is in the same file. The system reports a page that it could not write to whoever
     * forces next, and only once: the page may be a batch's, whose force then returns normally.
     */
    @Test
    void shouldAcknowledgeNothingMoreWhenTheForceOfAMarkFailed() {
        try (LogStore store = open(medium)) {
            Partition partition = Disk.partition(store);
            Disk.append(partition, 4);
            boolean[] failed = {false};
            failOnce(
                    operation -> {
                        boolean isOfMark = isForceOfData(operation) && isAboveBatches(operation);
                        failed[0] |= isOfMark;
                        return isOfMark;
                    });
            for (int i = 0; i < 5; i++) {
                clock.advance(1_000);
                store.doWork();
            }
            assertTrue(failed[0]);
            PoisonedException refusal =
                    assertThrows(PoisonedException.class, () -> Disk.append(partition, 1));
            assertTrue(refusal.getMessage().contains("Input/output error"), refusal.getMessage());
            assertTrue(partition.metrics().isPoisoned());
            assertEquals(4, partition.durableOffset());
            assertEquals(4, Found.in(partition).records().size());
        }
        try (LogStore again = open(medium.crash(Survival.NONE))) {
            assertEquals(4, Found.in(Disk.partition(again)).records().size());
        }
    }

    private static boolean isAboveBatches(String operation) {
        int from = operation.indexOf('[') + 1;
        return Integer.parseInt(operation.substring(from, operation.indexOf(',')))
                >= Disk.SMALL.segmentBytes();
    }

    /** At close there is no later at which the background could try again. */
    @Test
    void shouldLetGoOfEverythingAtCloseWhateverOfTheBackgroundFailed() {
        List<Predicate<String>> failing =
                List.of(
                        operation -> operation.contains("producers"),
                        operation -> operation.startsWith("force [") && !isForceOfStart(operation));
        for (Predicate<String> each : failing) {
            SimulatedFileMedium fresh = new SimulatedFileMedium();
            LogStore store = open(fresh);
            Partition partition = Disk.partition(store);
            Disk.append(partition, 4);
            clock.advance(10);
            store.doWork(); // a block is set aside
            fresh.faults()
                    .failOperations(
                            number -> {
                                List<String> history = fresh.history();
                                return each.test(history.get(history.size() - 1));
                            });
            clock.advance(2_000);
            store.doWork();
            store.close();
            assertEquals(0, fresh.inUse());
        }
    }

    private static boolean isForceOfStart(String operation) {
        return operation.startsWith("force [0, ");
    }

    @Test
    void shouldServeOtherPartitionsWhenOneIsPoisoned() {
        try (LogStore store = open(medium)) {
            Partition poisoned = Disk.partition(store);
            Topic other = store.createTopic("other", Disk.SMALL);
            Disk.append(poisoned, 2);
            Disk.append(other.partition(0), 2);
            failOnce(FailingMediumTest::isForceOfData);
            assertThrows(PoisonedException.class, () -> Disk.append(poisoned, 2));
            Disk.append(other.partition(0), 20);
            assertEquals(22, Found.in(other.partition(0)).records().size());
        }
    }

    @Test
    void shouldSayWhyADirectoryCannotBeUsed() throws IOException {
        Path file = Files.createFile(temporary.resolve("file"));
        StoreOpenException refusal =
                assertThrows(
                        StoreOpenException.class,
                        () ->
                                LogStore.at(file.resolve("store"))
                                        .tier(FileTier.at(temporary.resolve("segments")))
                                        .open()
                                        .close());
        assertTrue(refusal.getMessage().contains(file.toString()), refusal.getMessage());
        refusal =
                assertThrows(
                        StoreOpenException.class,
                        () ->
                                LogStore.at(temporary.resolve("store"))
                                        .tier(FileTier.at(file.resolve("segments")))
                                        .open()
                                        .close());
        assertTrue(refusal.getMessage().contains(file.toString()), refusal.getMessage());
    }

    @Test
    void shouldSayThatADirectoryIsNotWritableAndReadItNonetheless() {
        try (LogStore store = open(medium)) {
            Disk.append(Disk.partition(store), 20);
        }
        medium.faults().refuseChanges(path -> path.startsWith("/sim"));
        String before = medium.toString();
        StoreOpenException refusal =
                assertThrows(StoreOpenException.class, () -> open(medium).close());
        assertTrue(refusal.getMessage().contains("/sim"), refusal.getMessage());
        assertEquals(before, medium.toString());
        assertEquals(0, medium.inUse());
        try (LogReader store =
                StoreBuilder.over(Path.of("/sim/store"), medium)
                        .tier(FileTier.at(Path.of("/sim/segments")).withMedium(medium))
                        .invokerMode()
                        .openReadOnly()) {
            assertEquals(20, Found.in(store.openTopic(Disk.TOPIC).partition(0)).records().size());
        }
    }

    /** Each operation of opening, failing once: the store opens or says why not, and then opens. */
    @Test
    void shouldOpenAfterAnyOperationOfOpeningFailed() {
        LogStore first = open(medium);
        Disk.append(Disk.partition(first), 20);
        SimulatedFileMedium left = medium.kill();
        for (int k = 1; ; k++) {
            SimulatedFileMedium faulty = left.kill();
            int failing = faulty.operations() + k;
            faulty.faults().failOperations(number -> number == failing);
            try {
                open(faulty).close();
            } catch (StoreOpenException e) {
                assertEquals(0, faulty.inUse(), "left open after failure " + k);
            }
            boolean beyond = faulty.operations() < failing;
            faulty.faults().none();
            try (LogStore again = open(faulty.crash(Survival.random(k)))) {
                Found found = Found.in(Disk.partition(again));
                found.assertReadable(0, 20);
                assertEquals(List.of(), again.findings());
            }
            if (beyond) {
                return;
            }
        }
    }
}
