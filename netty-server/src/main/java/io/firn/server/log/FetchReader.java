package io.firn.server.log;

import io.firn.BatchRun;
import io.firn.Isolation;
import io.firn.Partition;
import io.firn.budget.HeapBudget;
import io.firn.server.security.Access;
import io.firn.server.security.Right;
import io.firn.server.wire.ClientConnection;
import io.firn.server.wire.Exchange;
import io.firn.server.wire.LogRecords;
import io.firn.server.wire.Shares;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;
import org.apache.kafka.common.message.FetchResponseData.FetchableTopicResponse;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.FetchRequest;

/** Reads what a fetch request asks for. Does not wait for records. Thread-safe. */
final class FetchReader {
    private static final short FIRST_WITH_IDS = 13;

    private static final int LEAST_KEPT = 1_000;
    private static final int MOST_KEPT = 1_000_000;

    /** Steps over fillers in one read: together up to 1 MiB of them. */
    private static final int MAX_STEPS = 16;

    /** Of a request; more of it is read in the background, wherever it is. */
    private static final int MOST_LOOKED_FOR = 4 << 20;

    private final ServedTopics topics;
    private final int maxBytes;

    /** How many readers all connections keep. */
    private final Shares kept = new Shares(HeapBudget.FETCHES.count(LEAST_KEPT, MOST_KEPT));

    FetchReader(ServedTopics topics, int maxBytes) {
        this.topics = topics;
        this.maxBytes = maxBytes;
    }

    /**
     * Returns the readers that a connection keeps between fetches with one isolation; they know
     * where they were.
     */
    KeptReaders readersOf(Exchange exchange, FetchRequestData request) {
        ClientConnection connection = exchange.connection();
        return (KeptReaders)
                connection
                        .attachments()
                        .computeIfAbsent(
                                isolationOf(request), key -> KeptReaders.of(connection, kept));
    }

    private static Isolation isolationOf(FetchRequestData request) {
        return request.isolationLevel() == 0 ? Isolation.UNCOMMITTED : Isolation.COMMITTED;
    }

    private ServedPartition find(short version, FetchTopic topic, FetchPartition partition) {
        ServedTopic served =
                version >= FIRST_WITH_IDS
                        ? topics.find(topic.topicId())
                        : topics.find(topic.topic());
        return served == null ? null : served.partition(partition.partition());
    }

    /** As in Kafka, the last mention of a partition counts, and it is answered once. */
    static void mergeDuplicates(short version, FetchRequestData request) {
        Map<Object, FetchTopic> topics = new LinkedHashMap<>();
        Map<Object, Map<Integer, FetchPartition>> partitions = new HashMap<>();
        for (FetchTopic topic : request.topics()) {
            Object key = version >= FIRST_WITH_IDS ? topic.topicId() : topic.topic();
            topics.putIfAbsent(key, topic);
            Map<Integer, FetchPartition> once =
                    partitions.computeIfAbsent(key, each -> new LinkedHashMap<>());
            topic.partitions().forEach(each -> once.put(each.partition(), each));
        }
        topics.forEach(
                (key, topic) -> topic.setPartitions(new ArrayList<>(partitions.get(key).values())));
        request.setTopics(new ArrayList<>(topics.values()));
    }

    /** Adds the partitions of a request that exist to a set. */
    void findAll(short version, FetchRequestData request, Set<ServedPartition> found) {
        for (FetchTopic topic : request.topics()) {
            for (FetchPartition each : topic.partitions()) {
                ServedPartition served = find(version, topic, each);
                if (served != null) {
                    found.add(served);
                }
            }
        }
    }

    /** Returns whether records of a request may have to be read from a disk. */
    boolean isCold(short version, FetchRequestData request, KeptReaders readers) {
        long looked = 0;
        for (FetchTopic topic : request.topics()) {
            for (FetchPartition each : topic.partitions()) {
                ServedPartition served = find(version, topic, each);
                if (served == null || each.fetchOffset() >= served.partition().activeOffset()) {
                    continue;
                }
                int room = Math.min(each.partitionMaxBytes(), limit(request));
                looked += Math.max(room, 0);
                if (looked > MOST_LOOKED_FOR
                        || isolationOf(request) == Isolation.COMMITTED // reads which are aborted
                        || !isInMemory(each.fetchOffset(), room, served, readers)) {
                    return true;
                }
            }
        }
        return false;
    }

    private int limit(FetchRequestData request) {
        return Math.min(request.maxBytes(), maxBytes);
    }

    private static boolean isInMemory(
            long from, int room, ServedPartition served, KeptReaders readers) {
        PartitionReader reader = readers.take(served); // a background thread may use it
        if (reader == null) {
            return false;
        }
        boolean isInMemory = reader.isInMemory(from, room);
        readers.keep(served, reader);
        return isInMemory;
    }

    /**
     * Returns the sum of the ends that a response tells: it changes when any of them advances, also
     * when a transaction was decided and nothing was appended for readers of all records.
     */
    long visible(short version, FetchRequestData request) {
        long sum = 0;
        for (FetchTopic topic : request.topics()) {
            for (FetchPartition each : topic.partitions()) {
                ServedPartition served = find(version, topic, each);
                sum += served == null ? 0 : visible(served.partition());
            }
        }
        return sum;
    }

    private static long visible(Partition partition) {
        return partition.visibleOffset(Isolation.UNCOMMITTED)
                + partition.visibleOffset(Isolation.COMMITTED)
                + 1;
    }

    /** Reads what is visible now, up to the limits of the request and of the server. */
    FetchResult read(short version, FetchRequestData request, KeptReaders readers, Access access) {
        // Before the decisions: so long as it is the same, they hold.
        FetchResult result = new FetchResult(visible(version, request), access.version());
        boolean mayReplicate =
                FetchRequest.replicaId(request) < 0 || access.may(Right.FETCH_AS_REPLICA);
        PartitionReader.Steps steps = new PartitionReader.Steps(MAX_STEPS);
        for (FetchTopic topic : request.topics()) {
            FetchableTopicResponse results =
                    new FetchableTopicResponse()
                            .setTopic(topic.topic())
                            .setTopicId(topic.topicId());
            result.response().responses().add(results);
            boolean allowed = mayReplicate && mayFetch(version, topic, access);
            for (FetchPartition each : topic.partitions()) {
                PartitionData data =
                        new PartitionData()
                                .setPartitionIndex(each.partition())
                                .setRecords(LogRecords.EMPTY)
                                .setAbortedTransactions(
                                        request.isolationLevel() == 0 ? null : List.of());
                results.partitions().add(data);
                ServedPartition served = find(version, topic, each);
                if (!allowed) {
                    result.refuse(data, Errors.TOPIC_AUTHORIZATION_FAILED);
                } else if (served == null) {
                    result.refuse(data, missing(version, topic));
                } else {
                    read(request, each, served, readers, steps, data, result);
                }
            }
        }
        result.isUnfinished(steps.areUsedUp());
        return result;
    }

    /** A topic whose id is unknown is missing for everybody. */
    private boolean mayFetch(short version, FetchTopic topic, Access access) {
        if (access.isUnlimited()) {
            return true;
        }
        if (version < FIRST_WITH_IDS) {
            return access.may(Right.FETCH, topic.topic());
        }
        ServedTopic served = topics.find(topic.topicId());
        return served == null || access.may(Right.FETCH, served.name());
    }

    private Errors missing(short version, FetchTopic topic) {
        return version >= FIRST_WITH_IDS && topics.find(topic.topicId()) == null
                ? Errors.UNKNOWN_TOPIC_ID
                : Errors.UNKNOWN_TOPIC_OR_PARTITION;
    }

    private void read(
            FetchRequestData request,
            FetchPartition asked,
            ServedPartition served,
            KeptReaders readers,
            PartitionReader.Steps steps,
            PartitionData data,
            FetchResult result) {
        Partition partition = served.partition();
        Isolation isolation = isolationOf(request);
        try {
            int room =
                    Math.max(
                            0,
                            Math.min(asked.partitionMaxBytes(), limit(request) - result.bytes()));
            boolean atLeastOne = !result.hasRecords();
            List<BatchRun> runs =
                    read(served, isolation, asked.fetchOffset(), room, atLeastOne, readers, steps);
            result.add(data, runs);
            if (isolation == Isolation.COMMITTED) {
                data.setAbortedTransactions(AbortedInFetch.of(partition, runs));
            }
        } catch (RuntimeException e) {
            result.refuse(data, ErrorMapper.codeOf(e));
            return;
        }
        // In this order: what is stable is never above the end.
        long stable = partition.visibleOffset(Isolation.COMMITTED);
        data.setHighWatermark(partition.visibleOffset(Isolation.UNCOMMITTED))
                .setLastStableOffset(stable)
                .setLogStartOffset(partition.logStartOffset());
    }

    private static List<BatchRun> read(
            ServedPartition served,
            Isolation isolation,
            long from,
            int room,
            boolean atLeastOne,
            KeptReaders readers,
            PartitionReader.Steps steps) {
        PartitionReader reader = readers.take(served);
        if (reader == null) {
            reader = new PartitionReader(served.partition().openBatchReader(isolation));
        }
        List<BatchRun> runs = reader.read(from, room, atLeastOne, steps);
        readers.keep(served, reader);
        return runs;
    }
}
