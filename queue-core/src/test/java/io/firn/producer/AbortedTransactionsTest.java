package io.firn.producer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.host.AbortedTransaction;
import io.firn.kafka.SeededTest;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Compared with all transactions of a random log, some of which are open for very long. */
class AbortedTransactionsTest {
    private static final int OFFSETS = 6_000;

    private final AbortedTransactions aborted = new AbortedTransactions();
    private final List<AbortedTransaction> expected = new ArrayList<>();

    /** By producer the first offset of its open transaction. */
    private final Map<Long, Long> open = new HashMap<>();

    /** The producers of the batches, by offset; −1 where there is a marker. */
    private final long[] batches = new long[OFFSETS];

    private void fill(Random random) {
        for (int offset = 0; offset < OFFSETS; offset++) {
            boolean isRare = random.nextInt(500) == 0;
            long producer = isRare ? 100 + random.nextInt(2) : random.nextInt(12);
            Long first = open.get(producer);
            batches[offset] = producer;
            if (first == null) {
                open.put(producer, (long) offset);
            } else if (random.nextInt(3) > 0) {
                batches[offset] = -1;
                open.remove(producer);
                if (random.nextInt(4) > 0) {
                    long decided = open.values().stream().min(Long::compare).orElse(offset + 1L);
                    aborted.add(producer, first, offset, decided);
                    expected.add(new AbortedTransaction(producer, first, offset));
                }
            }
        }
    }

    private boolean isAborted(long producer, long offset) {
        return expected.stream()
                .anyMatch(
                        each ->
                                each.producerId() == producer
                                        && each.firstOffset() <= offset
                                        && offset <= each.lastOffset());
    }

    /** What readers may ask about: all below the first transaction that is still open. */
    private int stable() {
        return open.values().stream().min(Long::compare).orElse((long) OFFSETS).intValue();
    }

    private void compare(Random random, int from) {
        int stable = Math.max(from + 1, stable());
        for (int i = 0; i < 300; i++) {
            int offset = from + random.nextInt(stable - from);
            if (batches[offset] >= 0) {
                assertEquals(
                        isAborted(batches[offset], offset),
                        aborted.contains(batches[offset], offset),
                        "offset " + offset);
            }
            int to = offset + random.nextInt(stable - offset) + 1;
            List<AbortedTransaction> between =
                    expected.stream()
                            .filter(each -> each.lastOffset() >= offset && each.firstOffset() < to)
                            .sorted(Comparator.comparing(AbortedTransaction::lastOffset))
                            .toList();
            assertEquals(between, aborted.between(offset, to), offset + " to " + to);
        }
    }

    @SeededTest
    void shouldFindWhatALookAtAllOfThemFinds(long seed) {
        Random random = new Random(seed);
        fill(random);
        compare(random, 0);
        int start = stable() / 3;
        aborted.dropBelow(start);
        compare(random, start);
    }

    @Test
    void shouldFindBatchesBesideManyThatWereAbortedWhileAnotherWasOpen() {
        for (int i = 0; i < 100_000; i++) {
            aborted.add(1 + i % 7, 10 + 2L * i, 11 + 2L * i, 0);
        }
        assertTrue(aborted.contains(1, 10));
        assertFalse(aborted.contains(9, 10));
        assertEquals(1, aborted.between(10, 11).size());
        assertEquals(100_000, aborted.between(0, Long.MAX_VALUE).size());
        assertEquals(0, aborted.between(300_000, 400_000).size());
    }
}
