package io.firn.golden;

import io.firn.CursorReader;
import io.firn.LogReader;
import io.firn.PartitionReader;
import io.firn.StoredRecord;
import io.firn.TopicReader;
import io.firn.host.HostedCursor;
import io.firn.kafka.SameRecords;
import io.firn.metadata.TopicOptionsFormat;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * The stores that lie in {@code src/test/resources/golden}, one of each released format, written by
 * the Firn that introduced the format: {@code format-N.zip} is the store, {@code format-N.txt} says
 * what must be found in it. See {@link GoldenStoreGenerator}.
 */
final class GoldenStore {
    /**
     * The newest one: it also has kinds of files and options that were added without a new version.
     */
    static final int NEWEST = 4;

    /** A topic with an idempotent producer, which must still be known. */
    static final String PRODUCERS = "producers";

    /** The producer's id, one that the store did not hand out. */
    static final long PRODUCER_ID = 7_000_000_000L;

    /** Its epoch. */
    static final int PRODUCER_EPOCH = 3;

    /** Its batches, of two records each. */
    static final int PRODUCER_BATCHES = 8;

    private GoldenStore() {}

    static String storeName(int format) {
        return "format-" + format + ".zip";
    }

    static String manifestName(int format) {
        return "format-" + format + ".txt";
    }

    /** All that a user can see of a store, as lines. */
    static List<String> describe(LogReader store) {
        List<String> lines = new ArrayList<>();
        for (String name : store.topicNames()) {
            TopicReader topic = store.openTopic(name);
            lines.add("topic " + name + " " + TopicOptionsFormat.encode(topic.options()));
            for (int i = 0; i < topic.partitionCount(); i++) {
                lines.add("    partition " + i + " " + describe(topic.partition(i)));
            }
            for (String cursorName : topic.cursorNames().stream().sorted().toList()) {
                CursorReader cursor = topic.cursor(cursorName);
                StringBuilder line = new StringBuilder("    cursor '" + cursorName + "'");
                for (int i = 0; i < topic.partitionCount(); i++) {
                    line.append(' ').append(cursor.offset(i));
                    if (HostedCursor.of(cursor).committed(i).orElse(-1) != cursor.offset(i)) {
                        line.append('/').append(HostedCursor.of(cursor).committed(i).getAsLong());
                    }
                }
                lines.add(line.toString());
            }
        }
        return lines;
    }

    private static String describe(PartitionReader partition) {
        List<StoredRecord> records = FileStore.readAll(partition);
        return "["
                + partition.logStartOffset()
                + ", "
                + partition.nextOffset()
                + ") "
                + records.size()
                + " records, sha256 "
                + digest(records);
    }

    private static String digest(List<StoredRecord> records) {
        try {
            MessageDigest sha = MessageDigest.getInstance("SHA-256");
            for (StoredRecord record : records) {
                sha.update(SameRecords.describe(record).getBytes(StandardCharsets.UTF_8));
            }
            return HexFormat.of().formatHex(sha.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every JDK has SHA-256", e);
        }
    }
}
