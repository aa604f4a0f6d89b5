package io.firn.server.tx;

import io.firn.Partition;
import io.firn.Transaction.State;
import io.firn.host.ProducerIdentity;
import io.firn.host.TransactionCoordinator;
import io.firn.host.TransactionCoordinator.NamedProducer;
import io.firn.host.TransactionCoordinator.PartitionProducer;
import io.firn.server.log.ErrorMapper;
import io.firn.server.log.ServedTopic;
import io.firn.server.log.ServedTopics;
import io.firn.server.security.Access;
import io.firn.server.security.Right;
import io.firn.server.wire.Exchange;
import io.firn.server.wire.ResponseElements;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.apache.kafka.common.message.DescribeProducersRequestData;
import org.apache.kafka.common.message.DescribeProducersResponseData;
import org.apache.kafka.common.message.DescribeProducersResponseData.PartitionResponse;
import org.apache.kafka.common.message.DescribeProducersResponseData.ProducerState;
import org.apache.kafka.common.message.DescribeTransactionsRequestData;
import org.apache.kafka.common.message.DescribeTransactionsResponseData;
import org.apache.kafka.common.message.DescribeTransactionsResponseData.TopicData;
import org.apache.kafka.common.message.DescribeTransactionsResponseData.TransactionState;
import org.apache.kafka.common.message.ListTransactionsRequestData;
import org.apache.kafka.common.message.ListTransactionsResponseData;
import org.apache.kafka.common.message.WriteTxnMarkersRequestData;
import org.apache.kafka.common.message.WriteTxnMarkersRequestData.WritableTxnMarker;
import org.apache.kafka.common.message.WriteTxnMarkersResponseData;
import org.apache.kafka.common.message.WriteTxnMarkersResponseData.WritableTxnMarkerPartitionResult;
import org.apache.kafka.common.message.WriteTxnMarkersResponseData.WritableTxnMarkerResult;
import org.apache.kafka.common.message.WriteTxnMarkersResponseData.WritableTxnMarkerTopicResult;
import org.apache.kafka.common.protocol.Errors;

/** What administrators ask about transactions, and how they end one that hangs. Thread-safe. */
final class TransactionAdmin {
    /** About what a producer uses in a response, as an object. */
    private static final int PRODUCER_BYTES = 80;

    private static final Map<State, String> NAMES =
            Map.of(
                    State.EMPTY, "Empty",
                    State.ONGOING, "Ongoing",
                    State.COMMITTING, "PrepareCommit",
                    State.ABORTING, "PrepareAbort",
                    State.COMMITTED, "CompleteCommit",
                    State.ABORTED, "CompleteAbort");

    private final ServedTopics topics;
    private final TransactionCoordinator coordinator;

    TransactionAdmin(ServedTopics topics) {
        this.topics = topics;
        this.coordinator = topics.store().transactions();
    }

    /** Returns a partition; null if there is none. */
    private Partition find(String topic, int index) {
        ServedTopic served = topics.find(topic);
        return served == null || index < 0 || index >= served.topic().partitionCount()
                ? null
                : served.topic().partition(index);
    }

    // ---- producers of a partition

    /** Handles DescribeProducers. */
    void describeProducers(Exchange exchange, DescribeProducersRequestData request) {
        DescribeProducersResponseData response = new DescribeProducersResponseData();
        Access access = exchange.connection().access();
        // Each once: an answer may be very much longer than the number that asks for it.
        Map<String, Set<Integer>> asked = new LinkedHashMap<>();
        for (var topic : request.topics()) {
            asked.computeIfAbsent(topic.name(), name -> new LinkedHashSet<>())
                    .addAll(topic.partitionIndexes());
        }
        List<Runnable> all = new ArrayList<>();
        asked.forEach(
                (topic, partitions) -> {
                    var results = new DescribeProducersResponseData.TopicResponse().setName(topic);
                    response.topics().add(results);
                    boolean allowed = access.may(Right.DESCRIBE_PRODUCERS, topic);
                    for (int index : partitions) {
                        all.add(
                                () ->
                                        results.partitions()
                                                .add(producers(exchange, topic, index, allowed)));
                    }
                });
        exchange.inSteps(all, Runnable::run, () -> exchange.reply(response));
    }

    private PartitionResponse producers(
            Exchange exchange, String topic, int index, boolean allowed) {
        PartitionResponse result = new PartitionResponse().setPartitionIndex(index);
        if (!allowed) {
            return refused(result, Errors.TOPIC_AUTHORIZATION_FAILED);
        }
        Partition partition = find(topic, index);
        if (partition == null) {
            return refused(result, Errors.UNKNOWN_TOPIC_OR_PARTITION);
        }
        try {
            List<PartitionProducer> found = coordinator.producersOf(partition);
            exchange.addAnswerBytes((long) PRODUCER_BYTES * found.size());
            found.forEach(each -> result.activeProducers().add(shown(each)));
            return result;
        } catch (RuntimeException e) {
            return refused(result, ErrorMapper.codeOf(e));
        }
    }

    private static PartitionResponse refused(PartitionResponse result, Errors error) {
        return result.setErrorCode(error.code()).setErrorMessage(error.message());
    }

    private static ProducerState shown(PartitionProducer producer) {
        return new ProducerState()
                .setProducerId(producer.identity().id())
                .setProducerEpoch(producer.identity().epoch())
                .setLastSequence(producer.lastSequence())
                .setLastTimestamp(producer.lastTime().toEpochMilli())
                .setCoordinatorEpoch(producer.markerEpoch())
                .setCurrentTxnStartOffset(producer.firstOffset());
    }

    // ---- transactions

    /** Handles DescribeTransactions. */
    void describe(Exchange exchange, DescribeTransactionsRequestData request) {
        DescribeTransactionsResponseData response = new DescribeTransactionsResponseData();
        exchange.inSteps(
                new LinkedHashSet<>(request.transactionalIds()), // each once: it may be long
                name -> {
                    exchange.addAnswerBytes(PRODUCER_BYTES);
                    response.transactionStates().add(describe(exchange, name));
                },
                () -> exchange.reply(response));
    }

    private TransactionState describe(Exchange exchange, String name) {
        TransactionState result = new TransactionState().setTransactionalId(name);
        Access access = exchange.connection().access();
        if (!access.may(Right.DESCRIBE_TRANSACTION, name)) {
            return result.setErrorCode(Errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED.code());
        }
        if (name.isEmpty()) {
            return result.setErrorCode(Errors.INVALID_REQUEST.code());
        }
        NamedProducer producer = coordinator.find(name);
        if (producer == null || producer.identity().id() < 0) {
            return result.setErrorCode(Errors.TRANSACTIONAL_ID_NOT_FOUND.code());
        }
        exchange.addAnswerBytes((long) PRODUCER_BYTES * producer.partitions().size());
        Map<String, TopicData> shown = new TreeMap<>(); // ordered: names may have one hash
        for (Partition each : producer.partitions()) {
            String topic = each.topic().name();
            if (access.has(Right.DESCRIBE_TRANSACTION_TOPIC, topic)) {
                shown.computeIfAbsent(
                                topic, key -> new ResponseElements.TransactionTopic().setTopic(key))
                        .partitions()
                        .add(each.index());
            }
        }
        result.topics().addAll(shown.values());
        return result.setTransactionState(NAMES.get(producer.state()))
                .setTransactionTimeoutMs((int) producer.timeout().toMillis())
                .setTransactionStartTimeMs(startMs(producer))
                .setProducerId(producer.identity().id())
                .setProducerEpoch((short) producer.identity().epoch());
    }

    private static long startMs(NamedProducer producer) {
        return producer.startTime().map(Instant::toEpochMilli).orElse(-1L);
    }

    /** Handles ListTransactions. */
    void list(Exchange exchange, ListTransactionsRequestData request) {
        ListTransactionsResponseData response = new ListTransactionsResponseData();
        Set<String> states = new HashSet<>(request.stateFilters());
        states.stream()
                .filter(each -> !NAMES.containsValue(each))
                .forEach(response.unknownStateFilters()::add);
        Set<Long> ids = new HashSet<>(request.producerIdFilters());
        Predicate<String> names = TransactionalIdPattern.of(request.transactionalIdPattern());
        Access access = exchange.connection().access();
        long now = System.currentTimeMillis();
        exchange.inSteps(
                coordinator.producers(),
                each -> {
                    String state = NAMES.get(each.state());
                    boolean isAsked =
                            each.identity().id() >= 0
                                    && (states.isEmpty() || states.contains(state))
                                    && (ids.isEmpty() || ids.contains(each.identity().id()))
                                    && now - startMs(each) > request.durationFilter();
                    if (isAsked
                            && access.has(Right.LIST_TRANSACTION, each.name())
                            && names.test(each.name())) {
                        exchange.addAnswerBytes(PRODUCER_BYTES + 2L * each.name().length());
                        response.transactionStates()
                                .add(
                                        new ListTransactionsResponseData.TransactionState()
                                                .setTransactionalId(each.name())
                                                .setProducerId(each.identity().id())
                                                .setTransactionState(state));
                    }
                },
                () -> exchange.reply(response));
    }

    // ---- markers

    /**
     * Handles WriteTxnMarkers, by which an administrator aborts a transaction that hangs. Nobody
     * else needs it: the coordinator and the partitions are one process.
     */
    void writeMarkers(Exchange exchange, WriteTxnMarkersRequestData request) {
        Access access = exchange.connection().access();
        // Kafka's own answer to a request that may not is made by the square of what it names.
        Errors denied =
                access.has(Right.WRITE_MARKERS_AS_BROKER) || access.may(Right.WRITE_MARKERS)
                        ? Errors.NONE
                        : Errors.CLUSTER_AUTHORIZATION_FAILED;
        WriteTxnMarkersResponseData response = new WriteTxnMarkersResponseData();
        List<Runnable> all = new ArrayList<>();
        for (WritableTxnMarker marker : request.markers()) {
            var result = new WritableTxnMarkerResult().setProducerId(marker.producerId());
            response.markers().add(result);
            for (var topic : marker.topics()) {
                var results = new WritableTxnMarkerTopicResult().setName(topic.name());
                result.topics().add(results);
                for (int index : topic.partitionIndexes()) {
                    all.add(
                            () ->
                                    results.partitions()
                                            .add(
                                                    new WritableTxnMarkerPartitionResult()
                                                            .setPartitionIndex(index)
                                                            .setErrorCode(
                                                                    write(
                                                                                    denied,
                                                                                    marker,
                                                                                    topic.name(),
                                                                                    index)
                                                                            .code())));
                }
            }
        }
        exchange.changeInSteps(all, Runnable::run, () -> exchange.reply(response));
    }

    private Errors write(Errors denied, WritableTxnMarker marker, String topic, int index) {
        if (denied != Errors.NONE) {
            return denied;
        }
        Partition partition = find(topic, index);
        if (partition == null) {
            return Errors.UNKNOWN_TOPIC_OR_PARTITION;
        }
        if (marker.transactionResult()) {
            return Errors.INVALID_REQUEST; // what is committed, only its own coordinator says
        }
        try {
            coordinator.abort(
                    partition, new ProducerIdentity(marker.producerId(), marker.producerEpoch()));
            return Errors.NONE;
        } catch (RuntimeException e) {
            return CoordinatorErrors.codeOf(e, false);
        }
    }
}
