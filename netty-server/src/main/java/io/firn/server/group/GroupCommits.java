package io.firn.server.group;

import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;

/**
 * What a group remembers of the offsets that were committed for it, besides the store's cursors:
 * their topics, and the metadata of commits. Guarded by the group.
 */
final class GroupCommits {
    private static final int ENTRY_BYTES = 200;

    /** By topic id and partition; only where it is not empty. */
    private final Map<String, String> metadata = new TreeMap<>();

    /** What the offsets use, by topic, as far as it is known. */
    private final Map<UUID, Long> topics = new TreeMap<>();

    private long metadataBytes;
    private long topicBytes;

    /** Whether something has changed since the group's file was written. */
    private boolean unwritten;

    /** Returns the metadata of commits, by place; changed by the other method only. */
    Map<String, String> metadata() {
        return Collections.unmodifiableMap(metadata);
    }

    /** Sets or removes the metadata of a commit; returns what was there. */
    String metadata(String place, String value) {
        String before =
                value == null || value.isEmpty()
                        ? metadata.remove(place)
                        : metadata.put(place, value);
        metadataBytes += bytesOf(value) - bytesOf(before);
        unwritten |= bytesOf(value) > 0 || bytesOf(before) > 0;
        return before;
    }

    /** Returns how many bytes more the metadata of commits would use, or fewer. */
    long growth(Map<String, String> more) {
        return more.entrySet().stream()
                .mapToLong(each -> growth(each.getKey(), each.getValue()))
                .sum();
    }

    /** Returns how many bytes more the metadata of a commit would use, or fewer. */
    long growth(String place, String value) {
        return bytesOf(value) - bytesOf(metadata.get(place));
    }

    private static long bytesOf(String value) {
        return value == null || value.isEmpty() ? 0 : ENTRY_BYTES + 2L * value.length();
    }

    /** Returns what the offsets use, by topic. */
    Map<UUID, Long> topics() {
        return Collections.unmodifiableMap(topics);
    }

    boolean has(UUID topic) {
        return topics.containsKey(topic);
    }

    /** Adds a topic that the group had no offsets in. */
    void addTopic(UUID topic, long bytes) {
        topics.put(topic, bytes);
        topicBytes += bytes;
        unwritten = true;
    }

    /** Forgets topics that were deleted, with the metadata of their offsets. */
    void forget(Set<UUID> deleted) {
        for (UUID topic : deleted) {
            Long bytes = topics.remove(topic);
            if (bytes != null) {
                topicBytes -= bytes;
                unwritten = true;
                String places = topic + ".";
                metadata.keySet().stream()
                        .filter(each -> each.startsWith(places))
                        .toList()
                        .forEach(each -> metadata(each, null));
            }
        }
    }

    /** Returns what the offsets use. */
    long topicBytes() {
        return topicBytes;
    }

    /** Returns about how much memory all of it uses. */
    long memoryBytes() {
        return topicBytes + metadataBytes;
    }

    boolean isEmpty() {
        return topics.isEmpty() && metadata.isEmpty();
    }

    /** Returns whether the group's file lacks something. */
    boolean isUnwritten() {
        return unwritten;
    }

    /** Called when the group's file has everything. */
    void wrote() {
        unwritten = false;
    }
}
