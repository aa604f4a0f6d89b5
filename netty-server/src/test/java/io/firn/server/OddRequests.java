package io.firn.server;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.kafka.common.message.AddOffsetsToTxnRequestData;
import org.apache.kafka.common.message.AddOffsetsToTxnResponseData;
import org.apache.kafka.common.message.AlterConfigsRequestData;
import org.apache.kafka.common.message.AlterConfigsResponseData;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData.ReassignablePartition;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData.ReassignableTopic;
import org.apache.kafka.common.message.AlterPartitionReassignmentsResponseData;
import org.apache.kafka.common.message.AlterReplicaLogDirsRequestData;
import org.apache.kafka.common.message.AlterReplicaLogDirsRequestData.AlterReplicaLogDir;
import org.apache.kafka.common.message.AlterReplicaLogDirsRequestData.AlterReplicaLogDirTopic;
import org.apache.kafka.common.message.AlterReplicaLogDirsResponseData;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.CreatePartitionsRequestData;
import org.apache.kafka.common.message.CreatePartitionsRequestData.CreatePartitionsTopic;
import org.apache.kafka.common.message.CreatePartitionsResponseData;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopic;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopicConfig;
import org.apache.kafka.common.message.CreateTopicsResponseData;
import org.apache.kafka.common.message.DeleteTopicsRequestData;
import org.apache.kafka.common.message.DeleteTopicsRequestData.DeleteTopicState;
import org.apache.kafka.common.message.DeleteTopicsResponseData;
import org.apache.kafka.common.message.DescribeConfigsRequestData;
import org.apache.kafka.common.message.DescribeConfigsRequestData.DescribeConfigsResource;
import org.apache.kafka.common.message.DescribeConfigsResponseData;
import org.apache.kafka.common.message.DescribeConfigsResponseData.DescribeConfigsResult;
import org.apache.kafka.common.message.DescribeLogDirsRequestData;
import org.apache.kafka.common.message.DescribeLogDirsResponseData;
import org.apache.kafka.common.message.DescribeQuorumRequestData;
import org.apache.kafka.common.message.DescribeQuorumResponseData;
import org.apache.kafka.common.message.ElectLeadersRequestData;
import org.apache.kafka.common.message.ElectLeadersRequestData.TopicPartitions;
import org.apache.kafka.common.message.ElectLeadersRequestData.TopicPartitionsCollection;
import org.apache.kafka.common.message.ElectLeadersResponseData;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData.AlterConfigsResource;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData.AlterableConfig;
import org.apache.kafka.common.message.IncrementalAlterConfigsResponseData;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.message.ListConfigResourcesRequestData;
import org.apache.kafka.common.message.ListConfigResourcesResponseData;
import org.apache.kafka.common.message.ListPartitionReassignmentsRequestData;
import org.apache.kafka.common.message.ListPartitionReassignmentsRequestData.ListPartitionReassignmentsTopics;
import org.apache.kafka.common.message.ListPartitionReassignmentsResponseData;
import org.apache.kafka.common.message.ListTransactionsRequestData;
import org.apache.kafka.common.message.ListTransactionsResponseData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestPartition;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestTopic;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.message.TxnOffsetCommitRequestData;
import org.apache.kafka.common.message.TxnOffsetCommitRequestData.TxnOffsetCommitRequestPartition;
import org.apache.kafka.common.message.TxnOffsetCommitRequestData.TxnOffsetCommitRequestTopic;
import org.apache.kafka.common.message.TxnOffsetCommitResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.protocol.ObjectSerializationCache;

/**
 * Odd requests, most of them administrative, and what Apache Kafka answers to them, from a table.
 * The build asks our server; {@code bin/check kafka-tools --odd} asks a Kafka broker, too, so that
 * the table stays true. One file without any other class of ours, so that {@code java} runs it as
 * it is.
 *
 * <p>Each line of the table is {@code REQUEST | KAFKA'S ANSWER}, and where ours differs on purpose
 * {@code REQUEST | KAFKA'S ANSWER | OUR ANSWER | REASON}. A request is one of
 *
 * <pre>
 * create NAME[/PARTITIONS[/REPLICAS]][+NAME...] KEY=VALUE; KEY=VALUE
 * delete NAME[+NAME...]
 * partitions NAME/COUNT[+NAME/COUNT...]
 * alter TYPE:NAME[+TYPE:NAME...] set KEY=VALUE; append KEY=VALUE; subtract KEY=VALUE; delete KEY
 * replace TYPE:NAME[+TYPE:NAME...] KEY=VALUE; KEY=VALUE
 * describe TYPE:NAME[+TYPE:NAME...] KEY; KEY
 * reassign TOPIC/PARTITION/REPLICA,REPLICA[+...] [fixed]
 * reassignments TOPIC/PARTITION[+...]
 * elect TOPIC/PARTITION[+...] TYPE
 * move TOPIC/PARTITION[+...] DIRECTORY
 * quorum TOPIC/PARTITION[+...]
 * resources TYPE[+TYPE...]
 * transactions PATTERN
 * commit GROUP MEMBER/GENERATION[/INSTANCE]
 * txn-commit GROUP MEMBER/GENERATION[/INSTANCE]
 * versions CLUSTER/NODE/PROGRAM/VERSION
 * offers API[+API...]
 * </pre>
 *
 * <p>with {@code KEY} alone for a value of null, a number instead of a word for a type or an
 * operation that has no name, {@code ''} for a name that is empty and {@code x*250} for one of so
 * many letters, {@code null} for a list that is null, {@code -} for one that is empty, {@code here}
 * for the directory of the log and the id of the cluster. Offset 0 of the topic {@code offsets} is
 * committed. An answer is the name of the error for each resource, after a description the values
 * of the keys that were asked for, {@code *} behind those that were set.
 */
final class OddRequests {
    private static final int HANGS_AFTER_MS = 60_000;
    private static final byte GROUP = 0;
    private static final byte TRANSACTION = 1;
    private static final Set<String> LOADING =
            Set.of("NOT_COORDINATOR", "COORDINATOR_NOT_AVAILABLE", "COORDINATOR_LOAD_IN_PROGRESS");
    private static final Map<String, Byte> TYPES = Map.of("topic", (byte) 2, "broker", (byte) 4);
    private static final List<String> OPERATIONS = List.of("set", "delete", "append", "subtract");

    private final String host;
    private final int port;

    /** A line of the table. */
    record Row(String request, String kafka, String firn) {}

    OddRequests(String bootstrap) {
        int colon = bootstrap.lastIndexOf(':');
        this.host = bootstrap.substring(0, colon);
        this.port = Integer.parseInt(bootstrap.substring(colon + 1));
    }

    static List<Row> rows(List<String> lines) {
        List<Row> rows = new ArrayList<>();
        for (String line : lines) {
            if (!line.isBlank() && !line.startsWith("#")) {
                String[] cells = line.split(" *\\| *", -1);
                String kafka = cells.length > 1 ? cells[1] : "";
                rows.add(new Row(cells[0].trim(), kafka, cells.length > 2 ? cells[2] : kafka));
            }
        }
        return rows;
    }

    /** What a server answers. */
    String answer(String request) throws IOException {
        String[] words = request.split(" +", 3);
        List<String> names = List.of(words[1].split("\\+", -1));
        List<String> rest =
                words.length < 3
                        ? List.of()
                        : List.of(words[2].split(";")).stream().map(String::trim).toList();
        return switch (words[0]) {
            case "create" -> create(names, rest);
            case "delete" -> delete(names);
            case "partitions" -> partitions(names);
            case "alter" -> alter(names, rest);
            case "replace" -> replace(names, rest);
            case "describe" -> describe(names, rest);
            case "reassign" -> reassign(names, rest.isEmpty());
            case "reassignments" -> reassignments(names);
            case "elect" -> elect(names, Byte.parseByte(words[2]));
            case "move" -> move(names, words[2]);
            case "quorum" -> quorum(names);
            case "resources" -> resources(names);
            case "transactions" -> transactions(words[1]);
            case "commit" -> commit(words[1], words[2].split("/"));
            case "txn-commit" -> commitInTransaction(words[1], words[2].split("/"));
            case "versions" -> versions(words[1].split("/"));
            case "offers" -> offers(names);
            default -> throw new IllegalArgumentException(request);
        };
    }

    private String create(List<String> names, List<String> configs) throws IOException {
        CreateTopicsRequestData request = new CreateTopicsRequestData().setTimeoutMs(30_000);
        for (String name : names) {
            String[] parts = name.split("/");
            CreatableTopic topic =
                    new CreatableTopic()
                            .setName(text(parts[0]))
                            .setNumPartitions(parts.length > 1 ? Integer.parseInt(parts[1]) : 1)
                            .setReplicationFactor(
                                    parts.length > 2 ? Short.parseShort(parts[2]) : 1);
            for (String config : configs) {
                topic.configs()
                        .mustAdd(
                                new CreatableTopicConfig()
                                        .setName(key(config))
                                        .setValue(value(config)));
            }
            request.topics().mustAdd(topic);
        }
        CreateTopicsResponseData answer = new CreateTopicsResponseData();
        return ask(ApiKeys.CREATE_TOPICS, 7, request, answer)
                ? errors(answer.topics(), each -> each.name(), each -> each.errorCode())
                : "CLOSED";
    }

    private String delete(List<String> names) throws IOException {
        DeleteTopicsRequestData request = new DeleteTopicsRequestData().setTimeoutMs(30_000);
        names.forEach(each -> request.topics().add(new DeleteTopicState().setName(text(each))));
        DeleteTopicsResponseData answer = new DeleteTopicsResponseData();
        return ask(ApiKeys.DELETE_TOPICS, 6, request, answer)
                ? errors(answer.responses(), each -> each.name(), each -> each.errorCode())
                : "CLOSED";
    }

    private String partitions(List<String> names) throws IOException {
        CreatePartitionsRequestData request =
                new CreatePartitionsRequestData().setTimeoutMs(30_000);
        for (String name : names) {
            String[] parts = name.split("/");
            request.topics()
                    .mustAdd(
                            new CreatePartitionsTopic()
                                    .setName(parts[0])
                                    .setCount(Integer.parseInt(parts[1]))
                                    .setAssignments(null));
        }
        CreatePartitionsResponseData answer = new CreatePartitionsResponseData();
        return ask(ApiKeys.CREATE_PARTITIONS, 3, request, answer)
                ? errors(answer.results(), each -> each.name(), each -> each.errorCode())
                : "CLOSED";
    }

    private String alter(List<String> names, List<String> changes) throws IOException {
        IncrementalAlterConfigsRequestData request = new IncrementalAlterConfigsRequestData();
        for (String name : names) {
            AlterConfigsResource resource =
                    new AlterConfigsResource()
                            .setResourceType(type(name))
                            .setResourceName(resource(name));
            for (String change : changes) {
                String[] words = change.split(" ", 2);
                int known = OPERATIONS.indexOf(words[0]);
                resource.configs()
                        .mustAdd(
                                new AlterableConfig()
                                        .setName(key(words[1]))
                                        .setValue(value(words[1]))
                                        .setConfigOperation(
                                                known >= 0
                                                        ? (byte) known
                                                        : Byte.parseByte(words[0])));
            }
            request.resources().mustAdd(resource);
        }
        IncrementalAlterConfigsResponseData answer = new IncrementalAlterConfigsResponseData();
        return ask(ApiKeys.INCREMENTAL_ALTER_CONFIGS, 1, request, answer)
                ? errors(answer.responses(), each -> each.resourceName(), each -> each.errorCode())
                : "CLOSED";
    }

    private String replace(List<String> names, List<String> configs) throws IOException {
        AlterConfigsRequestData request = new AlterConfigsRequestData();
        for (String name : names) {
            AlterConfigsRequestData.AlterConfigsResource resource =
                    new AlterConfigsRequestData.AlterConfigsResource()
                            .setResourceType(type(name))
                            .setResourceName(resource(name));
            for (String config : configs) {
                resource.configs()
                        .mustAdd(
                                new AlterConfigsRequestData.AlterableConfig()
                                        .setName(key(config))
                                        .setValue(value(config)));
            }
            request.resources().mustAdd(resource);
        }
        AlterConfigsResponseData answer = new AlterConfigsResponseData();
        return ask(ApiKeys.ALTER_CONFIGS, 2, request, answer)
                ? errors(answer.responses(), each -> each.resourceName(), each -> each.errorCode())
                : "CLOSED";
    }

    private String describe(List<String> names, List<String> keys) throws IOException {
        DescribeConfigsRequestData request = new DescribeConfigsRequestData();
        for (String name : names) {
            request.resources()
                    .add(
                            new DescribeConfigsResource()
                                    .setResourceType(type(name))
                                    .setResourceName(resource(name))
                                    .setConfigurationKeys(keys.isEmpty() ? null : keys));
        }
        DescribeConfigsResponseData answer = new DescribeConfigsResponseData();
        if (!ask(ApiKeys.DESCRIBE_CONFIGS, 4, request, answer)) {
            return "CLOSED";
        }
        List<String> shown = new ArrayList<>();
        answer.results().sort(Comparator.comparing(DescribeConfigsResult::resourceName));
        for (DescribeConfigsResult result : answer.results()) {
            result.configs().sort(Comparator.comparing(each -> each.name()));
            StringBuilder text = new StringBuilder(Errors.forCode(result.errorCode()).name());
            if (!keys.isEmpty()) {
                for (var config : result.configs()) {
                    text.append(' ').append(config.name()).append('=').append(config.value());
                    text.append(config.configSource() == 1 ? "*" : "");
                }
            }
            shown.add(text.toString());
        }
        return String.join(" + ", shown);
    }

    private String reassign(List<String> names, boolean otherCount) throws IOException {
        AlterPartitionReassignmentsRequestData request =
                new AlterPartitionReassignmentsRequestData()
                        .setAllowReplicationFactorChange(otherCount);
        for (String name : given(names)) {
            String[] parts = name.split("/", -1);
            request.topics()
                    .add(
                            new ReassignableTopic()
                                    .setName(text(parts[0]))
                                    .setPartitions(
                                            List.of(
                                                    new ReassignablePartition()
                                                            .setPartitionIndex(
                                                                    Integer.parseInt(parts[1]))
                                                            .setReplicas(numbers(parts[2])))));
        }
        AlterPartitionReassignmentsResponseData answer =
                new AlterPartitionReassignmentsResponseData();
        if (!ask(ApiKeys.ALTER_PARTITION_REASSIGNMENTS, 1, request, answer)) {
            return "CLOSED";
        }
        StringBuilder text = new StringBuilder(name(answer.errorCode()));
        for (var topic : answer.responses()) {
            topic.partitions().forEach(each -> text.append(' ').append(name(each.errorCode())));
        }
        return text.toString();
    }

    private String reassignments(List<String> names) throws IOException {
        ListPartitionReassignmentsRequestData request =
                new ListPartitionReassignmentsRequestData().setTopics(null);
        if (!names.get(0).equals("null")) {
            request.setTopics(new ArrayList<>());
            for (String name : given(names)) {
                String[] parts = name.split("/");
                request.topics()
                        .add(
                                new ListPartitionReassignmentsTopics()
                                        .setName(text(parts[0]))
                                        .setPartitionIndexes(numbers(parts[1])));
            }
        }
        ListPartitionReassignmentsResponseData answer =
                new ListPartitionReassignmentsResponseData();
        return ask(ApiKeys.LIST_PARTITION_REASSIGNMENTS, 0, request, answer)
                ? name(answer.errorCode()) + " " + answer.topics().size()
                : "CLOSED";
    }

    private String elect(List<String> names, byte type) throws IOException {
        ElectLeadersRequestData request =
                new ElectLeadersRequestData().setElectionType(type).setTopicPartitions(null);
        if (!names.get(0).equals("null")) {
            request.setTopicPartitions(new TopicPartitionsCollection());
            for (String name : given(names)) {
                String[] parts = name.split("/");
                request.topicPartitions()
                        .mustAdd(
                                new TopicPartitions()
                                        .setTopic(text(parts[0]))
                                        .setPartitions(numbers(parts[1])));
            }
        }
        ElectLeadersResponseData answer = new ElectLeadersResponseData();
        if (!ask(ApiKeys.ELECT_LEADERS, 2, request, answer)) {
            return "CLOSED";
        }
        StringBuilder text = new StringBuilder(name(answer.errorCode()));
        for (var topic : answer.replicaElectionResults()) {
            topic.partitionResult()
                    .forEach(each -> text.append(' ').append(name(each.errorCode())));
        }
        return text.toString();
    }

    private String move(List<String> names, String directory) throws IOException {
        AlterReplicaLogDir to =
                new AlterReplicaLogDir()
                        .setPath(directory.equals("here") ? logDirectory() : directory);
        for (String name : given(names)) {
            String[] parts = name.split("/");
            to.topics()
                    .mustAdd(
                            new AlterReplicaLogDirTopic()
                                    .setName(text(parts[0]))
                                    .setPartitions(numbers(parts[1])));
        }
        AlterReplicaLogDirsRequestData request = new AlterReplicaLogDirsRequestData();
        request.dirs().mustAdd(to);
        AlterReplicaLogDirsResponseData answer = new AlterReplicaLogDirsResponseData();
        if (!ask(ApiKeys.ALTER_REPLICA_LOG_DIRS, 2, request, answer)) {
            return "CLOSED";
        }
        List<String> errors = new ArrayList<>();
        for (var topic : answer.results()) {
            topic.partitions().forEach(each -> errors.add(name(each.errorCode())));
        }
        errors.sort(null); // the order of the answers follows from hashes in Kafka
        return String.join(" + ", errors);
    }

    private String logDirectory() throws IOException {
        DescribeLogDirsResponseData answer = new DescribeLogDirsResponseData();
        ask(ApiKeys.DESCRIBE_LOG_DIRS, 4, new DescribeLogDirsRequestData().setTopics(null), answer);
        return answer.results().get(0).logDir();
    }

    /** Shows leaders, voters and observers. */
    private String quorum(List<String> names) throws IOException {
        DescribeQuorumRequestData request = new DescribeQuorumRequestData();
        for (String name : given(names)) {
            String[] parts = name.split("/");
            List<DescribeQuorumRequestData.PartitionData> partitions = new ArrayList<>();
            numbers(parts[1])
                    .forEach(
                            each ->
                                    partitions.add(
                                            new DescribeQuorumRequestData.PartitionData()
                                                    .setPartitionIndex(each)));
            request.topics()
                    .add(
                            new DescribeQuorumRequestData.TopicData()
                                    .setTopicName(parts[0])
                                    .setPartitions(partitions));
        }
        DescribeQuorumResponseData answer = new DescribeQuorumResponseData();
        if (!ask(ApiKeys.DESCRIBE_QUORUM, 2, request, answer)) {
            return "CLOSED";
        }
        StringBuilder text = new StringBuilder(name(answer.errorCode()));
        for (var topic : answer.topics()) {
            for (var each : topic.partitions()) {
                text.append(' ').append(topic.topicName()).append('-');
                text.append(each.partitionIndex()).append(' ').append(name(each.errorCode()));
                text.append(' ').append(each.leaderId());
                each.currentVoters()
                        .forEach(voter -> text.append(" of ").append(voter.replicaId()));
                each.observers().forEach(other -> text.append(" and ").append(other.replicaId()));
            }
        }
        return text.append(" nodes ").append(answer.nodes().size()).toString();
    }

    /** Shows which types of resources are listed, with the number of those that are not topics. */
    private String resources(List<String> types) throws IOException {
        ListConfigResourcesRequestData request = new ListConfigResourcesRequestData();
        given(types).forEach(each -> request.resourceTypes().add(Byte.parseByte(each)));
        ListConfigResourcesResponseData answer = new ListConfigResourcesResponseData();
        if (!ask(ApiKeys.LIST_CONFIG_RESOURCES, 1, request, answer)) {
            return "CLOSED";
        }
        TreeSet<String> shown = new TreeSet<>();
        for (var each : answer.configResources()) {
            boolean isTopic = each.resourceType() == TYPES.get("topic");
            shown.add(each.resourceType() + ":" + (isTopic ? "*" : each.resourceName()));
        }
        return (name(answer.errorCode()) + " " + String.join(" ", shown)).trim();
    }

    private String transactions(String pattern) throws IOException {
        ListTransactionsRequestData request =
                new ListTransactionsRequestData().setTransactionalIdPattern(text(pattern));
        ListTransactionsResponseData answer = new ListTransactionsResponseData();
        return ask(ApiKeys.LIST_TRANSACTIONS, 2, request, answer)
                ? answer.transactionStates().stream()
                        .map(each -> each.transactionalId())
                        .sorted()
                        .collect(Collectors.joining(" ", name(answer.errorCode()) + " ", ""))
                        .trim()
                : "CLOSED";
    }

    /** Returns the names, or none for {@code -}. */
    private static List<String> given(List<String> names) {
        return names.equals(List.of("-")) ? List.of() : names;
    }

    private static List<Integer> numbers(String list) {
        if (list.equals("null")) {
            return null;
        }
        return List.of(list.split(",")).stream()
                .filter(each -> !each.isEmpty())
                .map(Integer::valueOf)
                .toList();
    }

    private String commit(String group, String[] member) throws IOException {
        find(GROUP, group);
        OffsetCommitRequestData request =
                new OffsetCommitRequestData()
                        .setGroupId(group)
                        .setMemberId(text(member[0]))
                        .setGenerationIdOrMemberEpoch(Integer.parseInt(member[1]))
                        .setGroupInstanceId(member.length > 2 ? member[2] : null);
        OffsetCommitRequestTopic topic = new OffsetCommitRequestTopic().setName("offsets");
        topic.partitions().add(new OffsetCommitRequestPartition().setCommittedOffset(0));
        request.topics().add(topic);
        return askCoordinator(
                () -> {
                    OffsetCommitResponseData answer = new OffsetCommitResponseData();
                    return ask(ApiKeys.OFFSET_COMMIT, 9, request, answer)
                            ? name(answer.topics().get(0).partitions().get(0).errorCode())
                            : "CLOSED";
                });
    }

    private String commitInTransaction(String group, String[] member) throws IOException {
        String transactionalId = "odd-" + group;
        find(GROUP, group);
        find(TRANSACTION, transactionalId);
        InitProducerIdRequestData init =
                new InitProducerIdRequestData()
                        .setTransactionalId(transactionalId)
                        .setTransactionTimeoutMs(60_000);
        InitProducerIdResponseData producer = new InitProducerIdResponseData();
        String initialized =
                askCoordinator(
                        () ->
                                ask(ApiKeys.INIT_PRODUCER_ID, 4, init, producer)
                                        ? name(producer.errorCode())
                                        : "CLOSED");
        if (!initialized.equals("NONE")) {
            return "InitProducerId: " + initialized;
        }
        AddOffsetsToTxnRequestData add =
                new AddOffsetsToTxnRequestData()
                        .setTransactionalId(transactionalId)
                        .setProducerId(producer.producerId())
                        .setProducerEpoch(producer.producerEpoch())
                        .setGroupId(group);
        AddOffsetsToTxnResponseData added = new AddOffsetsToTxnResponseData();
        if (!ask(ApiKeys.ADD_OFFSETS_TO_TXN, 3, add, added) || added.errorCode() != 0) {
            return "AddOffsetsToTxn: " + name(added.errorCode());
        }
        TxnOffsetCommitRequestData request =
                new TxnOffsetCommitRequestData()
                        .setTransactionalId(transactionalId)
                        .setGroupId(group)
                        .setProducerId(producer.producerId())
                        .setProducerEpoch(producer.producerEpoch())
                        .setMemberId(text(member[0]))
                        .setGenerationIdOrMemberEpoch(Integer.parseInt(member[1]))
                        .setGroupInstanceId(member.length > 2 ? member[2] : null);
        TxnOffsetCommitRequestTopic topic = new TxnOffsetCommitRequestTopic().setName("offsets");
        topic.partitions().add(new TxnOffsetCommitRequestPartition().setCommittedOffset(0));
        request.topics().add(topic);
        return askCoordinator(
                () -> {
                    TxnOffsetCommitResponseData answer = new TxnOffsetCommitResponseData();
                    return ask(ApiKeys.TXN_OFFSET_COMMIT, 3, request, answer)
                            ? name(answer.topics().get(0).partitions().get(0).errorCode())
                            : "CLOSED";
                });
    }

    private String versions(String[] said) throws IOException {
        ApiVersionsRequestData request =
                new ApiVersionsRequestData()
                        .setClusterId(said[0].equals("here") ? clusterId() : text(said[0]))
                        .setNodeId(Integer.parseInt(said[1]))
                        .setClientSoftwareName(text(said[2]))
                        .setClientSoftwareVersion(text(said[3]));
        ApiVersionsResponseData answer = new ApiVersionsResponseData();
        return ask(ApiKeys.API_VERSIONS, 5, request, answer)
                ? name(answer.errorCode()) + (answer.apiKeys().isEmpty() ? ", no ranges" : "")
                : "CLOSED";
    }

    private String clusterId() throws IOException {
        MetadataResponseData answer = new MetadataResponseData();
        ask(ApiKeys.METADATA, 12, new MetadataRequestData(), answer);
        return answer.clusterId();
    }

    /** The range of versions of each API. */
    private String offers(List<String> apis) throws IOException {
        ApiVersionsResponseData answer = new ApiVersionsResponseData();
        ask(ApiKeys.API_VERSIONS, 2, new ApiVersionsRequestData(), answer);
        return apis.stream()
                .map(each -> answer.apiKeys().find(ApiKeys.valueOf(each).id))
                .map(each -> each == null ? "none" : each.minVersion() + "-" + each.maxVersion())
                .collect(Collectors.joining(" "));
    }

    /** A request to a coordinator, and the name of its answer's error. */
    private interface Question {
        String ask() throws IOException;
    }

    /** Asks again while a broker has not read what its coordinator has to know. */
    private static String askCoordinator(Question question) throws IOException {
        long end = System.nanoTime() + HANGS_AFTER_MS * 1_000_000L;
        while (true) {
            String answer = question.ask();
            if (!LOADING.contains(answer) || System.nanoTime() - end > 0) {
                return answer;
            }
            try {
                Thread.sleep(10);
            } catch (InterruptedException e) {
                throw new InterruptedIOException();
            }
        }
    }

    /** A broker makes the topic of a coordinator when it is asked where that is. */
    private void find(byte type, String key) throws IOException {
        FindCoordinatorRequestData request =
                new FindCoordinatorRequestData().setKeyType(type).setCoordinatorKeys(List.of(key));
        ask(ApiKeys.FIND_COORDINATOR, 4, request, new FindCoordinatorResponseData());
    }

    private static String name(short code) {
        return Errors.forCode(code).name();
    }

    private static String text(String name) {
        if (name.startsWith("x*")) {
            return "x".repeat(Integer.parseInt(name.substring(2)));
        }
        return name.equals("null") ? null : name.equals("''") ? "" : name;
    }

    private static String key(String config) {
        int equals = config.indexOf('=');
        return equals < 0 ? config : config.substring(0, equals);
    }

    private static String value(String config) {
        int equals = config.indexOf('=');
        return equals < 0 ? null : config.substring(equals + 1);
    }

    private static byte type(String resource) {
        String type = resource.substring(0, resource.indexOf(':'));
        return TYPES.containsKey(type) ? TYPES.get(type) : Byte.parseByte(type);
    }

    private static String resource(String resource) {
        return text(resource.substring(resource.indexOf(':') + 1));
    }

    /** By name: the order of the answers follows from hashes in Kafka. */
    private static <T> String errors(
            Collection<T> results, Function<T, String> name, Function<T, Short> code) {
        return results.stream()
                .sorted(Comparator.comparing(each -> String.valueOf(name.apply(each))))
                .map(each -> Errors.forCode(code.apply(each)).name())
                .collect(Collectors.joining(" + "));
    }

    /** False when the server ended the connection instead. */
    private boolean ask(ApiKeys key, int version, ApiMessage request, ApiMessage answer)
            throws IOException {
        try (Socket socket = new Socket(host, port)) {
            socket.setSoTimeout(HANGS_AFTER_MS);
            ObjectSerializationCache cache = new ObjectSerializationCache();
            RequestHeaderData header =
                    new RequestHeaderData()
                            .setRequestApiKey(key.id)
                            .setRequestApiVersion((short) version)
                            .setClientId("odd");
            short headerVersion = key.requestHeaderVersion((short) version);
            int size = header.size(cache, headerVersion) + request.size(cache, (short) version);
            ByteBuffer bytes = ByteBuffer.allocate(size);
            ByteBufferAccessor out = new ByteBufferAccessor(bytes);
            header.write(out, cache, headerVersion);
            request.write(out, cache, (short) version);
            DataOutputStream to = new DataOutputStream(socket.getOutputStream());
            to.writeInt(size);
            to.write(bytes.array());
            to.flush();
            DataInputStream from = new DataInputStream(socket.getInputStream());
            byte[] answered = new byte[from.readInt()];
            from.readFully(answered);
            ByteBufferAccessor in = new ByteBufferAccessor(ByteBuffer.wrap(answered));
            new ResponseHeaderData().read(in, key.responseHeaderVersion((short) version));
            answer.read(in, (short) version);
            return true;
        } catch (EOFException e) {
            return false;
        }
    }

    private static boolean isQuestion(Row row) {
        return row.request().startsWith("describe") || row.request().contains("commit ");
    }

    /** Compares a server's answers with the table: HOST:PORT, its file, and kafka or firn. */
    public static void main(String[] args) throws Exception {
        int different = 0;
        List<Row> rows = rows(Files.readAllLines(Path.of(args[1])));
        OddRequests server = new OddRequests(args[0]);
        for (Row row : rows) {
            String expected = args[2].equals("kafka") ? row.kafka() : row.firn();
            String found = server.answer(row.request());
            // A broker's metadata comes a moment behind its controller's.
            for (int i = 0; i < 50 && !found.equals(expected) && isQuestion(row); i++) {
                Thread.sleep(100);
                found = server.answer(row.request());
            }
            if (!found.equals(expected)) {
                different++;
                System.out.println(row.request() + " | " + found);
            }
        }
        System.out.println(rows.size() + " requests, " + different + " answers not as recorded");
        System.exit(different == 0 ? 0 : 1);
    }
}
