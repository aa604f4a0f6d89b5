package io.firn.store;

import io.firn.TopicOptions;
import java.util.Objects;

/** The options of a topic that never change. */
final class FixedOptions {
    private FixedOptions() {}

    /**
     * Returns requested options with what they leave open as the topic has it: no class stands for
     * any, and a topic may have more partitions than it was created with.
     */
    static TopicOptions complete(TopicOptions requested, TopicOptions has) {
        TopicOptions complete = Objects.requireNonNull(requested, "options");
        if (complete.minimumClass() == null) {
            complete = complete.withMinimumClass(has.minimumClass());
        }
        return complete.withPartitions(Math.max(complete.partitions(), has.partitions()));
    }

    /** Returns requested options, but those that never change as the topic has them. */
    static TopicOptions of(TopicOptions has, TopicOptions requested) {
        return requested
                .withPartitions(has.partitions())
                .withDurability(has.durability())
                .withSegmentBytes(has.segmentBytes())
                .withMaxRecordBytes(has.maxRecordBytes())
                .withMinimumClass(has.minimumClass())
                .withTiers(has.tiers().toArray(String[]::new))
                .withReplicated(has.isReplicated());
    }
}
