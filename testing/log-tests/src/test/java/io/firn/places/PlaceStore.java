package io.firn.places;

import io.firn.Appender;
import io.firn.Batch;
import io.firn.CleanupPolicy;
import io.firn.Compression;
import io.firn.LogRecord;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.PartitionReader.CompactionResult;
import io.firn.RecordHandler.Action;
import io.firn.Tailer;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;

/** A store in a place, and what the program does with it. */
final class PlaceStore implements AutoCloseable {
    static final String PLAIN = "plain";
    private static final String KEYED = "keyed";
    private static final String AGED = "aged";
    private static final String DOOMED = "doomed";

    private static final int SEGMENT_BYTES = 64 * 1024;
    static final int PLAIN_BYTES = 9_000;
    private static final int KEYED_BYTES = 700;
    private static final int KEYS = 7;
    private static final int PREPARED = 40;
    private static final int MORE = 20;

    private final LogStore store;
    private final Compression codec;
    private final Acknowledged acknowledged;

    PlaceStore(Path directory, Compression codec, Acknowledged acknowledged) {
        this.codec = codec;
        this.acknowledged = acknowledged;
        this.store =
                LogStore.at(directory.resolve("store"))
                        .tier(FileTier.at(directory.resolve("segments")))
                        .open();
    }

    /** Makes the topics, with several segments in each. */
    String prepare() {
        TopicOptions small = TopicOptions.defaults().withSegmentBytes(SEGMENT_BYTES);
        store.ensureTopic(PLAIN, small);
        store.ensureTopic(DOOMED, small);
        store.ensureTopic(AGED, small.withRetentionAge(Duration.ofSeconds(1)));
        store.ensureTopic(
                KEYED,
                small.withCompression(codec)
                        .withCleanup(CleanupPolicy.COMPACT)
                        .withMinDirtyRatio(1)
                        .withMinCompactionLag(Duration.ofMillis(1)));
        for (String topic : new String[] {PLAIN, DOOMED, AGED}) {
            appendPlain(topic, PREPARED);
        }
        appendKeyed(4 * PREPARED);
        return "";
    }

    private Partition partition(String topic) {
        return store.openTopic(topic).partition(0);
    }

    String append() {
        return appendPlain(PLAIN, MORE);
    }

    private String appendPlain(String topic, int records) {
        Partition partition = partition(topic);
        try (Appender appender = partition.openAppender()) {
            for (int i = 0; i < records; i++) {
                long offset = partition.nextOffset();
                appender.append(value(offset, PLAIN_BYTES));
                acknowledged.upTo(topic, offset + 1);
            }
        }
        return "done";
    }

    String appendKeyed() {
        return appendKeyed(PREPARED);
    }

    private String appendKeyed(int batches) {
        Partition partition = partition(KEYED);
        try (Appender appender = partition.openAppender()) {
            Batch batch = appender.newBatch();
            for (int i = 0; i < batches; i++) {
                long offset = partition.nextOffset();
                batch.clear();
                for (int j = 0; j < 4; j++) {
                    batch.add(key(offset + j), value(offset + j, KEYED_BYTES));
                }
                appender.append(batch);
                acknowledged.upTo(KEYED, offset + 4);
            }
        }
        return "done";
    }

    private static byte[] key(long offset) {
        return ("key-" + offset % KEYS).getBytes(StandardCharsets.UTF_8);
    }

    /** Does not compress to next to nothing: half of it is different at each offset. */
    private static byte[] value(long offset, int length) {
        byte[] value = new byte[length];
        Arrays.fill(value, (byte) (offset * 31 + 7));
        long next = offset;
        for (int i = 0; i < length / 2; i++) {
            next = next * 6364136223846793005L + 1442695040888963407L;
            value[i] = (byte) (next >>> 56);
        }
        return value;
    }

    /** Reads all records and compares them with what was appended. */
    String read() {
        return readAll(PLAIN, PLAIN_BYTES) + " records";
    }

    String readKeyed() {
        return readAll(KEYED, KEYED_BYTES) + " records";
    }

    private long readAll(String topic, int length) {
        Partition partition = partition(topic);
        long[] seen = {0, partition.logStartOffset()};
        boolean hasHoles = topic.equals(KEYED);
        try (Tailer tailer = partition.openTailer()) {
            int taken;
            do {
                taken =
                        tailer.poll(
                                record -> {
                                    check(record, length, hasHoles ? -1 : seen[1]);
                                    seen[0]++;
                                    seen[1] = record.offset() + 1;
                                    return Action.CONTINUE;
                                },
                                100);
            } while (taken > 0);
        }
        if (seen[1] < acknowledged.of(topic)) {
            throw new AssertionError(
                    topic
                            + " ends at "
                            + seen[1]
                            + ", acknowledged were "
                            + acknowledged.of(topic));
        }
        return seen[0];
    }

    /** The offset −1 stands for any. */
    static void check(LogRecord record, int length, long expected) {
        ByteBuffer value = record.value();
        if ((expected >= 0 && record.offset() != expected)
                || !value.equals(ByteBuffer.wrap(value(record.offset(), length)))) {
            throw new AssertionError(record + " is not what was appended at offset " + expected);
        }
    }

    long end() {
        return partition(PLAIN).nextOffset();
    }

    String compact() {
        CompactionResult result = store.compact(KEYED, 0);
        int skipped = result.skipped().size();
        return skipped == 0 ? "done" : "leaves " + skipped + " segments";
    }

    /** Deletes all sealed segments but one, and waits until their files are gone. */
    String delete() throws InterruptedException {
        Partition partition = partition(PLAIN);
        long before = partition.durableOffset() - 8;
        partition.deleteRecordsBefore(before);
        while (partition.metrics().segments() > 3) {
            Thread.sleep(10);
        }
        return "done";
    }

    String deleteTopic() {
        if (store.hasTopic(DOOMED)) {
            store.deleteTopic(DOOMED);
        }
        return "done";
    }

    /** Waits until retention by age has deleted something that was sealed before. */
    String expire() throws InterruptedException {
        Partition partition = partition(AGED);
        while (partition.logStartOffset() == 0) {
            Thread.sleep(10);
        }
        return "done";
    }

    String findings() {
        return store.findings().isEmpty() ? "none" : String.valueOf(store.findings().size());
    }

    @Override
    public void close() {
        store.close();
    }
}
