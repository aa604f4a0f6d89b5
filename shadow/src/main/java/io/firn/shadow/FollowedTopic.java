package io.firn.shadow;

import io.firn.ClosedException;
import io.firn.FirnException;
import io.firn.InvalidOptionException;
import io.firn.LogStore;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.UnknownTopicException;
import io.firn.UnreadableTopicException;
import io.firn.shadow.source.SourceTopic;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * A topic that is followed, and its copy. For the shadow's thread, but for {@link #statuses}.
 *
 * <p>The order of what is durable: the topic here → the note of where it is copied from → the first
 * batch. For a topic that was created again at the source: the topic here is deleted, and all of
 * this begins again.
 */
final class FollowedTopic implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("io.firn");

    private final FollowContext context;
    private final String name;
    private final RetryPause pause;
    private final Map<Integer, PartitionFollower> followers = new ConcurrentSkipListMap<>();

    /** With what the topic here is created. */
    private TopicOptions options;

    private String clusterId;
    private SourceTopic source;
    private Topic topic;
    private SourceNote note;

    /** What is to be told when a topic that was created again is copied again; or null. */
    private String recreated;

    /** Why partitions of the source are not copied; null when all are. They have this status. */
    private volatile Failure failure;

    private record Failure(FollowState state, String message, int partitions) {}

    FollowedTopic(FollowContext context, String name) {
        this.context = context;
        this.name = name;
        this.pause = context.newPause();
        this.options = context.topicOptions();
    }

    /** Takes the newest metadata of the topic; opens or creates its copy. */
    void update(String cluster, SourceTopic newest) {
        clusterId = cluster;
        source = newest;
        if (pause.isOver(context.nowMs())) {
            open();
        }
        tellLeaders();
    }

    /** Tries again what failed, such as for want of space, when its pause is over. */
    void retry(long nowMs) {
        if (failure != null && !isStopped() && source != null && pause.isOver(nowMs)) {
            open();
            tellLeaders();
        }
    }

    /** Until the shadow is started again. */
    private boolean isStopped() {
        return failure != null && failure.state() != FollowState.RETRYING;
    }

    private void open() {
        if (isStopped()) {
            return;
        }
        try {
            if (note == null) {
                openTopic();
            }
            if (isSameSource()) {
                addPartitions();
                failure = null;
                pause.succeeded();
            }
        } catch (ClosedException e) {
            throw e; // the store
        } catch (NeedsDecisionException
                | InvalidOptionException
                | UnknownTopicException
                | UnreadableTopicException e) {
            stop(ShadowEvent.Kind.STOPPED, FollowState.STOPPED, e.getMessage());
        } catch (FirnException e) {
            delay(e);
        }
    }

    private void tellLeaders() {
        for (PartitionFollower each : followers.values()) {
            SourceTopic.Leader leader = source.leaders().get(each.partition());
            each.onLeader(
                    leader == null ? -1 : leader.node(), leader == null ? -1 : leader.epoch());
        }
    }

    private void openTopic() {
        LogStore store = context.store();
        if (topic == null) {
            topic =
                    store.hasTopic(name)
                            ? store.openTopic(name)
                            : store.createTopic(name, options(options, source));
        }
        if (!topic.options().isReplicated()) {
            throw new NeedsDecisionException(
                    "the store has a topic of this name that is not a copy: delete it, or follow the"
                            + " source into another store");
        }
        SourceNote found = SourceNote.read(store, topic);
        if (found == null) {
            if (hasBatches()) {
                throw new NeedsDecisionException(
                        "the topic here has records, but no note of where they come from: delete it,"
                                + " or restore "
                                + store.directory().resolve("shadow"));
            }
            found = new SourceNote(clusterId, source.id());
            found.write(store, topic);
            tellRecreated();
        }
        note = found;
    }

    private void tellRecreated() {
        if (recreated != null) {
            context.tell(new FoundEvent(ShadowEvent.Kind.RECREATED, name, -1, -1, -1, recreated));
            recreated = null;
        }
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

    private boolean isSameSource() {
        if (!note.clusterId().equals(clusterId)) {
            String message =
                    "the copy is of cluster '"
                            + note.clusterId()
                            + "', but the source is cluster '"
                            + clusterId
                            + "': check bootstrap.servers, or use another store";
            stop(ShadowEvent.Kind.OTHER_CLUSTER, FollowState.STOPPED, message);
            return false;
        }
        if (!isSameTopic(source.id())) {
            onRecreated();
        }
        return !isStopped();
    }

    /** A source without ids cannot tell; what its end says is left. */
    private boolean isSameTopic(UUID sourceId) {
        UUID none = new UUID(0, 0);
        return note.topicId().equals(sourceId)
                || note.topicId().equals(none)
                || sourceId.equals(none);
    }

    private void onRecreated() {
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
            stop(ShadowEvent.Kind.RECREATED, FollowState.DIVERGED, message);
            return;
        }
        close();
        Topic old = topic;
        options = old.options();
        topic = null; // whatever fails from here on, the next try finds out what there is
        note = null;
        recreated = found + "; the topic here was deleted, and is copied from its start";
        context.store().deleteTopic(name);
        SourceNote.delete(context.store(), old);
        openTopic();
    }

    private void stop(ShadowEvent.Kind kind, FollowState state, String message) {
        close();
        failure = new Failure(state, message, source.leaders().size());
        context.tell(new FoundEvent(kind, name, -1, -1, -1, message));
    }

    /** What failed may pass, such as a full disk. Partitions that are open are copied meanwhile. */
    private void delay(FirnException e) {
        if (failure == null || !Objects.equals(failure.message(), e.getMessage())) {
            LOG.log(System.Logger.Level.WARNING, "shadow of " + name + ", to be tried again", e);
        }
        failure = new Failure(FollowState.RETRYING, e.getMessage(), source.leaders().size());
        pause.failed(context.nowMs());
    }

    /** What fails for one partition does not stop the others. */
    private void addPartitions() {
        FirnException failed = null;
        if (topic.partitionCount() < source.leaders().size()) {
            topic.addPartitions(source.leaders().size());
        }
        for (int i = 0; i < topic.partitionCount(); i++) {
            try {
                if (!followers.containsKey(i)) {
                    followers.put(i, new PartitionFollower(context, topic, note.topicId(), i));
                }
            } catch (ClosedException | UnknownTopicException e) {
                throw e;
            } catch (FirnException e) {
                failed = failed == null ? e : failed;
            }
        }
        if (failed != null) {
            throw failed;
        }
    }

    /** Says that the source does not have the topic now. */
    void onMissing() {
        source = null;
        followers.values().forEach(each -> each.onMissing("the source does not have the topic"));
    }

    Collection<PartitionFollower> followers() {
        return followers.values();
    }

    /** Returns the state of each partition. Thread-safe. */
    List<PartitionStatus> statuses() {
        Failure now = failure;
        Map<Integer, PartitionStatus> statuses = new TreeMap<>();
        for (int i = 0; now != null && i < now.partitions(); i++) {
            statuses.put(i, CopiedPartition.unknown(name, i, now.state(), now.message()));
        }
        followers.forEach((partition, each) -> statuses.put(partition, each.status()));
        return List.copyOf(statuses.values());
    }

    @Override
    public void close() {
        followers.values().forEach(PartitionFollower::close);
        followers.clear();
    }
}
