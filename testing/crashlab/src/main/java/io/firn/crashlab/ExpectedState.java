package io.firn.crashlab;

import static io.firn.crashlab.Violation.require;

import io.firn.Appender;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.StoreSnapshot;
import io.firn.StoreSnapshot.PartitionPlace;
import io.firn.StoreSnapshot.SegmentPlace;
import io.firn.StoreSnapshot.TierPlace;
import io.firn.crashlab.ExpectedTopic.Presence;
import io.firn.host.HostedStore;
import io.firn.kill.Flaws;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What a store has promised, and therefore what must be found after a crash: every record that was
 * acknowledged as durable, at its offset and byte for byte; each unfinished step either completely
 * or not at all; and nothing else.
 */
final class ExpectedState {
    /** A crash may leave one that has the size of an active file already. */
    private static final int SPARE_FILE_BYTES = TestedStore.SEGMENT_BYTES + 8_192;

    final List<ExpectedTopic> topics = new ArrayList<>();

    /** What is expected of transactions; nothing where there are none. */
    final ExpectedTransactions transactions = new ExpectedTransactions();

    final ExpectedDrains drains = new ExpectedDrains();

    private long producerIdsBelow;

    /** Returns a number that changes when anything is promised. */
    long version() {
        long version = producerIdsBelow * 31 + transactions.version() + drains.version() * 7;
        for (ExpectedTopic topic : topics) {
            version = version * 31 + topic.version();
        }
        return version;
    }

    /** Notes a producer id that the store has issued, and returns it. */
    long issued(long producerId) {
        producerIdsBelow = Math.max(producerIdsBelow, producerId + 1);
        return producerId;
    }

    /** Compares a store that was just opened with what was promised. */
    void check(LogStore store) {
        require(Flaws.of(store).isEmpty(), "findings " + Flaws.of(store));
        checkPlaces(store.snapshot());
        drains.check(store);
        transactions.check(store);
        for (ExpectedTopic topic : topics) {
            boolean found = isIn(store, topic);
            require(
                    found || topic.presence != Presence.EXISTS,
                    topic.name + " was created and is missing");
            require(
                    !found || topic.presence != Presence.GONE,
                    topic.name + " was deleted and is there");
            if (found && topic.id != null) {
                topic.check(store.openTopic(topic.name));
            }
        }
    }

    /** Continues with a store that was recovered after a power cut and checked. */
    void adopt(LogStore store) {
        for (ExpectedTopic topic : topics) {
            if (topic.presence == Presence.GONE) {
                continue;
            }
            if (isIn(store, topic)) {
                topic.recover(store.openTopic(topic.name));
            } else {
                topic.presence = Presence.GONE;
            }
        }
        transactions.adopt(store);
        drains.adopt(store);
        // A topic whose creation was cut is known by name only, and the name may be used again.
        topics.removeIf(topic -> topic.presence == Presence.GONE && topic.id == null);
    }

    private static boolean isIn(LogStore store, ExpectedTopic topic) {
        return store.topicNames().contains(topic.name)
                && (topic.id == null || store.openTopic(topic.name).id().equals(topic.id));
    }

    /**
     * Each segment has one place, and a tier holds nothing except segments (O6), and a spare file
     * for each partition at most (O37). Segments of the journal of transactions are in no snapshot.
     */
    private void checkPlaces(StoreSnapshot snapshot) {
        Map<String, Long> used = new HashMap<>();
        for (PartitionPlace partition : snapshot.partitions()) {
            long next = -1;
            for (SegmentPlace segment : partition.segments()) {
                // Below the log start a move or a reader may have kept a segment longer.
                boolean isKept = segment.endOffset() > partition.logStartOffset();
                require(
                        !isKept || next < 0 || segment.baseOffset() == next,
                        partition.topic() + " has segments " + partition.segments());
                next = isKept ? segment.endOffset() : -1;
                used.merge(segment.tier(), segment.usedBytes(), Long::sum);
            }
        }
        for (TierPlace tier : snapshot.tiers()) {
            long reported = tier.usedBytes();
            long ofSegments = used.getOrDefault(tier.label(), 0L);
            long spare = (long) snapshot.partitions().size() * SPARE_FILE_BYTES;
            require(
                    reported >= ofSegments
                            && (reported <= ofSegments + spare || transactions.isUsed()),
                    tier.label() + " uses " + reported + " bytes, its segments " + ofSegments);
        }
    }

    /**
     * Checks that no producer id is issued twice, and that a repeated batch is not stored again.
     */
    void checkProducers(LogStore store) {
        long producer = HostedStore.of(store).newProducerId();
        require(producer >= producerIdsBelow, "producer id " + producer + " was issued again");
        for (ExpectedTopic topic : topics) {
            if (topic.last != null && topic.presence == Presence.EXISTS) {
                Partition partition = store.openTopic(topic.name).partition(0);
                long next = partition.nextOffset();
                try (Appender appender = partition.openExclusiveAppender()) {
                    long offset = appender.append(topic.fillWithLast(appender.newBatch()));
                    require(
                            offset == topic.last.offset() && partition.nextOffset() == next,
                            topic.name + ": a repeated batch was stored again at " + offset);
                }
            }
        }
    }
}
