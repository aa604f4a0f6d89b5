package io.firn.management.console;

import io.firn.PartitionReader.PartitionMetrics;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The topics, with sums over their partitions. */
final class TopicList {
    private static final int PAGE = 50;
    private static final Map<String, Comparator<Row>> ORDERS =
            Map.of(
                    "name", Comparator.comparing(Row::name),
                    "partitions", Comparator.comparing(Row::partitions).reversed(),
                    "offsets", Comparator.comparing(Row::offsets).reversed(),
                    "bytes", Comparator.comparing(Row::bytes).reversed());
    private static final List<String> ORDER_NAMES =
            List.of("name", "partitions", "offsets", "bytes");

    private final Snapshots now;

    TopicList(Snapshots now) {
        this.now = now;
    }

    /**
     * A topic.
     *
     * @param offsets how many its records have, with those that compaction has removed
     * @param appended the sum of its next offsets
     */
    record Row(
            String name,
            int partitions,
            long offsets,
            long appended,
            long bytes,
            int segments,
            int poisoned) {

        Row plus(PartitionMetrics one) {
            return new Row(
                    name,
                    partitions + 1,
                    offsets + one.nextOffset() - one.logStartOffset(),
                    appended + one.nextOffset(),
                    bytes + one.bytes(),
                    segments + one.segments(),
                    poisoned + (one.isPoisoned() ? 1 : 0));
        }
    }

    Page<Row> answer(Query query) {
        Map<String, Row> topics = new HashMap<>();
        for (PartitionMetrics each : now.partitions()) {
            if (query.matches(each.topic())) {
                Row none = new Row(each.topic(), 0, 0, 0, 0, 0, 0);
                topics.put(each.topic(), topics.getOrDefault(each.topic(), none).plus(each));
            }
        }
        List<Row> rows = new ArrayList<>(topics.values());
        Comparator<Row> order = ORDERS.get(query.oneOf("sort", ORDER_NAMES));
        rows.sort(order.thenComparing(Row::name));
        return Page.of(rows, query.page(), PAGE);
    }
}
