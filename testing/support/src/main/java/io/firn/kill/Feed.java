package io.firn.kill;

import io.firn.Durability;
import io.firn.LogRecord;
import io.firn.LogStore;
import io.firn.LogStoreBuilder;
import io.firn.Topic;
import io.firn.TopicOptions;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.zip.CRC32C;

/**
 * What the writer of a run with readers appends. No two records are alike, whoever appended them:
 * another record at an offset that a reader has seen is noticed by its sum.
 */
final class Feed {
    static final List<String> TOPICS = List.of("durable", "written");
    static final int PARTITIONS = 2;
    static final int LANES = TOPICS.size() * PARTITIONS;

    private static final int SEGMENT_BYTES = 128 * 1024;
    private static final long KEPT_BYTES = 4L << 20;
    private static final int MOST_BYTES = 1_000;

    private Feed() {}

    static String topicOf(int lane) {
        return TOPICS.get(lane / PARTITIONS);
    }

    static int partitionOf(int lane) {
        return lane % PARTITIONS;
    }

    /** The store of a run, not open yet. */
    static LogStoreBuilder store(Path directory, Ground ground) {
        LogStoreBuilder builder = LogStore.at(directory.resolve("store"));
        ground.tiers(directory).forEach(builder::tier);
        return builder;
    }

    /** Small segments that are soon deleted, so that blocks are used again while they are read. */
    static Topic create(LogStore store, String topic) {
        TopicOptions options =
                TopicOptions.defaults()
                        .withPartitions(PARTITIONS)
                        .withSegmentBytes(SEGMENT_BYTES)
                        .withMaxRecordBytes(16 * 1024)
                        .withRetentionBytes(KEPT_BYTES);
        return store.ensureTopic(
                topic,
                topic.equals(TOPICS.get(0)) ? options : options.withDurability(Durability.WRITTEN));
    }

    static byte[] value(SplittableRandom random) {
        byte[] value = new byte[16 + random.nextInt(MOST_BYTES)];
        random.nextBytes(value);
        return value;
    }

    /** A sum over a record. */
    static int sumOf(LogRecord record, CRC32C crc) {
        ByteBuffer value = record.value();
        crc.reset();
        crc.update(value.duplicate());
        return (int) crc.getValue();
    }
}
