package io.firn.server;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.common.message.AlterClientQuotasRequestData;
import org.apache.kafka.common.message.AlterClientQuotasRequestData.EntityData;
import org.apache.kafka.common.message.AlterClientQuotasRequestData.EntryData;
import org.apache.kafka.common.message.AlterClientQuotasRequestData.OpData;
import org.apache.kafka.common.message.AlterConfigsRequestData;
import org.apache.kafka.common.message.AlterConfigsRequestData.AlterConfigsResource;
import org.apache.kafka.common.message.AlterUserScramCredentialsRequestData;
import org.apache.kafka.common.message.AlterUserScramCredentialsRequestData.ScramCredentialUpsertion;
import org.apache.kafka.common.message.CreateAclsRequestData;
import org.apache.kafka.common.message.CreateAclsRequestData.AclCreation;
import org.apache.kafka.common.message.CreatePartitionsRequestData;
import org.apache.kafka.common.message.CreatePartitionsRequestData.CreatePartitionsTopic;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopic;
import org.apache.kafka.common.message.DeleteAclsRequestData;
import org.apache.kafka.common.message.DeleteAclsRequestData.DeleteAclsFilter;
import org.apache.kafka.common.message.DeleteRecordsRequestData;
import org.apache.kafka.common.message.DeleteRecordsRequestData.DeleteRecordsPartition;
import org.apache.kafka.common.message.DeleteRecordsRequestData.DeleteRecordsTopic;
import org.apache.kafka.common.message.DeleteTopicsRequestData;
import org.apache.kafka.common.message.DeleteTopicsRequestData.DeleteTopicState;
import org.apache.kafka.common.message.DescribeConfigsRequestData;
import org.apache.kafka.common.message.DescribeConfigsRequestData.DescribeConfigsResource;
import org.apache.kafka.common.message.DescribeLogDirsRequestData;
import org.apache.kafka.common.message.DescribeTopicPartitionsRequestData;
import org.apache.kafka.common.message.DescribeTopicPartitionsRequestData.TopicRequest;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData.AlterableConfig;
import org.apache.kafka.common.message.LeaveGroupRequestData;
import org.apache.kafka.common.message.LeaveGroupRequestData.MemberIdentity;
import org.apache.kafka.common.message.ListGroupsRequestData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataRequestData.MetadataRequestTopic;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestPartition;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestTopic;
import org.apache.kafka.common.message.OffsetDeleteRequestData;
import org.apache.kafka.common.message.OffsetDeleteRequestData.OffsetDeleteRequestPartition;
import org.apache.kafka.common.message.OffsetDeleteRequestData.OffsetDeleteRequestTopic;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestGroup;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestTopics;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData.OffsetForLeaderPartition;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData.OffsetForLeaderTopic;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.utils.internals.ByteUtils;

/** Single requests that ask for as much as a request can, for {@link Attacks}. */
final class LongRequests {
    private static final int NAMES = 100_000;
    static final int MOST_ACLS = 20_000;
    private static final int LARGE_BYTES = 100_000_000;

    /** A topic that is there. */
    private static final String TOPIC = "t0-0";

    private static final Map<String, byte[]> MADE = new ConcurrentHashMap<>();

    private LongRequests() {}

    /** Whether there is an attack of this name. */
    static boolean has(String name) {
        return Set.of("parked-large", "gone").contains(name)
                || MADE.computeIfAbsent(name, LongRequests::requestOf) != null;
    }

    /** Sends the request of an attack and waits for its response. */
    static void send(String name, Wire wire) throws IOException {
        if (name.equals("parked-large")) {
            sendBehindParkedFetches(wire);
        } else if (name.equals("gone")) {
            wire.send(MADE.computeIfAbsent("delete-topics", LongRequests::requestOf));
        } else {
            wire.send(MADE.computeIfAbsent(name, LongRequests::requestOf));
            wire.receive();
        }
    }

    private static byte[] requestOf(String name) {
        return switch (name) {
            case "create-topics" -> request(ApiKeys.CREATE_TOPICS, 7, createTopics());
            case "delete-topics" -> request(ApiKeys.DELETE_TOPICS, 6, deleteTopics());
            case "add-partitions" -> request(ApiKeys.CREATE_PARTITIONS, 3, addPartitions());
            case "delete-records" -> request(ApiKeys.DELETE_RECORDS, 2, deleteRecords());
            case "log-dirs" ->
                    request(
                            ApiKeys.DESCRIBE_LOG_DIRS,
                            4,
                            new DescribeLogDirsRequestData().setTopics(null));
            case "describe-topics" ->
                    request(ApiKeys.DESCRIBE_TOPIC_PARTITIONS, 0, describeTopics());
            case "epochs" -> request(ApiKeys.OFFSET_FOR_LEADER_EPOCH, 4, epochs());
            case "list-groups" -> request(ApiKeys.LIST_GROUPS, 4, new ListGroupsRequestData());
            case "fetch-offsets" -> request(ApiKeys.OFFSET_FETCH, 8, offsets(20_000, 5));
            case "fetch-all-offsets" -> request(ApiKeys.OFFSET_FETCH, 8, offsets(20_000, -1));
            case "commit-names" -> request(ApiKeys.OFFSET_COMMIT, 8, commit());
            case "delete-offsets" -> request(ApiKeys.OFFSET_DELETE, 0, deleteOffsets());
            case "coordinators" ->
                    request(
                            ApiKeys.FIND_COORDINATOR,
                            4,
                            new FindCoordinatorRequestData().setCoordinatorKeys(names("c")));
            case "alter-configs" -> request(ApiKeys.INCREMENTAL_ALTER_CONFIGS, 1, alterConfigs());
            case "replace-configs" -> request(ApiKeys.ALTER_CONFIGS, 2, replaceConfigs());
            case "leave-group" -> request(ApiKeys.LEAVE_GROUP, 5, leaveGroup());
            case "delete-acls" -> deleteAcls("User:nobody");
            case "create-acls" -> createAcls(NAMES);
            case "alter-quotas" -> request(ApiKeys.ALTER_CLIENT_QUOTAS, 1, alterQuotas());
            case "alter-users" -> request(ApiKeys.ALTER_USER_SCRAM_CREDENTIALS, 0, alterUsers());
            case "one-hash-metadata" -> request(ApiKeys.METADATA, 12, metadata());
            case "one-hash-configs" -> request(ApiKeys.DESCRIBE_CONFIGS, 4, describeConfigs());
            case "one-hash-topics" -> request(ApiKeys.DELETE_TOPICS, 6, deleteOneHash());
            case "one-hash-acls" -> oneHashAcls();
            case "same-names" -> sameNames();
            default -> null;
        };
    }

    private static byte[] request(ApiKeys key, int version, ApiMessage body) {
        return Wire.request(key, (short) version, body);
    }

    private static List<String> names(String prefix) {
        return many(i -> prefix + i);
    }

    private static <T> List<T> many(IntFunction<T> each) {
        return new ArrayList<>(IntStream.range(0, NAMES).mapToObj(each).toList());
    }

    private static ApiMessage createTopics() {
        CreateTopicsRequestData request = new CreateTopicsRequestData().setValidateOnly(true);
        names("new")
                .forEach(
                        each ->
                                request.topics()
                                        .mustAdd(
                                                new CreatableTopic()
                                                        .setName(each)
                                                        .setNumPartitions(1)
                                                        .setReplicationFactor((short) 1)));
        return request;
    }

    /**
     * CreateTopics 7 with one name very many times: in Kafka's collections each of them passes all
     * that are there. Written by hand, since the sender has the same collections.
     */
    static byte[] sameNames() {
        ByteBuffer bytes = ByteBuffer.allocate(20 + 14 * NAMES);
        bytes.putShort(ApiKeys.CREATE_TOPICS.id).putShort((short) 7).putInt(1);
        bytes.putShort((short) -1).put((byte) 0); // no client id, no tags
        ByteUtils.writeUnsignedVarint(NAMES + 1, bytes);
        for (int i = 0; i < NAMES; i++) {
            bytes.put((byte) 5).put(new byte[] {'s', 'a', 'm', 'e'}).putInt(1).putShort((short) 1);
            bytes.put((byte) 1).put((byte) 1).put((byte) 0); // no assignments, configs and tags
        }
        bytes.putInt(1_000).put((byte) 1).put((byte) 0);
        return java.util.Arrays.copyOf(bytes.array(), bytes.position());
    }

    private static ApiMessage deleteTopics() {
        return new DeleteTopicsRequestData()
                .setTopics(many(i -> new DeleteTopicState().setName("no" + i)));
    }

    private static ApiMessage alterConfigs() {
        var request = new IncrementalAlterConfigsRequestData().setValidateOnly(true);
        for (String each : names("no")) {
            var resource =
                    new IncrementalAlterConfigsRequestData.AlterConfigsResource()
                            .setResourceType((byte) 2)
                            .setResourceName(each);
            resource.configs().mustAdd(new AlterableConfig().setName("retention.ms").setValue("1"));
            request.resources().mustAdd(resource);
        }
        return request;
    }

    private static ApiMessage replaceConfigs() {
        var request = new AlterConfigsRequestData().setValidateOnly(true);
        for (String each : names("no")) {
            request.resources()
                    .mustAdd(
                            new AlterConfigsResource()
                                    .setResourceType((byte) 2)
                                    .setResourceName(each));
        }
        return request;
    }

    private static ApiMessage leaveGroup() {
        return new LeaveGroupRequestData()
                .setGroupId("g0")
                .setMembers(many(i -> new MemberIdentity().setMemberId("no" + i)));
    }

    /** Those of a user, and of very many who have none. */
    static byte[] deleteAcls(String user) {
        List<DeleteAclsFilter> filters =
                many(
                        i ->
                                new DeleteAclsFilter()
                                        .setResourceTypeFilter((byte) 2)
                                        .setPatternTypeFilter((byte) 3)
                                        .setPrincipalFilter(i == 0 ? user : "User:no" + i)
                                        .setOperation((byte) 1)
                                        .setPermissionType((byte) 1));
        return request(ApiKeys.DELETE_ACLS, 3, new DeleteAclsRequestData().setFilters(filters));
    }

    /** As many ACLs as there may be. */
    static byte[] createAcls() {
        return createAcls(MOST_ACLS);
    }

    private static byte[] createAcls(int count) {
        CreateAclsRequestData request = new CreateAclsRequestData();
        for (int i = 0; i < count; i++) {
            request.creations().add(acl("t" + i, "User:u" + i));
        }
        return request(ApiKeys.CREATE_ACLS, 3, request);
    }

    /** Lets somebody use names that begin with a prefix: transactional ids, topics, groups. */
    static byte[] allowOwn(String principal, String prefix) {
        CreateAclsRequestData request = new CreateAclsRequestData();
        for (int type : new int[] {5, 2, 3}) {
            request.creations()
                    .add(
                            acl(prefix, principal)
                                    .setResourceType((byte) type)
                                    .setResourcePatternType((byte) 4)
                                    .setOperation((byte) 2));
        }
        return request(ApiKeys.CREATE_ACLS, 3, request);
    }

    private static AclCreation acl(String topic, String principal) {
        return new AclCreation()
                .setResourceType((byte) 2)
                .setResourceName(topic)
                .setResourcePatternType((byte) 3)
                .setPrincipal(principal)
                .setHost("*")
                .setOperation((byte) 3)
                .setPermissionType((byte) 3);
    }

    private static ApiMessage alterQuotas() {
        AlterClientQuotasRequestData request = new AlterClientQuotasRequestData();
        for (String each : names("u")) {
            request.entries()
                    .add(
                            new EntryData()
                                    .setEntity(
                                            List.of(
                                                    new EntityData()
                                                            .setEntityType("user")
                                                            .setEntityName(each)))
                                    .setOps(
                                            List.of(
                                                    new OpData()
                                                            .setKey("producer_byte_rate")
                                                            .setValue(1_000_000))));
        }
        return request;
    }

    private static ApiMessage alterUsers() {
        AlterUserScramCredentialsRequestData request = new AlterUserScramCredentialsRequestData();
        for (String each : names("u")) {
            request.upsertions()
                    .add(
                            new ScramCredentialUpsertion()
                                    .setName(each)
                                    .setMechanism((byte) 2)
                                    .setIterations(4_096)
                                    .setSalt(new byte[8])
                                    .setSaltedPassword(new byte[8]));
        }
        return request;
    }

    // ---- names of one hash

    /** Returns names that are all different, and have the same hash. */
    static List<String> oneHash(int count) {
        return IntStream.range(0, count)
                .mapToObj(
                        i ->
                                IntStream.range(0, 17)
                                        .mapToObj(bit -> (i >> bit & 1) == 0 ? "Aa" : "BB")
                                        .collect(Collectors.joining()))
                .toList();
    }

    private static ApiMessage metadata() {
        return new MetadataRequestData()
                .setAllowAutoTopicCreation(false)
                .setTopics(
                        oneHash(NAMES).stream()
                                .map(each -> new MetadataRequestTopic().setName(each))
                                .toList());
    }

    private static ApiMessage describeConfigs() {
        return new DescribeConfigsRequestData()
                .setResources(
                        oneHash(NAMES).stream()
                                .map(
                                        each ->
                                                new DescribeConfigsResource()
                                                        .setResourceType((byte) 2)
                                                        .setResourceName(each))
                                .toList());
    }

    private static ApiMessage deleteOneHash() {
        return new DeleteTopicsRequestData()
                .setTopics(
                        oneHash(NAMES).stream()
                                .map(each -> new DeleteTopicState().setName(each))
                                .toList());
    }

    private static byte[] oneHashAcls() {
        CreateAclsRequestData request = new CreateAclsRequestData();
        oneHash(MOST_ACLS).forEach(each -> request.creations().add(acl(each, "User:u")));
        return request(ApiKeys.CREATE_ACLS, 3, request);
    }

    private static ApiMessage addPartitions() {
        var request = new CreatePartitionsRequestData().setValidateOnly(true);
        names("no")
                .forEach(
                        each ->
                                request.topics()
                                        .mustAdd(
                                                new CreatePartitionsTopic()
                                                        .setName(each)
                                                        .setCount(2)
                                                        .setAssignments(null)));
        return request;
    }

    private static ApiMessage deleteRecords() {
        return new DeleteRecordsRequestData()
                .setTopics(
                        List.of(
                                new DeleteRecordsTopic()
                                        .setName(TOPIC)
                                        .setPartitions(
                                                many(
                                                        i ->
                                                                new DeleteRecordsPartition()
                                                                        .setPartitionIndex(0)
                                                                        .setOffset(0)))));
    }

    /** Of a group that is there: that of the honest client, in a topic that it does not read. */
    private static ApiMessage deleteOffsets() {
        var request = new OffsetDeleteRequestData().setGroupId(Bystander.TOPIC);
        request.topics()
                .add(
                        new OffsetDeleteRequestTopic()
                                .setName(TOPIC)
                                .setPartitions(
                                        many(
                                                i ->
                                                        new OffsetDeleteRequestPartition()
                                                                .setPartitionIndex(i))));
        return request;
    }

    private static ApiMessage describeTopics() {
        return new DescribeTopicPartitionsRequestData()
                .setTopics(many(i -> new TopicRequest().setName("no" + i)));
    }

    private static ApiMessage epochs() {
        var request = new OffsetForLeaderEpochRequestData().setReplicaId(-1);
        request.topics()
                .add(
                        new OffsetForLeaderTopic()
                                .setTopic(TOPIC)
                                .setPartitions(
                                        many(
                                                i ->
                                                        new OffsetForLeaderPartition()
                                                                .setPartition(0)
                                                                .setCurrentLeaderEpoch(-1)
                                                                .setLeaderEpoch(1))));
        return request;
    }

    /** Below 0 topics: all of each group. */
    private static ApiMessage offsets(int groups, int topics) {
        OffsetFetchRequestData request = new OffsetFetchRequestData();
        for (int i = 0; i < groups; i++) {
            OffsetFetchRequestGroup group = new OffsetFetchRequestGroup().setGroupId("g" + i);
            group.setTopics(topics < 0 ? null : new ArrayList<>());
            for (int k = 0; k < topics; k++) {
                group.topics()
                        .add(
                                new OffsetFetchRequestTopics()
                                        .setName(TOPIC)
                                        .setPartitionIndexes(List.of(0)));
            }
            request.groups().add(group);
        }
        return request;
    }

    private static ApiMessage commit() {
        OffsetCommitRequestData request =
                new OffsetCommitRequestData().setGroupId("long").setGenerationIdOrMemberEpoch(-1);
        names("no")
                .forEach(
                        each ->
                                request.topics()
                                        .add(
                                                new OffsetCommitRequestTopic()
                                                        .setName(each)
                                                        .setPartitions(
                                                                List.of(
                                                                        new OffsetCommitRequestPartition()
                                                                                .setPartitionIndex(
                                                                                        0)))));
        return request;
    }

    /** As many fetches as a connection may have waiting, and behind them 100 MB. */
    private static void sendBehindParkedFetches(Wire wire) throws IOException {
        FetchTopic topic =
                new FetchTopic()
                        .setTopic(TOPIC)
                        .setPartitions(
                                List.of(
                                        new FetchPartition()
                                                .setPartition(0)
                                                .setFetchOffset(0)
                                                .setPartitionMaxBytes(1 << 20)));
        FetchRequestData fetch =
                new FetchRequestData()
                        .setMaxWaitMs(2_000)
                        .setMinBytes(1)
                        .setMaxBytes(1 << 20)
                        .setTopics(List.of(topic));
        byte[] waiting = request(ApiKeys.FETCH, 12, fetch);
        int count = 30;
        for (int i = 0; i < count; i++) {
            wire.send(waiting);
        }
        byte[] part = new byte[1 << 20];
        ByteBuffer head = ByteBuffer.wrap(part);
        head.putInt(LARGE_BYTES).putShort(ApiKeys.PRODUCE.id).putShort((short) 12);
        head.putInt(1).putShort((short) -1);
        wire.sendRaw(part);
        for (int sent = part.length; sent < LARGE_BYTES + 4; sent += part.length) {
            ByteBuffer rest = ByteBuffer.allocate(Math.min(part.length, LARGE_BYTES + 4 - sent));
            wire.sendRaw(rest.array());
        }
        for (int i = 0; i < count; i++) {
            wire.receive();
        }
    }
}
