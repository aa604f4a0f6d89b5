package io.firn.shadow;

import io.firn.Durability;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.Tailer;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * Copies twice as much as there is room for on a small disk; room is made each time that it is
 * full. For {@link FullDiskTest}; the last line that it prints says that all was as it should be.
 */
final class FullDiskChild {
    static final String DONE = "nothing lost, nothing doubled";
    private static final int RECORDS = 10_000;
    private static final int VALUE_BYTES = 8_000;
    private static final String TOPIC = "orders";

    private final Path disk;
    private final InProcessSource source;
    private final List<ShadowEvent> events = new ArrayList<>();

    private FullDiskChild(Path directory) throws IOException {
        this.disk = directory.resolve("disk");
        this.source = new InProcessSource(directory.resolve("source"));
    }

    public static void main(String[] arguments) throws Exception {
        FullDiskChild run = new FullDiskChild(Path.of(arguments[0]));
        run.fillSource();
        run.copy();
        run.source.close();
        System.out.println(DONE);
        System.exit(0);
    }

    private static String value(long number) {
        byte[] random = new byte[VALUE_BYTES];
        new Random(number).nextBytes(random);
        for (int i = 0; i < random.length; i++) {
            random[i] = (byte) ('a' + (random[i] & 15));
        }
        return number + new String(random, StandardCharsets.US_ASCII);
    }

    private void fillSource() throws Exception {
        source.create(TOPIC, 1, Map.of());
        try (KafkaProducer<String, String> producer = source.producer(Map.of())) {
            for (int i = 0; i < RECORDS; i++) {
                var unused = producer.send(new ProducerRecord<>(TOPIC, 0, "k", value(i)));
            }
        }
    }

    private LogStore open() {
        return LogStore.at(disk.resolve("store"))
                .tier(FileTier.at(disk.resolve("segments")))
                .open();
    }

    private void copy() throws Exception {
        int fills = 0;
        long checked = 0;
        try (LogStore store = open()) {
            Shadow.Builder builder = Shadow.of(store, source.properties()).topics(TOPIC);
            TopicOptions options =
                    Shadow.defaultTopicOptions()
                            .withDurability(Durability.WRITTEN)
                            .withSegmentBytes(4 << 20);
            try (Shadow shadow = builder.topicOptions(options).listener(events::add).start()) {
                while (true) {
                    Shadows.await(() -> isCaughtUp(shadow) || isFull(shadow), shadow);
                    Partition partition = store.openTopic(TOPIC).partition(0);
                    long next = partition.nextOffset();
                    check(partition, checked, next);
                    checked = next;
                    if (isCaughtUp(shadow)) {
                        break;
                    }
                    fills++;
                    System.out.println("full at " + next + ": " + status(shadow));
                    require(next > 1000, "it was full at once");
                    long start = partition.logStartOffset();
                    partition.force();
                    partition.deleteRecordsBefore(start + (next - start) / 2);
                    Shadows.await(() -> status(shadow).nextOffset() > next, shadow);
                }
                require(status(shadow).lastError() == null, "still: " + status(shadow));
            }
        }
        require(fills > 1, "the disk was full " + fills + " times");
        require(events.isEmpty(), "events: " + events);
        try (LogStore store = open()) {
            Partition partition = store.openTopic(TOPIC).partition(0);
            require(partition.nextOffset() == RECORDS, "it ends at " + partition.nextOffset());
            require(partition.damage().isEmpty(), "damage: " + partition.damage());
            require(store.findings().isEmpty(), "findings: " + store.findings());
            check(partition, partition.logStartOffset(), RECORDS);
        }
        require(Files.exists(disk.resolve("segments")), "it was on another disk");
    }

    private static PartitionStatus status(Shadow shadow) {
        return shadow.snapshot().partitions().get(0);
    }

    private static boolean isCaughtUp(Shadow shadow) {
        return !shadow.snapshot().partitions().isEmpty()
                && status(shadow).nextOffset() == RECORDS
                && shadow.snapshot().isCaughtUp();
    }

    private static boolean isFull(Shadow shadow) {
        if (shadow.snapshot().partitions().isEmpty()) {
            return false;
        }
        PartitionStatus now = status(shadow);
        return now.state() == FollowState.RETRYING
                && now.lastError() != null
                && now.lastError().contains("no tier");
    }

    private static void check(Partition partition, long from, long to) {
        try (Tailer tailer = partition.openTailer()) {
            tailer.seek(from);
            long[] next = {from};
            while (next[0] < to) {
                int taken =
                        tailer.forEach(
                                record -> {
                                    byte[] bytes = new byte[record.value().remaining()];
                                    record.value().get(bytes);
                                    String found = new String(bytes, StandardCharsets.US_ASCII);
                                    boolean isRight =
                                            record.offset() == next[0]
                                                    && found.equals(value(next[0]));
                                    require(isRight, "another record at " + next[0]);
                                    next[0]++;
                                },
                                (int) Math.min(100, to - next[0]));
                require(taken > 0, "no record at " + next[0]);
            }
        }
    }

    private static void require(boolean condition, String what) {
        if (!condition) {
            throw new AssertionError(what);
        }
    }
}
