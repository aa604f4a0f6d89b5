package io.firn.crashlab;

import static io.firn.crashlab.Violation.require;

import io.firn.IsolationLevel;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.Transaction.State;
import io.firn.host.HostedStore;
import io.firn.host.TransactionCoordinator.NamedProducer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * What was promised of transactions (O11 to O13): each is there in all of its partitions, and has
 * moved its cursor, or nowhere; one whose commit has returned is there, unless it was only written
 * and its marker was not durable; one that was seen stays; no cursor is set back by an older
 * decision; nothing of an unnamed producer stays undecided.
 */
final class ExpectedTransactions {
    static final String DURABLE = "x0";
    static final String WRITTEN = "x1";
    static final int PARTITIONS = 2;

    /** The cursor that transactions move, in the topic {@link #DURABLE}. */
    static final String CURSOR = "c";

    static final Duration TIMEOUT = Duration.ofDays(10);

    final List<ExpectedPlace> places = new ArrayList<>();

    private final Map<Integer, Sent> all = new TreeMap<>();
    private final List<ExpectedPositions> positions = new ArrayList<>();
    private int number;
    private long changes;

    /** What may become of a transaction. */
    enum Outcome {
        /** Nobody has asked for its commit: it must not be seen. */
        OPEN,
        /** A commit is under way: all or none of it may be there. */
        COMMITTING,
        COMMITTED,
        /** Committed in one partition of a WRITTEN topic: a power cut may take all of it. */
        WRITTEN,
        ABORTED
    }

    /** A record of a transaction; the offset is −1 until its append has returned. */
    private record SentRecord(ExpectedPlace place, String value, long offset) {}

    /** A transaction. */
    final class Sent {
        private final int id = ++number;
        private final List<SentRecord> records = new ArrayList<>();
        private Outcome outcome = Outcome.OPEN;

        /** The offset after the marker of one that is only written. */
        private long markedTo;

        /** Whether a power cut has left it undecided: it may be aborted, and readers go past it. */
        private boolean isCarriedOver;

        Sent() {
            all.put(id, this);
            changes++;
        }

        int id() {
            return id;
        }

        /** Notes a record that is about to be appended, and returns its first words. */
        String sends(ExpectedPlace place) {
            changes++;
            String value = "tx " + id + " record " + records.size();
            records.add(new SentRecord(place, value, -1));
            return value;
        }

        /** Notes the offset of the record that was appended last. */
        void sent(long offset) {
            changes++;
            SentRecord last = records.remove(records.size() - 1);
            records.add(new SentRecord(last.place, last.value, offset));
        }

        void is(Outcome next) {
            changes++;
            outcome = next;
        }

        /** Notes that the commit of an unnamed one that moves no cursor has returned. */
        void isCommittedByMarker() {
            ExpectedPlace first = records.get(0).place;
            boolean isWritten =
                    first.topic.equals(ExpectedTransactions.WRITTEN)
                            && records.stream().allMatch(each -> each.place == first);
            is(isWritten ? Outcome.WRITTEN : Outcome.COMMITTED);
            markedTo = first.partition().nextOffset();
        }

        private boolean isMarkerDurable() {
            return records.get(0).place.partition().durableOffset() >= markedTo;
        }

        @Override
        public String toString() {
            return "transaction " + id + " (" + outcome + ")";
        }

        /** Returns its records that were not deleted, and behind no open transaction. */
        private List<SentRecord> readable(Map<ExpectedPlace, Partition> found) {
            return records.stream()
                    .filter(each -> isReadable(each, found.get(each.place)))
                    .toList();
        }

        private static boolean isReadable(SentRecord record, Partition in) {
            return in != null
                    && record.offset >= in.logStartOffset()
                    && record.offset < in.visibleOffset();
        }

        private void check(
                Map<ExpectedPlace, Map<String, Long>> read, Map<ExpectedPlace, Partition> found) {
            int there = 0;
            boolean isSeen = false;
            for (SentRecord each : records) {
                Long at = read.getOrDefault(each.place, Map.of()).get(each.value);
                require(
                        at == null || at.equals(each.offset),
                        this + ": " + each.value + " is at " + at + ", not at " + each.offset);
                there += at == null ? 0 : 1;
                isSeen |= !isCarriedOver && each.place.isVisible(each.offset);
            }
            int expected = readable(found).size();
            boolean isWhole = there == expected;
            boolean isKept =
                    switch (outcome) {
                        case OPEN, ABORTED -> there == 0;
                        case COMMITTED -> isWhole;
                        case WRITTEN -> isWhole || (there == 0 && !isMarkerDurable());
                        case COMMITTING -> isWhole || (there == 0 && !isSeen);
                    };
            require(
                    isKept,
                    this + " has " + there + " of " + expected + " records" + (isSeen ? "!" : ""));
        }

        /** Returns whether its records say that it was committed; null when they say nothing. */
        private Boolean isFound(
                Map<ExpectedPlace, Map<String, Long>> read, Map<ExpectedPlace, Partition> found) {
            List<SentRecord> readable = readable(found);
            return switch (outcome) {
                case COMMITTED -> true;
                case OPEN, ABORTED -> false;
                case COMMITTING, WRITTEN ->
                        readable.isEmpty()
                                ? null
                                : read.get(readable.get(0).place)
                                        .containsKey(readable.get(0).value);
            };
        }
    }

    ExpectedTransactions() {
        for (int i = 0; i < PARTITIONS; i++) {
            places.add(new ExpectedPlace(DURABLE, i, true));
            positions.add(new ExpectedPositions());
        }
        for (int i = 0; i < PARTITIONS; i++) {
            places.add(new ExpectedPlace(WRITTEN, i, false));
        }
    }

    /** Returns what is expected of the cursor in a partition of {@link #DURABLE}. */
    ExpectedPositions positions(int partition) {
        changes++;
        return positions.get(partition);
    }

    int nextPlain() {
        changes++;
        return ++number;
    }

    long version() {
        long version = changes;
        for (ExpectedPlace each : places) {
            version = version * 31 + each.version();
        }
        return version;
    }

    /** Notes that there will be transactions. */
    void begins() {
        changes++;
    }

    /** Returns whether there are transactions. */
    boolean isUsed() {
        return changes > 0;
    }

    // ---- looks

    private Map<ExpectedPlace, Partition> partitionsIn(LogStore store) {
        Map<ExpectedPlace, Partition> found = new HashMap<>();
        for (int i = 0; i < places.size(); i++) {
            ExpectedPlace place = places.get(i);
            if (store.topicNames().contains(place.topic)) {
                found.put(place, store.openTopic(place.topic).partition(i % PARTITIONS));
            }
            require(
                    found.containsKey(place) || !place.isThere(),
                    place + " was created and is missing");
        }
        return found;
    }

    /** Compares a store that was just opened with what was promised. */
    void check(LogStore store) {
        Map<ExpectedPlace, Partition> found = partitionsIn(store);
        Set<String> held = new HashSet<>();
        for (NamedProducer each : HostedStore.of(store).transactions().producers()) {
            if (each.state() == State.ONGOING) {
                each.partitions().forEach(partition -> held.add(partition.toString()));
            }
        }
        found.forEach(
                (place, partition) -> {
                    if (place.isThere()) {
                        place.check(partition, held.contains(partition.toString()));
                    }
                });
        Map<ExpectedPlace, Map<String, Long>> read = read(found);
        all.values().forEach(each -> each.check(read, found));
        read.forEach((place, values) -> values.keySet().forEach(each -> checkKnown(place, each)));
        if (store.topicNames().contains(DURABLE)) {
            for (int i = 0; i < PARTITIONS; i++) {
                long offset = store.openTopic(DURABLE).cursor(CURSOR).offset(i);
                long next = store.openTopic(DURABLE).partition(i).nextOffset();
                require(offset <= next, "the cursor is at " + offset + " of " + next);
                positions.get(i).check(offset, tx -> all.get(tx).isFound(read, found));
            }
        }
    }

    private void checkKnown(ExpectedPlace place, String value) {
        if (value.startsWith("tx ")) {
            int tx = Integer.parseInt(value.substring(3, value.indexOf(' ', 3)));
            require(all.containsKey(tx), place + " has " + value + ", which nobody appended");
        }
    }

    private static Map<ExpectedPlace, Map<String, Long>> read(Map<ExpectedPlace, Partition> found) {
        Map<ExpectedPlace, Map<String, Long>> read = new HashMap<>();
        found.forEach(
                (place, partition) ->
                        read.put(
                                place,
                                ExpectedPlace.read(partition, IsolationLevel.READ_COMMITTED)));
        return read;
    }

    /** Opens the producers again whose transactions are open: then nothing is undecided. */
    void checkEnd(LogStore store) {
        for (NamedProducer each : HostedStore.of(store).transactions().producers()) {
            store.openProducer(each.name(), TIMEOUT);
        }
        Map<ExpectedPlace, Partition> found = partitionsIn(store);
        found.forEach(
                (place, partition) -> {
                    partition.force();
                    long stable = partition.visibleOffset();
                    require(
                            stable == partition.nextOffset(),
                            place + " is stable up to " + stable + " after all were reopened");
                });
        Map<ExpectedPlace, Map<String, Long>> read = read(found);
        all.values().forEach(each -> each.check(read, found));
    }

    // ---- what happens

    /** Notes that the store was closed and opened: what was open was aborted, or will be. */
    void reopened(LogStore store) {
        for (Sent each : all.values()) {
            if (each.outcome == Outcome.OPEN) {
                each.is(Outcome.ABORTED);
            }
        }
        for (ExpectedPlace each : places) {
            if (each.isThere()) {
                each.exists(store.openTopic(each.topic));
            }
        }
    }

    /** Goes on with a store that was recovered after a power cut and checked. */
    void adopt(LogStore store) {
        Map<ExpectedPlace, Partition> found = partitionsIn(store);
        Map<ExpectedPlace, Map<String, Long>> read = read(found);
        for (Sent each : all.values()) {
            Boolean isFound = each.isFound(read, found);
            if (isFound != null) {
                each.is(isFound ? Outcome.COMMITTED : Outcome.ABORTED);
            } else if (each.outcome == Outcome.WRITTEN) {
                each.is(Outcome.COMMITTING); // other records may be where its marker was
            }
            each.isCarriedOver = isFound == null;
        }
        found.keySet().forEach(place -> place.recover(store.openTopic(place.topic)));
        if (store.topicNames().contains(DURABLE)) {
            for (int i = 0; i < PARTITIONS; i++) {
                positions(i).reset(store.openTopic(DURABLE).cursor(CURSOR).offset(i));
            }
        }
    }
}
