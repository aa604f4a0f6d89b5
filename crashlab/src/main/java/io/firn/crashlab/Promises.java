package io.firn.crashlab;

import io.firn.Appender;
import io.firn.Batch;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.StoreSnapshot;
import io.firn.StoreSnapshot.PartitionPlace;
import io.firn.StoreSnapshot.SegmentPlace;
import io.firn.Tailer;
import io.firn.Topic;
import io.firn.Verdict;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;
import java.util.UUID;

/**
 * What a store has promised, and so what must be found after a crash: what was acknowledged as
 * durable, in its place and byte by byte; of what was being done, all or nothing; nothing else.
 */
final class Promises {
    final List<OfTopic> topics = new ArrayList<>();
    private long producerIdsBelow;

    /** Whether a topic is there. */
    enum Presence {
        MAY_EXIST,
        EXISTS,
        GONE
    }

    /** What was promised of a topic, which has one partition. */
    static final class OfTopic {
        final String name;
        final List<byte[]> sent = new ArrayList<>();
        final TreeSet<Long> batchEnds = new TreeSet<>(List.of(0L));
        Presence presence = Presence.MAY_EXIST;
        UUID id;
        Partition partition;
        long acked;
        long startAsked;
        boolean isRetained;
        long cursorForced = -1;
        long cursorAsked = -1;
        long producer = -1;
        int sequence;
        Repeatable last;

        OfTopic(String name) {
            this.name = name;
        }

        /** It was created, or opened again. */
        void exists(Topic topic) {
            presence = Presence.EXISTS;
            id = topic.id();
            partition = topic.partition(0);
        }

        /** The values are about to be appended as a batch. */
        void sends(List<byte[]> values) {
            sent.addAll(values);
            batchEnds.add((long) sent.size());
        }

        /** Forgets what was sent from an offset on: it was never there. */
        void forget(long offset) {
            while (sent.size() > offset) {
                sent.remove(sent.size() - 1);
            }
            batchEnds.tailSet(offset, false).clear();
        }

        void acks(long offset, int count) {
            if (offset != sent.size() - count) {
                throw new Violation(name + " gave offset " + offset + ", not " + sent.size());
            }
            acked = sent.size();
        }

        /** It was recovered after a power cut: from here on what is there counts, and no more. */
        void recover(Topic topic) {
            exists(topic);
            forget(partition.nextOffset());
            acked = Math.min(acked, sent.size());
            startAsked = partition.logStartOffset();
            cursorForced = topic.cursor("c").offset(0);
            cursorAsked = cursorForced;
            producer = -1; // what the old one sent last may be lost; another one begins anew
            sequence = 0;
            last = last == null || last.offset() >= sent.size() ? null : last;
        }

        long durable() {
            return partition == null ? acked : Math.max(acked, partition.durableOffset());
        }

        long start() {
            return partition == null ? 0 : partition.logStartOffset();
        }

        /** Changes when anything is promised. */
        long version() {
            return Objects.hash(
                    presence,
                    sent.size(),
                    durable(),
                    start(),
                    startAsked,
                    cursorForced,
                    cursorAsked,
                    last == null ? 0 : last.offset());
        }
    }

    /** An idempotent batch that can be sent again. */
    record Repeatable(long producer, int sequence, List<byte[]> values, long offset) {
        Batch fill(Batch batch) {
            batch.clear().producer(producer, 0, sequence);
            values.forEach(batch::add);
            return batch;
        }
    }

    /** A promise that was not kept. */
    static final class Violation extends AssertionError {
        private static final long serialVersionUID = 1;

        Violation(String message) {
            super(message);
        }
    }

    long version() {
        long version = producerIdsBelow;
        for (OfTopic topic : topics) {
            version = version * 31 + topic.version();
        }
        return version;
    }

    long handedOut(long producerId) {
        producerIdsBelow = Math.max(producerIdsBelow, producerId + 1);
        return producerId;
    }

    private static void require(boolean kept, String what) {
        if (!kept) {
            throw new Violation(what);
        }
    }

    /** Compares a store that was just opened with all of this. */
    void check(LogStore store) {
        require(store.findings().isEmpty(), "findings " + store.findings());
        checkPlaces(store.snapshot());
        for (OfTopic expected : topics) {
            boolean found = isThere(expected, store);
            require(
                    found || expected.presence != Presence.EXISTS,
                    expected.name + " is gone, it exists");
            require(
                    !found || expected.presence != Presence.GONE,
                    expected.name + " is there, it was deleted");
            if (found && expected.id != null) {
                check(expected, store.openTopic(expected.name));
            }
        }
    }

    /** Goes on with a store that was recovered after a power cut, and that was checked. */
    void adopt(LogStore store) {
        for (OfTopic topic : topics) {
            if (topic.presence == Presence.GONE) {
                continue;
            }
            if (isThere(topic, store)) {
                topic.recover(store.openTopic(topic.name));
            } else {
                topic.presence = Presence.GONE;
            }
        }
        // Of one whose creation was cut nothing is known but a name, which may come again.
        topics.removeIf(topic -> topic.presence == Presence.GONE && topic.id == null);
    }

    private static boolean isThere(OfTopic topic, LogStore store) {
        return store.topicNames().contains(topic.name)
                && (topic.id == null || store.openTopic(topic.name).id().equals(topic.id));
    }

    /** Each segment lies in one place, and a tier holds nothing but segments (O6). */
    private static void checkPlaces(StoreSnapshot snapshot) {
        long[] used = new long[snapshot.tiers().size()];
        for (PartitionPlace partition : snapshot.partitions()) {
            long next = -1;
            for (SegmentPlace segment : partition.segments()) {
                // Below the log start one may be there that a move or a reader held for longer.
                boolean isKept = segment.endOffset() > partition.logStartOffset();
                require(
                        !isKept || next < 0 || segment.baseOffset() == next,
                        partition.topic() + " has segments " + partition.segments());
                next = isKept ? segment.endOffset() : -1;
                used[segment.tier()] += segment.usedBytes();
            }
        }
        for (int i = 0; i < used.length; i++) {
            long really = snapshot.tiers().get(i).usedBytes();
            require(
                    really == used[i],
                    "tier " + i + " holds " + really + " bytes, its segments take " + used[i]);
        }
    }

    private static void check(OfTopic expected, Topic topic) {
        Partition partition = topic.partition(0);
        String name = expected.name;
        require(partition.damage().isEmpty(), name + " has damage " + partition.damage());
        long start = partition.logStartOffset();
        long next = partition.nextOffset();
        long latestStart = expected.isRetained ? expected.durable() : expected.startAsked;
        require(
                start >= expected.start() && start <= latestStart,
                name + " starts at " + start + ", not in " + expected.start() + ".." + latestStart);
        require(
                next >= expected.durable(),
                name + " ends at " + next + ", durable was " + expected.durable());
        require(expected.batchEnds.contains(next), name + " ends at " + next + ", inside a batch");
        require(next == partition.durableOffset(), name + " shows what is not durable");
        checkRecords(expected, partition, start, next);
        long cursor = topic.cursor("c").offset(0);
        require(
                cursor >= expected.cursorForced
                        && cursor <= Math.max(expected.cursorAsked, -1)
                        && cursor <= next,
                name
                        + " has its cursor at "
                        + cursor
                        + ", forced were "
                        + expected.cursorForced
                        + ", asked for "
                        + expected.cursorAsked
                        + ", the end is "
                        + next);
    }

    private static void checkRecords(OfTopic expected, Partition partition, long from, long to) {
        long[] at = {from};
        byte[] value = new byte[Values.LARGEST];
        try (Tailer tailer = partition.openTailer()) {
            while (tailer.poll(
                            record -> {
                                byte[] sent = expected.sent.get((int) at[0]);
                                require(
                                        record.offset() == at[0],
                                        record.offset() + " comes in the place of " + at[0]);
                                int length = record.valueLength();
                                require(length == sent.length, "another value at " + at[0]);
                                record.getValue(value, 0);
                                require(
                                        Arrays.equals(value, 0, length, sent, 0, length),
                                        "another value at " + at[0]);
                                at[0]++;
                                return Verdict.CONTINUE;
                            },
                            1_000)
                    > 0) {
                continue;
            }
        }
        require(at[0] == to, expected.name + ": read up to " + at[0] + ", not " + to);
    }

    /** Nothing is handed out again, and what is sent again is not stored again. */
    void checkProducers(LogStore store) {
        long producer = store.newProducerId();
        require(producer >= producerIdsBelow, "producer id " + producer + " again");
        for (OfTopic expected : topics) {
            if (expected.last != null && expected.presence == Presence.EXISTS) {
                Partition partition = store.openTopic(expected.name).partition(0);
                long next = partition.nextOffset();
                try (Appender appender = partition.openAppender()) {
                    long offset = appender.append(expected.last.fill(appender.newBatch()));
                    require(
                            offset == expected.last.offset() && partition.nextOffset() == next,
                            expected.name + ": a repeated batch was stored again at " + offset);
                }
            }
        }
    }
}
