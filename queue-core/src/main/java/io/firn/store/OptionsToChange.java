package io.firn.store;

import io.firn.InvalidOptionException;
import io.firn.TopicOptions;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * What a request makes of a topic's options: those that the request sets are as requested, and the
 * rest stay. A topic that has more partitions than requested keeps them.
 */
record OptionsToChange(TopicOptions has, TopicOptions wanted) {

    static OptionsToChange of(String topic, TopicOptions has, TopicOptions requested) {
        Objects.requireNonNull(requested, "options");
        TopicOptions complete;
        try {
            complete = requested.completedBy(has);
        } catch (InvalidOptionException e) {
            throw new InvalidOptionException("topic " + topic + ": " + e.getMessage());
        }
        int partitions = Math.max(complete.partitions(), has.partitions());
        return new OptionsToChange(has, complete.withPartitions(partitions));
    }

    /** What would change. */
    List<TopicOptions.Change> changes() {
        return has.changesTo(wanted);
    }

    /** What would have to change and never does; empty when all of it can. */
    String impossible() {
        return described(never(wanted, has));
    }

    /** The same, where partitions are not added either. */
    String impossibleWithoutGrowing() {
        return described(never(wanted, has).withPartitions(has.partitions()));
    }

    /** Returns options, but those that never change as the topic has them. */
    private static TopicOptions never(TopicOptions wanted, TopicOptions has) {
        // What only follows from another size of segments was not requested.
        boolean follows =
                wanted.segmentBytes() != has.segmentBytes()
                        && wanted.maxRecordBytes() == wanted.segmentBytes() - 1;
        return wanted.withDurability(has.durability())
                .withSegmentBytes(has.segmentBytes())
                .withMaxRecordBytes(follows ? wanted.maxRecordBytes() : has.maxRecordBytes())
                .withMinimumClass(has.minimumClass())
                .withTiers(has.tiers())
                .withReplicated(has.isReplicated());
    }

    private String described(TopicOptions kept) {
        return kept.changesTo(wanted).stream()
                .map(TopicOptions.Change::toString)
                .collect(Collectors.joining("; "));
    }
}
