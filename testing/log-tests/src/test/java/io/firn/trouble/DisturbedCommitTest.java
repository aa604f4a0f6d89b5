package io.firn.trouble;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.FirnException;
import io.firn.IsolationLevel;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.PoisonedException;
import io.firn.RecordHandler.Action;
import io.firn.StoreFullException;
import io.firn.Tailer;
import io.firn.Transaction;
import io.firn.file.FileTier;
import io.firn.open.StoreBuilder;
import io.firn.sim.SimulatedFileMedium;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.agrona.concurrent.CachedEpochClock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Something happens before each of the operations of a commit in turn. */
class DisturbedCommitTest {
    private static final Duration TEN_DAYS = Duration.ofDays(10);

    private final CachedEpochClock clock = new CachedEpochClock();
    private SimulatedFileMedium medium;
    private LogStore store;
    private int left;

    private void begin(int operations) {
        left = operations;
        medium = new SimulatedFileMedium();
        clock.update(1_700_000_000_000L);
        store = openStore();
        store.createTopic("t", TransactionTroubleTest.SMALL.withPartitions(3));
        store.openProducer("other", TEN_DAYS); // the journal is there
        for (int i = 0; i < 3; i++) {
            try (var appender = partition(i).openAppender()) {
                appender.append(new byte[1]);
            }
        }
    }

    private LogStore openStore() {
        return StoreBuilder.over(Path.of("/sim/store"), medium)
                .journalSegmentBytes(64 * 1024)
                .tier(FileTier.at(Path.of("/sim/segments")).withMedium(medium))
                .clock(clock)
                .nanoClock(() -> clock.time() * 1_000_000)
                .invokerMode()
                .open();
    }

    private Partition partition(int index) {
        return store.openTopic("t").partition(index);
    }

    private static boolean isIn(String method) {
        return StackWalker.getInstance()
                .walk(frames -> frames.anyMatch(frame -> frame.getMethodName().equals(method)));
    }

    /** Does something before the operation of the commit whose turn it is. */
    private void disturb(Runnable something) {
        medium.onOperation(
                number -> {
                    if (isIn("commit") && left-- == 0) {
                        something.run();
                    }
                });
    }

    private void append(Transaction tx) {
        tx.append(partition(0), partition(0).topic().newBatch().add(new byte[] {1, 2}));
        tx.append(partition(1), partition(1).topic().newBatch().add(new byte[] {1, 2}));
    }

    private void pass() {
        for (int i = 0; i < 5; i++) {
            clock.advance(10_000);
            store.doWork();
        }
    }

    private int committedIn(int index) {
        int[] count = {0};
        try (Tailer tailer = partition(index).openTailer()) {
            while (tailer.poll(
                            record -> {
                                count[0] += record.copy().value().length == 2 ? 1 : 0;
                                return Action.CONTINUE;
                            },
                            100)
                    > 0) {
                continue;
            }
        }
        return count[0];
    }

    private void assertWhole(Set<Integer> allowed, String when) {
        for (int i = 0; i < 2; i++) {
            Partition each = partition(i);
            each.force();
            assertEquals(
                    each.visibleOffset(IsolationLevel.READ_UNCOMMITTED),
                    each.visibleOffset(),
                    when);
        }
        int committed = committedIn(0);
        assertEquals(committed, committedIn(1), when);
        assertTrue(allowed.contains(committed), committed + " committed, " + when);
    }

    @Test
    void shouldCommitOrAbortAsAWholeWhenTheProducerIsFencedMeanwhile() throws Exception {
        for (int at = 0; ; at++) {
            String when = "fenced before operation " + at;
            begin(at);
            Thread fencing = new Thread(() -> store.openProducer("p", TEN_DAYS));
            disturb(
                    () -> {
                        fencing.start();
                        while (fencing.getState() == Thread.State.NEW
                                || fencing.getState() == Thread.State.RUNNABLE) {
                            Thread.onSpinWait();
                        }
                    });
            Transaction tx = store.openProducer("p", TEN_DAYS).beginTransaction();
            append(tx);
            tx.commit(); // it had begun to end
            medium.onOperation(number -> {});
            boolean wasFenced = fencing.getState() != Thread.State.NEW;
            fencing.join();
            assertWhole(Set.of(1), when);
            medium = medium.kill();
            store = openStore();
            assertWhole(Set.of(1), when + ", after a restart");
            store.close();
            if (!wasFenced) {
                assertTrue(at > 3, at + " operations");
                return;
            }
        }
    }

    /** What has no room for another batch without another segment. */
    private enum Tight {
        NOTHING,
        JOURNAL,
        PARTITIONS
    }

    /** What becomes of a transaction that found no room, when there is room again. */
    private enum Then {
        COMMIT_AGAIN,
        ABORT,
        KILL
    }

    private static Stream<Arguments> cases() {
        return Stream.of(Tight.values())
                .flatMap(
                        tight ->
                                Stream.of(Then.values())
                                        .flatMap(
                                                then ->
                                                        Stream.of(
                                                                Arguments.of(tight, then, true),
                                                                Arguments.of(tight, then, false))));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void shouldCommitOrAbortAsAWholeWhenTheDiskBecomesFullMeanwhile(
            Tight tight, Then then, boolean isNamed) {
        boolean wasOpen = false;
        for (int at = 0; ; at++) {
            String when = "full before operation " + at;
            begin(at);
            Transaction tx =
                    isNamed
                            ? store.openProducer("p", TEN_DAYS).beginTransaction()
                            : store.beginTransaction();
            append(tx);
            tx.commitCursor(store.openTopic("t").cursor("c"), 2, 1);
            use(tight);
            disturb(this::fillDisk);
            boolean isCommitted = true;
            try {
                tx.commit();
            } catch (StoreFullException e) {
                isCommitted = false;
                wasOpen = true;
                assertEquals(0, Math.max(0, store.openTopic("t").cursor("c").offset(2)), when);
            }
            boolean wasFull = left < 0;
            medium.ignoreOperations();
            isCommitted |= goOn(tx, then, isCommitted);
            assertEnd(isCommitted, when);
            medium = medium.kill();
            store = openStore();
            assertEnd(isCommitted, when + ", after a restart");
            store.close();
            if (!wasFull) {
                assertEquals(tight == Tight.JOURNAL, wasOpen, "only a decision must have room");
                assertTrue(at > 3, at + " operations");
                return;
            }
        }
    }

    /** Returns whether a transaction is committed now that was not before. */
    private boolean goOn(Transaction tx, Then then, boolean isCommitted) {
        if (then == Then.KILL) {
            medium = medium.kill();
        }
        medium.faults().limitBytes(Long.MAX_VALUE);
        if (then == Then.KILL) {
            store = openStore();
            return false;
        }
        pass();
        if (isCommitted) {
            return false;
        }
        if (then == Then.COMMIT_AGAIN) {
            tx.append(partition(0), partition(0).topic().newBatch().add(new byte[1]));
            tx.commit();
        } else {
            tx.abort();
        }
        pass();
        return then == Then.COMMIT_AGAIN;
    }

    private void assertEnd(boolean isCommitted, String when) {
        int expected = isCommitted ? 1 : 0;
        assertWhole(Set.of(expected), when);
        assertEquals(expected, Math.max(0, store.openTopic("t").cursor("c").offset(2)), when);
    }

    /** Uses the room that there is without another segment. */
    private void use(Tight tight) {
        if (tight == Tight.PARTITIONS) {
            for (int i = 0; i < 2; i++) {
                try (var appender = partition(i).openAppender()) {
                    appender.append(new byte[60_000]);
                }
            }
        }
        fillDisk();
        if (tight == Tight.JOURNAL) {
            useAll(() -> store.openProducer("other", TEN_DAYS)); // smaller than the decision
        } else if (tight == Tight.PARTITIONS) {
            for (int i = 0; i < 2; i++) {
                try (var appender = partition(i).openAppender()) {
                    useAll(() -> appender.append(new byte[1])); // smaller than a marker
                }
            }
        }
        medium.faults().limitBytes(Long.MAX_VALUE);
        clock.advance(60_000); // the disk is asked for room again
    }

    private static void useAll(Runnable append) {
        try {
            while (true) {
                append.run();
            }
        } catch (StoreFullException e) {
            return;
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldSayHowACommitHasEndedWhenTheMediumFailsMeanwhile(boolean once) {
        Set<String> outcomes = new TreeSet<>();
        for (int at = 0; ; at++) {
            String when = "failed at operation " + at;
            begin(at);
            Transaction tx = store.openProducer("p", TEN_DAYS).beginTransaction();
            append(tx);
            tx.commitCursor(store.openTopic("t").cursor("c"), 2, 1);
            boolean[] fails = {false};
            medium.faults()
                    .failOperations(
                            number -> {
                                boolean failsNow = fails[0];
                                fails[0] &= !once;
                                return failsNow;
                            });
            disturb(() -> fails[0] = true);
            String outcome = "committed";
            try {
                tx.commit();
            } catch (FirnException e) {
                assertFalse(e instanceof StoreFullException, "that would be still open");
                outcome = e.getMessage().contains("was aborted") ? "aborted" : "unknown";
            }
            if (once && !outcome.equals("unknown")) {
                pass();
                assertStableUnlessPoisoned(when);
            }
            boolean hasFailed = left < 0;
            medium.ignoreOperations();
            outcomes.add(outcome);
            medium = medium.kill();
            medium.faults().failOperations(number -> false);
            store = openStore();
            int committed = committedIn(0);
            assertWhole(Set.of(0, 1), when);
            assertEquals(committed, Math.max(0, store.openTopic("t").cursor("c").offset(2)), when);
            if (!outcome.equals("unknown")) {
                assertEquals(outcome.equals("committed") ? 1 : 0, committed, when);
            }
            store.close();
            if (!hasFailed) {
                assertEquals(
                        once
                                ? Set.of("aborted", "committed", "unknown")
                                : Set.of("committed", "unknown"),
                        outcomes);
                return;
            }
        }
    }

    private void assertStableUnlessPoisoned(String when) {
        for (int i = 0; i < 2; i++) {
            Partition each = partition(i);
            try (var appender = each.openAppender()) {
                appender.append(new byte[1]);
            } catch (PoisonedException e) {
                continue;
            }
            assertEquals(
                    each.visibleOffset(IsolationLevel.READ_UNCOMMITTED),
                    each.visibleOffset(),
                    when);
        }
    }

    private void fillDisk() {
        TransactionTroubleTest.fillDisk(medium);
    }
}
