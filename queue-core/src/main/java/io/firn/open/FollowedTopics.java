package io.firn.open;

import io.firn.background.FailedSubjects;
import io.firn.follow.FollowedTruncations;
import io.firn.log.LogContext;
import io.firn.log.SegmentedLog;
import io.firn.metadata.TopicFiles;
import io.firn.metadata.TopicScan;
import io.firn.metadata.UnreadableTopics;
import io.firn.metadata.UnreadableTopics.Unreadable;
import io.firn.replica.TruncationHistory;
import io.firn.spi.Mark;
import io.firn.store.TopicLog;
import io.firn.store.Topics;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/** The topics of a store that another process writes, by id. Not thread-safe. */
final class FollowedTopics {
    private final LogContext store;
    private final Topics served;
    private final Map<UUID, TopicLog> topics = new HashMap<>();

    /**
     * Creates it without topics.
     *
     * @param served gets the topics that are found
     */
    FollowedTopics(LogContext store, Topics served) {
        this.store = store;
        this.served = served;
    }

    /** Returns the logs of all topics. */
    List<SegmentedLog> logs() {
        List<SegmentedLog> all = new ArrayList<>();
        topics.values().forEach(topic -> all.addAll(topic.segmentedLogs()));
        return all;
    }

    /** Returns the log that a mark names; null when it is not served, and for no mark. */
    SegmentedLog logOf(Mark mark) {
        TopicLog topic = mark == null ? null : topics.get(mark.topicId());
        return topic == null || mark.partition() >= topic.partitionCount()
                ? null
                : topic.partitionLog(mark.partition()).log();
    }

    /**
     * Returns what is recorded now of truncations of each replicated log.
     *
     * @param trouble notes logs of which it cannot be read
     * @param throwing whether a failure is thrown rather than noted
     */
    Map<SegmentedLog, TruncationHistory> histories(
            FailedSubjects<SegmentedLog> trouble, boolean throwing) throws IOException {
        Map<SegmentedLog, TruncationHistory> recorded = new HashMap<>();
        for (TopicLog topic : topics.values()) {
            for (SegmentedLog log : topic.replicatedLogs()) {
                try {
                    recorded.put(log, FollowedTruncations.of(log));
                } catch (IOException e) {
                    if (throwing) {
                        throw e;
                    }
                    trouble.onFailure(log, Follower.newsOf(log), e);
                }
            }
        }
        return recorded;
    }

    /** Looks which topics there are; returns the logs of those that are no longer served. */
    List<SegmentedLog> refresh() throws IOException {
        TopicScan scan = TopicScan.of(store.files());
        scan.refuse(each -> served.limit().whyImpossible(each.options().partitions()));
        List<Unreadable> unreadable = new ArrayList<>(scan.unreadable());
        // What is served already stays served, whatever happens to its file.
        Set<UUID> kept = new HashSet<>(topics.keySet());
        kept.retainAll(unreadable.stream().map(Unreadable::id).toList());
        unreadable.removeIf(each -> kept.contains(each.id()));
        Set<UUID> shared = new HashSet<>();
        scan.sharedNames()
                .forEach(
                        (name, ids) -> {
                            shared.addAll(ids);
                            unreadable.removeIf(each -> ids.contains(each.id()));
                            ids.forEach(id -> unreadable.add(shared(id, name, ids.size())));
                        });
        scan.readable()
                .forEach(
                        (id, description) -> {
                            if (!description.deleted() && !shared.contains(id)) {
                                kept.add(id);
                                show(id, description);
                            }
                        });
        served.unreadable(new UnreadableTopics(unreadable));
        return drop(kept);
    }

    /** A tombstone exists only briefly: usually the topic's absence is seen instead. */
    private List<SegmentedLog> drop(Set<UUID> kept) {
        List<SegmentedLog> gone = new ArrayList<>();
        for (TopicLog topic : List.copyOf(topics.values())) {
            if (!kept.contains(topic.id())) {
                topics.remove(topic.id());
                served.drop(topic);
                gone.addAll(topic.segmentedLogs());
                store.findings().endAllOf(topic.id());
            }
        }
        return gone;
    }

    private Unreadable shared(UUID id, String name, int count) {
        return new Unreadable(
                id,
                new TopicFiles(store.files(), id).topicFile(),
                name,
                count + " topics have that name: keep one",
                true);
    }

    private void show(UUID id, TopicFiles.Description description) {
        TopicLog topic = topics.get(id);
        if (topic == null) {
            topic = new TopicLog(store, served, id, description.name(), description.options());
            topic.startEmpty();
            topics.put(id, topic);
            served.add(topic);
        } else {
            topic.follow(description.options());
        }
    }
}
