package io.firn.server;

import java.util.Map;

/**
 * A server in numbers, over JMX as {@code io.firn:type=Server,name="HOST:PORT"}. All counts are
 * since the server started.
 */
public interface ServerMetricsMXBean {

    /** Open connections. */
    int getConnections();

    /** Requests that were read. */
    long getRequests();

    /** Requests that were read, by API; those that nobody asked for are left out. */
    Map<String, Long> getRequestsByApi();

    /** Requests that were longer than their fields; the rest of them was ignored, as by Kafka. */
    long getRequestsWithTrailingBytes();

    /** Bytes that followed the fields of requests and were ignored. */
    long getTrailingBytes();

    /** Bytes of requests that wait or are being handled. */
    long getQueuedBytes();

    /** Consumer groups that have, or had, members or commits. */
    int getGroups();

    /** Next offset of each partition, by {@code TOPIC-PARTITION}. */
    Map<String, Long> getNextOffsets();

    /** Bytes of each partition, by {@code TOPIC-PARTITION}. */
    Map<String, Long> getPartitionBytes();

    /** Partitions whose medium failed; they refuse to be appended to. */
    int getPoisonedPartitions();

    /** Bytes in use of each tier, by its name. */
    Map<String, Long> getTierUsedBytes();

    /** Segments that went to each tier because a hotter one was full, by its name. */
    Map<String, Long> getTierSpilledSegments();

    /** Failures of the store's background work; each was logged. */
    long getBackgroundErrors();
}
