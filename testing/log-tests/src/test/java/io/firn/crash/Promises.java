package io.firn.crash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.Batch;
import io.firn.Cursor;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.RecordHandler.Action;
import io.firn.Tailer;
import io.firn.Topic;
import io.firn.host.HostedStore;
import io.firn.kill.Flaws;
import io.firn.sim.SimulatedFileMedium;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import java.util.UUID;

/**
 * What a store has promised, and so what must be found after a crash: all that is durable, in its
 * place, byte by byte; of what was being done, all or nothing; nothing else.
 */
final class Promises {
    private final List<OfTopic> topics = new ArrayList<>();
    private long producerIdsBelow;

    /** Begins a topic; it may be there or not until {@link OfTopic#exists}. */
    OfTopic topic(String name) {
        OfTopic topic = new OfTopic(name);
        topics.add(topic);
        return topic;
    }

    /** The producer id was handed out. */
    long handedOut(long producerId) {
        producerIdsBelow = Math.max(producerIdsBelow, producerId + 1);
        return producerId;
    }

    /** Whether a topic is there. */
    private enum Presence {
        MAY_EXIST,
        EXISTS,
        GONE
    }

    /** What was promised of a topic with one partition. */
    static final class OfTopic {
        private final String name;
        private final List<byte[]> sent = new ArrayList<>();
        private final TreeSet<Long> batchEnds = new TreeSet<>(List.of(0L));
        private Presence presence = Presence.MAY_EXIST;
        private UUID id;
        private Partition partition;
        private long acked;
        private long startAsked;
        private boolean retained;
        private long cursorForced = -1;
        private long cursorAsked = -1;
        private Repeatable last;

        private OfTopic(String name) {
            this.name = name;
        }

        /** It was created, or opened again. */
        void exists(Topic topic) {
            presence = Presence.EXISTS;
            id = topic.id();
            partition = topic.partition(0);
        }

        void isBeingDeleted() {
            presence = Presence.MAY_EXIST;
        }

        void gone() {
            presence = Presence.GONE;
        }

        /** Retention may raise its start. */
        void retained() {
            retained = true;
        }

        /** The values are about to be appended as a batch. */
        void sends(List<byte[]> values) {
            sent.addAll(values);
            batchEnds.add((long) sent.size());
        }

        long nextOffset() {
            return sent.size();
        }

        /** The append was acknowledged with an offset. */
        void acks(long offset, int count) {
            assertEquals(sent.size() - count, offset, "offset given by " + name);
            acked = offset + count;
        }

        void acksRepeatable(Repeatable batch) {
            last = batch;
        }

        void asksForStart(long offset) {
            startAsked = Math.max(startAsked, offset);
        }

        void asksForCursor(long offset) {
            cursorAsked = Math.max(cursorAsked, offset);
        }

        void cursorForced() {
            cursorForced = cursorAsked;
        }

        /** Recovery gave this much back: the rest was never there. */
        void goesOnFrom(Topic topic) {
            exists(topic);
            while (sent.size() > partition.nextOffset()) {
                sent.remove(sent.size() - 1);
            }
            batchEnds.tailSet(partition.nextOffset(), false).clear();
        }

        private long durable() {
            return partition == null ? acked : Math.max(acked, partition.durableOffset());
        }

        private long start() {
            return partition == null ? 0 : partition.logStartOffset();
        }
    }

    /** An idempotent batch that can be sent again. */
    record Repeatable(long producer, int epoch, int sequence, List<byte[]> values, long offset) {
        Batch fill(Batch batch) {
            batch.clear().producer(producer, epoch, sequence);
            values.forEach(batch::add);
            return batch;
        }
    }

    // ---- looking

    /** Compares a store that was just opened with all of this. */
    void check(LogStore store, SimulatedFileMedium medium, Path segments) throws IOException {
        assertEquals(List.of(), Flaws.of(store));
        List<String> names = store.topicNames();
        for (OfTopic expected : topics) {
            switch (expected.presence) {
                case EXISTS -> {
                    assertTrue(names.contains(expected.name), expected.name + " exists");
                    Topic topic = store.openTopic(expected.name);
                    assertEquals(expected.id, topic.id());
                    check(expected, topic);
                }
                case GONE -> {
                    if (names.contains(expected.name)) {
                        assertNotEquals(expected.id, store.openTopic(expected.name).id());
                    }
                    assertNoSegments(medium, segments, expected.id);
                }
                case MAY_EXIST -> {
                    if (expected.id != null
                            && names.contains(expected.name)
                            && expected.id.equals(store.openTopic(expected.name).id())) {
                        check(expected, store.openTopic(expected.name));
                    }
                }
            }
        }
    }

    /** Nothing is handed out again, and what is sent again is not stored again. */
    void checkProducers(LogStore store) {
        long producer = HostedStore.of(store).newProducerId();
        assertTrue(
                producer >= producerIdsBelow,
                () -> "producer id " + producer + " again, below " + producerIdsBelow);
        for (OfTopic expected : topics) {
            if (expected.last != null && expected.presence == Presence.EXISTS) {
                Partition partition = store.openTopic(expected.name).partition(0);
                long next = partition.nextOffset();
                try (Appender appender = partition.openExclusiveAppender()) {
                    Batch batch = expected.last.fill(appender.newBatch());
                    assertEquals(
                            expected.last.offset,
                            appender.append(batch),
                            () -> expected.name + ": a repeated batch was appended");
                }
                assertEquals(next, partition.nextOffset());
            }
        }
    }

    private static void check(OfTopic expected, Topic topic) {
        Partition partition = topic.partition(0);
        String name = expected.name;
        assertEquals(List.of(), partition.damage(), name);
        long start = partition.logStartOffset();
        long next = partition.nextOffset();
        long latestStart = expected.retained ? expected.durable() : expected.startAsked;
        assertTrue(
                start >= expected.start() && start <= latestStart,
                () -> name + " starts at " + start + ", not " + expected.start());
        assertTrue(
                next >= expected.durable() && expected.batchEnds.contains(next),
                () -> name + " ends at " + next + ", durable were " + expected.durable());
        assertEquals(next, partition.durableOffset(), name);
        checkRecords(expected, partition, start, next);
        Cursor cursor = topic.cursor("cursor");
        long at = cursor.offset(0);
        assertTrue(
                at >= expected.cursorForced && at <= expected.cursorAsked && at <= next,
                () -> name + ": cursor at " + at + ", forced at " + expected.cursorForced);
    }

    private static void checkRecords(OfTopic expected, Partition partition, long start, long next) {
        long[] at = {start};
        try (Tailer tailer = partition.openTailer()) {
            while (tailer.poll(
                            found -> {
                                assertEquals(at[0], found.offset(), expected.name);
                                byte[] value = new byte[found.valueLength()];
                                found.getValue(value, 0);
                                byte[] sent = expected.sent.get((int) at[0]++);
                                assertTrue(Arrays.equals(sent, value), expected.name);
                                return Action.CONTINUE;
                            },
                            100)
                    > 0) {
                assertTrue(at[0] <= next);
            }
        }
        assertEquals(next, at[0], () -> expected.name + ": read up to here");
    }

    private static void assertNoSegments(SimulatedFileMedium medium, Path segments, UUID id)
            throws IOException {
        Path directory = segments.resolve(id.toString());
        for (String partition : medium.list(directory)) {
            for (String file : medium.list(directory.resolve(partition))) {
                assertTrue(
                        !file.endsWith(".log") && !file.endsWith(".active"),
                        () -> "of a deleted topic there is " + directory.resolve(partition));
            }
        }
    }

    /** Bytes that say where they belong. */
    static byte[] value(String topic, long offset, int length) {
        byte[] value = new byte[length];
        byte[] name = (topic + " " + offset + " ").getBytes(StandardCharsets.UTF_8);
        for (int i = 0; i < length; i++) {
            value[i] = name[i % name.length];
        }
        return value;
    }
}
