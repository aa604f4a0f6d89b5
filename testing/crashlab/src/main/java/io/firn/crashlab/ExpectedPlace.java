package io.firn.crashlab;

import static io.firn.crashlab.Violation.require;

import io.firn.IsolationLevel;
import io.firn.LogRecord;
import io.firn.Partition;
import io.firn.PartitionReader.TimestampedOffset;
import io.firn.RecordHandler;
import io.firn.Tailer;
import io.firn.TailerOptions;
import io.firn.Topic;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/** What was promised of a partition that transactions append to, apart from the transactions. */
final class ExpectedPlace {
    /** The values of records outside of transactions, by offset. */
    final TreeMap<Long, String> plain = new TreeMap<>();

    /** The largest offset up to which records were to be deleted. */
    long startAsked;

    final String topic;
    private final int index;
    private final boolean isDurable;

    /** The partition in the store that is open or was open last; null until it exists. */
    private Partition partition;

    ExpectedPlace(String topic, int index, boolean isDurable) {
        this.topic = topic;
        this.index = index;
        this.isDurable = isDurable;
    }

    void exists(Topic in) {
        partition = in.partition(index);
    }

    boolean isThere() {
        return partition != null;
    }

    Partition partition() {
        return partition;
    }

    /** Returns whether a reader of committed records could see an offset, if that is a promise. */
    boolean isVisible(long offset) {
        // Deleted records of an open transaction are below the visible end, and seen by nobody.
        return offset < visible() && offset >= partition.logStartOffset();
    }

    /** Returns the offset that is visible to readers of committed records, if that is a promise. */
    long visible() {
        return isDurable && partition != null ? partition.visibleOffset() : 0;
    }

    long version() {
        if (partition == null) {
            return 0;
        }
        long version = partition.durableOffset() * 31 + partition.visibleOffset();
        return version * 31 + partition.logStartOffset() + startAsked * 131 + plain.size();
    }

    /**
     * Compares the partition with what was promised.
     *
     * @param isHeld whether a transaction of a named producer is open there
     */
    void check(Partition found, boolean isHeld) {
        require(found.damage().isEmpty(), this + " has damage " + found.damage());
        long start = found.logStartOffset();
        require(
                start >= partition.logStartOffset() && start <= startAsked,
                this + " starts at " + start + ", asked was " + startAsked);
        long next = found.nextOffset();
        require(
                next >= partition.durableOffset() && next == found.durableOffset(),
                this + " ends at " + next + ", was durable to " + partition.durableOffset());
        long visible = found.visibleOffset();
        require(
                visible >= visible(),
                this + " is visible up to " + visible + ", before the crash up to " + visible());
        long end = found.visibleOffset(IsolationLevel.READ_UNCOMMITTED);
        require(isHeld || visible == end, this + " is stable up to " + visible + " of " + end);
        checkPlain(found);
    }

    private void checkPlain(Partition found) {
        Map<String, Long> read = read(found, IsolationLevel.READ_UNCOMMITTED);
        long start = found.logStartOffset();
        plain.forEach(
                (offset, value) -> {
                    Long at = read.get(value);
                    boolean isPromised = offset >= start && offset < partition.durableOffset();
                    require(
                            at == null ? !isPromised : at.equals(offset),
                            this + ": " + value + " is at " + at + ", not at " + offset);
                });
        read.keySet().stream()
                .filter(value -> value.startsWith("plain"))
                .forEach(
                        value ->
                                require(
                                        plain.containsValue(value),
                                        this + " has " + value + ", which was not appended"));
    }

    /** Goes on with a store that was recovered. */
    void recover(Topic in) {
        exists(in);
        plain.values().retainAll(read(partition, IsolationLevel.READ_UNCOMMITTED).keySet());
        startAsked = partition.logStartOffset();
    }

    /** Returns the offsets of all records by the first words of their values. */
    static Map<String, Long> read(Partition partition, IsolationLevel isolation) {
        Map<String, Long> offsets = new HashMap<>();
        Latest latest = new Latest();
        try (Tailer tailer =
                partition
                        .topic()
                        .openTailer(
                                TailerOptions.defaults()
                                        .withIsolation(isolation)
                                        .withPartitions(partition.index()))) {
            while (tailer.poll(
                            record -> {
                                latest.see(record);
                                String value = words(record.copy().value());
                                require(
                                        offsets.put(value, record.offset()) == null,
                                        partition + " has " + value + " twice");
                                return RecordHandler.Action.CONTINUE;
                            },
                            1_000)
                    > 0) {
                continue;
            }
        }
        if (isolation == IsolationLevel.READ_UNCOMMITTED) {
            latest.check(partition);
        }
        return offsets;
    }

    /** The first record with the largest timestamp. */
    private static final class Latest {
        private long offset = -1;
        private long timestamp = -1;

        void see(LogRecord record) {
            if (record.timestamp() > timestamp) {
                offset = record.offset();
                timestamp = record.timestamp();
            }
        }

        void check(Partition in) {
            if (offset < 0) {
                return;
            }
            var isolation = IsolationLevel.READ_UNCOMMITTED;
            check(in, "the largest timestamp", in.findLatestTimestamp(isolation));
            check(in, "timestamp " + timestamp, in.findTimestamp(timestamp, isolation));
            TimestampedOffset later = in.findTimestamp(timestamp + 1, isolation);
            require(later == null, in + " has no timestamp above " + timestamp + ", but " + later);
        }

        private void check(Partition in, String what, TimestampedOffset found) {
            require(
                    found != null && found.offset() == offset,
                    in + " has " + what + " at " + offset + ", found was " + found);
        }
    }

    /** Returns a value that begins with some words, and is of a length. */
    static byte[] value(String words, int length) {
        String text = words + ' ' + length + ';';
        byte[] value = new byte[Math.max(length, text.length())];
        byte[] begin = text.getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(begin, 0, value, 0, begin.length);
        for (int i = begin.length; i < value.length; i++) {
            value[i] = (byte) (i * 31 + length);
        }
        return value;
    }

    private static String words(byte[] value) {
        int to = 0;
        while (to < value.length && value[to] != ';') {
            to++;
        }
        String text = new String(value, 0, to, StandardCharsets.US_ASCII);
        int space = text.lastIndexOf(' ');
        if (space < 0) {
            return text; // of the checker itself
        }
        String words = text.substring(0, space);
        byte[] expected = value(words, Integer.parseInt(text.substring(space + 1)));
        require(java.util.Arrays.equals(expected, value), "another value of " + words);
        return words;
    }

    @Override
    public String toString() {
        return topic + "-" + index;
    }
}
