package io.firn.kill;

import io.firn.Compression;
import io.firn.Durability;
import io.firn.LogStore;
import io.firn.LogStoreBuilder;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.spi.StorageTier;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * One idempotent producer and the partition that it appends to. Parent and child know the same
 * ones.
 *
 * @param id its place in {@link #ALL}
 * @param topic the topic's name
 * @param partition the partition
 * @param exclusive whether it has the partition to itself
 */
record Lane(int id, String topic, int partition, boolean exclusive) {
    static final String DURABLE = "durable";
    static final String WRITTEN = "written";
    static final String SHORT = "short";

    /** Where lanes share a partition, so that others can append after a batch of one. */
    static final int SHARED_BY = 3;

    static final List<Lane> ALL = all();

    /** Whole segments go above this. */
    private static final long SHORT_BYTES = 1L << 20;

    private static List<Lane> all() {
        List<Lane> lanes = new ArrayList<>();
        for (String topic : List.of(DURABLE, WRITTEN)) {
            lanes.add(new Lane(lanes.size(), topic, 0, true));
            for (int i = 0; i < SHARED_BY; i++) {
                lanes.add(new Lane(lanes.size(), topic, 1, false));
            }
        }
        lanes.add(new Lane(lanes.size(), SHORT, 0, true));
        return List.copyOf(lanes);
    }

    boolean isDurable() {
        return !topic.equals(WRITTEN);
    }

    /** Opens the store of the test in a directory. */
    static LogStore open(Path directory, List<StorageTier> tiers) {
        LogStoreBuilder builder = LogStore.at(directory.resolve("store"));
        tiers.forEach(builder::tier);
        return builder.open();
    }

    /** The lane's topic; small segments, so that rolls are frequent. */
    Topic openTopic(LogStore store) {
        TopicOptions options =
                TopicOptions.defaults().withPartitions(2).withSegmentBytes(64 * 1024);
        return store.ensureTopic(
                topic,
                switch (topic) {
                    case WRITTEN -> options.withDurability(Durability.WRITTEN);
                    case SHORT ->
                            options.withPartitions(1)
                                    .withRetentionBytes(SHORT_BYTES)
                                    .withCompression(Compression.GZIP);
                    default -> options.withSegmentBytes(128 * 1024);
                });
    }

    /** The name of its cursor. */
    String cursor() {
        return "cursor of lane " + id;
    }

    @Override
    public String toString() {
        return "lane " + id + " on " + topic + "-" + partition;
    }
}
