package io.firn.log;

import io.firn.AbortedTransaction;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The aborted transactions of a partition, in the order of the offsets of their markers. As in
 * Kafka's transaction index, each entry says up to which offset all transactions were decided when
 * it was added, so that a search knows where to stop. One thread adds at a time; any may read.
 */
public final class AbortedTransactions {
    private static final int FIELDS = 4;
    private static final int PRODUCER = 0;
    private static final int FIRST = 1;
    private static final int LAST = 2;
    private static final int DECIDED = 3;
    private static final int FEW = 64;

    /** Entries are only added to it, and only those below the size may be read. */
    private record Entries(long[] fields, int size) {
        long get(int entry, int field) {
            return fields[entry * FIELDS + field];
        }
    }

    private volatile Entries entries = new Entries(new long[0], 0);

    /** How many of the first entries are in files of their own. */
    private int filed;

    /**
     * Adds an entry. One that was added before is left out: recovery also passes markers that the
     * checkpoint contains.
     *
     * @param decidedTo the offset below which all transactions are decided now
     */
    void add(long producerId, long first, long last, long decidedTo) {
        Entries now = entries;
        if (now.size > 0 && now.get(now.size - 1, LAST) >= last) {
            return;
        }
        long[] fields = now.fields;
        int at = now.size * FIELDS;
        if (at == fields.length) {
            fields = Arrays.copyOf(fields, Math.max(4 * FIELDS, 2 * at));
        }
        fields[at + PRODUCER] = producerId;
        fields[at + FIRST] = first;
        fields[at + LAST] = last;
        fields[at + DECIDED] = decidedTo;
        entries = new Entries(fields, now.size + 1);
    }

    /** Forgets entries whose markers are below an offset, when they are many. */
    void dropBelow(long offset) {
        Entries now = entries;
        int dead = firstEndingAt(now, offset);
        if (dead > FEW && dead > now.size / 2) {
            long[] left = Arrays.copyOfRange(now.fields, dead * FIELDS, now.size * FIELDS);
            entries = new Entries(left, now.size - dead);
            filed = Math.max(0, filed - dead);
        }
    }

    /** Returns the first entry that is not in a file of its own. */
    int filed() {
        return filed;
    }

    /** Notes that the entries up to a marker's offset are in files of their own. */
    void filedTo(long last) {
        filed = firstEndingAt(entries, last + 1);
    }

    /** Returns the offset of the last marker that is in a file of its own; −1 for none. */
    long lastFiled() {
        return filed == 0 ? -1 : entries.get(filed - 1, LAST);
    }

    int size() {
        return entries.size;
    }

    boolean isEmpty() {
        return entries.size == 0;
    }

    /** Returns whether a batch with the transactional attribute belongs to an aborted one. */
    public boolean contains(long producerId, long offset) {
        Entries now = entries;
        for (int i = firstEndingAt(now, offset); i < now.size; i++) {
            if (now.get(i, PRODUCER) == producerId) {
                return now.get(i, FIRST) <= offset;
            }
            if (now.get(i, DECIDED) > offset) {
                return false; // the batch's own transaction was decided by then
            }
        }
        return false;
    }

    /** Returns those with offsets in a range. */
    public List<AbortedTransaction> between(long from, long to) {
        Entries now = entries;
        List<AbortedTransaction> found = new ArrayList<>();
        for (int i = firstEndingAt(now, from); i < now.size; i++) {
            if (now.get(i, FIRST) < to) {
                found.add(
                        new AbortedTransaction(
                                now.get(i, PRODUCER), now.get(i, FIRST), now.get(i, LAST)));
            }
            if (now.get(i, DECIDED) >= to) {
                break;
            }
        }
        return found;
    }

    /** Returns the first entry whose marker is at an offset or above. */
    private static int firstEndingAt(Entries now, long offset) {
        int low = 0;
        int high = now.size;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (now.get(middle, LAST) < offset) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** Returns the key of an entry in a checkpoint, without its prefix. */
    String keyOf(int entry) {
        return Long.toString(entries.get(entry, LAST));
    }

    String toText(int entry) {
        Entries now = entries;
        return now.get(entry, PRODUCER)
                + " "
                + now.get(entry, FIRST)
                + " "
                + now.get(entry, DECIDED);
    }

    void addOfText(String key, String text) {
        String[] numbers = text.split(" ");
        if (numbers.length != 3) {
            throw new NumberFormatException("not an aborted transaction: " + text);
        }
        add(
                Long.parseLong(numbers[0]),
                Long.parseLong(numbers[1]),
                Long.parseLong(key),
                Long.parseLong(numbers[2]));
    }
}
