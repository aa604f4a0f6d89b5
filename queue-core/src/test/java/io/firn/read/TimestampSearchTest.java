package io.firn.read;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Compression;
import io.firn.IsolationLevel;
import io.firn.PartitionReader.TimestampedOffset;
import io.firn.StoredRecord;
import io.firn.kafka.KafkaBatches;
import io.firn.kafka.SeededTest;
import io.firn.spi.Block.Sidecar;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class TimestampSearchTest {
    private static final int COUNT = 40;
    private static final long LATEST = 1_400;

    private static TimestampSearch search(Sealed sealed) {
        return new TimestampSearch(sealed.log, IsolationLevel.READ_COMMITTED);
    }

    @SeededTest
    void shouldFindWhatAScanOfAllRecordsFinds(long seed) throws IOException {
        Random random = new Random(seed);
        Compression[] codecs = Compression.values();
        List<StoredRecord> all = new ArrayList<>();
        List<ByteBuffer> batches = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            List<StoredRecord> records = new ArrayList<>();
            for (int k = random.nextInt(4); k >= 0; k--) {
                long time = 1_000L + i * 10L + random.nextInt(40);
                long offset = (long) all.size() + records.size();
                records.add(new StoredRecord(0, offset, time, null, new byte[100], List.of()));
            }
            all.addAll(records);
            batches.add(KafkaBatches.of(codecs[random.nextInt(codecs.length)]).encode(records));
        }
        Sealed sealed = Sealed.of(batches);

        for (long time = 990; time < 2_050; time += 3) {
            assertEquals(first(all, time), search(sealed).find(time));
        }
        long latest = all.stream().mapToLong(StoredRecord::timestamp).max().orElseThrow();
        assertEquals(first(all, latest), search(sealed).findLatest());
    }

    private static TimestampedOffset first(List<StoredRecord> all, long time) {
        return all.stream()
                .filter(record -> record.timestamp() >= time)
                .findFirst()
                .map(record -> new FoundTimestamp(record.offset(), record.timestamp()))
                .orElse(null);
    }

    /**
     * One record a batch, eight batches to an entry of the index. The first of them is late, and
     * the next one is later: a search that begins behind that one misses it.
     */
    private static List<StoredRecord> outOfOrder() {
        List<StoredRecord> records = new ArrayList<>();
        for (int i = 0; i < COUNT; i++) {
            long time = 1_000 + 10L * i + (i % 8 == 0 ? 60 : i % 8 == 1 ? 70 : 0);
            records.add(new StoredRecord(0, i, time, null, new byte[470], List.of()));
        }
        return records;
    }

    private static List<ByteBuffer> batches(List<StoredRecord> records) {
        return records.stream()
                .map(each -> KafkaBatches.of(Compression.NONE).encode(List.of(each)))
                .toList();
    }

    @Test
    void shouldFindEveryTimestampWhicheverBitOfTheTimeIndexIsWrong() throws IOException {
        List<StoredRecord> all = outOfOrder();
        Sealed sealed = Sealed.of(batches(all));
        byte[] times = sealed.segment.block().readSidecar(Sidecar.TIMEINDEX);
        assertTrue(times.length >= 4 * Sidecar.TIMEINDEX.entryBytes());

        for (int bit = 0; bit < 8 * times.length; bit++) {
            byte[] wrong = times.clone();
            wrong[bit / 8] ^= (byte) (1 << bit % 8);
            assertFinds(sealed, wrong, all);
        }
        for (int length = 0; length < times.length; length += Sidecar.TIMEINDEX.entryBytes()) {
            assertFinds(sealed, Arrays.copyOf(times, length), all);
        }
    }

    private static void assertFinds(Sealed sealed, byte[] times, List<StoredRecord> all)
            throws IOException {
        for (StoredRecord each : all) {
            for (long time = each.timestamp() - 1; time <= each.timestamp() + 1; time++) {
                sealed.segment.block().rewriteSidecar(Sidecar.TIMEINDEX, times);
                sealed.segment.index(null);
                assertEquals(first(all, time), search(sealed).find(time));
            }
        }
    }

    @Test
    void shouldReadNoSegmentThatEndsBeforeTheTimestamp() throws IOException {
        List<StoredRecord> all = outOfOrder();
        Sealed sealed = Sealed.of(batches(all), 1_470);

        assertNull(search(sealed).find(1_471));
        assertFalse(sealed.segment.hasView());
        assertEquals(first(all, 1_400), search(sealed).find(1_400));
        assertTrue(sealed.segment.hasView());
    }

    @Test
    void shouldFindTheLatestWhereTheMarkHasAnUpperLimit() throws IOException {
        List<StoredRecord> all = outOfOrder();
        Sealed sealed = Sealed.of(batches(all), 5_000); // as after a truncation

        assertEquals(first(all, LATEST), search(sealed).findLatest());
    }

    @Test
    void shouldFindNothingInAnEmptyLog() throws IOException {
        Sealed empty = Sealed.of(List.of());

        assertNull(search(empty).find(0));
        assertNull(search(empty).findLatest());
    }
}
