package io.firn.api;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.Backup;
import io.firn.Backup.Part;
import io.firn.BackupOptions;
import io.firn.BusyException;
import io.firn.CleanupPolicy;
import io.firn.Cursor;
import io.firn.Durability;
import io.firn.LogStore;
import io.firn.LogStore.MoveControl;
import io.firn.LogStoreBuilder;
import io.firn.Partition;
import io.firn.RestoreOptions;
import io.firn.RetryableException;
import io.firn.StoreSnapshot.PartitionPlace;
import io.firn.StoreSnapshot.SegmentPlace;
import io.firn.StoredRecord;
import io.firn.Survives;
import io.firn.Tailer;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.Transaction;
import io.firn.file.FileTier;
import io.firn.medium.FileMedium;
import io.firn.open.StoreBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.zip.CRC32C;

/**
 * Backups of a store in which everything goes on: appends, retention, compaction, moves between two
 * tiers, transactions, a reader that commits what it has copied. Half of the backups are cancelled
 * somewhere and continued. Each is restored and compared with what the threads know.
 */
final class BackupOracle {
    private static final int VALUE_BYTES = 500;
    private static final int KEYS = 40;

    /** Records that stay of what is not deleted by retention, so that a backup stays small. */
    private static final int KEPT = 20_000;

    private final Path directory;
    private final FileMedium medium;
    private final Random random;
    private final List<Stores.Task<Void>> workers = new ArrayList<>();

    /** The numbers of values that were acknowledged. */
    private final AtomicLong plain = new AtomicLong();

    private final AtomicLong old = new AtomicLong();
    private final AtomicLong committed = new AtomicLong();
    private final Map<Long, StoredRecord> keyed = new ConcurrentSkipListMap<>();
    private volatile boolean isEnding;

    BackupOracle(Path directory, FileMedium medium, long seed) {
        this.directory = directory;
        this.medium = medium;
        this.random = new Random(seed);
    }

    private static TopicOptions options() {
        return Stores.small().withMinimumClass(Survives.PROCESS_CRASH);
    }

    private LogStoreBuilder builder(Path where) {
        return StoreBuilder.over(where.resolve("store"), medium)
                .tier(tier(where.resolve("hot")))
                .tier(tier(where.resolve("cold")));
    }

    private FileTier tier(Path where) {
        return FileTier.at(where).withMedium(medium).withDeclaredDurable();
    }

    /** What was acknowledged at some time. */
    private record Acknowledged(long plain, long old, long committed, int keyed) {}

    private Acknowledged acknowledged() {
        return new Acknowledged(plain.get(), old.get(), committed.get(), keyed.size());
    }

    void run(int backups) throws Exception {
        try (LogStore store = builder(directory.resolve("source")).compactionRate(1 << 30).open()) {
            begin(store);
            try {
                for (int i = 0; i < backups; i++) {
                    LockSupport.parkNanos(random.nextInt(200) * 1_000_000L);
                    Acknowledged before = acknowledged();
                    Backup made = backUp(store, random.nextBoolean());
                    check(i, made, before);
                }
            } finally {
                isEnding = true;
                for (Stores.Task<Void> each : workers) {
                    each.result();
                }
            }
        }
    }

    private Backup backUp(LogStore store, boolean isInterrupted) {
        BackupOptions options = BackupOptions.defaults();
        if (random.nextBoolean()) {
            options = options.withoutLinks();
        }
        if (isInterrupted) {
            int[] pieces = {random.nextInt(40)};
            MoveControl cancels = (done, all, next) -> pieces[0]-- > 0 ? 0 : MoveControl.CANCEL;
            try {
                return store.backupTo(directory.resolve("backup"), options.withControl(cancels));
            } catch (BusyException e) {
                throw e;
            } catch (RetryableException e) {
                assertTrue(e.getMessage().contains("cancelled"), e.getMessage());
            }
        }
        return store.backupTo(directory.resolve("backup"), options);
    }

    // ---- the load

    private void begin(LogStore store) {
        Topic first = store.createTopic("plain", options());
        Topic second =
                store.createTopic(
                        "old",
                        options()
                                .withDurability(Durability.WRITTEN)
                                .withRetentionBytes(4 * Stores.SEGMENT_BYTES));
        Topic third =
                store.createTopic(
                        "keys",
                        options().withCleanup(CleanupPolicy.COMPACT).withMinDirtyRatio(0.01));
        Topic fourth = store.createTopic("out", options().withPartitions(2));
        Topic fifth = store.createTopic("copy", options());
        each(1, () -> append(first, plain));
        each(1, () -> append(second, old));
        work(() -> appendKeyed(third));
        work(() -> transact(store, first, fourth));
        work(() -> copy(first, fifth));
        each(20, () -> move(store));
        each(50, () -> trim(store));
    }

    /** No more than what the readers of the first topic have read. */
    private void trim(LogStore store) {
        Topic first = store.openTopic("plain");
        long read =
                Math.min(
                        first.cursor("of transactions").offset(0),
                        first.cursor("of copies").offset(0));
        first.partition(0).deleteRecordsBefore(Math.max(0, read - KEPT));
        for (String each : List.of("out", "copy")) {
            Topic topic = store.openTopic(each);
            for (int i = 0; i < topic.options().partitions(); i++) {
                Partition partition = topic.partition(i);
                partition.deleteRecordsBefore(Math.max(0, partition.durableOffset() - KEPT));
            }
        }
    }

    private void work(Callable<Void> work) {
        workers.add(Stores.start(work));
    }

    /** Runs a step again and again, with a pause. */
    private void each(int pauseMs, Runnable step) {
        work(
                () -> {
                    while (!isEnding) {
                        step.run();
                        LockSupport.parkNanos(pauseMs * 1_000_000L);
                    }
                    return null;
                });
    }

    private void append(Topic topic, AtomicLong count) {
        try (Appender appender = topic.partition(0).openAppender()) {
            for (int i = 0; i < 8 && !isEnding; i++) {
                long number = count.get();
                assertEquals(number, appender.append(Stores.numbered(number, VALUE_BYTES)));
                count.set(number + 1);
            }
        }
    }

    private Void appendKeyed(Topic topic) {
        Random keys = new Random(7);
        try (Appender appender = topic.partition(0).openAppender()) {
            for (long i = 0; !isEnding; i++) {
                byte[] key = Stores.bytes("k" + keys.nextInt(KEYS));
                byte[] value = keys.nextInt(5) == 0 ? null : Stores.numbered(i, VALUE_BYTES);
                var batch = appender.newBatch().add(key, value);
                long offset = appender.append(batch);
                keyed.put(offset, new StoredRecord(0, offset, 0, key, value, List.of()));
                LockSupport.parkNanos(500_000);
            }
        }
        return null;
    }

    /** Each commit appends its number to both partitions, and sets the cursor to the next one. */
    private Void transact(LogStore store, Topic input, Topic out) {
        Cursor cursor = input.cursor("of transactions");
        while (!isEnding) {
            long number = committed.get();
            if (number < plain.get()) {
                try (Transaction tx = store.beginTransaction()) {
                    tx.append(out.partition(0), null, Stores.numbered(number, 50));
                    tx.append(out.partition(1), null, Stores.numbered(number, 50));
                    tx.commitCursor(cursor, 0, number + 1);
                    if (number % 7 == 3 && !aborts(number)) {
                        tx.abort();
                        continue;
                    }
                    tx.commit();
                }
                committed.set(number + 1);
            }
            LockSupport.parkNanos(200_000);
        }
        return null;
    }

    private long lastAborted = -1;

    /** Aborts each of its numbers once. */
    private boolean aborts(long number) {
        boolean was = lastAborted == number;
        lastAborted = number;
        return was;
    }

    /** What is copied is durable before the cursor says so. */
    private Void copy(Topic from, Topic to) {
        Cursor cursor = from.cursor("of copies");
        try (Tailer tailer = from.openTailer();
                Appender appender = to.partition(0).openAppender()) {
            while (!isEnding) {
                for (StoredRecord each : Stores.readAll(tailer)) {
                    appender.append(each.value());
                    cursor.commit(0, each.offset() + 1);
                }
                LockSupport.parkNanos(200_000);
            }
        }
        return null;
    }

    private void move(LogStore store) {
        for (PartitionPlace partition : store.snapshot().partitions()) {
            for (SegmentPlace each : partition.segments()) {
                if (each.isMovable() && (each.baseOffset() + System.nanoTime()) % 5 == 0) {
                    String to = each.tier().equals("tier-0") ? "tier-1" : "tier-0";
                    store.migrate(partition.topic(), partition.partition(), each.baseOffset(), to);
                }
            }
        }
    }

    // ---- the comparison

    private void check(int number, Backup made, Acknowledged before) throws IOException {
        Path where = directory.resolve("restored-" + number);
        assertEquals(made.parts(), Backup.verify(directory.resolve("backup")).parts());
        builder(where).restore(directory.resolve("backup"), RestoreOptions.all());
        List<StoredRecord> all;
        List<StoredRecord> out;
        try (LogStore store = builder(where).open()) {
            assertEquals(List.of(), store.findings());
            all = read(store, "plain", 0);
            out = read(store, "out", 1);
            checkNumbered(store, "plain", part(made, "plain", 0), before.plain());
            checkNumbered(store, "old", part(made, "old", 0), before.old());
            checkKeyed(store, part(made, "keys", 0), before.keyed());
            checkTransactions(store, before.committed());
            long copied = store.openTopic("plain").cursor("of copies").offset(0);
            long copies = store.openTopic("copy").partition(0).nextOffset();
            assertTrue(copied <= copies, copied + " copied, there are " + copies);
        }
        delete(where);
        if (!all.isEmpty()) {
            StoredRecord limit = all.get(random.nextInt(all.size()));
            if (random.nextBoolean()) {
                checkPrefix(
                        where,
                        RestoreOptions.all().until("plain", 0, limit.offset()),
                        all.stream().takeWhile(each -> each.offset() < limit.offset()).toList(),
                        out);
            } else {
                checkPrefix(
                        where,
                        RestoreOptions.all().until(Instant.ofEpochMilli(limit.timestamp())),
                        all.stream()
                                .takeWhile(each -> each.timestamp() <= limit.timestamp())
                                .toList(),
                        out);
            }
        }
    }

    private void checkPrefix(
            Path where,
            RestoreOptions options,
            List<StoredRecord> expected,
            List<StoredRecord> allOfOut)
            throws IOException {
        builder(where).restore(directory.resolve("backup"), options);
        try (LogStore store = builder(where).open()) {
            assertEquals(List.of(), store.findings());
            assertEquals(lines(expected), lines(read(store, "plain", 0)), options.toString());
            List<String> out = lines(read(store, "out", 1));
            assertEquals(lines(allOfOut).subList(0, out.size()), out);
            long end = store.openTopic("plain").partition(0).nextOffset();
            long cursor = store.openTopic("plain").cursor("of transactions").offset(0);
            assertTrue(cursor <= end, "the cursor is at " + cursor + ", the end is " + end);
        }
        delete(where);
    }

    private static List<String> lines(List<StoredRecord> records) {
        return records.stream()
                .map(each -> each.offset() + " " + each.timestamp() + " " + crc(each.value()))
                .toList();
    }

    private static long crc(byte[] value) {
        CRC32C crc = new CRC32C();
        crc.update(value, 0, value.length);
        return crc.getValue();
    }

    private static Part part(Backup made, String topic, int partition) {
        return made.parts().stream()
                .filter(each -> each.topic().equals(topic) && each.partition() == partition)
                .findFirst()
                .orElseThrow();
    }

    private static List<StoredRecord> read(LogStore store, String topic, int partition) {
        try (Tailer tailer = store.openTopic(topic).partition(partition).openTailer()) {
            return Stores.readAll(tailer);
        }
    }

    private static void checkNumbered(LogStore store, String topic, Part part, long least) {
        assertTrue(part.endOffset() >= least, part + " has not all " + least);
        List<StoredRecord> all = read(store, topic, 0);
        if (topic.equals("old") && all.isEmpty()) {
            // Retention was faster than the backup.
            assertEquals(part.endOffset(), part.startOffset());
            return;
        }
        // Retention goes on in the restored store.
        long next = topic.equals("old") ? all.get(0).offset() : part.startOffset();
        assertTrue(next >= part.startOffset() && next < part.endOffset(), next + " in " + part);
        assertEquals(part.endOffset() - next, all.size(), part.toString());
        for (StoredRecord each : all) {
            assertEquals(next, each.offset());
            assertArrayEquals(Stores.numbered(next++, VALUE_BYTES), each.value());
        }
    }

    private void checkKeyed(LogStore store, Part part, int least) {
        assertTrue(part.endOffset() >= least, part + " has not all " + least);
        // What is appended is noted after it was acknowledged.
        Stores.await("the note of the last one", () -> keyed.size() >= part.endOffset());
        Map<String, String> expected = new TreeMap<>();
        keyed.forEach(
                (offset, record) -> {
                    if (offset < part.endOffset()) {
                        put(expected, record);
                    }
                });
        Map<String, String> found = new TreeMap<>();
        for (StoredRecord each : read(store, "keys", 0)) {
            StoredRecord appended = keyed.get(each.offset());
            assertArrayEquals(appended.key(), each.key());
            assertArrayEquals(appended.value(), each.value());
            put(found, each);
        }
        assertEquals(expected, found);
    }

    private static void put(Map<String, String> state, StoredRecord record) {
        if (record.value() == null) {
            state.remove(Stores.text(record.key()));
        } else {
            state.put(Stores.text(record.key()), "from " + record.offset());
        }
    }

    private static void checkTransactions(LogStore store, long least) {
        long position = store.openTopic("plain").cursor("of transactions").offset(0);
        long count = Math.max(0, position);
        assertTrue(count >= least, count + " transactions, at least " + least + " expected");
        for (int i = 0; i < 2; i++) {
            List<StoredRecord> all = read(store, "out", i);
            for (int n = 0; n < all.size(); n++) {
                long number = count - all.size() + n; // the first ones may be trimmed
                assertArrayEquals(Stores.numbered(number, 50), all.get(n).value());
            }
            boolean isTrimmed = store.openTopic("out").partition(i).logStartOffset() > 0;
            assertTrue(isTrimmed || all.size() == count, all.size() + " of " + count);
        }
    }

    private static void delete(Path root) throws IOException {
        try (var all = Files.walk(root)) {
            for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
    }
}
