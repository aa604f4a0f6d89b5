package io.firn.store;

import io.firn.InvalidOptionException;
import io.firn.TopicOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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
        return differences(has, wanted);
    }

    /** What would have to change and never does; empty when all of it can. */
    String impossible() {
        return described(differences(never(wanted, has), wanted));
    }

    /** The same, where partitions are not added either. */
    String impossibleWithoutGrowing() {
        return described(differences(never(wanted, has).withPartitions(has.partitions()), wanted));
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

    private static List<TopicOptions.Change> differences(TopicOptions before, TopicOptions after) {
        Map<String, Object> values = after.toMap();
        List<TopicOptions.Change> differences = new ArrayList<>();
        before.toMap()
                .forEach(
                        (option, value) -> {
                            if (!Objects.equals(value, values.get(option))) {
                                differences.add(
                                        new TopicOptions.Change(option, value, values.get(option)));
                            }
                        });
        return differences;
    }

    private static String described(List<TopicOptions.Change> differences) {
        return differences.stream()
                .map(
                        each ->
                                each.option()
                                        + " is "
                                        + each.before()
                                        + ", requested was "
                                        + each.after())
                .collect(Collectors.joining("; "));
    }
}
