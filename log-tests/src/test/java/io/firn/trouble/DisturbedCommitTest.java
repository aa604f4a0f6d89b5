package io.firn.trouble;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Cursor;
import io.firn.FirnException;
import io.firn.Isolation;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.Producer;
import io.firn.StoreFullException;
import io.firn.Tailer;
import io.firn.Transaction;
import io.firn.TransactionCoordinator.NamedProducer;
import io.firn.TransactionCoordinator.State;
import io.firn.Verdict;
import io.firn.sim.SimulatedFileMedium;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import org.agrona.concurrent.CachedEpochClock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
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
            try (var appender = partition(i).openSharedAppender()) {
                appender.append(new byte[1]);
            }
        }
    }

    private LogStore openStore() {
        return TransactionTroubleTest.openStore(medium, clock);
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
                                return Verdict.CONTINUE;
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
            assertEquals(each.visibleOffset(Isolation.UNCOMMITTED), each.visibleOffset(), when);
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

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldCommitOrAbortAsAWholeWhenTheDiskBecomesFullMeanwhile(boolean isNamed) {
        Set<String> outcomes = new TreeSet<>();
        for (int at = 0; ; at++) {
            String when = "full before operation " + at + ", " + isNamed;
            begin(at);
            Cursor cursor = store.openTopic("t").cursor("c");
            Producer producer = isNamed ? store.openProducer("p", TEN_DAYS) : null;
            Transaction tx = isNamed ? producer.beginTransaction() : store.beginTransaction();
            append(tx);
            tx.advance(cursor, 2, 1);
            disturb(this::fillDisk);
            boolean isCommitted = false;
            try {
                tx.commit();
                isCommitted = true;
            } catch (StoreFullException e) {
                outcomes.add("full");
            } catch (FirnException e) {
                outcomes.add("failed"); // the medium took space in a force: nobody knows
            }
            boolean wasFull = left < 0;
            medium.onOperation(number -> {});
            medium.faults().limitBytes(Long.MAX_VALUE);
            pass();
            tx.close(); // aborts what is still open
            pass();
            Set<Integer> allowed = isCommitted ? Set.of(1) : Set.of(0, 1);
            boolean isUnknown = outcomes.contains("failed");
            if (!isUnknown) {
                assertWhole(allowed, when);
                assertEquals(committedIn(0), cursor.offset(2), when);
            }
            medium = medium.kill();
            store = openStore();
            for (NamedProducer each : store.transactions().producers()) {
                if (each.state() == State.ONGOING) {
                    store.openProducer(each.name(), TEN_DAYS);
                }
            }
            assertWhole(allowed, when + ", after a restart");
            assertEquals(committedIn(0), store.openTopic("t").cursor("c").offset(2), when);
            store.close();
            outcomes.remove("failed");
            if (!wasFull) {
                assertTrue(at > 3, at + " operations");
                return;
            }
        }
    }

    private void fillDisk() {
        TransactionTroubleTest.fillDisk(medium);
    }
}
