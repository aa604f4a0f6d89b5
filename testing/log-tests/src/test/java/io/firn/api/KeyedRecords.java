package io.firn.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.Compression;
import io.firn.PartitionReader;
import io.firn.StoredRecord;
import io.firn.Tailer;
import io.firn.host.HostedAppender;
import io.firn.kafka.KafkaBatches;
import io.firn.kafka.SameRecords;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/** Appends records with keys, and knows what compaction must leave of them. */
final class KeyedRecords {
    private static final Compression[] CODECS = Compression.values();

    private final Random random;
    private final int keyCount;
    private final int tombstonePercent;

    /** All records that were appended, by offset. */
    private final TreeMap<Long, StoredRecord> all = new TreeMap<>();

    /** The offset of each key's last record. */
    private final Map<String, Long> latest = new HashMap<>();

    KeyedRecords(long seed, int keyCount, int tombstonePercent) {
        this.random = new Random(seed);
        this.keyCount = keyCount;
        this.tombstonePercent = tombstonePercent;
    }

    /** Appends at least so many records, by themselves, in batches, and in batches of clients. */
    void append(Appender appender, int count, long timeMs) {
        for (int done = 0; done < count; ) {
            List<StoredRecord> records = new ArrayList<>();
            int n = 1 + random.nextInt(20);
            for (int i = 0; i < n; i++) {
                records.add(record(timeMs + random.nextInt(1000)));
            }
            ByteBuffer batch =
                    KafkaBatches.of(CODECS[random.nextInt(CODECS.length)]).encode(records);
            long first = HostedAppender.of(appender).appendBatch(batch);
            for (StoredRecord each : records) {
                note(first++, each);
            }
            done += n;
        }
    }

    private StoredRecord record(long timeMs) {
        String key = "key-" + random.nextInt(keyCount);
        byte[] value = null;
        if (random.nextInt(100) >= tombstonePercent) {
            value = new byte[random.nextInt(400)];
            random.nextBytes(value);
        }
        return new StoredRecord(0, 0, timeMs, Stores.bytes(key), value, List.of());
    }

    private void note(long offset, StoredRecord r) {
        all.put(
                offset,
                new StoredRecord(0, offset, r.timestamp(), r.key(), r.value(), r.headers()));
        latest.put(Stores.text(r.key()), offset);
    }

    /** Checks that each is what was appended at its offset. */
    void assertAppended(List<StoredRecord> read) {
        for (StoredRecord each : read) {
            assertEquals(SameRecords.describe(all.get(each.offset())), SameRecords.describe(each));
        }
    }

    /** Those of some offsets whose records are the last ones of their keys. */
    List<Long> areLatest(List<Long> offsets) {
        return offsets.stream().filter(latest.values()::contains).toList();
    }

    /** Forgets records that were deleted. */
    void forget(long below) {
        all.headMap(below).clear();
        latest.values().removeIf(offset -> offset < below);
    }

    /**
     * Reads everything, and compares it with what must be there.
     *
     * @param compactedTo no record below it may have a later one of its key below it
     * @param mayLackTombstones whether tombstones may be gone
     * @return the offsets of the tombstones that were read
     */
    List<Long> assertLeft(PartitionReader partition, long compactedTo, boolean mayLackTombstones) {
        List<StoredRecord> read;
        try (Tailer tailer = partition.openTailer()) {
            tailer.seek(partition.logStartOffset());
            read = Stores.readAll(tailer);
            assertEquals(partition.visibleOffset(), tailer.offset(0));
        }
        Map<String, StoredRecord> seen = new HashMap<>();
        Map<String, Long> seenBelow = new HashMap<>();
        long before = -1;
        List<Long> tombstones = new ArrayList<>();
        for (StoredRecord each : read) {
            assertTrue(each.offset() > before, "offsets ascend");
            before = each.offset();
            StoredRecord appended = all.get(each.offset());
            assertNotNull(appended, "offset " + each.offset() + " was never appended");
            assertEquals(SameRecords.describe(appended), SameRecords.describe(each));
            String key = Stores.text(each.key());
            seen.put(key, each);
            if (each.value() == null) {
                tombstones.add(each.offset());
            }
            if (each.offset() < compactedTo) {
                Long earlier = seenBelow.put(key, each.offset());
                assertEquals(null, earlier, key + " is there twice below " + compactedTo);
            }
        }
        latest.forEach(
                (key, offset) -> {
                    boolean isTombstone = all.get(offset).value() == null;
                    StoredRecord last = seen.get(key);
                    if (!isTombstone || !mayLackTombstones) {
                        assertNotNull(last, key + " is gone");
                    }
                    if (last != null) {
                        assertEquals(offset, last.offset(), key + " has come back");
                    }
                });
        return tombstones;
    }
}
