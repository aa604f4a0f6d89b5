package io.firn.shadow;

import io.firn.ClosedException;
import io.firn.FirnException;
import io.firn.LogStore;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.shadow.source.SourceTopic;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;

/**
 * A topic that is followed, and its copy. For the shadow's thread, but for {@link #statuses}.
 *
 * <p>The order of what is durable: the topic here → the note of where it is copied from → the first
 * batch. For a topic that was created again at the source: the topic here is deleted, and all of
 * this begins again.
 */
final class FollowedTopic implements AutoCloseable {
    private final FollowContext context;
    private final String name;
    private final List<PartitionFollower> followers = new CopyOnWriteArrayList<>();
    private Topic topic;
    private SourceNote note;

    /** Why nothing is copied; null while it is. Every partition of the source has this status. */
    private volatile Refusal refusal;

    private record Refusal(FollowState state, String message, int partitions) {}

    FollowedTopic(FollowContext context, String name) {
        this.context = context;
        this.name = name;
    }

    /** Takes the newest metadata of the topic; opens or creates its copy. */
    void update(String clusterId, SourceTopic source) {
        if (refusal != null) {
            return; // until the shadow is started again
        }
        try {
            if (topic == null) {
                open(clusterId, source);
            }
            if (isSameSource(clusterId, source)) {
                addPartitions(source);
            }
        } catch (ClosedException e) {
            throw e; // the store
        } catch (FirnException e) {
            refuse(ShadowEvent.Kind.STOPPED, FollowState.STOPPED, e.getMessage(), source);
        }
        if (refusal == null) {
            for (PartitionFollower each : followers) {
                SourceTopic.Leader leader = source.leaders().get(each.partition());
                each.onLeader(
                        leader == null ? -1 : leader.node(), leader == null ? -1 : leader.epoch());
            }
        }
    }

    private void open(String clusterId, SourceTopic source) {
        LogStore store = context.store();
        topic =
                store.hasTopic(name)
                        ? store.openTopic(name)
                        : store.createTopic(name, options(context.topicOptions(), source));
        if (!topic.options().isReplicated()) {
            throw new FirnException(
                    "the store has a topic of this name that is not a copy: delete it, or follow the"
                            + " source into another store");
        }
        note = SourceNote.read(store, topic);
        if (note == null) {
            if (hasBatches()) {
                throw new FirnException(
                        "the topic here has records, but no note of where they come from: delete it,"
                                + " or restore "
                                + store.directory().resolve("shadow"));
            }
            writeNote(clusterId, source);
        }
    }

    private void writeNote(String clusterId, SourceTopic source) {
        note = new SourceNote(clusterId, source.id());
        note.write(context.store(), topic);
    }

    private boolean hasBatches() {
        for (int i = 0; i < topic.partitionCount(); i++) {
            if (topic.partition(i).nextOffset() > 0) {
                return true;
            }
        }
        return false;
    }

    private static TopicOptions options(TopicOptions wanted, SourceTopic source) {
        return wanted.withPartitions(source.leaders().size()).withReplicated(true);
    }

    private boolean isSameSource(String clusterId, SourceTopic source) {
        if (!note.clusterId().equals(clusterId)) {
            String message =
                    "the copy is of cluster '"
                            + note.clusterId()
                            + "', but the source is cluster '"
                            + clusterId
                            + "': check bootstrap.servers, or use another store";
            refuse(ShadowEvent.Kind.OTHER_CLUSTER, FollowState.STOPPED, message, source);
            return false;
        }
        if (!isSameTopic(source.id())) {
            recreated(clusterId, source);
        }
        return refusal == null;
    }

    /** A source without ids cannot tell; what its end says is left. */
    private boolean isSameTopic(UUID sourceId) {
        UUID none = new UUID(0, 0);
        return note.topicId().equals(sourceId)
                || note.topicId().equals(none)
                || sourceId.equals(none);
    }

    private void recreated(String clusterId, SourceTopic source) {
        String found =
                "the source's topic has the id "
                        + source.id()
                        + ", the copy is of "
                        + note.topicId()
                        + ": it was deleted there and created again";
        if (context.onDivergence() == OnDivergence.STOP) {
            String message =
                    found
                            + "; the copy stops: keep it, delete the topic here, or start the shadow"
                            + " with OnDivergence.TRUNCATE";
            refuse(ShadowEvent.Kind.RECREATED, FollowState.DIVERGED, message, source);
            return;
        }
        close();
        TopicOptions options = topic.options();
        context.store().deleteTopic(name);
        SourceNote.delete(context.store(), topic);
        topic = context.store().createTopic(name, options(options, source));
        writeNote(clusterId, source);
        String message = found + "; the topic here was deleted, and is copied from its start";
        context.tell(new ShadowEvent(ShadowEvent.Kind.RECREATED, name, -1, -1, -1, message));
    }

    private void refuse(
            ShadowEvent.Kind kind, FollowState state, String message, SourceTopic source) {
        close();
        refusal = new Refusal(state, message, source.leaders().size());
        context.tell(new ShadowEvent(kind, name, -1, -1, -1, message));
    }

    private void addPartitions(SourceTopic source) {
        if (topic.partitionCount() < source.leaders().size()) {
            topic.addPartitions(source.leaders().size());
        }
        for (int i = followers.size(); i < topic.partitionCount(); i++) {
            followers.add(new PartitionFollower(context, topic, note.topicId(), i));
        }
    }

    /** Says that the source does not have the topic now. */
    void onMissing() {
        followers.forEach(each -> each.onMissing("the source does not have the topic"));
    }

    List<PartitionFollower> followers() {
        return followers;
    }

    /** Returns the state of each partition. Thread-safe. */
    List<PartitionStatus> statuses() {
        Refusal refused = refusal;
        if (refused == null) {
            return followers.stream().map(PartitionFollower::status).toList();
        }
        return IntStream.range(0, refused.partitions())
                .mapToObj(
                        i ->
                                new PartitionStatus(
                                        name,
                                        i,
                                        refused.state(),
                                        -1,
                                        -1,
                                        -1,
                                        -1,
                                        -1,
                                        -1,
                                        0,
                                        refused.message()))
                .toList();
    }

    @Override
    public void close() {
        followers.forEach(PartitionFollower::close);
        followers.clear();
    }
}
