package io.firn.management.console;

import io.firn.BatchTooLargeException;
import io.firn.BusyException;
import io.firn.DamagedRangeException;
import io.firn.InvalidOptionException;
import io.firn.LogReader;
import io.firn.LogRecord;
import io.firn.OffsetOutOfRangeException;
import io.firn.PartitionReader;
import io.firn.RecordHandler.Action;
import io.firn.Tailer;
import io.firn.TopicReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Reads some records of a partition, from a place on, perhaps only those with a key. A search ends
 * after some records, bytes and time, and says where the next one goes on. Thread-safe.
 */
final class RecordSearch {
    private static final int MOST_RECORDS = 100;
    private static final int MOST_SEARCHED = 200_000;
    private static final long MOST_BYTES = 64L << 20;
    private static final long MOST_NS = TimeUnit.SECONDS.toNanos(1);
    private static final int LOOK_AT_CLOCK = 64;
    private static final int AT_ONCE = 2;
    private static final List<String> PLACES = List.of("latest", "earliest", "offset", "time");

    private final LogReader store;
    private final Shown shown;
    private final Semaphore turns = new Semaphore(AT_ONCE);

    RecordSearch(LogReader store, Shown shown) {
        this.store = store;
        this.shown = shown;
    }

    /**
     * The answer.
     *
     * @param start the earliest offset of the partition
     * @param end where readers stop
     * @param from where the search began
     * @param next where the next one goes on
     * @param searched how many records were looked at
     * @param problem why it ended before, and what to do; null if it did not
     */
    record Answer(
            String topic,
            int partition,
            long start,
            long end,
            long from,
            long next,
            int searched,
            String problem,
            List<ShownRecord> records) {}

    Answer answer(Query query) {
        if (!turns.tryAcquire()) {
            throw new BusyException("other searches are in progress: try again");
        }
        try {
            return search(query);
        } finally {
            turns.release();
        }
    }

    private Answer search(Query query) {
        byte[] key = key(query);
        int limit = (int) query.number("limit", 50, 1, MOST_RECORDS);
        String name = query.text("topic");
        TopicReader topic = TopicPage.open(store, name);
        PartitionReader partition =
                topic.partition((int) query.number("partition", 0, 0, Integer.MAX_VALUE));
        try (Tailer tailer = partition.openTailer()) {
            place(tailer, partition, query, limit);
            long from = tailer.offset();
            Found found = new Found(key, limit, from);
            String problem = found.readFrom(tailer);
            return new Answer(
                    name,
                    partition.index(),
                    partition.logStartOffset(),
                    partition.visibleOffset(),
                    from,
                    found.next,
                    found.searched,
                    problem,
                    found.records);
        }
    }

    private byte[] key(Query query) {
        if (!query.has("key")) {
            return null;
        }
        if (!shown.hasKeys()) {
            throw new InvalidOptionException(
                    "keys are not shown, so there is no search for them: management.console=keys"
                            + " allows it");
        }
        String key = query.text("key");
        if (!key.startsWith("0x")) {
            return key.getBytes(StandardCharsets.UTF_8);
        }
        try {
            return HexFormat.of().parseHex(key.substring(2));
        } catch (IllegalArgumentException e) {
            throw new InvalidOptionException(
                    "key begins with 0x, and then has pairs of hexadecimal digits, not " + key);
        }
    }

    private static void place(Tailer tailer, PartitionReader partition, Query query, int limit) {
        switch (query.oneOf("from", PLACES)) {
            case "earliest" -> tailer.seekToStart();
            case "offset" -> tailer.seek(inLog(partition, query));
            case "time" -> tailer.seekToTimestamp(query.number("time", 0, 0, Long.MAX_VALUE));
            default -> tailer.seekToLast(limit);
        }
    }

    /** An offset below the start or above the end stands for these. */
    private static long inLog(PartitionReader partition, Query query) {
        long wanted = query.number("offset", 0, 0, Long.MAX_VALUE);
        return Math.max(partition.logStartOffset(), Math.min(wanted, partition.visibleOffset()));
    }

    /** What was found so far. */
    private final class Found {
        private final byte[] key;
        private final int limit;
        private final long endNs = System.nanoTime() + MOST_NS;
        private final List<ShownRecord> records = new ArrayList<>();
        private long next;
        private int searched;
        private long bytes;
        private boolean isEnough;

        Found(byte[] key, int limit, long from) {
            this.key = key;
            this.limit = limit;
            this.next = from;
        }

        /** Returns why it cannot go on; null if it can. */
        String readFrom(Tailer tailer) {
            try {
                while (!isEnough && tailer.poll(this::take, LOOK_AT_CLOCK) > 0) {
                    isEnough |= System.nanoTime() - endNs > 0;
                }
                next = tailer.offset();
                return null;
            } catch (DamagedRangeException e) {
                next = Math.max(next, e.toOffset());
                return e.getMessage();
            } catch (BatchTooLargeException | OffsetOutOfRangeException | BusyException e) {
                return e.getMessage();
            }
        }

        private Action take(LogRecord record) {
            searched++;
            bytes += record.valueLength() + record.keyLength() + 1;
            next = record.offset() + 1;
            if (key == null || isKey(record)) {
                records.add(ShownRecord.of(record, shown));
            }
            isEnough = records.size() >= limit || searched >= MOST_SEARCHED || bytes >= MOST_BYTES;
            return isEnough ? Action.STOP : Action.CONTINUE;
        }

        private boolean isKey(LogRecord record) {
            if (record.keyLength() != key.length) {
                return false;
            }
            var stored = record.directKey();
            for (int i = 0; i < key.length; i++) {
                if (stored.getByte(i) != key[i]) {
                    return false;
                }
            }
            return true;
        }
    }
}
