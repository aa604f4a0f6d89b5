package io.firn.producer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.ProducerFencedException;
import io.firn.format.BatchFormat;
import io.firn.host.OutOfOrderSequenceException;
import io.firn.host.TransactionStateException;
import io.firn.kafka.SeededTest;
import io.firn.log.BatchInfo;
import io.firn.medium.Fields;
import io.firn.medium.FileErrors.DamagedFileException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.record.internal.DefaultRecordBatch;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.storage.internals.log.AppendOrigin;
import org.apache.kafka.storage.internals.log.LogOffsetMetadata;
import org.apache.kafka.storage.internals.log.ProducerAppendInfo;
import org.apache.kafka.storage.internals.log.ProducerStateEntry;
import org.apache.kafka.storage.internals.log.ProducerStateManager;
import org.apache.kafka.storage.internals.log.ProducerStateManagerConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProducersTest {
    private static final long ID = 4_000_000_000L;
    private static final int MAX = Integer.MAX_VALUE;

    /** The batches of the random test begin after this one: the sequences soon wrap. */
    private static final int[] START = {0, MAX - 50, 1};

    private final Producers producers = new Producers();
    private long nextOffset;

    private static BatchInfo batch(long id, int epoch, int sequence, int count) {
        ByteBuffer header = ByteBuffer.allocate(BatchFormat.HEADER_LENGTH);
        header.putLong(BatchFormat.PRODUCER_ID, id);
        header.putShort(BatchFormat.PRODUCER_EPOCH, (short) epoch);
        header.putInt(BatchFormat.BASE_SEQUENCE, sequence);
        header.putInt(BatchFormat.LAST_OFFSET_DELTA, count - 1);
        return new BatchInfo().read(header, 0);
    }

    @Test
    void shouldRefuseABatchWithoutATransactionBetweenThoseOfOne() {
        ByteBuffer header = ByteBuffer.allocate(BatchFormat.HEADER_LENGTH);
        header.putLong(BatchFormat.PRODUCER_ID, ID);
        header.putShort(BatchFormat.ATTRIBUTES, (short) BatchFormat.TRANSACTIONAL_FLAG);
        producers.record(new BatchInfo().read(header, 0), 0, 0);
        TransactionStateException refused =
                assertThrows(
                        TransactionStateException.class, () -> producers.check(batch(ID, 0, 1, 1)));
        assertTrue(refused.getMessage().contains("open transaction"), refused.getMessage());
    }

    @Test
    void shouldStartAnUnknownProducerAtAnySequence() {
        assertEquals(Producers.NEW, producers.check(batch(ID, 3, 77, 5)));
        append(3, 77, 5);

        assertEquals(Producers.NEW, producers.check(batch(ID, 3, 82, 1)));
    }

    @Test
    void shouldForgetThoseThatAppendedOnceBeforeOthersWhenTheStoreHasTooMany() {
        producers.limit(new StoreProducers(100));
        for (int sequence = 0; sequence < 2; sequence++) {
            for (int id = 0; id < 20; id++) {
                producers.record(batch(id, 0, sequence, 1), nextOffset++, 1_000);
            }
        }
        for (int id = 1_000; id < 2_000; id++) {
            producers.record(batch(id, 0, 0, 1), nextOffset++, id);
        }
        assertTrue(producers.size() <= 100, producers.size() + " producers");
        for (int id = 0; id < 20; id++) {
            assertEquals(id, producers.check(batch(id, 0, 0, 1))); // a duplicate
        }
        assertEquals(nextOffset - 1, producers.check(batch(1_999, 0, 0, 1)));
        assertEquals(Producers.NEW, producers.check(batch(1_000, 0, 0, 1))); // unknown again
    }

    @Test
    void shouldForgetSomeAtOnceWhenMoreWereStoredThanTheStoreRemembers() {
        for (int id = 0; id < 1_000; id++) {
            producers.record(batch(id, 0, 0, 1), nextOffset++, id);
        }
        Producers few = new Producers();
        few.record(batch(7, 0, 0, 1), 0, 1_000);
        StoreProducers limit = new StoreProducers(100);
        few.limit(limit);
        producers.limit(limit);
        assertTrue(producers.size() < 100, producers.size() + " producers");
        assertEquals(nextOffset - 1, producers.check(batch(999, 0, 0, 1)));
        assertEquals(1, few.size());
    }

    @Test
    void shouldForgetNobodyInAPartitionThatHasFewerThanOthers() {
        StoreProducers limit = new StoreProducers(100);
        Producers others = new Producers();
        producers.limit(limit);
        others.limit(limit);
        for (int id = 0; id < 30; id++) {
            producers.record(batch(id, 0, 0, 1), nextOffset++, 1_000);
        }
        for (int id = 0; id < 1_000; id++) {
            others.record(batch(id, 0, 0, 1), nextOffset++, 2_000);
        }
        producers.record(batch(30, 0, 0, 1), nextOffset++, 3_000);
        assertEquals(31, producers.size());
        assertTrue(others.size() <= 100, others.size() + " producers");
    }

    @Test
    void shouldFindEachOfTheLastFiveBatchesAgain() {
        for (int i = 0; i < 7; i++) {
            append(0, 10 * i, 10);
        }

        for (int i = 2; i < 7; i++) {
            assertEquals(10L * i, producers.check(batch(ID, 0, 10 * i, 10)));
        }
        assertOutOfOrder(70, 10, 10);
        assertOutOfOrder(70, 0, 10);
    }

    @Test
    void shouldTakeNoOtherBatchForADuplicate() {
        append(0, 0, 10);

        assertOutOfOrder(10, 0, 9);
        assertOutOfOrder(10, 0, 11);
        assertOutOfOrder(10, 1, 9);
        assertOutOfOrder(10, 9, 1);
    }

    @Test
    void shouldRefuseAGapAndNameBothSequences() {
        append(0, 0, 10);
        OutOfOrderSequenceException e =
                assertThrows(
                        OutOfOrderSequenceException.class,
                        () -> producers.check(batch(ID, 0, 12, 1)));

        assertEquals(10, e.expectedSequence());
        assertEquals(12, e.foundSequence());
        String message = e.getMessage();
        assertTrue(message.contains("producer " + ID), message);
        assertTrue(message.contains("expected sequence 10, found 12"), message);
    }

    @Test
    void shouldContinueAtZeroAfterTheLargestSequence() {
        append(0, MAX - 9, 10);
        assertEquals(Producers.NEW, producers.check(batch(ID, 0, 0, 1)));
        append(0, 0, 1);

        assertEquals(0, producers.check(batch(ID, 0, MAX - 9, 10)));
        assertOutOfOrder(1, MAX, 1);
    }

    @Test
    void shouldWrapInTheMiddleOfABatch() {
        append(0, MAX - 4, 10);
        assertEquals(0, producers.check(batch(ID, 0, MAX - 4, 10)));
        assertEquals(Producers.NEW, producers.check(batch(ID, 0, 5, 1)));
        assertOutOfOrder(5, 0, 1);
        assertOutOfOrder(5, 4, 1);
    }

    @Test
    void shouldShutOutAnOlderEpoch() {
        append(5, 0, 1);
        String message =
                assertThrows(
                                ProducerFencedException.class,
                                () -> producers.check(batch(ID, 4, 1, 1)))
                        .getMessage();

        assertTrue(message.contains("producer " + ID), message);
        assertTrue(message.contains("epoch 4 is older than 5"), message);
    }

    @Test
    void shouldStartANewerEpochAtZeroOnly() {
        append(5, 0, 10);
        assertThrows(OutOfOrderSequenceException.class, () -> producers.check(batch(ID, 6, 10, 1)));
        assertEquals(Producers.NEW, producers.check(batch(ID, 6, 0, 10)));
        append(6, 0, 10);

        assertEquals(
                10, producers.check(batch(ID, 6, 0, 10)), "the older epoch's batch is another one");
        assertThrows(ProducerFencedException.class, () -> producers.check(batch(ID, 5, 10, 1)));
    }

    @Test
    void shouldKeepProducersApart() {
        append(0, 0, 10);
        assertEquals(Producers.NEW, producers.check(batch(ID + 1, 0, 0, 10)));
        producers.record(batch(ID + 1, 0, 0, 10), 10, 0);

        assertEquals(0, producers.check(batch(ID, 0, 0, 10)));
        assertEquals(10, producers.check(batch(ID + 1, 0, 0, 10)));
        assertEquals(2, producers.size());
    }

    @Test
    void shouldForgetWhatWasNotSeenSince() {
        for (int id = 0; id < 1_000; id++) {
            producers.record(batch(id, 0, 0, 1), id, id % 10);
        }
        producers.expire(7, 0);

        assertEquals(300, producers.size());
        for (int id = 0; id < 1_000; id++) {
            long expected = id % 10 < 7 ? Producers.NEW : id;
            assertEquals(expected, producers.check(batch(id, 0, 0, 1)), "producer " + id);
        }
    }

    @Test
    void shouldForgetWhatWasSeenWhileTheClockWasAhead() {
        producers.record(batch(ID, 0, 0, 1), 0, 1_000_000);
        producers.expire(100, 5);
        assertEquals(1, producers.size());
        producers.expire(105, 5);
        assertEquals(1, producers.size(), "it counts as seen at 100");
        producers.expire(106, 5);
        assertEquals(0, producers.size());
    }

    @Test
    void shouldForgetNobodyBecauseTheClockWasBehindForAWhile() {
        producers.record(batch(ID, 0, 0, 1), 0, 1_000_000);
        producers.expire(100, 5);
        producers.expire(1_000_002, 5);
        assertEquals(1, producers.size(), "it was seen 2 ms ago");
        producers.expire(1_000_006, 5);
        assertEquals(0, producers.size());
    }

    @Test
    void shouldComeBackFromASnapshotAsItWas() throws DamagedFileException {
        for (int i = 0; i < 7; i++) {
            append(2, (MAX - 30 + 10 * i) & MAX, 10);
        }
        producers.record(batch(7, 0, 3, 1), 70, 5_000);
        Producers restored = new Producers();

        assertEquals(71, restored.restore(fields(producers.snapshot(() -> 71)), List.of()));
        assertEquals(2, restored.size());
        for (int i = 2; i < 7; i++) {
            assertEquals(10L * i, restored.check(batch(ID, 2, (MAX - 30 + 10 * i) & MAX, 10)));
        }
        assertThrows(
                OutOfOrderSequenceException.class,
                () -> restored.check(batch(ID, 2, MAX - 30, 10)));
        assertThrows(ProducerFencedException.class, () -> restored.check(batch(ID, 1, 0, 1)));
        assertEquals(70, restored.check(batch(7, 0, 3, 1)));
        assertEquals(restored.snapshot(() -> 71), producers.snapshot(() -> 71));
        restored.expire(5_000, 0);
        assertEquals(1, restored.size(), "when it was last seen comes back too");
    }

    @Test
    void shouldNotTakeABatchInTwice() {
        append(0, 0, 10);
        append(0, 10, 10);
        Map<String, String> before = producers.snapshot(() -> 20);
        producers.record(batch(ID, 0, 0, 10), 0, 0);
        producers.record(batch(ID, 0, 10, 10), 10, 0);

        assertEquals(before, producers.snapshot(() -> 20));
    }

    private static Fields fields(Map<String, String> snapshot) {
        return Fields.of(Path.of("producers-0"), snapshot);
    }

    @Test
    void shouldRefuseWhatIsNoSnapshot() {
        assertThrows(
                DamagedFileException.class, () -> producers.restore(fields(Map.of()), List.of()));
        for (String text : new String[] {"", "0", "0 1", "0 1 2 3", "0 1 2 3 4 5", "a b c d e"}) {
            Fields snapshot = fields(Map.of("nextOffset", "1", "7", text));
            assertThrows(
                    DamagedFileException.class, () -> producers.restore(snapshot, List.of()), text);
        }
    }

    @Test
    void shouldCountChanges() {
        long before = producers.changes();
        append(0, 0, 1);
        assertTrue(producers.changes() > before);
        assertEquals(producers.changes(), producers.changes());
    }

    /** Every decision is the one that Kafka's broker takes. */
    @SeededTest
    void shouldDecideAsKafkaDoes(long seed, @TempDir Path directory) throws IOException {
        KafkasProducers kafka = new KafkasProducers(directory);
        Random random = new Random(seed);
        Map<Long, List<int[]>> taken = new HashMap<>();
        Map<String, Integer> seen = new TreeMap<>();
        for (int i = 0; i < 10_000; i++) {
            long id = random.nextInt(10);
            List<int[]> batches =
                    taken.computeIfAbsent(id, x -> new ArrayList<>(List.of(START.clone())));
            int[] batch = next(random, batches);
            String expected = kafka.append(id, batch[0], batch[1], batch[2], nextOffset);
            String found = append(id, batch[0], batch[1], batch[2]);

            assertEquals(expected, found, "batch " + i);
            seen.merge(found.replaceAll("\\d+", "N"), 1, Integer::sum);
            if (found.equals("new")) {
                batches.add(batch);
            }
        }
        assertEquals(Set.of("new", "duplicate of N", "out of order", "fenced"), seen.keySet());
    }

    /** Epoch, sequence and count of what may come: the next batch, an old one, or nonsense. */
    private static int[] next(Random random, List<int[]> batches) {
        int[] last = batches.get(batches.size() - 1);
        int count = 1 + random.nextInt(5);
        int sequence = (last[1] + last[2]) & MAX;
        return switch (random.nextInt(20)) {
            case 0, 1, 2 -> batches.get(Math.max(0, batches.size() - 1 - random.nextInt(8)));
            case 3 -> new int[] {last[0], (sequence + random.nextInt(9) - 4) & MAX, count};
            case 4 -> new int[] {last[0] + random.nextInt(3), 0, count};
            case 5 -> new int[] {Math.max(0, last[0] - random.nextInt(2)), sequence, count};
            case 6 -> new int[] {last[0] + 1, sequence, count};
            default -> new int[] {last[0], sequence, count};
        };
    }

    private String append(long id, int epoch, int sequence, int count) {
        try {
            long duplicate = producers.check(batch(id, epoch, sequence, count));
            if (duplicate != Producers.NEW) {
                return "duplicate of " + duplicate;
            }
        } catch (OutOfOrderSequenceException e) {
            return "out of order";
        } catch (ProducerFencedException e) {
            return "fenced";
        }
        producers.record(batch(id, epoch, sequence, count), nextOffset, 0);
        nextOffset += count;
        return "new";
    }

    private void append(int epoch, int sequence, int count) {
        assertEquals("new", append(ID, epoch, sequence, count));
    }

    private void assertOutOfOrder(int expected, int sequence, int count) {
        OutOfOrderSequenceException e =
                assertThrows(
                        OutOfOrderSequenceException.class,
                        () -> producers.check(batch(ID, 0, sequence, count)));
        assertEquals(expected, e.expectedSequence());
        assertEquals(sequence, e.foundSequence());
    }

    /** The broker's own state of a partition's producers. */
    private static final class KafkasProducers {
        private final ProducerStateManager manager;

        KafkasProducers(Path directory) throws IOException {
            manager =
                    new ProducerStateManager(
                            new TopicPartition("t", 0),
                            directory.toFile(),
                            1_000,
                            new ProducerStateManagerConfig(MAX, false),
                            Time.SYSTEM);
        }

        String append(long id, int epoch, int sequence, int count, long offset) {
            int lastSequence = DefaultRecordBatch.incrementSequence(sequence, count - 1);
            Optional<Long> duplicate = duplicate(id, epoch, sequence, lastSequence);
            if (duplicate.isPresent()) {
                return "duplicate of " + duplicate.get();
            }
            ProducerAppendInfo info = manager.prepareUpdate(id, AppendOrigin.CLIENT);
            try {
                info.appendDataBatch(
                        (short) epoch,
                        sequence,
                        lastSequence,
                        0,
                        new LogOffsetMetadata(offset),
                        offset + count - 1,
                        false);
            } catch (org.apache.kafka.common.errors.OutOfOrderSequenceException e) {
                return "out of order";
            } catch (InvalidProducerEpochException e) {
                return "fenced";
            }
            manager.update(info);
            return "new";
        }

        private Optional<Long> duplicate(long id, int epoch, int first, int last) {
            Optional<ProducerStateEntry> entry = manager.lastEntry(id);
            if (entry.isEmpty() || entry.get().producerEpoch() != epoch) {
                return Optional.empty();
            }
            return entry.get().batchMetadata().stream()
                    .filter(batch -> batch.firstSeq() == first && batch.lastSeq() == last)
                    .map(batch -> batch.firstOffset())
                    .findFirst();
        }
    }
}
