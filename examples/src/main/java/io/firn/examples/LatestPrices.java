package io.firn.examples;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.firn.Appender;
import io.firn.Batch;
import io.firn.CleanupPolicy;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.Tailer;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/**
 * The latest value per key: a log of prices that stays as small as the list of instruments, and
 * from which a restart reads the present prices.
 */
public final class LatestPrices {
    private static final String[] INSTRUMENTS = {"AIR", "ICE", "SNOW"};
    private static final int TICKS = 30_000;
    private static final int BATCH = 100;

    private LatestPrices() {}

    public static void main(String[] args) {
        run(Examples.directory(args), System.out);
    }

    static void run(Path dir, PrintStream out) {
        TopicOptions compacted =
                TopicOptions.defaults()
                        .withCleanup(CleanupPolicy.COMPACT)
                        .withSegmentBytes(64 * 1024); // only full segments are compacted
        try (LogStore store = open(dir)) {
            Topic prices = store.ensureTopic("prices", compacted);
            Partition log = prices.partition(0);
            try (Appender appender = log.openAppender()) {
                Batch batch = appender.newBatch();
                for (int tick = 0; tick < TICKS; tick++) {
                    String instrument = INSTRUMENTS[tick % INSTRUMENTS.length];
                    batch.add(bytes(instrument), bytes(Integer.toString(100 + tick)));
                    if (batch.count() == BATCH) {
                        appender.append(batch);
                        batch.clear();
                    }
                }
                appender.append(bytes("AIR"), null); // a tombstone: it is no longer traded
            }
        }
        try (LogStore store = open(dir)) {
            store.compact("prices", 0); // otherwise the store does it in the background
            int[] left = {0};
            Map<String, String> latest = new TreeMap<>();
            try (Tailer tailer = store.openTopic("prices").openTailer()) {
                tailer.forEach(
                        record -> {
                            left[0]++;
                            String instrument = UTF_8.decode(record.key()).toString();
                            if (record.hasValue()) {
                                latest.put(instrument, UTF_8.decode(record.value()).toString());
                            } else {
                                latest.remove(instrument);
                            }
                        },
                        TICKS + 1);
            }
            out.println("Of " + (TICKS + 1) + " records, " + left[0] + " are left.");
            out.println("The latest prices: " + latest);
        }
    }

    private static LogStore open(Path dir) {
        return LogStore.at(dir).tier(FileTier.at(dir.resolve("segments"))).open();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }
}
