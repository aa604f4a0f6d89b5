package io.firn.server.group;

import io.firn.Cursor;
import io.firn.LogStore;
import io.firn.Topic;
import io.firn.UnknownTopicException;
import io.firn.UnreadableTopicException;
import io.firn.host.HostedCursor;
import io.firn.server.config.GroupIds;
import io.firn.server.log.ServedTopic;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import javax.annotation.concurrent.GuardedBy;
import org.apache.kafka.common.errors.CoordinatorNotAvailableException;
import org.apache.kafka.common.protocol.Errors;

/**
 * The committed offsets of groups: cursors of the store, one for each topic that a group reads,
 * named like the group. A tailer in the application can continue where a group of clients stopped.
 * As in Kafka, any offset can be committed; one outside the log is kept beside the cursor's
 * position ({@link HostedCursor#commitAny}). Thread-safe.
 */
final class GroupOffsets {
    private static final int CURSOR_BYTES = 500;

    private final LogStore store;

    GroupOffsets(LogStore store) {
        this.store = store;
    }

    /** Returns the key of a partition in the metadata of commits. */
    static String place(Topic topic, int partition) {
        return topic.id() + "." + partition;
    }

    /** Returns about how much memory the offsets of a group in a topic use. */
    static long memoryBytes(Topic topic) {
        return CURSOR_BYTES + 3L * Long.BYTES * topic.partitionCount(); // one for those outside
    }

    /**
     * Returns why an offset is not committed, as Kafka decides it: because of its topic, of a
     * partition that does not exist, and only then of the group and its member; NONE if it is.
     *
     * @param topic null if there is an error of the topic
     */
    static Errors refusal(Errors ofTopic, ServedTopic topic, int partition, Errors ofGroup) {
        if (ofTopic != Errors.NONE) {
            return ofTopic;
        }
        return partition >= 0 && partition < topic.topic().partitionCount()
                ? ofGroup
                : Errors.UNKNOWN_TOPIC_OR_PARTITION;
    }

    /** Sets an offset of the group; a force of the cursor makes it durable. */
    static Cursor commit(Topic topic, String groupId, int partition, long offset) {
        Cursor cursor = topic.cursor(groupId);
        HostedCursor.of(cursor).commitAny(partition, offset);
        return cursor;
    }

    /** Returns the group's offsets in a topic; null if it never had any. */
    static Cursor find(Topic topic, String groupId) {
        // A query must not create the cursor.
        return GroupIds.isValid(groupId) && topic.hasCursor(groupId) ? topic.cursor(groupId) : null;
    }

    /**
     * Returns the group's offsets in a topic to read them; null if it never had any.
     *
     * @param group null if nothing else is known of it
     * @throws CoordinatorNotAvailableException if there is no memory for them: the store keeps what
     *     was read of them
     */
    static Cursor read(Topic topic, String groupId, Group group) {
        if (!GroupIds.isValid(groupId) || !topic.hasCursor(groupId)) {
            return null;
        }
        if (group != null) {
            synchronized (group) {
                if (!group.noteStoredCursor(topic.id(), memoryBytes(topic))) {
                    throw new CoordinatorNotAvailableException("no memory for the offsets");
                }
            }
        }
        return topic.cursor(groupId);
    }

    /** Returns whether there is memory for the group's offsets in a topic, which is counted. */
    @GuardedBy("group")
    static boolean mayCommit(Topic topic, Group group) {
        long bytes = memoryBytes(topic);
        return group.noteCursor(topic.id(), bytes)
                || (topic.hasCursor(group.id()) && group.noteStoredCursor(topic.id(), bytes));
    }

    /** Returns the topics in which a group has offsets. */
    List<Topic> topicsOf(String groupId) {
        List<Topic> found = new ArrayList<>();
        for (Topic topic : topics()) {
            if (topic.hasCursor(groupId)) {
                found.add(topic);
            }
        }
        return found;
    }

    /** Returns all groups that have offsets. */
    Set<String> groupIds() {
        Set<String> ids = new TreeSet<>();
        topics().forEach(topic -> ids.addAll(topic.cursorNames()));
        return ids;
    }

    /** Returns those of some topics, which existed before the call, that were deleted. */
    Set<UUID> deletedOf(Set<UUID> topics) {
        Set<UUID> deleted = new HashSet<>(topics);
        topics().forEach(topic -> deleted.remove(topic.id()));
        deleted.removeAll(store.unreadableTopics().keySet());
        return deleted;
    }

    /** Deletes all offsets of a group; returns false if it had none. */
    boolean deleteAll(String groupId) {
        List<Topic> found = topicsOf(groupId);
        found.forEach(topic -> topic.deleteCursor(groupId));
        return !found.isEmpty();
    }

    private List<Topic> topics() {
        List<Topic> all = new ArrayList<>();
        for (String name : store.topicNames()) {
            try {
                all.add(store.openTopic(name));
            } catch (UnknownTopicException | UnreadableTopicException e) {
                continue; // just deleted
            }
        }
        return all;
    }
}
