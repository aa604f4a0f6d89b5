package io.firn.management.console;

import io.firn.LogReader;
import io.firn.PartitionReader;
import io.firn.PartitionReader.DamagedRange;
import io.firn.PartitionReader.PartitionMetrics;
import io.firn.TopicOptions;
import io.firn.TopicReader;
import io.firn.UnknownTopicException;
import java.util.ArrayList;
import java.util.List;

/** A topic with its partitions, and what its options are if not the defaults. */
final class TopicPage {
    private static final int PAGE = 100;
    private static final int MOST_DAMAGED = 20;

    private final Snapshots now;

    TopicPage(Snapshots now) {
        this.now = now;
    }

    /** An option that is not as its default. */
    record OptionRow(String name, String value, String standard) {}

    /** Offsets that cannot be read. */
    record Damage(long from, long to, String reason) {
        static Damage of(DamagedRange range) {
            return new Damage(range.fromOffset(), range.toOffset(), range.reason());
        }
    }

    /** A partition. */
    record PartitionRow(
            int partition,
            long start,
            long durable,
            long next,
            long bytes,
            int segments,
            long backlogBytes,
            long stalls,
            long undecided,
            boolean poisoned,
            List<Damage> damage) {

        static PartitionRow of(PartitionReader partition) {
            PartitionMetrics metrics = partition.metrics();
            return new PartitionRow(
                    partition.index(),
                    metrics.logStartOffset(),
                    metrics.durableOffset(),
                    metrics.nextOffset(),
                    metrics.bytes(),
                    metrics.segments(),
                    metrics.backlogBytes(),
                    metrics.stalls(),
                    metrics.undecided(),
                    metrics.isPoisoned(),
                    partition.damage().stream().limit(MOST_DAMAGED).map(Damage::of).toList());
        }
    }

    /** The answer. */
    record Answer(
            String name,
            String id,
            List<OptionRow> options,
            Page<PartitionRow> partitions,
            List<LagRow> cursors) {}

    Answer answer(Query query) {
        TopicReader topic = open(now.store(), query.text("name"));
        List<Integer> indexes = new ArrayList<>();
        for (int i = 0; i < topic.partitionCount(); i++) {
            indexes.add(i);
        }
        Page<Integer> page = Page.of(indexes, query.page(), PAGE);
        List<PartitionRow> rows =
                page.rows().stream().map(each -> PartitionRow.of(topic.partition(each))).toList();
        return new Answer(
                topic.name(),
                topic.id().toString(),
                options(topic),
                new Page<>(page.total(), page.page(), page.size(), rows),
                LagRow.largest(topic.name(), now.cursors(), each -> true));
    }

    /** Opens a topic that clients see. */
    static TopicReader open(LogReader store, String name) {
        if (!Snapshots.isVisible(name)) {
            throw new UnknownTopicException("there is no topic '" + name + "'");
        }
        return store.openTopic(name);
    }

    private static List<OptionRow> options(TopicReader topic) {
        return TopicOptions.defaults().changesTo(topic.options()).stream()
                .filter(each -> !each.before().equals("null")) // follows from another one
                .map(each -> new OptionRow(each.option(), each.after(), each.before()))
                .toList();
    }
}
