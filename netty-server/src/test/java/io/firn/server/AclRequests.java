package io.firn.server;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.AddOffsetsToTxnRequestData;
import org.apache.kafka.common.message.AddPartitionsToTxnRequestData;
import org.apache.kafka.common.message.AlterClientQuotasRequestData;
import org.apache.kafka.common.message.AlterConfigsRequestData;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData;
import org.apache.kafka.common.message.AlterReplicaLogDirsRequestData;
import org.apache.kafka.common.message.AlterUserScramCredentialsRequestData;
import org.apache.kafka.common.message.CreateAclsRequestData;
import org.apache.kafka.common.message.CreatePartitionsRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.DeleteAclsRequestData;
import org.apache.kafka.common.message.DeleteGroupsRequestData;
import org.apache.kafka.common.message.DeleteRecordsRequestData;
import org.apache.kafka.common.message.DeleteTopicsRequestData;
import org.apache.kafka.common.message.DescribeAclsRequestData;
import org.apache.kafka.common.message.DescribeClientQuotasRequestData;
import org.apache.kafka.common.message.DescribeClusterRequestData;
import org.apache.kafka.common.message.DescribeConfigsRequestData;
import org.apache.kafka.common.message.DescribeGroupsRequestData;
import org.apache.kafka.common.message.DescribeLogDirsRequestData;
import org.apache.kafka.common.message.DescribeProducersRequestData;
import org.apache.kafka.common.message.DescribeQuorumRequestData;
import org.apache.kafka.common.message.DescribeTopicPartitionsRequestData;
import org.apache.kafka.common.message.DescribeTransactionsRequestData;
import org.apache.kafka.common.message.DescribeUserScramCredentialsRequestData;
import org.apache.kafka.common.message.ElectLeadersRequestData;
import org.apache.kafka.common.message.EndTxnRequestData;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.HeartbeatRequestData;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.LeaveGroupRequestData;
import org.apache.kafka.common.message.ListConfigResourcesRequestData;
import org.apache.kafka.common.message.ListGroupsRequestData;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.ListPartitionReassignmentsRequestData;
import org.apache.kafka.common.message.ListTransactionsRequestData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetDeleteRequestData;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.apache.kafka.common.message.TxnOffsetCommitRequestData;
import org.apache.kafka.common.message.WriteTxnMarkersRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;

/**
 * A request for each row of the table of rights, for {@link AclTable}. Each names a resource that a
 * user may have a right on, one that exists and that it has none on, and one that does not exist.
 * No request changes what another one finds: those that create or delete have resources of their
 * own for each user.
 */
final class AclRequests {
    static final String TOPIC = "orders";
    static final String SECRET_TOPIC = "secret";
    static final String GROUP = "readers";
    static final String SECRET_GROUP = "others";
    static final String TRANSACTION = "payments";
    static final String SECRET_TRANSACTION = "salaries";
    static final String ABSENT = "absent";

    /** No transactional id has it. */
    private static final long OTHER_PRODUCER = 1_000_000_007;

    private static final Uuid ABSENT_ID = new Uuid(7, 7);
    private static final int PATIENCE_MS = 30_000;

    private final List<Asked> all = new ArrayList<>();

    /**
     * A request.
     *
     * @param newest the newest version to use, if both servers know it
     */
    record Asked(String name, ApiKeys key, int newest, Function<Who, ApiMessage> body) {}

    /** Who asks: names of resources that begin with its prefix are its own. */
    record Who(String user, Map<String, Uuid> ids, short version) {
        String own(String name) {
            return "own-" + user + "-" + name;
        }

        String foreign(String name) {
            return name + "-" + user;
        }

        /** What only those delete who may delete all; the others have one together. */
        String shared(String name) {
            return AclTable.users().get(user).contains("CLUSTER:ALL") ? foreign(name) : name;
        }

        Uuid id(String topic) {
            return ids.getOrDefault(topic, ABSENT_ID);
        }

        List<String> topics() {
            return List.of(TOPIC, SECRET_TOPIC, ABSENT, own("none"));
        }
    }

    static List<Asked> all() {
        AclRequests requests = new AclRequests();
        requests.records();
        requests.topics();
        requests.transactions();
        requests.groups();
        requests.groupAdmin();
        requests.topicAdmin();
        requests.configs();
        requests.cluster();
        // The last one, because in Kafka the topic is there only after a while.
        requests.add(
                "metadata that creates",
                ApiKeys.METADATA,
                who -> metadata(List.of(who.own("auto"), who.foreign("auto")), true));
        return requests.all;
    }

    private void add(String name, ApiKeys key, Function<Who, ApiMessage> body) {
        add(name, key, Short.MAX_VALUE, body);
    }

    private void add(String name, ApiKeys key, int newest, Function<Who, ApiMessage> body) {
        all.add(new Asked(name, key, newest, body));
    }

    // ---- records

    private void records() {
        add("produce", ApiKeys.PRODUCE, who -> produce(who, false));
        add("produce by name", ApiKeys.PRODUCE, 12, who -> produce(who, false));
        add("produce in a transaction", ApiKeys.PRODUCE, who -> produce(who, true));
        add("produce in a transaction by name", ApiKeys.PRODUCE, 12, who -> produce(who, true));
        add(
                "init producer id",
                ApiKeys.INIT_PRODUCER_ID,
                who ->
                        new InitProducerIdRequestData()
                                .setTransactionalId(null)
                                .setTransactionTimeoutMs(60_000));
        add(
                "init transactions",
                ApiKeys.INIT_PRODUCER_ID,
                5,
                who ->
                        new InitProducerIdRequestData()
                                .setTransactionalId(who.own("transaction"))
                                .setTransactionTimeoutMs(60_000));
        add("fetch", ApiKeys.FETCH, who -> fetch(who, -1));
        add("fetch by name", ApiKeys.FETCH, 12, who -> fetch(who, -1));
        add("fetch as a replica", ApiKeys.FETCH, who -> fetch(who, 2));
        add("list offsets", ApiKeys.LIST_OFFSETS, who -> offsets(who, -1));
        add("list offsets as a replica", ApiKeys.LIST_OFFSETS, who -> offsets(who, 2));
        add(
                "epochs",
                ApiKeys.OFFSET_FOR_LEADER_EPOCH,
                who -> {
                    var request = new OffsetForLeaderEpochRequestData().setReplicaId(-1);
                    for (String each : who.topics()) {
                        request.topics()
                                .add(
                                        new OffsetForLeaderEpochRequestData.OffsetForLeaderTopic()
                                                .setTopic(each)
                                                .setPartitions(
                                                        List.of(
                                                                new OffsetForLeaderEpochRequestData
                                                                                .OffsetForLeaderPartition()
                                                                        .setPartition(0)
                                                                        .setCurrentLeaderEpoch(-1)
                                                                        .setLeaderEpoch(0))));
                    }
                    return request;
                });
    }

    private static ApiMessage produce(Who who, boolean inTransaction) {
        var request =
                new ProduceRequestData()
                        .setTransactionalId(inTransaction ? who.own("transaction") : null)
                        .setAcks((short) -1)
                        .setTimeoutMs(PATIENCE_MS);
        for (String each : who.topics()) {
            var topic =
                    new ProduceRequestData.TopicProduceData()
                            .setPartitionData(
                                    List.of(
                                            new ProduceRequestData.PartitionProduceData()
                                                    .setIndex(0)
                                                    .setRecords(
                                                            inTransaction
                                                                    ? ofTransaction()
                                                                    : oneRecord())));
            if (who.version < 13) {
                topic.setName(each);
            } else if (!each.equals(who.own("none"))) {
                topic.setTopicId(who.id(each));
            } else {
                continue;
            }
            request.topicData().add(topic);
        }
        return request;
    }

    private static MemoryRecords oneRecord() {
        return MemoryRecords.withRecords(
                Compression.NONE, new SimpleRecord("x".getBytes(StandardCharsets.UTF_8)));
    }

    private static MemoryRecords ofTransaction() {
        return MemoryRecords.withTransactionalRecords(
                Compression.NONE,
                OTHER_PRODUCER,
                (short) 0,
                0,
                new SimpleRecord("x".getBytes(StandardCharsets.UTF_8)));
    }

    private static ApiMessage fetch(Who who, int replica) {
        FetchRequestData request =
                new FetchRequestData().setMaxWaitMs(0).setMinBytes(0).setMaxBytes(1 << 20);
        request.setSessionEpoch(-1);
        if (replica >= 0 && who.version >= 15) {
            request.setReplicaState(new FetchRequestData.ReplicaState().setReplicaId(replica));
        } else if (replica >= 0) {
            request.setReplicaId(replica);
        }
        for (String each : who.topics()) {
            var topic =
                    new FetchRequestData.FetchTopic()
                            .setPartitions(
                                    List.of(
                                            new FetchRequestData.FetchPartition()
                                                    .setPartition(0)
                                                    .setFetchOffset(0)
                                                    .setPartitionMaxBytes(1 << 20)));
            if (who.version < 13) {
                topic.setTopic(each);
            } else if (!each.equals(who.own("none"))) {
                topic.setTopicId(who.id(each));
            } else {
                continue;
            }
            request.topics().add(topic);
        }
        return request;
    }

    private static ApiMessage offsets(Who who, int replica) {
        ListOffsetsRequestData request =
                new ListOffsetsRequestData().setReplicaId(replica).setTimeoutMs(PATIENCE_MS);
        for (String each : who.topics()) {
            request.topics()
                    .add(
                            new ListOffsetsRequestData.ListOffsetsTopic()
                                    .setName(each)
                                    .setPartitions(
                                            List.of(
                                                    new ListOffsetsRequestData
                                                                    .ListOffsetsPartition()
                                                            .setPartitionIndex(0)
                                                            .setTimestamp(-2))));
        }
        return request;
    }

    // ---- topics

    private void topics() {
        add("metadata", ApiKeys.METADATA, who -> metadata(who.topics(), false));
        add(
                "metadata by id",
                ApiKeys.METADATA,
                who -> {
                    MetadataRequestData request = metadata(List.of(), false);
                    for (String each : List.of(TOPIC, SECRET_TOPIC, ABSENT)) {
                        request.topics()
                                .add(
                                        new MetadataRequestData.MetadataRequestTopic()
                                                .setName(null)
                                                .setTopicId(who.id(each)));
                    }
                    return request;
                });
        add("metadata of all", ApiKeys.METADATA, who -> metadata(null, false));
        add(
                "describe topics",
                ApiKeys.DESCRIBE_TOPIC_PARTITIONS,
                who -> {
                    var request = new DescribeTopicPartitionsRequestData();
                    who.topics()
                            .forEach(
                                    each ->
                                            request.topics()
                                                    .add(
                                                            new DescribeTopicPartitionsRequestData
                                                                            .TopicRequest()
                                                                    .setName(each)));
                    return request;
                });
        add(
                "describe all topics",
                ApiKeys.DESCRIBE_TOPIC_PARTITIONS,
                who -> new DescribeTopicPartitionsRequestData());
    }

    private static MetadataRequestData metadata(List<String> names, boolean create) {
        MetadataRequestData request =
                new MetadataRequestData()
                        .setAllowAutoTopicCreation(create)
                        .setIncludeTopicAuthorizedOperations(true);
        if (names == null) {
            return request.setTopics(null);
        }
        names.forEach(
                each ->
                        request.topics()
                                .add(new MetadataRequestData.MetadataRequestTopic().setName(each)));
        return request;
    }

    // ---- transactions

    /** The producer is not the right one: what is allowed is refused in another way. */
    private void transactions() {
        add(
                "find transaction coordinator",
                ApiKeys.FIND_COORDINATOR,
                who ->
                        new FindCoordinatorRequestData()
                                .setKeyType((byte) 1)
                                .setCoordinatorKeys(
                                        List.of(TRANSACTION, SECRET_TRANSACTION, ABSENT)));
        add(
                "add partitions",
                ApiKeys.ADD_PARTITIONS_TO_TXN,
                3,
                who -> partitions(who, who.topics()));
        add(
                "add a partition",
                ApiKeys.ADD_PARTITIONS_TO_TXN,
                3,
                who -> partitions(who, List.of(TOPIC)));
        for (String group : List.of("commits", SECRET_GROUP)) {
            String end = group.equals(SECRET_GROUP) ? ", another group" : "";
            add(
                    "add offsets" + end,
                    ApiKeys.ADD_OFFSETS_TO_TXN,
                    who ->
                            new AddOffsetsToTxnRequestData()
                                    .setTransactionalId(who.own("transaction"))
                                    .setProducerId(OTHER_PRODUCER)
                                    .setGroupId(end.isEmpty() ? who.own(group) : group));
            add(
                    "commit in a transaction" + end,
                    ApiKeys.TXN_OFFSET_COMMIT,
                    5,
                    who -> commitInTransaction(who, end.isEmpty() ? who.own(group) : group));
        }
        add(
                "end transaction",
                ApiKeys.END_TXN,
                who ->
                        new EndTxnRequestData()
                                .setTransactionalId(who.own("transaction"))
                                .setProducerId(OTHER_PRODUCER)
                                .setCommitted(true));
        add(
                "write markers",
                ApiKeys.WRITE_TXN_MARKERS,
                who ->
                        new WriteTxnMarkersRequestData()
                                .setMarkers(
                                        List.of(
                                                new WriteTxnMarkersRequestData.WritableTxnMarker()
                                                        .setProducerId(OTHER_PRODUCER)
                                                        .setTopics(
                                                                List.of(
                                                                        new WriteTxnMarkersRequestData
                                                                                        .WritableTxnMarkerTopic()
                                                                                .setName(ABSENT)
                                                                                .setPartitionIndexes(
                                                                                        List.of(
                                                                                                0)))))));
        add(
                "describe producers",
                ApiKeys.DESCRIBE_PRODUCERS,
                who -> {
                    var request = new DescribeProducersRequestData();
                    for (String each : who.topics()) {
                        request.topics()
                                .add(
                                        new DescribeProducersRequestData.TopicRequest()
                                                .setName(each)
                                                .setPartitionIndexes(List.of(0)));
                    }
                    return request;
                });
        add(
                "describe transactions",
                ApiKeys.DESCRIBE_TRANSACTIONS,
                who ->
                        new DescribeTransactionsRequestData()
                                .setTransactionalIds(
                                        List.of(TRANSACTION, SECRET_TRANSACTION, who.own("none"))));
        add(
                "list transactions",
                ApiKeys.LIST_TRANSACTIONS,
                who -> new ListTransactionsRequestData());
    }

    private static ApiMessage partitions(Who who, List<String> topics) {
        var request =
                new AddPartitionsToTxnRequestData()
                        .setV3AndBelowTransactionalId(who.own("transaction"))
                        .setV3AndBelowProducerId(OTHER_PRODUCER);
        for (String each : topics) {
            request.v3AndBelowTopics()
                    .add(
                            new AddPartitionsToTxnRequestData.AddPartitionsToTxnTopic()
                                    .setName(each)
                                    .setPartitions(List.of(0)));
        }
        return request;
    }

    private static ApiMessage commitInTransaction(Who who, String group) {
        var request =
                new TxnOffsetCommitRequestData()
                        .setTransactionalId(who.own("transaction"))
                        .setProducerId(OTHER_PRODUCER)
                        .setGroupId(group);
        for (String each : who.topics()) {
            var topic =
                    new TxnOffsetCommitRequestData.TxnOffsetCommitRequestTopic()
                            .setPartitions(
                                    List.of(
                                            new TxnOffsetCommitRequestData
                                                            .TxnOffsetCommitRequestPartition()
                                                    .setPartitionIndex(0)
                                                    .setCommittedOffset(0)));
            request.topics().add(topic.setName(each));
        }
        return request;
    }

    // ---- groups

    private void groups() {
        add(
                "find coordinator",
                ApiKeys.FIND_COORDINATOR,
                who ->
                        new FindCoordinatorRequestData()
                                .setCoordinatorKeys(List.of(GROUP, SECRET_GROUP, ABSENT)));
        for (String group : List.of(GROUP, SECRET_GROUP)) {
            String end = group.equals(GROUP) ? "" : ", another group";
            add(
                    "join group" + end,
                    ApiKeys.JOIN_GROUP,
                    who -> {
                        var request =
                                new JoinGroupRequestData()
                                        .setGroupId(group)
                                        .setSessionTimeoutMs(10_000)
                                        .setRebalanceTimeoutMs(10_000)
                                        .setProtocolType("consumer");
                        request.protocols()
                                .mustAdd(
                                        new JoinGroupRequestData.JoinGroupRequestProtocol()
                                                .setName("range")
                                                .setMetadata(new byte[0]));
                        return request;
                    });
            add(
                    "sync group" + end,
                    ApiKeys.SYNC_GROUP,
                    who ->
                            new SyncGroupRequestData()
                                    .setGroupId(group)
                                    .setGenerationId(1)
                                    .setMemberId("nobody")
                                    .setProtocolType("consumer")
                                    .setProtocolName("range"));
            add(
                    "heartbeat" + end,
                    ApiKeys.HEARTBEAT,
                    who ->
                            new HeartbeatRequestData()
                                    .setGroupId(group)
                                    .setGenerationId(1)
                                    .setMemberId("nobody"));
            add(
                    "leave group" + end,
                    ApiKeys.LEAVE_GROUP,
                    who ->
                            new LeaveGroupRequestData()
                                    .setGroupId(group)
                                    .setMembers(
                                            List.of(
                                                    new LeaveGroupRequestData.MemberIdentity()
                                                            .setMemberId("nobody"))));
        }
        add("commit", ApiKeys.OFFSET_COMMIT, who -> commit(who, who.own("commits")));
        add("commit by name", ApiKeys.OFFSET_COMMIT, 9, who -> commit(who, who.own("commits")));
        add("commit, another group", ApiKeys.OFFSET_COMMIT, who -> commit(who, SECRET_GROUP));
        add("fetch offsets", ApiKeys.OFFSET_FETCH, who -> committed(who, who.topics()));
        add("fetch offsets by name", ApiKeys.OFFSET_FETCH, 9, who -> committed(who, who.topics()));
        add("fetch all offsets", ApiKeys.OFFSET_FETCH, who -> committed(who, null));
        add("fetch all offsets by name", ApiKeys.OFFSET_FETCH, 9, who -> committed(who, null));
        add(
                "fetch offsets of one group",
                ApiKeys.OFFSET_FETCH,
                7,
                who -> {
                    OffsetFetchRequestData request = new OffsetFetchRequestData().setGroupId(GROUP);
                    who.topics()
                            .forEach(
                                    each ->
                                            request.topics()
                                                    .add(
                                                            new OffsetFetchRequestData
                                                                            .OffsetFetchRequestTopic()
                                                                    .setName(each)
                                                                    .setPartitionIndexes(
                                                                            List.of(0))));
                    return request;
                });
    }

    static OffsetCommitRequestData commit(Who who, String group) {
        OffsetCommitRequestData request = new OffsetCommitRequestData().setGroupId(group);
        for (String each : who.topics()) {
            var topic =
                    new OffsetCommitRequestData.OffsetCommitRequestTopic()
                            .setPartitions(
                                    List.of(
                                            new OffsetCommitRequestData
                                                            .OffsetCommitRequestPartition()
                                                    .setPartitionIndex(0)
                                                    .setCommittedOffset(0)));
            if (who.version < 10) {
                topic.setName(each);
            } else if (!each.equals(who.own("none"))) {
                topic.setTopicId(who.id(each));
            } else {
                continue;
            }
            request.topics().add(topic);
        }
        return request;
    }

    private static ApiMessage committed(Who who, List<String> names) {
        OffsetFetchRequestData request = new OffsetFetchRequestData();
        for (String group : List.of(GROUP, SECRET_GROUP, ABSENT)) {
            var asked = new OffsetFetchRequestData.OffsetFetchRequestGroup().setGroupId(group);
            asked.setTopics(names == null ? null : new ArrayList<>());
            for (String each : names == null ? List.<String>of() : names) {
                var topic =
                        new OffsetFetchRequestData.OffsetFetchRequestTopics()
                                .setPartitionIndexes(List.of(0));
                if (who.version < 10) {
                    topic.setName(each);
                } else if (!each.equals(who.own("none"))) {
                    topic.setTopicId(who.id(each));
                } else {
                    continue;
                }
                asked.topics().add(topic);
            }
            request.groups().add(asked);
        }
        return request;
    }

    private void groupAdmin() {
        add("list groups", ApiKeys.LIST_GROUPS, who -> new ListGroupsRequestData());
        add(
                "describe groups",
                ApiKeys.DESCRIBE_GROUPS,
                who ->
                        new DescribeGroupsRequestData()
                                .setGroups(List.of(GROUP, SECRET_GROUP, ABSENT, who.own("none")))
                                .setIncludeAuthorizedOperations(true));
        add(
                "delete groups",
                ApiKeys.DELETE_GROUPS,
                who ->
                        new DeleteGroupsRequestData()
                                .setGroupsNames(
                                        List.of(
                                                who.own("deleted"),
                                                SECRET_GROUP,
                                                ABSENT,
                                                who.own("none"))));
        add("delete offsets", ApiKeys.OFFSET_DELETE, who -> deleteOffsets(who, who.own("offsets")));
        add(
                "delete offsets, another group",
                ApiKeys.OFFSET_DELETE,
                who -> deleteOffsets(who, SECRET_GROUP));
    }

    private static ApiMessage deleteOffsets(Who who, String group) {
        OffsetDeleteRequestData request = new OffsetDeleteRequestData().setGroupId(group);
        for (String each : who.topics()) {
            request.topics()
                    .mustAdd(
                            new OffsetDeleteRequestData.OffsetDeleteRequestTopic()
                                    .setName(each)
                                    .setPartitions(
                                            List.of(
                                                    new OffsetDeleteRequestData
                                                                    .OffsetDeleteRequestPartition()
                                                            .setPartitionIndex(0))));
        }
        return request;
    }

    // ---- administration of topics

    static CreateTopicsRequestData create(Collection<String> names) {
        CreateTopicsRequestData request = new CreateTopicsRequestData().setTimeoutMs(PATIENCE_MS);
        names.forEach(
                each ->
                        request.topics()
                                .mustAdd(
                                        new CreateTopicsRequestData.CreatableTopic()
                                                .setName(each)
                                                .setNumPartitions(1)
                                                .setReplicationFactor((short) 1)));
        return request;
    }

    /** What each user may delete, and what it may not. */
    static List<String> deletedTopics(Who who) {
        return List.of(
                who.own("by-name"), who.shared("by-name"), who.own("by-id"), who.shared("by-id"));
    }

    private void topicAdmin() {
        add(
                "create topics",
                ApiKeys.CREATE_TOPICS,
                who -> create(List.of(who.own("new"), who.foreign("new"), TOPIC, SECRET_TOPIC)));
        add(
                "delete topics",
                ApiKeys.DELETE_TOPICS,
                who -> {
                    var request = new DeleteTopicsRequestData().setTimeoutMs(PATIENCE_MS);
                    for (String each :
                            List.of(
                                    who.own("by-name"),
                                    who.shared("by-name"),
                                    who.own("none"),
                                    ABSENT)) {
                        request.topics()
                                .add(new DeleteTopicsRequestData.DeleteTopicState().setName(each));
                    }
                    return request;
                });
        add(
                "delete topics by id",
                ApiKeys.DELETE_TOPICS,
                who -> {
                    var request = new DeleteTopicsRequestData().setTimeoutMs(PATIENCE_MS);
                    for (String each : List.of(who.own("by-id"), who.shared("by-id"), ABSENT)) {
                        request.topics()
                                .add(
                                        new DeleteTopicsRequestData.DeleteTopicState()
                                                .setName(null)
                                                .setTopicId(who.id(each)));
                    }
                    return request;
                });
        add(
                "create partitions",
                ApiKeys.CREATE_PARTITIONS,
                who -> {
                    var request =
                            new CreatePartitionsRequestData()
                                    .setTimeoutMs(PATIENCE_MS)
                                    .setValidateOnly(true);
                    who.topics()
                            .forEach(
                                    each ->
                                            request.topics()
                                                    .mustAdd(
                                                            new CreatePartitionsRequestData
                                                                            .CreatePartitionsTopic()
                                                                    .setName(each)
                                                                    .setCount(3)
                                                                    .setAssignments(null)));
                    return request;
                });
        add(
                "delete records",
                ApiKeys.DELETE_RECORDS,
                who -> {
                    var request = new DeleteRecordsRequestData().setTimeoutMs(PATIENCE_MS);
                    who.topics()
                            .forEach(
                                    each ->
                                            request.topics()
                                                    .add(
                                                            new DeleteRecordsRequestData
                                                                            .DeleteRecordsTopic()
                                                                    .setName(each)
                                                                    .setPartitions(
                                                                            List.of(
                                                                                    new DeleteRecordsRequestData
                                                                                                    .DeleteRecordsPartition()
                                                                                            .setPartitionIndex(
                                                                                                    0)
                                                                                            .setOffset(
                                                                                                    0)))));
                    return request;
                });
    }

    // ---- configuration

    private static final byte TOPIC_CONFIG = 2;
    private static final byte NODE_CONFIG = 4;

    private void configs() {
        add(
                "describe configs",
                ApiKeys.DESCRIBE_CONFIGS,
                who -> configs(who.topics(), TOPIC_CONFIG));
        add(
                "describe configs of the node",
                ApiKeys.DESCRIBE_CONFIGS,
                who -> configs(List.of("1"), NODE_CONFIG));
        add(
                "alter configs",
                ApiKeys.INCREMENTAL_ALTER_CONFIGS,
                who -> alter(who.topics(), TOPIC_CONFIG, "retention.ms"));
        add(
                "alter configs of the node",
                ApiKeys.INCREMENTAL_ALTER_CONFIGS,
                who -> alter(List.of("1"), NODE_CONFIG, "log.retention.ms"));
        add("replace configs", ApiKeys.ALTER_CONFIGS, who -> replace(who.topics(), TOPIC_CONFIG));
        add(
                "replace configs of the node",
                ApiKeys.ALTER_CONFIGS,
                who -> replace(List.of("1"), NODE_CONFIG));
    }

    private static ApiMessage configs(List<String> names, byte type) {
        DescribeConfigsRequestData request = new DescribeConfigsRequestData();
        names.forEach(
                each ->
                        request.resources()
                                .add(
                                        new DescribeConfigsRequestData.DescribeConfigsResource()
                                                .setResourceType(type)
                                                .setResourceName(each)
                                                .setConfigurationKeys(List.of())));
        return request;
    }

    private static ApiMessage alter(List<String> names, byte type, String key) {
        var request = new IncrementalAlterConfigsRequestData().setValidateOnly(true);
        for (String each : names) {
            var resource =
                    new IncrementalAlterConfigsRequestData.AlterConfigsResource()
                            .setResourceType(type)
                            .setResourceName(each);
            resource.configs()
                    .mustAdd(
                            new IncrementalAlterConfigsRequestData.AlterableConfig()
                                    .setName(key)
                                    .setValue("1000000"));
            request.resources().mustAdd(resource);
        }
        return request;
    }

    private static ApiMessage replace(List<String> names, byte type) {
        AlterConfigsRequestData request = new AlterConfigsRequestData().setValidateOnly(true);
        for (String each : names) {
            request.resources()
                    .mustAdd(
                            new AlterConfigsRequestData.AlterConfigsResource()
                                    .setResourceType(type)
                                    .setResourceName(each));
        }
        return request;
    }

    // ---- cluster

    private void cluster() {
        add(
                "describe cluster",
                ApiKeys.DESCRIBE_CLUSTER,
                who ->
                        new DescribeClusterRequestData()
                                .setIncludeClusterAuthorizedOperations(true));
        add(
                "describe log dirs",
                ApiKeys.DESCRIBE_LOG_DIRS,
                who -> {
                    DescribeLogDirsRequestData request = new DescribeLogDirsRequestData();
                    who.topics()
                            .forEach(
                                    each ->
                                            request.topics()
                                                    .mustAdd(
                                                            new DescribeLogDirsRequestData
                                                                            .DescribableLogDirTopic()
                                                                    .setTopic(each)
                                                                    .setPartitions(List.of(0))));
                    return request;
                });
        replicas();
        add(
                "describe quorum",
                ApiKeys.DESCRIBE_QUORUM,
                who ->
                        new DescribeQuorumRequestData()
                                .setTopics(
                                        List.of(
                                                new DescribeQuorumRequestData.TopicData()
                                                        .setTopicName(TOPIC)
                                                        .setPartitions(
                                                                List.of(
                                                                        new DescribeQuorumRequestData
                                                                                .PartitionData())))));
        add(
                "list config resources",
                ApiKeys.LIST_CONFIG_RESOURCES,
                who -> new ListConfigResourcesRequestData().setResourceTypes(List.of((byte) 4)));
        add(
                "alter users",
                ApiKeys.ALTER_USER_SCRAM_CREDENTIALS,
                who ->
                        new AlterUserScramCredentialsRequestData()
                                .setDeletions(
                                        List.of(
                                                new AlterUserScramCredentialsRequestData
                                                                .ScramCredentialDeletion()
                                                        .setName("nobody")
                                                        .setMechanism((byte) 1))));
        add(
                "describe users",
                ApiKeys.DESCRIBE_USER_SCRAM_CREDENTIALS,
                who ->
                        new DescribeUserScramCredentialsRequestData()
                                .setUsers(
                                        List.of(
                                                new DescribeUserScramCredentialsRequestData
                                                                .UserName()
                                                        .setName("nobody"))));
        acls();
        quotas();
    }

    private void replicas() {
        add(
                "reassign",
                ApiKeys.ALTER_PARTITION_REASSIGNMENTS,
                who -> {
                    var request = new AlterPartitionReassignmentsRequestData();
                    for (String each : who.topics()) {
                        request.topics()
                                .add(
                                        new AlterPartitionReassignmentsRequestData
                                                        .ReassignableTopic()
                                                .setName(each)
                                                .setPartitions(
                                                        List.of(
                                                                new AlterPartitionReassignmentsRequestData
                                                                                .ReassignablePartition()
                                                                        .setReplicas(List.of(1)))));
                    }
                    return request;
                });
        add(
                "list reassignments",
                ApiKeys.LIST_PARTITION_REASSIGNMENTS,
                who -> new ListPartitionReassignmentsRequestData());
        add(
                "elect leaders",
                ApiKeys.ELECT_LEADERS,
                who -> {
                    var request =
                            new ElectLeadersRequestData()
                                    .setTopicPartitions(
                                            new ElectLeadersRequestData
                                                    .TopicPartitionsCollection());
                    for (String each : who.topics()) {
                        request.topicPartitions()
                                .mustAdd(
                                        new ElectLeadersRequestData.TopicPartitions()
                                                .setTopic(each)
                                                .setPartitions(List.of(0)));
                    }
                    return request;
                });
        add(
                "alter log dirs",
                ApiKeys.ALTER_REPLICA_LOG_DIRS,
                who -> {
                    var directory =
                            new AlterReplicaLogDirsRequestData.AlterReplicaLogDir()
                                    .setPath("/no/such/directory");
                    for (String each : who.topics()) {
                        directory
                                .topics()
                                .mustAdd(
                                        new AlterReplicaLogDirsRequestData.AlterReplicaLogDirTopic()
                                                .setName(each)
                                                .setPartitions(List.of(0)));
                    }
                    var request = new AlterReplicaLogDirsRequestData();
                    request.dirs().mustAdd(directory);
                    return request;
                });
    }

    private void acls() {
        add(
                "create ACLs",
                ApiKeys.CREATE_ACLS,
                who ->
                        new CreateAclsRequestData()
                                .setCreations(
                                        List.of(
                                                new CreateAclsRequestData.AclCreation()
                                                        .setResourceType((byte) 2)
                                                        .setResourceName("x")
                                                        .setResourcePatternType((byte) 3)
                                                        .setPrincipal("User:nobody")
                                                        .setHost("*")
                                                        .setOperation((byte) 3)
                                                        .setPermissionType((byte) 3))));
        add(
                "delete ACLs",
                ApiKeys.DELETE_ACLS,
                who ->
                        new DeleteAclsRequestData()
                                .setFilters(
                                        List.of(
                                                new DeleteAclsRequestData.DeleteAclsFilter()
                                                        .setResourceTypeFilter((byte) 2)
                                                        .setResourceNameFilter("absent")
                                                        .setPatternTypeFilter((byte) 3)
                                                        .setPrincipalFilter("User:nobody")
                                                        .setHostFilter("*")
                                                        .setOperation((byte) 3)
                                                        .setPermissionType((byte) 3))));
        add(
                "describe ACLs",
                ApiKeys.DESCRIBE_ACLS,
                who ->
                        new DescribeAclsRequestData()
                                .setResourceTypeFilter((byte) 2)
                                .setResourceNameFilter("absent")
                                .setPatternTypeFilter((byte) 3)
                                .setPrincipalFilter("User:nobody")
                                .setHostFilter("*")
                                .setOperation((byte) 3)
                                .setPermissionType((byte) 3));
    }

    private void quotas() {
        add(
                "alter quotas",
                ApiKeys.ALTER_CLIENT_QUOTAS,
                who ->
                        new AlterClientQuotasRequestData()
                                .setValidateOnly(true)
                                .setEntries(
                                        List.of(
                                                new AlterClientQuotasRequestData.EntryData()
                                                        .setEntity(
                                                                List.of(
                                                                        new AlterClientQuotasRequestData
                                                                                        .EntityData()
                                                                                .setEntityType(
                                                                                        "user")
                                                                                .setEntityName(
                                                                                        "nobody")))
                                                        .setOps(
                                                                List.of(
                                                                        new AlterClientQuotasRequestData
                                                                                        .OpData()
                                                                                .setKey(
                                                                                        "producer_byte_rate")
                                                                                .setValue(
                                                                                        1000))))));
        add(
                "describe quotas",
                ApiKeys.DESCRIBE_CLIENT_QUOTAS,
                who ->
                        new DescribeClientQuotasRequestData()
                                .setStrict(true)
                                .setComponents(
                                        List.of(
                                                new DescribeClientQuotasRequestData.ComponentData()
                                                        .setEntityType("user")
                                                        .setMatchType((byte) 0)
                                                        .setMatch("nobody"))));
    }
}
