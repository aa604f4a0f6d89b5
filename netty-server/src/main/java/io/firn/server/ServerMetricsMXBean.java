package io.firn.server;

import java.util.List;
import java.util.Map;

/**
 * Metrics of a server, over JMX as {@code io.firn:type=Server,name="HOST:PORT"}. All counts are
 * since the server started.
 *
 * @see FirnServer
 */
public interface ServerMetricsMXBean {

    /** Returns the number of open connections. */
    int getConnections();

    /** Returns the number of requests read. */
    long getRequests();

    /** Returns the number of requests read, by API, without APIs that had none. */
    Map<String, Long> getRequestsByApi();

    /**
     * Returns the longest time, in ms, of each class of {@link #getRequestTimes}, without that of
     * the last, which has none.
     */
    List<Double> getRequestTimeBoundsMs();

    /**
     * Returns how many requests of each API took how long from when they were read until they were
     * answered, by classes of times. A fetch and a member of a group may wait on purpose.
     */
    Map<String, List<Long>> getRequestTimes();

    /** Returns the seconds that all requests of each API took together. */
    Map<String, Double> getRequestSeconds();

    /** Returns how often clients were muted, because they had exceeded a quota. */
    long getThrottles();

    /** Returns for how many ms together. */
    long getThrottledMs();

    /**
     * Returns the number of requests longer than their fields; the rest was ignored, as in Kafka.
     */
    long getRequestsWithTrailingBytes();

    /** Returns the number of bytes that followed the fields of requests and were ignored. */
    long getTrailingBytes();

    /** Returns the bytes of requests that are being received, wait, or are being handled. */
    long getQueuedBytes();

    /** Returns the number of consumer groups that have, or had, members or commits. */
    int getGroups();

    /** Returns the next offset of each partition, by {@code TOPIC-PARTITION}. */
    Map<String, Long> getNextOffsets();

    /** Returns the bytes of each partition, by {@code TOPIC-PARTITION}. */
    Map<String, Long> getPartitionBytes();

    /**
     * Returns the bytes of filled segments of each partition that are not sealed, in their final
     * form or deleted yet, by {@code TOPIC-PARTITION}.
     */
    Map<String, Long> getBacklogBytes();

    /**
     * Returns the part of each compacted partition that may be compacted and is not, from 0 to 1,
     * by {@code TOPIC-PARTITION}.
     */
    Map<String, Double> getDirtyRatios();

    /**
     * Returns the bytes that compaction has removed from each compacted partition, in the same way.
     */
    Map<String, Long> getCompactionSavedBytes();

    /**
     * Returns why the last compaction of a partition left segments as they were, by {@code
     * TOPIC-PARTITION}. Also names segments that have no room for the time from which their
     * tombstones may be removed.
     */
    Map<String, String> getCompactionSkipped();

    /**
     * Returns by how many records each cursor lags the visible end, by {@code TOPIC-PARTITION
     * CURSOR}. The committed offsets of consumer groups are cursors, too.
     */
    Map<String, Long> getCursorLagRecords();

    /**
     * Returns the same in bytes, estimated as {@link io.firn.CursorReader.CursorMetrics#lagBytes}
     * says.
     */
    Map<String, Long> getCursorLagBytes();

    /**
     * Returns the age in ms of each cursor's next record, in the same way; 0 when there is none, −1
     * when it cannot be read.
     */
    Map<String, Long> getCursorLagMs();

    /** Returns the number of partitions that refuse appends because their medium failed. */
    int getPoisonedPartitions();

    /** Returns the bytes in use of each tier, by its name. */
    Map<String, Long> getTierUsedBytes();

    /** Returns the segments that each tier got because a hotter one was full, by its name. */
    Map<String, Long> getTierSpilledSegments();

    /**
     * Returns the conditions of the store that an operator should know of, each by its severity,
     * its kind and its text; see {@link io.firn.Finding}.
     */
    List<String> getFindings();

    /**
     * Returns for how many ms each thread of the server and of the store has stood still, by its
     * name: event loops and the accepting thread since an earlier call, so call it every second.
     */
    Map<String, Long> getThreadsStillMs();

    /** Returns the number of failures of the store's background work. */
    long getBackgroundErrors();
}
