package io.firn.trouble;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.ClosedException;
import io.firn.DamagedRangeException;
import io.firn.Finding;
import io.firn.Finding.Kind;
import io.firn.Finding.Severity;
import io.firn.FirnException;
import io.firn.InvalidOptionException;
import io.firn.LogStore;
import io.firn.LogStoreBuilder;
import io.firn.Partition;
import io.firn.PoisonedException;
import io.firn.RecordHandler.Action;
import io.firn.StoreFullException;
import io.firn.StoreOpenException;
import io.firn.Tailer;
import io.firn.Transaction;
import io.firn.api.Waiting;
import io.firn.file.FileTier;
import io.firn.medium.MediumFile;
import io.firn.open.StoreBuilder;
import io.firn.sim.SimulatedFileMedium;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.agrona.concurrent.CachedEpochClock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Listeners are called when a condition begins and ends, and findings say what it is about. */
class FindingListenerTest {
    private static final Path HOT = Path.of("/sim/segments");

    private final SimulatedFileMedium medium = new SimulatedFileMedium();
    private final SimulatedFileMedium segments = new SimulatedFileMedium();
    private final CachedEpochClock clock = new CachedEpochClock();
    private final NotedFindings told = new NotedFindings();
    private LogStore store;
    private Partition partition;

    @BeforeEach
    void openFirst() {
        open();
        partition = Disk.partition(store);
    }

    private void open() {
        store =
                StoreBuilder.over(Path.of("/sim/store"), medium)
                        .tier("hot", FileTier.at(HOT).withMedium(segments))
                        .clock(clock)
                        .nanoClock(() -> clock.time() * 1_000_000)
                        .findingListener(told)
                        .invokerMode()
                        .open();
    }

    @AfterEach
    void close() {
        medium.faults().none();
        segments.faults().none();
        store.close();
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

    private void fill(int records) {
        try (Appender appender = partition.openExclusiveAppender()) {
            for (int i = 0; i < records; i++) {
                appender.append(new byte[9_000]);
            }
        }
    }

    private void checkTold(String... lines) {
        work(1);
        assertEquals(List.of(lines), told.lines());
    }

    @Test
    void shouldTellThatATierIsFullUntilItHasRoom() {
        fill(4);
        segments.faults().limitBytes(1);
        assertThrows(StoreFullException.class, () -> fill(30));
        checkTold("begin TIER_FULL in hot");
        Finding full = store.findings().get(0);
        assertFalse(full.text().isEmpty());
        assertTrue(full.since().toEpochMilli() <= clock.time());

        segments.faults().limitBytes(Long.MAX_VALUE);
        work(3);
        checkTold("begin TIER_FULL in hot", "end TIER_FULL in hot");
        assertEquals(List.of(), store.findings());
    }

    @Test
    void shouldTellThatATierFailsUntilItWorks() {
        fail(segments, operation -> true);
        assertThrows(FirnException.class, () -> fill(1));
        checkTold("begin TIER_FAILING in hot");
        assertEquals(Severity.ERROR, store.findings().get(0).severity());
        segments.faults().none();
        work(120);
        fill(1);
        work(1);
        checkFailedAndWorked(told);
        assertEquals(2, told.lines().size(), "the tier is the one cause");
    }

    @Test
    void shouldTellThatATransactionIsOpenForLongUntilItEnds() {
        Transaction open = store.beginTransaction();
        open.append(partition, new byte[8]);
        work(50);
        checkTold();
        work(130);
        checkTold("begin TRANSACTION_STALLED");
        assertEquals(Severity.WARNING, store.findings().get(0).severity());
        open.commit();
        work(130);
        checkTold("begin TRANSACTION_STALLED", "end TRANSACTION_STALLED");
    }

    @Test
    void shouldTellThatATierIsDrainedAsANotice() {
        assertThrows(InvalidOptionException.class, () -> store.drain("hot"), "the only tier");
        checkTold();
        store.close();
        told.lines().clear();
        store =
                StoreBuilder.over(Path.of("/sim/store"), medium)
                        .tier("hot", FileTier.at(HOT).withMedium(segments))
                        .tier("cold", FileTier.at(Path.of("/sim/cold")).withMedium(segments))
                        .findingListener(told)
                        .invokerMode()
                        .open();
        assertTrue(store.drain("hot"));
        checkTold("begin TIER_DRAINED in hot");
        assertEquals(Severity.NOTICE, store.findings().get(0).severity());
        store.cancelDrain("hot");
        checkTold("begin TIER_DRAINED in hot", "end TIER_DRAINED in hot");
    }

    /** A store that was not opened cannot be closed. */
    @Test
    void shouldEndTheThreadOfListenersWithTheStoreAlsoWhenItDoesNotOpen() throws Exception {
        List<Thread> made = new CopyOnWriteArrayList<>();
        SimulatedFileMedium other = new SimulatedFileMedium();
        LogStoreBuilder builder =
                StoreBuilder.over(Path.of("/sim/other"), other)
                        .tier("hot", FileTier.at(HOT).withMedium(other))
                        .findingListener(told)
                        .threadFactory(
                                work -> {
                                    made.add(new Thread(work));
                                    return made.get(made.size() - 1);
                                });
        fail(other, operation -> true);
        assertThrows(StoreOpenException.class, builder::open);
        other.faults().none();
        assertTrue(made.size() > 0);
        builder.open().close();
        for (Thread each : made) {
            each.join(TimeUnit.SECONDS.toMillis(Waiting.HANGS_AFTER_S));
            assertFalse(each.isAlive(), each::getName);
        }
    }

    private static void checkFailedAndWorked(NotedFindings noted) {
        assertEquals(
                List.of("begin TIER_FAILING in hot", "end TIER_FAILING in hot"),
                noted.linesOf(Kind.TIER_FAILING));
    }

    @Test
    void shouldTellThatAPartitionIsPoisonedUntilItIsDeleted() {
        fill(1);
        fail(
                segments,
                operation -> operation.startsWith("force [") && operation.contains(".active"));
        assertThrows(PoisonedException.class, () -> Disk.append(partition, 2));
        checkTold("begin PARTITION_POISONED t-0");
        segments.faults().none();
        store.deleteTopic(Disk.TOPIC);
        checkTold("begin PARTITION_POISONED t-0", "end PARTITION_POISONED t-0");
        assertEquals(List.of(), store.findings());
    }

    @Test
    void shouldTellThatADeletedTopicCannotBeRemovedUntilItIs() {
        fill(1);
        fail(medium, operation -> operation.startsWith("delete"));
        store.deleteTopic(Disk.TOPIC);
        checkTold("begin TOPIC_DELETION_FAILING t");
        medium.faults().none();
        work(70);
        checkTold("begin TOPIC_DELETION_FAILING t", "end TOPIC_DELETION_FAILING t");
    }

    @Test
    void shouldTellOfDamageThatAReaderMeetsUntilItIsDeleted() throws IOException {
        Disk.append(partition, 4);
        work(2);
        store.close();
        try (MediumFile log = segments.open(fileIn(HOT), true)) {
            byte[] wrong = {1, 2, 3, 4};
            log.write(100, wrong, 0, wrong.length);
            log.force();
        }
        open();
        partition = store.openTopic(Disk.TOPIC).partition(0);
        try (Tailer tailer = partition.openTailer()) {
            assertThrows(
                    DamagedRangeException.class, () -> tailer.poll(record -> Action.CONTINUE, 100));
        }
        Finding damage =
                store.findings().stream()
                        .filter(each -> each.kind() == Finding.Kind.RECORDS_DAMAGED)
                        .findFirst()
                        .orElseThrow();
        String name = "RECORDS_DAMAGED t-0 from 0 to " + damage.toOffset().orElseThrow();
        work(1);
        assertTrue(told.lines().contains("begin " + name), told.lines() + "");

        partition.deleteRecordsBefore(partition.durableOffset());
        work(1);
        assertTrue(told.lines().contains("end " + name), told.lines() + "");
    }

    private Path fileIn(Path directory) throws IOException {
        for (String each : segments.list(directory)) {
            Path path = directory.resolve(each);
            if (each.endsWith(".log") || each.endsWith(".active")) {
                return path;
            }
            if (!each.contains(".")) {
                Path found = segments.list(path).isEmpty() ? null : fileIn(path);
                if (found != null) {
                    return found;
                }
            }
        }
        return null;
    }

    @Test
    void shouldTellAListenerThatComesLaterOfWhatIsPresent() {
        fail(segments, operation -> true);
        assertThrows(FirnException.class, () -> fill(1));
        NotedFindings late = new NotedFindings();
        store.addFindingListener(late);
        work(1);
        List<String> begun = List.of("begin TIER_FAILING in hot");
        assertEquals(begun, late.linesOf(Kind.TIER_FAILING));
        assertEquals(begun, told.linesOf(Kind.TIER_FAILING));
    }

    @Test
    void shouldTellOthersWhenAListenerThrowsOrIsRemoved() {
        Finding.Listener throwing =
                new Finding.Listener() {
                    @Override
                    public void onBegin(Finding finding) {
                        throw new IllegalStateException("on purpose");
                    }

                    @Override
                    public void onEnd(Finding finding) {
                        throw new AssertionError("on purpose");
                    }
                };
        NotedFindings removed = new NotedFindings();
        store.addFindingListener(throwing);
        store.addFindingListener(removed);
        store.removeFindingListener(removed);
        NotedFindings last = new NotedFindings();
        store.addFindingListener(last);
        fail(segments, operation -> true);
        assertThrows(FirnException.class, () -> fill(1));
        work(1);
        segments.faults().none();
        work(120);
        fill(1);
        work(1);
        checkFailedAndWorked(last);
        assertEquals(List.of(), removed.lines());
    }

    @Test
    void shouldRefuseAListenerWhenTheStoreIsClosed() {
        store.close();
        assertThrows(ClosedException.class, () -> store.addFindingListener(told));
    }

    /** A listener that blocks keeps the thread of no work. */
    @Test
    void shouldCallListenersOnAThreadOfTheirOwn() {
        Set<String> threads = ConcurrentHashMap.newKeySet();
        SimulatedFileMedium other = new SimulatedFileMedium();
        try (LogStore threaded =
                StoreBuilder.over(Path.of("/sim/other"), other)
                        .tier("hot", FileTier.at(HOT).withMedium(other))
                        .findingListener(
                                new Finding.Listener() {
                                    @Override
                                    public void onBegin(Finding finding) {
                                        threads.add(Thread.currentThread().getName());
                                    }

                                    @Override
                                    public void onEnd(Finding finding) {}
                                })
                        .open()) {
            Partition of = Disk.partition(threaded);
            fail(other, operation -> operation.contains(HOT.toString()));
            assertThrows(FirnException.class, () -> Disk.append(of, 1));
            while (threads.isEmpty()) {
                Thread.onSpinWait();
            }
            assertEquals(Set.of("firn-findings"), threads);
            other.faults().none();
        }
    }
}
