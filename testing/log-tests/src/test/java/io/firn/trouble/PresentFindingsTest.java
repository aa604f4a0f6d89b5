package io.firn.trouble;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.FirnException;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.PoisonedException;
import io.firn.StoreFullException;
import io.firn.Topic;
import io.firn.file.FileTier;
import io.firn.open.StoreBuilder;
import io.firn.sim.SimulatedFileMedium;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.agrona.concurrent.CachedEpochClock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Findings that are present while a condition holds, and are gone when it is over. */
class PresentFindingsTest {
    private static final Logger LOG = Logger.getLogger("io.firn");

    private final SimulatedFileMedium medium = new SimulatedFileMedium();
    private final SimulatedFileMedium cold = new SimulatedFileMedium();
    private final CachedEpochClock clock = new CachedEpochClock();
    private final List<LogRecord> logged = new CopyOnWriteArrayList<>();
    private final Level before = LOG.getLevel();
    private final Handler handler =
            new Handler() {
                @Override
                public void publish(LogRecord line) {
                    if (line.getLevel().intValue() >= Level.WARNING.intValue()) {
                        logged.add(line);
                    }
                }

                @Override
                public void flush() {}

                @Override
                public void close() {}
            };

    private LogStore store;
    private Partition partition;

    @BeforeEach
    void open() {
        LOG.setLevel(Level.INFO); // other tests switch it off
        LOG.setUseParentHandlers(false);
        LOG.addHandler(handler);
        store =
                StoreBuilder.over(Path.of("/sim/store"), medium)
                        .tier("hot", tier("/sim/segments", medium))
                        .tier("cold", tier("/cold", cold))
                        .clock(clock)
                        .nanoClock(() -> clock.time() * 1_000_000)
                        .invokerMode()
                        .open();
        partition = Disk.partition(store);
        Disk.append(partition, 4);
        work(2);
        assertEquals(List.of(), store.findings());
        logged.clear();
    }

    private static FileTier tier(String path, SimulatedFileMedium on) {
        return FileTier.at(Path.of(path)).withMedium(on);
    }

    @AfterEach
    void close() {
        medium.faults().none();
        cold.faults().none();
        store.close();
        LOG.removeHandler(handler);
        LOG.setUseParentHandlers(true);
        LOG.setLevel(before);
    }

    private void work(int seconds) {
        for (int i = 0; i < seconds; i++) {
            clock.advance(1_000);
            while (store.doWork() > 0) {
                continue;
            }
        }
    }

    private static void fail(SimulatedFileMedium on, Predicate<String> operations) {
        on.faults()
                .failOperations(
                        number -> operations.test(on.history().get(on.history().size() - 1)));
    }

    private void checkFinding(String... parts) {
        boolean isThere =
                store.findings().stream()
                        .anyMatch(each -> Arrays.stream(parts).allMatch(each.text()::contains));
        assertTrue(isThere, store.findings().toString());
    }

    private static Partition another(LogStore in, String name, String tier) {
        return in.createTopic(name, Disk.SMALL.withTiers(tier)).partition(0);
    }

    private static void fill(Partition to, int records) {
        try (Appender appender = to.openExclusiveAppender()) {
            for (int i = 0; i < records; i++) {
                appender.append(new byte[9_000]);
            }
        }
    }

    @Test
    void shouldSayWhyAPartitionIsPoisonedUntilItIsDeletedAndLogItOnce() {
        fail(medium, operation -> operation.startsWith("force [") && operation.contains(".active"));
        Partition bad = partition;
        assertThrows(PoisonedException.class, () -> Disk.append(bad, 2));
        work(40);

        checkFinding("t-0", "Input/output error", "open the store again");
        assertEquals(
                1, logged.size(), () -> logged.stream().map(LogRecord::getMessage).toList() + "");
        assertNotNull(logged.get(0).getThrown());
        store.deleteTopic(Disk.TOPIC);
        assertEquals(List.of(), store.findings());
    }

    @Test
    void shouldLogOnceThatAMarkFailedAndWriteNoMoreOfThem() {
        fail(
                medium,
                operation ->
                        operation.startsWith("force [")
                                && operation.contains(".active")
                                && Integer.parseInt(operation.substring(7, operation.indexOf(',')))
                                        >= Disk.SMALL.segmentBytes());
        Disk.append(partition, 2);
        work(40);
        checkFinding("t-0", "Input/output error", "open the store again");
        assertEquals(
                1, logged.size(), () -> logged.stream().map(LogRecord::getMessage).toList() + "");
        assertNotNull(logged.get(0).getThrown());
    }

    @Test
    void shouldSayThatATierIsFullUntilItHasRoomThoughNothingIsAppended() {
        Partition hot = another(store, "hot-only", "hot");
        fill(hot, 4);
        work(2);
        medium.faults().limitBytes(1);
        assertThrows(StoreFullException.class, () -> fill(hot, 30));
        work(10);
        checkFinding("tier hot", "no room", "refused");

        medium.faults().limitBytes(Long.MAX_VALUE);
        work(3);
        assertEquals(List.of(), store.findings());
        fill(hot, 30);
    }

    @Test
    void shouldNotCallAFullTierAFindingWhileSegmentsAreSpilled() {
        cold.faults().limitBytes(Long.MAX_VALUE);
        medium.faults().limitBytes(1);
        fill(partition, 30);
        assertTrue(store.metrics().tiers().get(1).spilledSegments() > 0);
        assertEquals(List.of(), store.findings());
    }

    @Test
    void shouldForgetThatATierIsFullWithTheTopicThatAskedIt() {
        Partition hot = another(store, "hot-only", "hot");
        medium.faults().limitBytes(1);
        assertThrows(StoreFullException.class, () -> fill(hot, 1));
        checkFinding("tier hot", "no room");
        store.deleteTopic("hot-only");
        work(10);
        assertFalse(store.findings().toString().contains("tier hot"), store.findings() + "");
    }

    @Test
    void shouldSayThatATierFailsUntilItWorks() {
        fail(medium, operation -> operation.contains("/sim/segments"));
        Partition hot = another(store, "hot-only", "hot");
        assertThrows(FirnException.class, () -> fill(hot, 1));
        checkFinding("tier hot", "failed", "Input/output error");

        medium.faults().none();
        work(120);
        fill(hot, 1);
        assertEquals(List.of(), store.findings());
    }

    @Test
    void shouldSayThatBackgroundWorkFailsUntilItSucceedsAndLogItsStackTraceOnce() {
        fill(partition, 20);
        work(2);
        fail(medium, operation -> operation.contains("start-0"));
        Topic topic = store.openTopic(Disk.TOPIC);
        topic.changeOptions(topic.options().withRetentionBytes(100_000));
        work(20);
        checkFinding("t-0: retention", "tried again", "Input/output error");
        assertEquals(1, logged.size(), "only the first try is logged");
        assertNotNull(logged.get(0).getThrown());

        medium.faults().none();
        work(70);
        assertTrue(partition.logStartOffset() > 0);
        assertEquals(List.of(), store.findings());
    }

    @Test
    void shouldSayThatThereIsNoSpaceToRecordDeletionsUntilThereIs() throws IOException {
        SimulatedFileMedium small = new SimulatedFileMedium();
        openAt(small).close();
        small.delete(Path.of("/sim/store/spare"));
        small.faults().limitBytes(1);
        try (LogStore other = openAt(small)) {
            assertTrue(other.findings().toString().contains("deletions"), other.findings() + "");
            small.faults().limitBytes(Long.MAX_VALUE);
            clock.advance(2_000);
            other.doWork();
            assertEquals(List.of(), other.findings());
        }
    }

    private LogStore openAt(SimulatedFileMedium on) {
        return StoreBuilder.over(Path.of("/sim/store"), on)
                .tier("hot", tier("/sim/segments", on))
                .clock(clock)
                .invokerMode()
                .open();
    }
}
