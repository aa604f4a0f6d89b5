package io.firn.server.tx;

import io.firn.Partition;
import io.firn.host.ProducerIdentity;
import io.firn.host.TransactionCoordinator;
import io.firn.server.group.PendingOffsetMetadata;
import io.firn.server.group.StaleRequests;
import io.firn.server.log.ServedTopic;
import io.firn.server.log.ServedTopics;
import io.firn.server.log.TransactionMemory;
import io.firn.server.security.Access;
import io.firn.server.security.Right;
import io.firn.server.wire.Exchange;
import io.firn.server.wire.ResponseElements;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import org.apache.kafka.common.internals.Topic;
import org.apache.kafka.common.message.AddOffsetsToTxnRequestData;
import org.apache.kafka.common.message.AddOffsetsToTxnResponseData;
import org.apache.kafka.common.message.AddPartitionsToTxnRequestData;
import org.apache.kafka.common.message.AddPartitionsToTxnRequestData.AddPartitionsToTxnTopic;
import org.apache.kafka.common.message.AddPartitionsToTxnResponseData;
import org.apache.kafka.common.message.AddPartitionsToTxnResponseData.AddPartitionsToTxnPartitionResult;
import org.apache.kafka.common.message.AddPartitionsToTxnResponseData.AddPartitionsToTxnTopicResult;
import org.apache.kafka.common.message.EndTxnRequestData;
import org.apache.kafka.common.message.EndTxnResponseData;
import org.apache.kafka.common.protocol.Errors;

/**
 * What producers ask the coordinator of transactions: to add partitions and a group's offsets to a
 * transaction, and to end it. It is decided, and its markers are appended, when the end is
 * answered. Thread-safe.
 */
final class TransactionApis {
    private static final short FIRST_WITH_FENCED = 2;
    private static final short FIRST_THAT_BUMPS = 5;

    private final ServedTopics topics;
    private final TransactionCoordinator coordinator;
    private final PendingOffsetMetadata metadata;
    private final StaleRequests late;
    private final TransactionMemory memory;

    TransactionApis(ServedTopics topics, PendingOffsetMetadata metadata, StaleRequests late) {
        this.late = late;
        this.topics = topics;
        this.coordinator = topics.store().transactions();
        this.metadata = metadata;
        this.memory = topics.transactionMemory();
    }

    // ---- partitions

    /** A partition of a request, and where its result belongs. */
    private record Asked(String topic, int index, AddPartitionsToTxnTopicResult results) {}

    /** What was found out of the partitions of a request, before any is added. */
    private static final class Found {
        private final List<Partition> partitions = new ArrayList<>();
        private final List<AddPartitionsToTxnPartitionResult> good = new ArrayList<>();
        private boolean isAnyWrong;
    }

    /** Handles AddPartitionsToTxn, all partitions or none. */
    void addPartitions(Exchange exchange, AddPartitionsToTxnRequestData request) {
        Access access = exchange.connection().access();
        String name = request.v3AndBelowTransactionalId();
        // Kafka's own answer to a request that may not is made by the square of what it names.
        Errors denied =
                access.may(Right.ADD_PARTITIONS, name)
                        ? Errors.NONE
                        : Errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED;
        AddPartitionsToTxnResponseData response = new AddPartitionsToTxnResponseData();
        List<Asked> all = new ArrayList<>();
        for (AddPartitionsToTxnTopic topic : request.v3AndBelowTopics()) {
            AddPartitionsToTxnTopicResult results =
                    new ResponseElements.AddedTopic().setName(topic.name());
            response.resultsByTopicV3AndBelow().add(results);
            // Each once: a request may name one very often.
            for (int index : new LinkedHashSet<>(topic.partitions())) {
                all.add(new Asked(topic.name(), index, results));
            }
        }
        Found found = new Found();
        exchange.inSteps(
                all,
                each -> look(access, denied, each, found),
                () -> {
                    Errors outcome =
                            found.isAnyWrong || denied != Errors.NONE
                                    ? Errors.OPERATION_NOT_ATTEMPTED
                                    : add(exchange, request, found.partitions);
                    found.good.forEach(each -> each.setPartitionErrorCode(outcome.code()));
                    exchange.reply(response);
                });
    }

    private void look(Access access, Errors denied, Asked asked, Found found) {
        Errors error = denied == Errors.NONE ? find(access, asked, found.partitions) : denied;
        AddPartitionsToTxnPartitionResult result =
                new ResponseElements.AddedPartition()
                        .setPartitionIndex(asked.index)
                        .setPartitionErrorCode(error.code());
        asked.results.resultsByPartition().add(result);
        if (error == Errors.NONE) {
            found.good.add(result);
        } else {
            found.isAnyWrong = true;
        }
    }

    private Errors find(Access access, Asked asked, List<Partition> found) {
        String name = asked.topic;
        if (Topic.isInternal(name) || !access.may(Right.ADD_PARTITIONS_TOPIC, name)) {
            return Errors.TOPIC_AUTHORIZATION_FAILED;
        }
        ServedTopic served = topics.find(name);
        if (served == null || asked.index < 0 || asked.index >= served.topic().partitionCount()) {
            return Errors.UNKNOWN_TOPIC_OR_PARTITION;
        }
        found.add(served.topic().partition(asked.index));
        return Errors.NONE;
    }

    private Errors add(
            Exchange exchange, AddPartitionsToTxnRequestData request, List<Partition> found) {
        String name = request.v3AndBelowTransactionalId();
        if (name.isEmpty()) {
            return Errors.INVALID_REQUEST;
        }
        long bytes = (long) TransactionMemory.PARTITION_BYTES * found.size();
        if (!memory.add(name, exchange.connection().owner(), bytes)) {
            return Errors.COORDINATOR_NOT_AVAILABLE; // the client tries again
        }
        try {
            coordinator.add(
                    name,
                    new ProducerIdentity(
                            request.v3AndBelowProducerId(), request.v3AndBelowProducerEpoch()),
                    found);
            return Errors.NONE;
        } catch (RuntimeException e) {
            memory.giveBack(name, bytes);
            return CoordinatorErrors.ofJoining(e, exchange.version() >= FIRST_WITH_FENCED);
        }
    }

    // ---- offsets

    /** Handles AddOffsetsToTxn: the offsets themselves come in another request. */
    void addOffsets(Exchange exchange, AddOffsetsToTxnRequestData request) {
        Access access = exchange.connection().access();
        access.demand(Right.ADD_OFFSETS, request.transactionalId());
        access.demand(Right.ADD_OFFSETS_GROUP, request.groupId());
        exchange.reply(
                new AddOffsetsToTxnResponseData().setErrorCode(begin(exchange, request).code()));
    }

    private Errors begin(Exchange exchange, AddOffsetsToTxnRequestData request) {
        if (request.transactionalId().isEmpty()) {
            return Errors.INVALID_REQUEST;
        }
        try {
            coordinator.begin(
                    request.transactionalId(),
                    new ProducerIdentity(request.producerId(), request.producerEpoch()));
            return Errors.NONE;
        } catch (RuntimeException e) {
            return CoordinatorErrors.ofJoining(e, exchange.version() >= FIRST_WITH_FENCED);
        }
    }

    // ---- end

    /** Handles EndTxn: commits or aborts. Newer clients get a new epoch for the next one. */
    void end(Exchange exchange, EndTxnRequestData request) {
        exchange.connection().access().demand(Right.END_TRANSACTION, request.transactionalId());
        EndTxnResponseData response = new EndTxnResponseData();
        if (request.transactionalId().isEmpty()) {
            exchange.reply(response.setErrorCode(Errors.INVALID_REQUEST.code()));
            return;
        }
        ProducerIdentity producer =
                new ProducerIdentity(request.producerId(), request.producerEpoch());
        late.refuseOr(
                exchange,
                request.transactionalId(),
                producer,
                () -> decide(exchange, request, producer, response));
    }

    private void decide(
            Exchange exchange,
            EndTxnRequestData request,
            ProducerIdentity producer,
            EndTxnResponseData response) {
        boolean bumps = exchange.version() >= FIRST_THAT_BUMPS;
        try {
            ProducerIdentity next =
                    coordinator.end(
                            request.transactionalId(), producer, request.committed(), bumps);
            memory.forget(request.transactionalId());
            metadata.onEnd(request.transactionalId());
            if (bumps) {
                response.setProducerId(next.id()).setProducerEpoch((short) next.epoch());
            }
        } catch (RuntimeException e) {
            boolean knowsFenced = exchange.version() >= FIRST_WITH_FENCED;
            response.setErrorCode(CoordinatorErrors.codeOf(e, knowsFenced).code());
        }
        exchange.reply(response);
    }
}
