package io.firn.budget;

import java.util.stream.Stream;

/**
 * What others than the application can fill the heap with, and the share that each kind may have.
 * The default of every such limit is taken from here, so that all of them together leave enough for
 * what works beside them. The security page has this table.
 */
public enum HeapBudget {
    /** Partitions, each with an open appender and the index of a segment. */
    PARTITIONS(
            "partitions of all topics",
            5,
            8 << 10,
            "`firn.max.partitions`, `maxPartitions`, 8 KiB for each",
            "the store",
            "`POLICY_VIOLATION`; a store that has more opens if 4 KiB for each fit"),

    /** Ids of idempotent producers. */
    PRODUCERS(
            "ids of idempotent producers",
            3,
            256,
            "256 bytes for each",
            "the partition that has most",
            "the partition forgets an eighth of its own, also when the store is opened"),

    /** Producers of transactions, by name. */
    PRODUCER_NAMES(
            "transactional ids",
            2,
            1 << 10,
            "1 KiB for each, 50,000 at most",
            "the client, half of those that were free at the start",
            "`COORDINATOR_NOT_AVAILABLE` until some have expired; those stored are known"),

    /** What compaction works with. */
    COMPACTION(
            "compaction",
            8,
            1,
            "`log.cleaner.dedupe.buffer.size`, `compactionMemory`, 32 MiB at most",
            "the store",
            "a topic is compacted in several runs; segments with batches too large stay"),

    /** What readers decompress. */
    READERS(
            "batches that readers decompress",
            5,
            1,
            "`readMemory`, 256 MiB at most",
            "the store",
            "scratch memory is dropped, readers wait; larger batches are refused to the reader"),

    /** Readers of partitions that connections keep from one fetch to the next. */
    FETCHES(
            "readers that connections keep",
            1,
            1 << 10,
            "1 KiB for each",
            "the client, half of it",
            "a connection drops those that it has"),

    /** Groups, their members and offsets. */
    GROUPS(
            "groups: members, offsets, metadata",
            4,
            1,
            "`firn.groups.max.bytes`",
            "the client, half of it; a common pot for what earlier versions stored",
            "`COORDINATOR_NOT_AVAILABLE`; groups without members leave the memory and are loaded"
                    + " when they are asked for"),

    /** Requests, as objects, and responses. */
    REQUESTS(
            "requests and responses",
            6,
            1,
            "`queued.max.request.bytes`, 256 MiB at most; and one request more",
            "the client",
            "the server stops reading"),

    /** What was put into open transactions. */
    TRANSACTIONS(
            "content of open transactions",
            2,
            1,
            "partitions, offsets, metadata",
            "the client, half of it; a common pot for those found at the start",
            "`COORDINATOR_NOT_AVAILABLE` until some have ended"),

    /** Connections. */
    CONNECTIONS(
            "connections",
            2,
            4 << 10,
            "`max.connections`, 4 KiB for each, 10,000 at most",
            "the address, three quarters",
            "the new connection is closed");

    /** The denominator of the shares. */
    static final int WHOLE = 64;

    /** The most of the heap that all of them together may have, in percent. */
    public static final int MOST_PERCENT = 60;

    private final String consumer;
    private final int share;
    private final int unitBytes;
    private final String limit;
    private final String charged;
    private final String beyond;

    HeapBudget(
            String consumer,
            int share,
            int unitBytes,
            String limit,
            String charged,
            String beyond) {
        this.consumer = consumer;
        this.share = share;
        this.unitBytes = unitBytes;
        this.limit = limit;
        this.charged = charged;
        this.beyond = beyond;
    }

    /** Returns the largest heap of this process, in bytes. */
    public static long heapBytes() {
        return Runtime.getRuntime().maxMemory();
    }

    /** Returns the share of this process's heap, in bytes. */
    public long bytes() {
        return bytesOf(heapBytes());
    }

    /** Returns the share of a heap, in bytes. */
    public long bytesOf(long heapBytes) {
        return heapBytes / WHOLE * share;
    }

    /** Returns the share of this process's heap, within limits. */
    public long bytes(long least, long most) {
        return Math.max(least, Math.min(most, bytes()));
    }

    /** Returns how many of them the share of this process's heap can bear, within limits. */
    public int count(int least, int most) {
        return (int) (bytes((long) least * unitBytes, (long) most * unitBytes) / unitBytes);
    }

    /** Returns what a number of them uses. */
    public long bytesOfCount(long count) {
        return count * unitBytes;
    }

    /** Returns the share of all of them, in percent of the heap. */
    static double totalPercent() {
        return Stream.of(values()).mapToInt(each -> each.share).sum() * 100.0 / WHOLE;
    }

    /** Returns the table of all of them, in Markdown. */
    public static String table() {
        StringBuilder text = new StringBuilder(2_000);
        text.append("| consumer | share of the heap | limit | charged | beyond it |\n");
        text.append("|---|---|---|---|---|\n");
        for (HeapBudget each : values()) {
            text.append("| ").append(each.consumer);
            text.append(" | ").append(each.share).append('/').append(WHOLE);
            text.append(" | ").append(each.limit);
            text.append(" | ").append(each.charged);
            text.append(" | ").append(each.beyond).append(" |\n");
        }
        return text.toString();
    }
}
