package io.firn.forward;

import io.firn.RetainUntilRead;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.forward.ForwardException.Reason;
import io.firn.forward.cluster.TargetTopic;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;

/** The partitions that are forwarded; new ones of their topics are added. */
final class Sources implements AutoCloseable {
    private final ForwardPlan plan;
    private final Wakeup wakeup;
    private final List<Topic> topics = new ArrayList<>();
    private final List<SourcePartition> partitions = new CopyOnWriteArrayList<>();

    Sources(ForwardPlan plan, Wakeup wakeup) {
        this.plan = plan;
        this.wakeup = wakeup;
        try {
            for (Mapping each : plan.mappings()) {
                Topic topic = plan.store().openTopic(each.topic());
                retainFor(topic);
                topics.add(topic);
            }
            addNew();
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    /** Retention goes by the cursor, so that nothing is deleted that the cluster does not have. */
    private void retainFor(Topic topic) {
        topic.updateOptions(
                options -> {
                    RetainUntilRead now = options.retainUntilRead();
                    if (now.isAll() || now.cursors().contains(plan.cursor())) {
                        return options;
                    }
                    Set<String> names = new TreeSet<>(now.cursors());
                    names.add(plan.cursor());
                    return withReaders(options, now, RetainUntilRead.by(names));
                });
    }

    private static TopicOptions withReaders(
            TopicOptions options, RetainUntilRead limits, RetainUntilRead readers) {
        RetainUntilRead all = readers;
        if (limits.limitBytes().isPresent()) {
            all = all.withLimitBytes(limits.limitBytes().getAsLong());
        }
        if (limits.limitAge().isPresent()) {
            all = all.withLimitAge(limits.limitAge().get());
        }
        return options.withRetainUntilRead(all);
    }

    /** Adds partitions that the topics have got. */
    void addNew() {
        for (int i = 0; i < topics.size(); i++) {
            Topic topic = topics.get(i);
            Mapping mapping = plan.mappings().get(i);
            for (int number = known(topic); number < topic.partitionCount(); number++) {
                SourcePartition added =
                        new SourcePartition(
                                mapping,
                                topic.partition(number),
                                topic.cursor(plan.cursor()),
                                plan.onFull() == OnFull.DROP_OLDEST);
                added.partition().addVisibleListener(wakeup);
                partitions.add(added);
            }
        }
    }

    private int known(Topic topic) {
        return (int)
                partitions.stream()
                        .filter(each -> each.mapping().topic().equals(topic.name()))
                        .count();
    }

    boolean hasNew() {
        return topics.stream().anyMatch(each -> each.partitionCount() > known(each));
    }

    List<Topic> topics() {
        return topics;
    }

    List<SourcePartition> partitions() {
        return partitions;
    }

    Set<String> targetNames() {
        Set<String> names = new TreeSet<>();
        plan.mappings().forEach(each -> names.add(each.target()));
        return names;
    }

    /**
     * Tells the partitions what the cluster has.
     *
     * @throws ForwardException when a topic there has too few partitions
     */
    void targets(Map<String, TargetTopic> found) {
        for (SourcePartition each : partitions) {
            TargetTopic target = found.get(each.mapping().target());
            if (target.partitions() <= each.partition().index()) {
                throw new ForwardException(
                        Reason.UNKNOWN_TOPIC,
                        "topic "
                                + target.name()
                                + " of the cluster has "
                                + target.partitions()
                                + " partitions, and "
                                + each.mapping().topic()
                                + " has "
                                + each.partition().topic().partitionCount()
                                + " here: it needs as many or more, which keep the positions; add"
                                + " partitions to it");
            }
            each.target(target);
        }
    }

    boolean hasNews() {
        for (SourcePartition each : partitions) {
            if (each.hasNews()) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void close() {
        for (SourcePartition each : partitions) {
            each.partition().removeVisibleListener(wakeup);
            each.close();
        }
    }
}
