package io.firn.crashlab;

import static io.firn.crashlab.Violation.require;

import io.firn.Batch;
import io.firn.LogRecord;
import io.firn.Partition;
import io.firn.RecordHandler;
import io.firn.Tailer;
import io.firn.Topic;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.UUID;

/** What was promised of a topic, which has one partition. */
final class ExpectedTopic {
    private static final int KEYS = 6;
    private static final int TOMBSTONE_SHARE = 4;

    final String name;

    /** The values that were sent, by offset. */
    final List<byte[]> sent = new ArrayList<>();

    Presence presence = Presence.MAY_EXIST;

    /** Null until the topic was created. */
    UUID id;

    /** The partition in the store that is open or was open last; null until then. */
    Partition partition;

    /** The largest offset up to which records were to be deleted. */
    long startAsked;

    /** Whether records may be deleted because of the topic's retention. */
    boolean isRetained;

    long cursorForced = -1;
    long cursorAsked = -1;

    /** The id of the idempotent producer; −1 when the next batch needs a new one. */
    long producer = -1;

    int sequence;

    /** The last idempotent batch, if it is durable and can be sent again; else null. */
    Repeatable last;

    private final boolean isCompacted;
    private final TreeSet<Long> batchEnds = new TreeSet<>(List.of(0L));
    private long acked;

    /** Whether a topic exists. */
    enum Presence {
        MAY_EXIST,
        EXISTS,
        GONE
    }

    /** An idempotent batch that can be sent again. */
    record Repeatable(long producer, int sequence, List<byte[]> values, long offset) {}

    /** Fills a batch with the last idempotent one. */
    Batch fillWithLast(Batch batch) {
        batch.clear().producer(last.producer(), 0, last.sequence());
        fill(batch, last.values(), last.offset());
        return batch;
    }

    /**
     * Creates what is expected of a topic that does not exist yet.
     *
     * @param isCompacted whether its records have keys, and superseded ones may be missing
     */
    ExpectedTopic(String name, boolean isCompacted) {
        this.name = name;
        this.isCompacted = isCompacted;
    }

    // ---- records

    /** Adds values to a batch that is appended at an offset. */
    void fill(Batch batch, List<byte[]> values, long offset) {
        for (int i = 0; i < values.size(); i++) {
            byte[] value = isTombstone(offset + i) ? null : values.get(i);
            batch.add(keyOf(offset + i), value);
        }
    }

    /** Returns the key of the record at an offset; null when records have none. */
    private byte[] keyOf(long offset) {
        return isCompacted ? new byte[] {(byte) keyNumber(offset)} : null;
    }

    private static int keyNumber(long offset) {
        return (int) Math.floorMod((offset * 0x9E3779B97F4A7C15L) >>> 17, (long) KEYS);
    }

    private boolean isTombstone(long offset) {
        return isCompacted && ((offset * 0xD6E8FEB86659FD93L) >>> 29) % TOMBSTONE_SHARE == 0;
    }

    // ---- what happens

    /** Notes that the topic was created or opened again. */
    void exists(Topic topic) {
        presence = Presence.EXISTS;
        id = topic.id();
        partition = topic.partition(0);
    }

    /** Notes values that are about to be appended as a batch. */
    void sends(List<byte[]> values) {
        sent.addAll(values);
        batchEnds.add((long) sent.size());
    }

    /** Forgets what was sent from an offset on: it was never stored. */
    void forget(long offset) {
        while (sent.size() > offset) {
            sent.remove(sent.size() - 1);
        }
        batchEnds.tailSet(offset, false).clear();
    }

    /** Notes that the last values were acknowledged as durable. */
    void acks(long offset, int count) {
        int expected = sent.size() - count;
        require(offset == expected, name + " returned offset " + offset + ", not " + expected);
        acked = sent.size();
    }

    /** Notes that the topic was recovered after a power cut: only what was found counts. */
    void recover(Topic topic) {
        exists(topic);
        forget(partition.nextOffset());
        acked = Math.min(acked, sent.size());
        startAsked = partition.logStartOffset();
        cursorForced = topic.cursor("c").offset(0);
        cursorAsked = cursorForced;
        // What the old producer sent last may be lost; a new one begins.
        producer = -1;
        sequence = 0;
        last = last == null || last.offset() >= sent.size() ? null : last;
    }

    /** Returns the offset below which everything was promised to be durable. */
    long durable() {
        return partition == null ? acked : Math.max(acked, partition.durableOffset());
    }

    private long start() {
        return partition == null ? 0 : partition.logStartOffset();
    }

    /** Returns a number that changes when anything is promised. */
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

    /** Compares a topic of a store that was just opened with what was promised. */
    void check(Topic topic) {
        Partition found = topic.partition(0);
        require(found.damage().isEmpty(), name + " has damage " + found.damage());
        long start = found.logStartOffset();
        long next = found.nextOffset();
        long latestStart = isRetained ? durable() : startAsked;
        require(
                start >= start() && start <= latestStart,
                name + " starts at " + start + ", not in " + start() + ".." + latestStart);
        require(
                next >= durable(),
                name + " ends at " + next + ", but was durable up to " + durable());
        require(batchEnds.contains(next), name + " ends at " + next + ", inside a batch");
        require(
                next == found.durableOffset(),
                name + " ends at " + next + ", but is durable up to " + found.durableOffset());
        checkRecords(found, start, next);
        long cursor = topic.cursor("c").offset(0);
        require(
                cursor >= cursorForced && cursor <= Math.max(cursorAsked, -1) && cursor <= next,
                String.format(
                        "%s has its cursor at %d; forced: %d, last set: %d, end of the log: %d",
                        name, cursor, cursorForced, cursorAsked, next));
    }

    private void checkRecords(Partition found, long from, long to) {
        long[] next = {from};
        byte[] value = new byte[Values.LARGEST];
        Map<Integer, Long> latest = new HashMap<>();
        try (Tailer tailer = found.openTailer()) {
            while (tailer.poll(
                            record -> {
                                long at = record.offset();
                                boolean mayLack = isCompacted && at > next[0];
                                require(
                                        at == next[0] || mayLack,
                                        "offset " + at + " in place of " + next[0]);
                                checkRecord(record, value);
                                latest.put(keyNumber(at), at);
                                next[0] = at + 1;
                                return RecordHandler.Action.CONTINUE;
                            },
                            1_000)
                    > 0) {
                continue;
            }
        }
        require(
                next[0] == to || (isCompacted && next[0] < to),
                name + ": read up to " + next[0] + ", not " + to);
        if (isCompacted) {
            checkLatest(latest, from, to);
        }
    }

    private void checkRecord(LogRecord record, byte[] scratch) {
        long at = record.offset();
        byte[] key = keyOf(at);
        require(
                key == null
                        ? !record.hasKey()
                        : record.key().get(record.key().position()) == key[0],
                "another key at " + at);
        if (isTombstone(at)) {
            require(!record.hasValue(), "a value at " + at + ", where a tombstone was");
            return;
        }
        byte[] expected = sent.get((int) at);
        int length = record.valueLength();
        require(record.hasValue() && length == expected.length, "another value at " + at);
        record.getValue(scratch, 0);
        require(Arrays.equals(scratch, 0, length, expected, 0, length), "another value at " + at);
    }

    /** The last record of each key is there, unless it is a tombstone: then all may be gone. */
    private void checkLatest(Map<Integer, Long> found, long from, long to) {
        Map<Integer, Long> expected = new HashMap<>();
        for (long offset = from; offset < to; offset++) {
            expected.put(keyNumber(offset), offset);
        }
        expected.forEach(
                (key, offset) -> {
                    Long there = found.get(key);
                    require(
                            offset.equals(there) || (there == null && isTombstone(offset)),
                            String.format(
                                    "%s: the last record of key %d is at %s, not at %d",
                                    name, key, there, offset));
                });
    }
}
