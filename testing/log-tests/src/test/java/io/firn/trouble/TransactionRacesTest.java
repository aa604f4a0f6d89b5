package io.firn.trouble;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.LogStore;
import io.firn.Partition;
import io.firn.Producer;
import io.firn.Transaction;
import io.firn.Transaction.State;
import io.firn.host.HostedPartition;
import io.firn.host.HostedStore;
import io.firn.host.TransactionStateException;
import io.firn.sim.SimulatedFileMedium;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import org.agrona.concurrent.CachedEpochClock;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Transactions that somebody else ends, closes or lets expire just now. */
class TransactionRacesTest {
    private static final Duration TEN_DAYS = Duration.ofDays(10);

    private final CachedEpochClock clock = new CachedEpochClock();
    private final SimulatedFileMedium medium = new SimulatedFileMedium();
    private LogStore store;

    @BeforeEach
    void open() {
        clock.update(1_700_000_000_000L);
        store = openStore();
        store.createTopic("t", TransactionTroubleTest.SMALL.withPartitions(2));
    }

    private LogStore openStore() {
        return TransactionTroubleTest.openStore(medium, clock);
    }

    private void append(Transaction tx, int partition) {
        Partition to = store.openTopic("t").partition(partition);
        tx.append(to, to.topic().newBatch().add(new byte[1]));
    }

    private static boolean isIn(String method) {
        return StackWalker.getInstance()
                .walk(frames -> frames.anyMatch(frame -> frame.getMethodName().equals(method)));
    }

    private static void awaitBlocked(Thread thread) {
        while (thread.getState() == Thread.State.NEW
                || thread.getState() == Thread.State.RUNNABLE) {
            Thread.onSpinWait();
        }
    }

    @Test
    void shouldOpenANameThatExpiresJustNow() throws Exception {
        store.openProducer("p", TEN_DAYS);
        FutureTask<Producer> opening = new FutureTask<>(() -> store.openProducer("p", TEN_DAYS));
        Thread opener = new Thread(opening);
        medium.onOperation(
                number -> {
                    if (opener.getState() == Thread.State.NEW && isIn("expire")) {
                        opener.start();
                        awaitBlocked(opener);
                    }
                });
        clock.advance(Duration.ofDays(8).toMillis());
        for (int i = 0; i < 5; i++) {
            clock.advance(3_600_001);
            store.doWork();
        }
        Producer producer = opening.get();
        try (Transaction tx = producer.beginTransaction()) {
            append(tx, 0);
            tx.commit();
        }
        assertEquals(State.COMMITTED, HostedStore.of(store).transactions().find("p").state());
    }

    @Test
    void shouldEndATransactionOnceWhenTwoThreadsCommitIt() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(2);
        CyclicBarrier start = new CyclicBarrier(2);
        int committed = 0;
        int rounds = 2_000;
        for (int i = 0; i < rounds; i++) {
            Transaction tx = store.beginTransaction();
            append(tx, 0);
            Callable<Integer> commit =
                    () -> {
                        start.await();
                        try {
                            tx.commit();
                            return 1;
                        } catch (TransactionStateException e) {
                            return 0;
                        }
                    };
            for (Future<Integer> each : threads.invokeAll(List.of(commit, commit))) {
                committed += each.get();
            }
        }
        threads.shutdown();
        assertEquals(rounds, committed);
    }

    @Test
    void shouldKeepOrAbortACommitDuringWhichTheStoreIsClosed() throws Exception {
        int closings = 0;
        for (int at = 0; ; at++) {
            Transaction tx = store.beginTransaction();
            append(tx, 0);
            append(tx, 1);
            LogStore closed = store;
            Thread closer = new Thread(closed::close);
            int[] left = {at};
            medium.onOperation(
                    number -> {
                        if (isIn("commit") && left[0]-- == 0) {
                            closer.start();
                            awaitBlocked(closer);
                        }
                    });
            boolean isCommitted = false;
            try {
                tx.commit();
                isCommitted = true;
            } catch (RuntimeException e) {
                assertTrue(e.getMessage() != null, e.toString());
            }
            tx.close();
            medium.onOperation(number -> {});
            boolean isDone = closer.getState() == Thread.State.NEW;
            if (isDone) {
                closed.close();
            }
            closer.join();
            store = openStore();
            assertEquals(List.of(), store.findings());
            for (int i = 0; i < 2; i++) {
                Partition partition = store.openTopic("t").partition(i);
                assertEquals(partition.nextOffset(), partition.visibleOffset());
                assertEquals(
                        isCommitted,
                        HostedPartition.of(partition).abortedTransactions(0, Long.MAX_VALUE).size()
                                == closings,
                        "partition " + i);
            }
            closings += isCommitted ? 0 : 1;
            if (isDone) {
                return;
            }
        }
    }
}
