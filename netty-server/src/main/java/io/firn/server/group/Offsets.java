package io.firn.server.group;

import io.firn.Cursor;
import io.firn.FirnException;
import io.firn.LogStore;
import io.firn.Topic;
import io.firn.UnknownTopicException;
import io.firn.UnreadableTopicException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * The offsets of groups: cursors of the store, one for each topic that a group reads, named like
 * the group. A tailer in the application can continue where a group of clients stopped.
 * Thread-safe.
 */
final class Offsets {
    private static final int LONGEST = 120;
    private static final int LONGEST_FILE = 230;
    private final LogStore store;

    Offsets(LogStore store) {
        this.store = store;
    }

    /** Returns whether a cursor, and its file, can have this name. */
    static boolean isGroupId(String id) {
        if (id == null || id.isEmpty() || id.length() > LONGEST) {
            return false;
        }
        return StandardCharsets.UTF_8.newEncoder().canEncode(id)
                && java.net.URLEncoder.encode(id, StandardCharsets.UTF_8).length()
                                + 2 * id.chars().filter(c -> c == '*').count()
                        <= LONGEST_FILE;
    }

    /** Sets an offset of the group; {@link #force} makes it durable. */
    static Cursor advance(Topic topic, String groupId, int partition, long offset) {
        Cursor cursor = topic.cursor(groupId);
        cursor.advance(partition, offset);
        return cursor;
    }

    /** Makes what was set durable. */
    static void force(Iterable<Cursor> cursors) {
        FirnException failure = null;
        for (Cursor cursor : cursors) {
            try {
                cursor.force();
            } catch (FirnException e) {
                failure = e;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    /** Returns the group's offsets in a topic; null when it never had any. */
    static Cursor find(Topic topic, String groupId) {
        // A query must not create the cursor.
        return isGroupId(groupId) && topic.cursorNames().contains(groupId)
                ? topic.cursor(groupId)
                : null;
    }

    /** Returns the topics in which a group has offsets. */
    List<Topic> topicsOf(String groupId) {
        List<Topic> found = new ArrayList<>();
        for (Topic topic : topics()) {
            if (topic.cursorNames().contains(groupId)) {
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

    /** Forgets where a group stands; false when it stood nowhere. */
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
                continue; // deleted just now
            }
        }
        return all;
    }
}
