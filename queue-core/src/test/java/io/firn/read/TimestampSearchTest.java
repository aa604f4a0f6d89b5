package io.firn.read;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.firn.Compression;
import io.firn.IsolationLevel;
import io.firn.PartitionReader.TimestampedOffset;
import io.firn.StoredRecord;
import io.firn.kafka.KafkaBatches;
import io.firn.kafka.SeededTest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class TimestampSearchTest {
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

    @Test
    void shouldFindNothingInAnEmptyLog() throws IOException {
        Sealed empty = Sealed.of(List.of());

        assertNull(search(empty).find(0));
        assertNull(search(empty).findLatest());
    }
}
