package io.firn.producer;

import io.firn.host.AbortedTransaction;
import io.firn.medium.Fields;
import io.firn.medium.FileErrors.DamagedFileException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javax.annotation.concurrent.GuardedBy;
import org.agrona.collections.IntArrayList;
import org.agrona.collections.Long2ObjectHashMap;

/**
 * The aborted transactions of a partition, in the order of the offsets of their markers. As in
 * Kafka's transaction index, each entry says up to which offset all transactions were decided when
 * it was added, so that a search knows where to stop. Where one transaction was open for long while
 * many others were aborted, that stops no search; then whole blocks of entries are skipped that
 * begin behind what is asked for, and batches are looked up by their producers. One thread adds at
 * a time; any may read.
 */
public final class AbortedTransactions {
    private static final int FIELDS = 4;
    private static final int PRODUCER = 0;
    private static final int FIRST = 1;
    private static final int LAST = 2;
    private static final int DECIDED = 3;
    private static final int FEW = 64;

    /** The entries of a block. */
    private static final int BLOCK = 256;

    /**
     * Entries are only added to it, and only those below the size may be read. So are the smallest
     * first offsets of its blocks, but for the last one, which is not complete.
     */
    private record Entries(long[] fields, int size, long[] smallest) {
        long get(int entry, int field) {
            return fields[entry * FIELDS + field];
        }

        /** Returns whether a complete block begins at an entry, all of it at an offset or above. */
        boolean isBlockFrom(int entry, long offset) {
            return entry % BLOCK == 0 && entry + BLOCK <= size && smallest[entry / BLOCK] >= offset;
        }
    }

    private volatile Entries entries = new Entries(new long[0], 0, new long[0]);

    /** By producer the numbers of its entries, of which the first ones may be dropped. */
    @GuardedBy("byProducer")
    private final Long2ObjectHashMap<IntArrayList> byProducer = new Long2ObjectHashMap<>();

    /** The number of entries that were dropped. */
    @GuardedBy("byProducer")
    private int dropped;

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
        synchronized (byProducer) {
            IntArrayList numbers = byProducer.get(producerId);
            if (numbers == null) {
                numbers = new IntArrayList(2, IntArrayList.DEFAULT_NULL_VALUE);
                byProducer.put(producerId, numbers);
            }
            numbers.addInt(dropped + now.size);
            entries = new Entries(fields, now.size + 1, withBlock(now, fields));
        }
    }

    /** Returns the smallest offsets of blocks when an entry was added behind the present ones. */
    private static long[] withBlock(Entries now, long[] fields) {
        int size = now.size + 1;
        if (size % BLOCK != 0) {
            return now.smallest;
        }
        int block = size / BLOCK - 1;
        long[] smallest = now.smallest;
        if (block == smallest.length) {
            smallest = Arrays.copyOf(smallest, Math.max(4, 2 * block));
        }
        smallest[block] = smallest(fields, block * BLOCK);
        return smallest;
    }

    private static long smallest(long[] fields, int from) {
        long smallest = Long.MAX_VALUE;
        for (int i = from; i < from + BLOCK; i++) {
            smallest = Math.min(smallest, fields[i * FIELDS + FIRST]);
        }
        return smallest;
    }

    /** Forgets entries whose markers are below an offset, when they are many. */
    void dropBelow(long offset) {
        Entries now = entries;
        int dead = firstEndingAt(now, offset);
        if (dead > FEW && dead > now.size / 2) {
            long[] left = Arrays.copyOfRange(now.fields, dead * FIELDS, now.size * FIELDS);
            long[] smallest = new long[(now.size - dead) / BLOCK];
            for (int block = 0; block < smallest.length; block++) {
                smallest[block] = smallest(left, block * BLOCK);
            }
            filed = Math.max(0, filed - dead);
            synchronized (byProducer) {
                entries = new Entries(left, now.size - dead, smallest);
                dropped += dead;
                int least = dropped;
                byProducer.values().forEach(numbers -> numbers.removeIfInt(n -> n < least));
                byProducer.values().removeIf(IntArrayList::isEmpty);
            }
        }
    }

    /** Replaces all entries by those that were found anew, none of which is in a file. */
    void adopt(AbortedTransactions found) {
        synchronized (found.byProducer) {
            synchronized (byProducer) {
                byProducer.clear();
                byProducer.putAll(found.byProducer);
                dropped = found.dropped;
                entries = found.entries;
            }
        }
        filed = 0;
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

    /** Returns whether a batch with the transactional attribute belongs to an aborted one. */
    public boolean contains(long producerId, long offset) {
        if (entries.size == 0) {
            return false;
        }
        synchronized (byProducer) {
            IntArrayList numbers = byProducer.get(producerId);
            return numbers != null && contains(numbers, offset);
        }
    }

    /** Finds the first entry of a producer whose marker is at an offset or above. */
    @GuardedBy("byProducer")
    private boolean contains(IntArrayList numbers, long offset) {
        Entries now = entries;
        int low = 0;
        int high = numbers.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (now.get(numbers.getInt(middle) - dropped, LAST) < offset) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low < numbers.size() && now.get(numbers.getInt(low) - dropped, FIRST) <= offset;
    }

    /** Returns those with offsets in a range. */
    public List<AbortedTransaction> between(long from, long to) {
        Entries now = entries;
        List<AbortedTransaction> found = new ArrayList<>();
        for (int i = firstEndingAt(now, from); i < now.size; i++) {
            while (now.isBlockFrom(i, to)) {
                if (now.get(i + BLOCK - 1, DECIDED) >= to) {
                    return found;
                }
                i += BLOCK;
            }
            if (i == now.size) {
                break;
            }
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

    /** Adds an entry of a checkpoint, whose marker's offset is the key. */
    void add(Fields fields, String key) throws DamagedFileException {
        long[] numbers = fields.numbers(key, 3, 3);
        for (long each : numbers) {
            if (each < 0 || each > Fields.MOST) {
                throw fields.unexpected(key, "an aborted transaction", fields.text(key));
            }
        }
        add(numbers[0], numbers[1], fields.numberIn(key, 0, Fields.MOST), numbers[2]);
    }
}
