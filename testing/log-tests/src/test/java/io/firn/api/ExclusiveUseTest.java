package io.firn.api;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.BusyException;
import io.firn.Claim;
import io.firn.ClosedException;
import io.firn.Durability;
import io.firn.ExclusiveAppender;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.StoredRecord;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.ConcurrentModificationException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Semaphore;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** An exclusive appender is for one thread at a time, whichever that is. */
class ExclusiveUseTest {
    private static final int VALUE_BYTES = 100;

    @TempDir private Path directory;
    private LogStore store;

    @BeforeEach
    void open() {
        store = Stores.at(directory).open();
    }

    @AfterEach
    void close() {
        store.close();
    }

    private Partition created(Durability durability) {
        return store.createTopic("t", Stores.small().withDurability(durability)).partition(0);
    }

    @ParameterizedTest
    @EnumSource
    void shouldKeepWhatWasAcknowledgedWhenTwoThreadsUseItAtOnce(Durability durability)
            throws Exception {
        Partition partition = created(durability);
        Map<Long, Long> acknowledged = new ConcurrentHashMap<>();
        List<Stores.Task<Integer>> tasks = new ArrayList<>();
        CyclicBarrier together = new CyclicBarrier(2);
        try (ExclusiveAppender appender = partition.openExclusiveAppender()) {
            for (int t = 0; t < 2; t++) {
                long first = 1_000_000L * t;
                tasks.add(
                        Stores.start(
                                () -> {
                                    together.await();
                                    return appendOrBeRefused(appender, first, acknowledged);
                                }));
            }
            int refused = 0;
            for (Stores.Task<Integer> task : tasks) {
                refused += task.result();
            }
            assertEquals(40_000, acknowledged.size() + refused, "an offset was given twice");
        }
        List<StoredRecord> found = Stores.readAll(partition.openTailer());
        assertEquals(acknowledged.size(), found.size());
        for (StoredRecord record : found) {
            assertArrayEquals(
                    Stores.numbered(acknowledged.get(record.offset()), VALUE_BYTES),
                    record.value());
        }
        assertTrue(partition.damage().isEmpty());
    }

    private static int appendOrBeRefused(
            ExclusiveAppender appender, long first, Map<Long, Long> acknowledged) {
        int refused = 0;
        for (int i = 0; i < 20_000; i++) {
            try {
                long offset = appender.append(Stores.numbered(first + i, VALUE_BYTES));
                acknowledged.put(offset, first + i);
            } catch (ConcurrentModificationException e) {
                refused++;
            }
        }
        return refused;
    }

    @Test
    void shouldAppendForOneThreadAfterTheOther() throws Exception {
        Partition partition = created(Durability.WRITTEN);
        int threads = 3;
        int each = 500;
        List<Semaphore> turns = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
            turns.add(new Semaphore(t == 0 ? 1 : 0));
        }
        try (ExclusiveAppender appender = partition.openExclusiveAppender()) {
            List<Stores.Task<Void>> tasks = new ArrayList<>();
            for (int t = 0; t < threads; t++) {
                int own = t;
                tasks.add(
                        Stores.start(
                                () -> {
                                    for (int n = own; n < threads * each; n += threads) {
                                        turns.get(own).acquire();
                                        appender.append(Stores.numbered(n, VALUE_BYTES));
                                        turns.get((own + 1) % threads).release();
                                    }
                                    return null;
                                }));
            }
            for (Stores.Task<Void> task : tasks) {
                task.result();
            }
        }
        List<StoredRecord> found = Stores.readAll(partition.openTailer());
        assertEquals(threads * each, found.size());
        for (StoredRecord record : found) {
            assertArrayEquals(Stores.numbered(record.offset(), VALUE_BYTES), record.value());
        }
    }

    @Test
    void shouldLetAnotherThreadCommitAClaimThatItWasHanded() throws Exception {
        Partition partition = created(Durability.DURABLE);
        try (ExclusiveAppender appender = partition.openExclusiveAppender()) {
            appender.append(Stores.bytes("first"));
            Claim claim = appender.tryClaim(6);
            claim.buffer().put(Stores.bytes("second"));
            assertEquals(1, Stores.start(claim::commit).result());
        }
        assertEquals(
                List.of("first", "second"), Stores.texts(Stores.readAll(partition.openTailer())));
    }

    @Test
    void shouldBelongToTheNextAppenderWhenItWasClosedOnAnotherThread() throws Exception {
        Partition partition = created(Durability.WRITTEN);
        for (int round = 0; round < 50; round++) {
            ExclusiveAppender appender = partition.openExclusiveAppender();
            Stores.Task<Integer> appends =
                    Stores.start(
                            () -> {
                                int done = 0;
                                try {
                                    while (true) {
                                        appender.append(new byte[VALUE_BYTES]);
                                        done++;
                                    }
                                } catch (ClosedException e) {
                                    return done;
                                }
                            });
            long from = partition.nextOffset();
            Stores.await("some appends", () -> partition.nextOffset() > from + 100);
            appender.close();
            int own = 0;
            long before = partition.nextOffset();
            try (ExclusiveAppender next = partition.openExclusiveAppender()) {
                for (; own < 100; own++) {
                    next.append(new byte[VALUE_BYTES]);
                }
            } catch (BusyException | ConcurrentModificationException e) {
                throw new AssertionError("the closed one is in the way", e);
            }
            assertEquals(before + own, partition.nextOffset());
            assertTrue(appends.result() > 0);
        }
    }

    @Test
    void shouldKeepWhatWasAcknowledgedWhenOneThreadAppendsBesideTheClaimsOfAnother()
            throws Exception {
        Partition partition = created(Durability.WRITTEN);
        Map<Long, Long> acknowledged = new ConcurrentHashMap<>();
        CyclicBarrier together = new CyclicBarrier(2);
        int rounds = 100_000;
        try (ExclusiveAppender appender = partition.openExclusiveAppender()) {
            Stores.Task<Integer> claims =
                    Stores.start(
                            () -> {
                                together.await();
                                return claimOrBeRefused(appender, rounds, acknowledged);
                            });
            Stores.Task<Integer> appends =
                    Stores.start(
                            () -> {
                                together.await();
                                return appendBesideClaims(appender, rounds, acknowledged);
                            });
            int refused = claims.result() + appends.result();
            assertEquals(2 * rounds, acknowledged.size() + refused, "an offset was given twice");
        }
        List<StoredRecord> found = Stores.readAll(partition.openTailer());
        assertEquals(acknowledged.size(), found.size());
        for (StoredRecord record : found) {
            assertArrayEquals(
                    Stores.numbered(acknowledged.get(record.offset()), VALUE_BYTES),
                    record.value());
        }
    }

    private static int claimOrBeRefused(
            ExclusiveAppender appender, int rounds, Map<Long, Long> acknowledged) {
        int refused = 0;
        for (long i = 0; i < rounds; i++) {
            Claim claim = null;
            try {
                claim = appender.tryClaim(VALUE_BYTES);
            } catch (ConcurrentModificationException e) {
                claim = null;
            }
            if (claim == null) {
                refused++;
                continue;
            }
            claim.buffer().put(0, Stores.numbered(i, VALUE_BYTES));
            long offset = -1;
            while (offset < 0) {
                try {
                    offset = claim.commitWithoutWaiting();
                } catch (ConcurrentModificationException e) {
                    Thread.onSpinWait(); // the claim is still open
                }
            }
            acknowledged.put(offset, i);
        }
        return refused;
    }

    private static int appendBesideClaims(
            ExclusiveAppender appender, int rounds, Map<Long, Long> acknowledged) {
        int refused = 0;
        for (long i = 0; i < rounds; i++) {
            long number = 1_000_000 + i;
            long offset = -1;
            try {
                offset =
                        appender.tryAppend(
                                new UnsafeBuffer(Stores.numbered(number, VALUE_BYTES)),
                                0,
                                VALUE_BYTES);
            } catch (ConcurrentModificationException | IllegalStateException e) {
                offset = -1;
            }
            if (offset < 0) {
                refused++;
            } else {
                acknowledged.put(offset, number);
            }
        }
        return refused;
    }
}
