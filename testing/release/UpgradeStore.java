import static java.nio.charset.StandardCharsets.UTF_8;

import io.firn.Appender;
import io.firn.Batch;
import io.firn.CleanupPolicy;
import io.firn.Compression;
import io.firn.Cursor;
import io.firn.IsolationLevel;
import io.firn.LogStore;
import io.firn.LogStoreBuilder;
import io.firn.StoreOpenException;
import io.firn.StoredRecord;
import io.firn.Tailer;
import io.firn.TailerOptions;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.Transaction;
import io.firn.file.FileTier;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * Writes and reads a store with the version of Firn on the class path, for {@code bin/check
 * upgrade}: {@code write DIR} appends and closes; {@code kill DIR} appends and dies; {@code read
 * DIR} prints what is in the store. A store that cannot be opened ends it with the exit code 3.
 */
public final class UpgradeStore {
    private static final int RECORDS = 2_000;

    private UpgradeStore() {}

    public static void main(String[] args) {
        Path dir = Path.of(args[1]);
        boolean isRead = args[0].equals("read");
        LogStoreBuilder builder = LogStore.at(dir).tier(FileTier.at(dir.resolve("segments")));
        // A read compacts nothing in the background.
        try (LogStore store = isRead ? builder.invokerMode().open() : builder.open()) {
            if (isRead) {
                read(store);
                return;
            }
            write(store);
            if (args[0].equals("kill")) {
                Runtime.getRuntime().halt(0);
            }
        } catch (StoreOpenException e) {
            System.out.println(e.getMessage());
            System.exit(3);
        }
    }

    private static void write(LogStore store) {
        TopicOptions small = TopicOptions.defaults().withSegmentBytes(64 * 1024);
        Topic plain = store.ensureTopic("plain", small.withPartitions(2));
        Topic packed = store.ensureTopic("packed", small.withCompression(Compression.GZIP));
        Topic compacted = store.ensureTopic("compacted", small.withCleanup(CleanupPolicy.COMPACT));
        append(plain, 0);
        append(plain, 1);
        append(packed, 0);
        append(compacted, 0);
        store.compact("compacted", 0);
        Cursor cursor = plain.cursor("reader");
        try (Transaction committed = store.beginTransaction()) {
            committed.append(plain.partition(0), bytes("committed"));
            committed.append(packed.partition(0), bytes("committed"));
            committed.commitCursor(cursor, 0, plain.partition(0).nextOffset() / 2);
            committed.commit();
        }
        try (Transaction aborted = store.beginTransaction()) {
            aborted.append(plain.partition(0), bytes("aborted"));
            aborted.abort();
        }
        cursor.commit(1, plain.partition(1).nextOffset() / 3);
        cursor.force();
    }

    private static void append(Topic topic, int partition) {
        try (Appender appender = topic.partition(partition).openAppender()) {
            Batch batch = appender.newBatch();
            for (int i = 0; i < RECORDS; i++) {
                batch.key(bytes("key " + i % 100)).header("n", new byte[] {(byte) i});
                batch.value(bytes("value " + i + " of " + topic.name())).timestamp(i).add();
                if (batch.count() == 50) {
                    appender.append(batch);
                    batch.clear();
                }
            }
        }
    }

    private static void read(LogStore store) {
        System.out.println("findings: " + store.findings());
        for (String name : store.topicNames()) {
            Topic topic = store.openTopic(name);
            for (int i = 0; i < topic.partitionCount(); i++) {
                System.out.println(name + "-" + i + " ends at " + topic.partition(i).nextOffset());
            }
            for (IsolationLevel isolation : IsolationLevel.values()) {
                Map<Integer, long[]> sums = new HashMap<>();
                TailerOptions all =
                        TailerOptions.defaults().withIsolation(isolation).withStartAtEarliest();
                try (Tailer tailer = topic.openTailer(all)) {
                    tailer.forEach(
                            record -> {
                                StoredRecord copy = record.copy();
                                long[] sum =
                                        sums.computeIfAbsent(copy.partition(), p -> new long[2]);
                                sum[0]++;
                                sum[1] = sum[1] * 31 + copy.toString().hashCode() + copy.offset();
                            },
                            Integer.MAX_VALUE);
                }
                sums.forEach(
                        (partition, sum) ->
                                System.out.printf(
                                        "%s-%d, %s: %d records, hash %x%n",
                                        name, partition, isolation, sum[0], sum[1]));
            }
            topic.cursorMetrics()
                    .forEach(
                            each ->
                                    System.out.printf(
                                            "%s-%d, cursor %s: %d%n",
                                            name, each.partition(), each.cursor(), each.offset()));
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }
}
