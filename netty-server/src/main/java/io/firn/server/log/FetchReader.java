package io.firn.server.log;

import io.firn.IsolationLevel;
import io.firn.budget.HeapBudget;
import io.firn.host.BatchRun;
import io.firn.host.HostedPartition;
import io.firn.server.security.Access;
import io.firn.server.security.Right;
import io.firn.server.wire.ClientConnection;
import io.firn.server.wire.ClientShares;
import io.firn.server.wire.Exchange;
import io.firn.server.wire.LogRecords;
import java.util.List;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;
import org.apache.kafka.common.message.FetchResponseData.FetchableTopicResponse;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.FetchRequest;

/** Reads what a fetch request asks for. Does not wait for records. Thread-safe. */
final class FetchReader {
    private static final int LEAST_KEPT = 1_000;
    private static final int MOST_KEPT = 1_000_000;

    private final ServedTopics topics;
    private final int maxBytes;

    /** How many readers all connections keep. */
    private final ClientShares kept =
            new ClientShares(HeapBudget.FETCHES.count(LEAST_KEPT, MOST_KEPT));

    FetchReader(ServedTopics topics, int maxBytes) {
        this.topics = topics;
        this.maxBytes = maxBytes;
    }

    /**
     * Returns the readers that a connection keeps between fetches with one isolation; they know
     * where they were.
     */
    PartitionReaderCache readersOf(Exchange exchange, FetchRequestData request) {
        ClientConnection connection = exchange.connection();
        return (PartitionReaderCache)
                connection
                        .attachments()
                        .computeIfAbsent(
                                FetchPlan.isolationOf(request),
                                key -> PartitionReaderCache.of(connection, kept));
    }

    /** Looks up what a request names. */
    FetchPlan plan(short version, FetchRequestData request, PartitionReaderCache readers) {
        return new FetchPlan(topics, version, request, maxBytes, readers);
    }

    /** Reads what is visible now, up to the limits of the request and of the server. */
    FetchResult read(FetchPlan plan, FetchRequestData request, Access access) {
        // Before the decisions: so long as it is the same, they hold.
        FetchResult result = new FetchResult(plan.visible(), access.version());
        boolean mayReplicate =
                FetchRequest.replicaId(request) < 0 || access.may(Right.FETCH_AS_REPLICA);
        boolean isCommitted = plan.isolation() == IsolationLevel.READ_COMMITTED;
        List<FetchTopic> asked = plan.asked();
        for (int i = 0; i < asked.size(); i++) {
            FetchTopic topic = asked.get(i);
            FetchableTopicResponse results =
                    new FetchableTopicResponse()
                            .setTopic(topic.topic())
                            .setTopicId(topic.topicId());
            result.response().responses().add(results);
            boolean allowed = mayReplicate && mayFetch(plan, i, access);
            List<FetchPartition> partitions = topic.partitions();
            for (int j = 0; j < partitions.size(); j++) {
                FetchPartition each = partitions.get(j);
                PartitionData data =
                        new PartitionData()
                                .setPartitionIndex(each.partition())
                                .setRecords(LogRecords.EMPTY)
                                .setAbortedTransactions(isCommitted ? List.of() : null);
                results.partitions().add(data);
                ServedPartition served = plan.partition(i, j);
                if (!allowed) {
                    result.refuse(data, Errors.TOPIC_AUTHORIZATION_FAILED);
                } else if (served == null) {
                    result.refuse(data, missing(plan, i));
                } else {
                    read(plan, served, each, data, result);
                }
            }
        }
        return result;
    }

    /** A topic whose id is unknown is missing for everybody. */
    private static boolean mayFetch(FetchPlan plan, int topic, Access access) {
        if (access.isUnlimited()) {
            return true;
        }
        if (!plan.isById()) {
            return access.may(Right.FETCH, plan.asked().get(topic).topic());
        }
        ServedTopic served = plan.topic(topic);
        return served == null || access.may(Right.FETCH, served.name());
    }

    private static Errors missing(FetchPlan plan, int topic) {
        return plan.isById() && plan.topic(topic) == null
                ? Errors.UNKNOWN_TOPIC_ID
                : Errors.UNKNOWN_TOPIC_OR_PARTITION;
    }

    private static void read(
            FetchPlan plan,
            ServedPartition served,
            FetchPartition asked,
            PartitionData data,
            FetchResult result) {
        HostedPartition partition = served.partition();
        try {
            int left = plan.limit() - result.bytes();
            int room = Math.max(0, Math.min(asked.partitionMaxBytes(), left));
            PartitionReader reader = plan.readers().take(served);
            if (reader == null) {
                reader = new PartitionReader(partition.openBatchReader(plan.isolation()));
            }
            boolean atLeastOne = !result.hasRecords();
            List<BatchRun> runs =
                    reader.read(asked.fetchOffset(), room, atLeastOne, result.steps());
            plan.readers().keep(served, reader);
            result.add(data, runs);
            if (plan.isolation() == IsolationLevel.READ_COMMITTED) {
                data.setAbortedTransactions(FetchedAbortedTransactions.of(partition, runs));
            }
        } catch (RuntimeException e) {
            result.refuse(data, ErrorMapper.codeOf(e));
            return;
        }
        // In this order: what is stable is never above the end.
        long stable = partition.visibleOffset(IsolationLevel.READ_COMMITTED);
        data.setHighWatermark(partition.visibleOffset(IsolationLevel.READ_UNCOMMITTED))
                .setLastStableOffset(stable)
                .setLogStartOffset(partition.logStartOffset());
    }
}
