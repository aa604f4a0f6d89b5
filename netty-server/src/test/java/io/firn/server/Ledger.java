package io.firn.server;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What writers of transactions said that they did, and whether a log agrees with it. A checker of
 * appends to lists, in which offsets give the order:
 *
 * <ul>
 *   <li>of what was committed each record is there once, of what was aborted none, of what nobody
 *       knows all or none;
 *   <li>records of a transaction are in the order in which they were sent;
 *   <li>a transaction that had ended before another one began is before it in each partition;
 *   <li>each writer's offset in the group is that of its last transaction that is there.
 * </ul>
 *
 * <p>Thread-safe.
 */
final class Ledger {
    private final Map<String, Entry> entries = new HashMap<>();
    private int clients;

    /** A record of a partition. */
    record Row(long offset, String value) {}

    private enum Outcome {
        COMMITTED,
        ABORTED,
        UNKNOWN
    }

    /** A transaction. Before its writer says that it commits, it can only be aborted. */
    private static final class Entry {
        private final long beganAt;
        private final int records;
        private Outcome outcome = Outcome.ABORTED;
        private long committedAt = Long.MAX_VALUE;
        private int partition = -1;
        private long place = -1;
        private final BitSet seen = new BitSet();

        Entry(long beganAt, int records) {
            this.beganAt = beganAt;
            this.records = records;
        }
    }

    /** Notes a line of a writer. */
    synchronized void note(String line) {
        String[] words = line.split(" ");
        long time = Long.parseLong(words[0]);
        switch (words[1]) {
            case "begin" -> entries.put(words[2], new Entry(time, Integer.parseInt(words[3])));
            case "commit" -> {
                Entry entry = entries.get(words[2]);
                entry.outcome = Outcome.UNKNOWN;
                entry.partition = Integer.parseInt(words[3]);
                entry.place = Long.parseLong(words[4]);
            }
            case "committed" -> {
                Entry entry = entries.get(words[2]);
                entry.outcome = Outcome.COMMITTED;
                entry.committedAt = time;
            }
            case "client" -> clients++;
            default -> {} // of no interest
        }
    }

    /**
     * Compares.
     *
     * @param log the records of each partition that readers of committed records see
     * @param offsets of the group, by partition
     * @return what was seen, in some words
     * @throws IllegalStateException when they do not agree
     */
    synchronized String check(List<List<Row>> log, Map<Integer, Long> offsets) {
        entries.values().forEach(each -> each.seen.clear());
        log.forEach(this::checkPartition);
        Map<Integer, Long> places = new TreeMap<>();
        int[] counts = new int[Outcome.values().length];
        int unknownSeen = 0;
        for (Map.Entry<String, Entry> each : entries.entrySet()) {
            Entry entry = each.getValue();
            counts[entry.outcome.ordinal()]++;
            int seen = entry.seen.cardinality();
            boolean isRight =
                    switch (entry.outcome) {
                        case COMMITTED -> seen == entry.records;
                        case ABORTED -> seen == 0;
                        case UNKNOWN -> seen == 0 || seen == entry.records;
                    };
            require(
                    isRight,
                    String.format(
                            "%s is %s, and %d of its %d records are there",
                            each.getKey(), entry.outcome, seen, entry.records));
            if (seen > 0) {
                places.merge(entry.partition, entry.place, Math::max);
                unknownSeen += entry.outcome == Outcome.UNKNOWN ? 1 : 0;
            }
        }
        require(
                places.equals(new TreeMap<>(offsets)),
                "the offsets of the group are " + offsets + ", the last transactions' " + places);
        return String.format(
                "%d committed, %d aborted, %d unknown of which %d are there, by %d clients;"
                        + " %d offsets compared",
                counts[0], counts[1], counts[2], unknownSeen, clients, places.size());
    }

    private void checkPartition(List<Row> rows) {
        Map<String, Integer> last = new HashMap<>();
        List<String> order = new ArrayList<>();
        for (Row row : rows) {
            int colon = row.value.lastIndexOf(':');
            String transaction = row.value.substring(0, colon);
            int index = Integer.parseInt(row.value.substring(colon + 1));
            Entry entry = entries.get(transaction);
            require(entry != null && index < entry.records, row + " was never written");
            Integer before = last.put(transaction, index);
            require(before == null || before < index, row + " is there after number " + before);
            require(!entry.seen.get(index), row + " is in another partition, too");
            entry.seen.set(index);
            order.add(transaction);
        }
        long earliestEnd = Long.MAX_VALUE;
        String earliest = null;
        for (int i = order.size() - 1; i >= 0; i--) {
            Entry entry = entries.get(order.get(i));
            require(
                    earliestEnd >= entry.beganAt,
                    order.get(i) + " is before " + earliest + ", which had ended when it began");
            if (entry.committedAt < earliestEnd) {
                earliestEnd = entry.committedAt;
                earliest = order.get(i);
            }
        }
    }

    /**
     * Checks that what a reader saw while the log grew is how the log begins.
     *
     * @throws IllegalStateException when it is not
     */
    static void checkSeen(int partition, List<Row> seen, List<Row> log) {
        for (int i = 0; i < seen.size(); i++) {
            Row there = i < log.size() ? log.get(i) : null;
            require(
                    seen.get(i).equals(there),
                    "partition " + partition + ": seen was " + seen.get(i) + ", there is " + there);
        }
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new IllegalStateException(otherwise);
        }
    }
}
