package io.firn.api;

import io.firn.Appender;
import io.firn.Compression;
import io.firn.LogStore;
import io.firn.StoredRecord;
import io.firn.TopicOptions;
import io.firn.host.HostedAppender;
import io.firn.kafka.CompactedFiles;
import io.firn.kafka.KafkaBatches;
import io.firn.kafka.RandomRecords;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;

/**
 * A topic of two partitions whose files were rewritten as by compaction: fillers at the start, in
 * the middle and at the end, segments of nothing else, and batches of each codec that have lost
 * some records, also with a delete horizon.
 */
final class CompactedLog {
    static final int PARTITIONS = 2;
    static final int RECORDS = 3_000;
    static final String TOPIC = "t";

    /** One after the other, so that whole segments lose all; the rest loses some. */
    private static final long[][] LOST = {{0, 700}, {1_100, 1_101}, {1_400, 1_900}, {2_600, 3_000}};

    private static final int LARGEST = 800;

    private CompactedLog() {}

    /** Creates it, and returns the records that are left, by partition. */
    static List<List<StoredRecord>> create(Path directory) throws IOException {
        try (LogStore store = Stores.at(directory).open()) {
            TopicOptions options = Stores.small().withPartitions(PARTITIONS);
            var topic = store.createTopic(TOPIC, options);
            for (int partition = 0; partition < PARTITIONS; partition++) {
                try (Appender appender = topic.partition(partition).openExclusiveAppender()) {
                    fill(appender, partition);
                }
            }
        }
        List<List<StoredRecord>> left = new ArrayList<>();
        for (Path each : CompactedFiles.partitionsOf(Stores.tierOf(directory))) {
            left.add(CompactedFiles.rewrite(each, CompactedLog::stays));
        }
        return left;
    }

    private static void fill(Appender appender, int partition) {
        RandomRecords random = new RandomRecords(partition);
        int next = 0;
        while (next < RECORDS) {
            int count = random.random().nextInt(3) == 0 ? 1 + random.random().nextInt(20) : 1;
            int left = RECORDS - next;
            List<StoredRecord> some = random.next(0, 0, Math.min(count, left), LARGEST);
            HostedAppender.of(appender)
                    .appendBatch(KafkaBatches.of(codec(random.random())).encode(some));
            next += some.size();
        }
    }

    private static Compression codec(Random random) {
        Compression[] all = Compression.values();
        return random.nextInt(3) == 0 ? all[random.nextInt(all.length)] : Compression.NONE;
    }

    /** Of the offsets that do not lose all, two of three stay: in the same places for each run. */
    private static boolean stays(StoredRecord record) {
        for (long[] range : LOST) {
            if (record.offset() >= range[0] && record.offset() < range[1]) {
                return false;
            }
        }
        return new Random(record.offset() * 31).nextInt(3) > 0;
    }

    /** Records by offset. */
    static TreeMap<Long, StoredRecord> byOffset(List<StoredRecord> records) {
        TreeMap<Long, StoredRecord> all = new TreeMap<>();
        records.forEach(each -> all.put(each.offset(), each));
        return all;
    }
}
