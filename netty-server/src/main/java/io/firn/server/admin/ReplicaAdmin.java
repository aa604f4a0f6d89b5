package io.firn.server.admin;

import io.firn.server.log.ServedTopic;
import io.firn.server.log.ServedTopics;
import io.firn.server.security.Right;
import io.firn.server.wire.ApiTable;
import io.firn.server.wire.Exchange;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.stream.Stream;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData.ReassignablePartition;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData.ReassignableTopic;
import org.apache.kafka.common.message.AlterPartitionReassignmentsResponseData;
import org.apache.kafka.common.message.AlterPartitionReassignmentsResponseData.ReassignablePartitionResponse;
import org.apache.kafka.common.message.AlterPartitionReassignmentsResponseData.ReassignableTopicResponse;
import org.apache.kafka.common.message.AlterReplicaLogDirsRequestData;
import org.apache.kafka.common.message.AlterReplicaLogDirsResponseData;
import org.apache.kafka.common.message.AlterReplicaLogDirsResponseData.AlterReplicaLogDirPartitionResult;
import org.apache.kafka.common.message.AlterReplicaLogDirsResponseData.AlterReplicaLogDirTopicResult;
import org.apache.kafka.common.message.ElectLeadersRequestData;
import org.apache.kafka.common.message.ElectLeadersResponseData;
import org.apache.kafka.common.message.ElectLeadersResponseData.PartitionResult;
import org.apache.kafka.common.message.ElectLeadersResponseData.ReplicaElectionResult;
import org.apache.kafka.common.message.ListPartitionReassignmentsRequestData;
import org.apache.kafka.common.message.ListPartitionReassignmentsResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;

/**
 * Answers what tools ask about replicas and leaders. Each partition has one replica, which leads it
 * and is in the one directory: what is asked for is the case already, or is not possible.
 */
public final class ReplicaAdmin {
    private static final byte PREFERRED = 0;
    private static final byte UNCLEAN = 1;

    /** About what a partition uses in a response, as an object. */
    private static final int PARTITION_BYTES = 60;

    private final ServedTopics topics;

    /** Creates the handlers. */
    public ReplicaAdmin(ServedTopics topics) {
        this.topics = topics;
    }

    /** Serves the APIs. */
    public void serve(ApiTable table, Executor background) {
        table.serve(
                ApiKeys.ALTER_PARTITION_REASSIGNMENTS,
                AlterPartitionReassignmentsRequestData.class,
                background,
                this::reassign);
        table.serve(
                ApiKeys.LIST_PARTITION_REASSIGNMENTS,
                ListPartitionReassignmentsRequestData.class,
                background,
                this::reassignments);
        table.serve(ApiKeys.ELECT_LEADERS, ElectLeadersRequestData.class, background, this::elect);
        table.serve(
                ApiKeys.ALTER_REPLICA_LOG_DIRS,
                AlterReplicaLogDirsRequestData.class,
                background,
                this::move);
    }

    /** Returns the error for a partition; none if it exists. */
    private Errors missing(ServedTopic topic, int partition) {
        if (topic == null) {
            return topics.missing();
        }
        return partition < 0 || partition >= topic.topic().partitionCount()
                ? Errors.UNKNOWN_TOPIC_OR_PARTITION
                : Errors.NONE;
    }

    // ---- reassignments

    private void reassign(Exchange exchange, AlterPartitionReassignmentsRequestData request) {
        exchange.connection().access().demand(Right.REASSIGN);
        AlterPartitionReassignmentsResponseData response =
                new AlterPartitionReassignmentsResponseData()
                        .setAllowReplicationFactorChange(request.allowReplicationFactorChange());
        exchange.inSteps(
                () ->
                        request.topics().stream()
                                .flatMap(topic -> reassign(exchange, topic, response))
                                .iterator(),
                Runnable::run,
                () -> exchange.reply(response));
    }

    /** Returns the work for each partition of a topic. */
    private Stream<Runnable> reassign(
            Exchange exchange,
            ReassignableTopic asked,
            AlterPartitionReassignmentsResponseData response) {
        ReassignableTopicResponse results = new ReassignableTopicResponse().setName(asked.name());
        response.responses().add(results);
        ServedTopic topic = topics.find(asked.name());
        exchange.addAnswerBytes((long) PARTITION_BYTES * asked.partitions().size());
        return asked.partitions().stream()
                .map(each -> () -> results.partitions().add(reassign(each, topic)));
    }

    private ReassignablePartitionResponse reassign(ReassignablePartition asked, ServedTopic topic) {
        ReassignablePartitionResponse result =
                new ReassignablePartitionResponse().setPartitionIndex(asked.partitionIndex());
        Errors missing = missing(topic, asked.partitionIndex());
        if (missing != Errors.NONE) {
            return result.setErrorCode(missing.code()).setErrorMessage(missing.message());
        }
        if (asked.replicas() == null) { // to cancel what is in progress
            return result.setErrorCode(Errors.NO_REASSIGNMENT_IN_PROGRESS.code())
                    .setErrorMessage(Errors.NO_REASSIGNMENT_IN_PROGRESS.message());
        }
        if (!asked.replicas().equals(List.of(topics.nodeId()))) {
            result.setErrorCode(Errors.INVALID_REPLICA_ASSIGNMENT.code())
                    .setErrorMessage("The only replica can be on node " + topics.nodeId() + ".");
        }
        return result;
    }

    /** No reassignment is ever in progress. */
    private void reassignments(Exchange exchange, ListPartitionReassignmentsRequestData request) {
        exchange.connection().access().demand(Right.LIST_REASSIGNMENTS);
        exchange.reply(new ListPartitionReassignmentsResponseData());
    }

    // ---- leaders

    private void elect(Exchange exchange, ElectLeadersRequestData request) {
        exchange.connection().access().demand(Right.ELECT_LEADERS);
        if (request.electionType() != PREFERRED && request.electionType() != UNCLEAN) {
            throw Errors.INVALID_REQUEST.exception(
                    "An election is 0 (preferred) or 1 (unclean), not "
                            + request.electionType()
                            + ".");
        }
        ElectLeadersResponseData response = new ElectLeadersResponseData();
        if (request.topicPartitions() == null) {
            exchange.reply(response); // of all partitions, it has those where an election was held
            return;
        }
        exchange.inSteps(
                () ->
                        request.topicPartitions().stream()
                                .flatMap(
                                        each ->
                                                elect(
                                                        exchange,
                                                        each.topic(),
                                                        each.partitions(),
                                                        response))
                                .iterator(),
                Runnable::run,
                () -> exchange.reply(response));
    }

    /** Returns the work for each partition of a topic. */
    private Stream<Runnable> elect(
            Exchange exchange,
            String name,
            List<Integer> partitions,
            ElectLeadersResponseData response) {
        ReplicaElectionResult results = new ReplicaElectionResult().setTopic(name);
        response.replicaElectionResults().add(results);
        ServedTopic topic = topics.find(name);
        exchange.addAnswerBytes((long) PARTITION_BYTES * partitions.size());
        return partitions.stream()
                .map(
                        index ->
                                () -> {
                                    Errors missing = missing(topic, index);
                                    Errors error =
                                            missing == Errors.NONE
                                                    ? Errors.ELECTION_NOT_NEEDED
                                                    : missing;
                                    results.partitionResult()
                                            .add(
                                                    new PartitionResult()
                                                            .setPartitionId(index)
                                                            .setErrorCode(error.code())
                                                            .setErrorMessage(error.message()));
                                });
    }

    // ---- directories

    /** As in Kafka, the last directory that is named for a partition counts. */
    private void move(Exchange exchange, AlterReplicaLogDirsRequestData request) {
        exchange.connection().access().demand(Right.ALTER_LOG_DIRS);
        Map<String, Map<Integer, String>> asked = new LinkedHashMap<>();
        for (var directory : request.dirs()) {
            for (var topic : directory.topics()) {
                Map<Integer, String> partitions =
                        asked.computeIfAbsent(topic.name(), name -> new LinkedHashMap<>());
                topic.partitions().forEach(each -> partitions.put(each, directory.path()));
            }
        }
        AlterReplicaLogDirsResponseData response = new AlterReplicaLogDirsResponseData();
        List<Runnable> all = new ArrayList<>();
        asked.forEach(
                (name, partitions) -> {
                    AlterReplicaLogDirTopicResult results =
                            new AlterReplicaLogDirTopicResult().setTopicName(name);
                    response.results().add(results);
                    ServedTopic topic = topics.find(name);
                    exchange.addAnswerBytes((long) PARTITION_BYTES * partitions.size());
                    partitions.forEach(
                            (index, path) ->
                                    all.add(
                                            () ->
                                                    results.partitions()
                                                            .add(moved(topic, index, path))));
                });
        exchange.inSteps(all, Runnable::run, () -> exchange.reply(response));
    }

    private AlterReplicaLogDirPartitionResult moved(ServedTopic topic, int index, String path) {
        Errors error =
                path.equals(topics.shownDirectory())
                        ? missing(topic, index)
                        : Errors.LOG_DIR_NOT_FOUND;
        return new AlterReplicaLogDirPartitionResult()
                .setPartitionIndex(index)
                .setErrorCode(error.code());
    }
}
