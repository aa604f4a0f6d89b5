package io.firn.server;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.clients.consumer.internals.ConsumerProtocol;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.AddOffsetsToTxnRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopic;
import org.apache.kafka.common.message.CreateTopicsResponseData;
import org.apache.kafka.common.message.DeleteGroupsRequestData;
import org.apache.kafka.common.message.DeleteGroupsResponseData;
import org.apache.kafka.common.message.DescribeGroupsRequestData;
import org.apache.kafka.common.message.DescribeGroupsResponseData;
import org.apache.kafka.common.message.DescribeGroupsResponseData.DescribedGroup;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.HeartbeatRequestData;
import org.apache.kafka.common.message.HeartbeatResponseData;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupRequestData.JoinGroupRequestProtocol;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.LeaveGroupRequestData;
import org.apache.kafka.common.message.LeaveGroupRequestData.MemberIdentity;
import org.apache.kafka.common.message.LeaveGroupResponseData;
import org.apache.kafka.common.message.ListGroupsRequestData;
import org.apache.kafka.common.message.ListGroupsResponseData;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestPartition;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestTopic;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.message.OffsetDeleteRequestData;
import org.apache.kafka.common.message.OffsetDeleteRequestData.OffsetDeleteRequestPartition;
import org.apache.kafka.common.message.OffsetDeleteRequestData.OffsetDeleteRequestTopic;
import org.apache.kafka.common.message.OffsetDeleteResponseData;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestGroup;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestTopics;
import org.apache.kafka.common.message.OffsetFetchResponseData;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.apache.kafka.common.message.SyncGroupRequestData.SyncGroupRequestAssignment;
import org.apache.kafka.common.message.SyncGroupResponseData;
import org.apache.kafka.common.message.TxnOffsetCommitRequestData;
import org.apache.kafka.common.message.TxnOffsetCommitRequestData.TxnOffsetCommitRequestPartition;
import org.apache.kafka.common.message.TxnOffsetCommitRequestData.TxnOffsetCommitRequestTopic;
import org.apache.kafka.common.message.TxnOffsetCommitResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.protocol.ObjectSerializationCache;
import org.apache.kafka.common.protocol.Readable;
import org.apache.kafka.common.utils.Utils;

/**
 * Requests about consumer groups that have members, right and wrong ones, and what Apache Kafka
 * answers to them, from a script. The build asks our server; {@code bin/check kafka-tools --groups}
 * asks a Kafka broker, too. One file without any other class of ours, so that {@code java} runs it
 * as it is.
 *
 * <p>Each line of the script is {@code REQUEST | KAFKA'S ANSWER}, and where ours differs on purpose
 * {@code REQUEST | KAFKA'S ANSWER | OUR ANSWER | REASON}. A request is {@code WHAT WHO
 * KEY=VALUE...}
 *
 * <pre>
 * group NAME                    those that follow are about this group
 * join WHO id= instance= protocols=range/roundrobin type= session= rebalance= metadata= or topics= v=
 * sync WHO id= instance= gen= assign=WHO:TEXT/... protocol= type= v=
 * heartbeat WHO id= instance= gen= v=
 * leave WHO id= instance= v=    or all=WHO,INSTANCE/...
 * commit WHO id= instance= gen= topic= partition= offset= v=
 * txn-commit WHO id= instance= gen= topic= partition= v=
 * fetch WHO topic= partition= id= gen= v=
 * delete-offsets WHO topic= partition=
 * delete WHO v=, describe WHO v=, list WHO states= types=
 * answer WHO                    of the request that was sent and not yet answered
 * pause MS
 * </pre>
 *
 * <p>WHO is a connection, and stands in place of the id that its client got by joining. {@code
 * id=''} is an empty id, {@code id=?text} this text. A request with {@code &} at its end is sent,
 * and shows {@code ...} if it is not answered soon.
 */
final class LiveGroupRequests implements AutoCloseable {
    private static final int HANGS_AFTER_MS = 60_000;
    private static final int SOON_MS = 500;
    private static final Uuid NO_TOPIC = new Uuid(1, 1);

    private final String host;
    private final int port;
    private final Map<String, Client> clients = new HashMap<>();
    private final Map<String, String> ids = new LinkedHashMap<>();
    private Map<String, String> said = Map.of();
    private Client client;
    private String group = "";
    private Uuid offsets = NO_TOPIC;
    private int transactions;

    /** A line of the script. */
    record Row(String request, String kafka, String firn) {}

    /** A connection, and how the answer is shown that it waits for. */
    private static final class Client {
        private final String name;
        private final Socket socket;
        private ApiKeys key;
        private short version;
        private BiFunction<Readable, Short, String> shown;

        Client(String name, Socket socket) {
            this.name = name;
            this.socket = socket;
        }
    }

    LiveGroupRequests(String bootstrap) throws IOException {
        int colon = bootstrap.lastIndexOf(':');
        this.host = bootstrap.substring(0, colon);
        this.port = Integer.parseInt(bootstrap.substring(colon + 1));
    }

    static List<Row> rows(List<String> lines) {
        List<Row> rows = new ArrayList<>();
        for (String line : lines) {
            if (!line.isBlank() && !line.startsWith("#")) {
                String[] cells = line.split(" *\\| *", -1);
                String kafka = cells.length > 1 ? cells[1].trim() : "";
                rows.add(
                        new Row(
                                cells[0].trim(),
                                kafka,
                                cells.length > 2 ? cells[2].trim() : kafka));
            }
        }
        return rows;
    }

    /** What a server answers. */
    String answer(String request) throws Exception {
        boolean waits = !request.endsWith(" &");
        String[] words = request.replace(" &", "").split(" +");
        if (words[0].equals("group")) {
            group = words[1].equals("''") ? "" : words[1];
            ids.clear();
            for (Client each : clients.values()) {
                each.socket.close();
            }
            clients.clear();
            return "";
        }
        if (words[0].equals("pause")) {
            Thread.sleep(Long.parseLong(words[1]));
            return "";
        }
        client = clients.get(words[1]);
        if (client == null) {
            client = new Client(words[1], new Socket(host, port));
            clients.put(words[1], client);
        }
        said =
                Arrays.stream(words)
                        .skip(2)
                        .map(each -> each.split("=", 2))
                        .collect(Collectors.toMap(each -> each[0], each -> each[1]));
        switch (words[0]) {
            case "join" -> join();
            case "sync" -> sync();
            case "heartbeat" -> heartbeat();
            case "leave" -> leave();
            case "commit" -> commit();
            case "txn-commit" -> commitInTransaction();
            case "fetch" -> fetch();
            case "delete-offsets" -> deleteOffsets();
            case "delete" -> delete();
            case "describe" -> describe();
            case "list" -> list();
            case "answer" -> {}
            default -> throw new IllegalArgumentException(request);
        }
        return receive(waits ? HANGS_AFTER_MS : SOON_MS);
    }

    // ---- membership

    private void join() throws IOException {
        JoinGroupRequestData request =
                new JoinGroupRequestData()
                        .setGroupId(group)
                        .setMemberId(id())
                        .setGroupInstanceId(text("instance", null))
                        .setProtocolType(text("type", "consumer"))
                        .setSessionTimeoutMs(number("session", 30_000))
                        .setRebalanceTimeoutMs(number("rebalance", 30_000));
        for (String each : list("protocols", "range")) {
            request.protocols()
                    .add(new JoinGroupRequestProtocol().setName(each).setMetadata(metadata()));
        }
        Client asking = client;
        send(ApiKeys.JOIN_GROUP, 9, request, (in, v) -> joined(asking, in, v));
    }

    private String joined(Client asking, Readable in, short version) {
        JoinGroupResponseData answer = new JoinGroupResponseData(in, version);
        String known = ids.get(asking.name);
        if (!answer.memberId().isEmpty() && !who(answer.memberId()).equals(asking.name)) {
            if (who(answer.memberId()).equals("(unknown)")) {
                ids.put(asking.name, answer.memberId());
            }
        }
        boolean isNew = known != null && !known.equals(ids.get(asking.name));
        return name(answer.errorCode())
                + " gen="
                + answer.generationId()
                + " type="
                + answer.protocolType()
                + " protocol="
                + answer.protocolName()
                + " leader="
                + who(answer.leader())
                + " id="
                + who(answer.memberId())
                + (isNew ? ",new" : "")
                + (answer.skipAssignment() ? " skip" : "")
                + " members="
                + answer.members().stream()
                        .map(
                                each ->
                                        who(each.memberId())
                                                + ","
                                                + each.groupInstanceId()
                                                + ","
                                                + text(each.metadata()))
                        .sorted()
                        .collect(Collectors.joining("/"));
    }

    private void sync() throws IOException {
        SyncGroupRequestData request =
                new SyncGroupRequestData()
                        .setGroupId(group)
                        .setMemberId(id())
                        .setGroupInstanceId(text("instance", null))
                        .setGenerationId(number("gen", 1))
                        .setProtocolType(text("type", "consumer"))
                        .setProtocolName(text("protocol", "range"));
        for (String each : list("assign", "")) {
            String[] parts = each.split(":");
            request.assignments()
                    .add(
                            new SyncGroupRequestAssignment()
                                    .setMemberId(idOf(parts[0]))
                                    .setAssignment(bytes(parts[1])));
        }
        send(
                ApiKeys.SYNC_GROUP,
                5,
                request,
                (in, v) -> {
                    SyncGroupResponseData answer = new SyncGroupResponseData(in, v);
                    return name(answer.errorCode())
                            + " type="
                            + answer.protocolType()
                            + " protocol="
                            + answer.protocolName()
                            + " assignment="
                            + text(answer.assignment());
                });
    }

    private void heartbeat() throws IOException {
        send(
                ApiKeys.HEARTBEAT,
                4,
                new HeartbeatRequestData()
                        .setGroupId(group)
                        .setMemberId(id())
                        .setGroupInstanceId(text("instance", null))
                        .setGenerationId(number("gen", 1)),
                (in, v) -> name(new HeartbeatResponseData(in, v).errorCode()));
    }

    private void leave() throws IOException {
        LeaveGroupRequestData request = new LeaveGroupRequestData().setGroupId(group);
        if (number("v", 5) < 3) {
            request.setMemberId(id());
        } else if (said.containsKey("all")) {
            for (String each : list("all", "")) {
                String[] parts = each.split(",");
                request.members()
                        .add(
                                new MemberIdentity()
                                        .setMemberId(idOf(parts[0]))
                                        .setGroupInstanceId(parts.length > 1 ? parts[1] : null));
            }
        } else {
            request.members()
                    .add(
                            new MemberIdentity()
                                    .setMemberId(id())
                                    .setGroupInstanceId(text("instance", null)));
        }
        send(
                ApiKeys.LEAVE_GROUP,
                5,
                request,
                (in, v) -> {
                    LeaveGroupResponseData answer = new LeaveGroupResponseData(in, v);
                    return name(answer.errorCode())
                            + answer.members().stream()
                                    .map(
                                            each ->
                                                    " "
                                                            + who(each.memberId())
                                                            + ","
                                                            + each.groupInstanceId()
                                                            + ":"
                                                            + name(each.errorCode()))
                                    .collect(Collectors.joining());
                });
    }

    // ---- offsets

    private void commit() throws IOException {
        OffsetCommitRequestTopic topic =
                new OffsetCommitRequestTopic()
                        .setName(text("topic", "offsets"))
                        .setTopicId(topicId());
        topic.partitions()
                .add(
                        new OffsetCommitRequestPartition()
                                .setPartitionIndex(number("partition", 0))
                                .setCommittedOffset(0));
        send(
                ApiKeys.OFFSET_COMMIT,
                9,
                new OffsetCommitRequestData()
                        .setGroupId(group)
                        .setMemberId(id())
                        .setGroupInstanceId(text("instance", null))
                        .setGenerationIdOrMemberEpoch(number("gen", 1))
                        .setTopics(List.of(topic)),
                (in, v) ->
                        name(
                                new OffsetCommitResponseData(in, v)
                                        .topics()
                                        .get(0)
                                        .partitions()
                                        .get(0)
                                        .errorCode()));
    }

    private void commitInTransaction() throws IOException {
        String transactionalId = "live-" + transactions++; // a broker ends one after its answer
        coordinator((byte) 1, transactionalId);
        InitProducerIdResponseData[] producer = new InitProducerIdResponseData[1];
        ask(
                ApiKeys.INIT_PRODUCER_ID,
                4,
                new InitProducerIdRequestData()
                        .setTransactionalId(transactionalId)
                        .setTransactionTimeoutMs(60_000),
                (in, v) -> {
                    producer[0] = new InitProducerIdResponseData(in, v);
                    return "";
                });
        ask(
                ApiKeys.ADD_OFFSETS_TO_TXN,
                3,
                new AddOffsetsToTxnRequestData()
                        .setTransactionalId(transactionalId)
                        .setProducerId(producer[0].producerId())
                        .setProducerEpoch(producer[0].producerEpoch())
                        .setGroupId(group),
                (in, v) -> "");
        TxnOffsetCommitRequestTopic topic =
                new TxnOffsetCommitRequestTopic()
                        .setName(text("topic", "offsets"))
                        .setTopicId(topicId());
        topic.partitions()
                .add(
                        new TxnOffsetCommitRequestPartition()
                                .setPartitionIndex(number("partition", 0))
                                .setCommittedOffset(0));
        send(
                ApiKeys.TXN_OFFSET_COMMIT,
                3,
                new TxnOffsetCommitRequestData()
                        .setTransactionalId(transactionalId)
                        .setGroupId(group)
                        .setProducerId(producer[0].producerId())
                        .setProducerEpoch(producer[0].producerEpoch())
                        .setMemberId(id())
                        .setGroupInstanceId(text("instance", null))
                        .setGenerationIdOrMemberEpoch(number("gen", 1))
                        .setTopics(List.of(topic)),
                (in, v) ->
                        name(
                                new TxnOffsetCommitResponseData(in, v)
                                        .topics()
                                        .get(0)
                                        .partitions()
                                        .get(0)
                                        .errorCode()));
    }

    private void fetch() throws IOException {
        OffsetFetchRequestTopics topic =
                new OffsetFetchRequestTopics()
                        .setName(text("topic", "offsets"))
                        .setPartitionIndexes(List.of(number("partition", 0)));
        OffsetFetchRequestGroup asked =
                new OffsetFetchRequestGroup()
                        .setGroupId(group)
                        .setMemberId(id())
                        .setMemberEpoch(number("gen", -1))
                        .setTopics(List.of(topic));
        send(
                ApiKeys.OFFSET_FETCH,
                9,
                new OffsetFetchRequestData().setGroups(List.of(asked)),
                (in, v) -> {
                    var answer = new OffsetFetchResponseData(in, v).groups().get(0);
                    if (answer.topics().isEmpty()) {
                        return name(answer.errorCode());
                    }
                    var partition = answer.topics().get(0).partitions().get(0);
                    return name(answer.errorCode())
                            + " "
                            + name(partition.errorCode())
                            + " "
                            + partition.committedOffset();
                });
    }

    private void deleteOffsets() throws IOException {
        OffsetDeleteRequestData request = new OffsetDeleteRequestData().setGroupId(group);
        OffsetDeleteRequestTopic topic =
                new OffsetDeleteRequestTopic().setName(text("topic", "offsets"));
        topic.partitions()
                .add(new OffsetDeleteRequestPartition().setPartitionIndex(number("partition", 0)));
        request.topics().add(topic);
        send(
                ApiKeys.OFFSET_DELETE,
                0,
                request,
                (in, v) -> {
                    OffsetDeleteResponseData answer = new OffsetDeleteResponseData(in, v);
                    return name(answer.errorCode())
                            + answer.topics().stream()
                                    .flatMap(each -> each.partitions().stream())
                                    .map(each -> " " + name(each.errorCode()))
                                    .collect(Collectors.joining());
                });
    }

    // ---- administration

    private void delete() throws IOException {
        send(
                ApiKeys.DELETE_GROUPS,
                3,
                new DeleteGroupsRequestData().setGroupsNames(List.of(group)),
                (in, v) -> {
                    var each = new DeleteGroupsResponseData(in, v).results().iterator().next();
                    return name(each.errorCode())
                            + (each.errorMessage() == null ? "" : " (" + each.errorMessage() + ")");
                });
    }

    private void describe() throws IOException {
        send(
                ApiKeys.DESCRIBE_GROUPS,
                6,
                new DescribeGroupsRequestData().setGroups(List.of(group)),
                (in, v) -> {
                    DescribedGroup each = new DescribeGroupsResponseData(in, v).groups().get(0);
                    return name(each.errorCode())
                            + (each.errorMessage() == null ? "" : " (" + each.errorMessage() + ")")
                            + " state="
                            + each.groupState()
                            + " type="
                            + each.protocolType()
                            + " protocol="
                            + each.protocolData()
                            + " members="
                            + each.members().stream()
                                    .map(
                                            member ->
                                                    who(member.memberId())
                                                            + ","
                                                            + member.groupInstanceId()
                                                            + ","
                                                            + member.clientId()
                                                            + ","
                                                            + text(member.memberMetadata())
                                                            + ","
                                                            + text(member.memberAssignment()))
                                    .sorted()
                                    .collect(Collectors.joining("/"));
                });
    }

    private void list() throws IOException {
        String shown = group;
        send(
                ApiKeys.LIST_GROUPS,
                5,
                new ListGroupsRequestData()
                        .setStatesFilter(list("states", ""))
                        .setTypesFilter(list("types", "")),
                (in, v) -> {
                    ListGroupsResponseData answer = new ListGroupsResponseData(in, v);
                    return name(answer.errorCode())
                            + answer.groups().stream()
                                    .filter(each -> each.groupId().equals(shown))
                                    .map(
                                            each ->
                                                    " "
                                                            + each.groupState()
                                                            + ","
                                                            + each.groupType()
                                                            + ","
                                                            + each.protocolType())
                                    .sorted(Comparator.naturalOrder())
                                    .collect(Collectors.joining());
                });
    }

    // ---- what a request says, and how an answer is shown

    /** A consumer's subscription, or a text that is none. */
    private byte[] metadata() {
        if (!said.containsKey("topics")) {
            return bytes(text("metadata", "m"));
        }
        ByteBuffer form =
                ConsumerProtocol.serializeSubscription(
                        new Subscription(
                                list("topics", ""), null, List.of(), -1, Optional.empty()));
        return Utils.toArray(form);
    }

    private Uuid topicId() {
        return text("topic", "offsets").equals("offsets") ? offsets : NO_TOPIC;
    }

    private String id() {
        return idOf(said.getOrDefault("id", client.name));
    }

    private String idOf(String who) {
        if (who.startsWith("?")) {
            return who.substring(1);
        }
        return who.equals("''") ? "" : ids.getOrDefault(who, "");
    }

    /** Returns whose an id is. */
    private String who(String id) {
        if (id.isEmpty()) {
            return "''";
        }
        for (Map.Entry<String, String> each : ids.entrySet()) {
            if (each.getValue().equals(id)) {
                return each.getKey();
            }
        }
        return id.matches(".*-[0-9a-f-]{36}") || id.matches("[A-Za-z0-9_-]{22}")
                ? "(unknown)"
                : "?" + id;
    }

    private String text(String key, String otherwise) {
        String value = said.getOrDefault(key, otherwise);
        if (value == null || value.equals("null")) {
            return null;
        }
        return value.equals("''") ? "" : value;
    }

    private int number(String key, int otherwise) {
        return said.containsKey(key) ? Integer.parseInt(said.get(key)) : otherwise;
    }

    private List<String> list(String key, String otherwise) {
        String value = said.getOrDefault(key, otherwise);
        return value.isEmpty() || value.equals("''") ? List.of() : List.of(value.split("/"));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String text(byte[] bytes) {
        String text = new String(bytes, StandardCharsets.UTF_8);
        return text.chars().allMatch(each -> each >= ' ') ? text : bytes.length + " bytes";
    }

    private static String name(short code) {
        return Errors.forCode(code).name();
    }

    // ---- the wire

    /** Makes what has to be there: the topic, and a broker's coordinators. */
    void prepare() throws Exception {
        client = new Client("first", new Socket(host, port));
        clients.put(client.name, client);
        said = Map.of();
        CreateTopicsRequestData create = new CreateTopicsRequestData().setTimeoutMs(30_000);
        create.topics()
                .mustAdd(
                        new CreatableTopic()
                                .setName("offsets")
                                .setNumPartitions(1)
                                .setReplicationFactor((short) 1));
        ask(
                ApiKeys.CREATE_TOPICS,
                7,
                create,
                (in, v) -> {
                    offsets =
                            new CreateTopicsResponseData(in, v).topics().find("offsets").topicId();
                    return "";
                });
        coordinator((byte) 0, "any");
        coordinator((byte) 1, "live-any");
        group = "any";
        String found;
        do {
            Thread.sleep(100);
            commit();
            found = receive(HANGS_AFTER_MS);
        } while (!found.equals("GROUP_ID_NOT_FOUND"));
        do {
            Thread.sleep(100);
            found =
                    ask(
                            ApiKeys.INIT_PRODUCER_ID,
                            4,
                            new InitProducerIdRequestData()
                                    .setTransactionalId("live-any")
                                    .setTransactionTimeoutMs(60_000),
                            (in, v) -> name(new InitProducerIdResponseData(in, v).errorCode()));
        } while (!found.equals("NONE"));
    }

    private void coordinator(byte type, String key) throws IOException {
        ask(
                ApiKeys.FIND_COORDINATOR,
                4,
                new FindCoordinatorRequestData().setKeyType(type).setCoordinatorKeys(List.of(key)),
                (in, v) -> "");
    }

    private String ask(
            ApiKeys key, int version, ApiMessage request, BiFunction<Readable, Short, String> shown)
            throws IOException {
        write(key, (short) version, request, shown);
        return receive(HANGS_AFTER_MS);
    }

    private void send(
            ApiKeys key, int newest, ApiMessage request, BiFunction<Readable, Short, String> shown)
            throws IOException {
        write(key, (short) number("v", newest), request, shown);
    }

    private void write(
            ApiKeys key,
            short version,
            ApiMessage request,
            BiFunction<Readable, Short, String> show)
            throws IOException {
        client.key = key;
        client.version = version;
        client.shown = show;
        ObjectSerializationCache cache = new ObjectSerializationCache();
        RequestHeaderData header =
                new RequestHeaderData()
                        .setRequestApiKey(key.id)
                        .setRequestApiVersion(version)
                        .setClientId("live");
        short headerVersion = key.requestHeaderVersion(version);
        int size = header.size(cache, headerVersion) + request.size(cache, version);
        ByteBuffer bytes = ByteBuffer.allocate(size);
        ByteBufferAccessor out = new ByteBufferAccessor(bytes);
        header.write(out, cache, headerVersion);
        request.write(out, cache, version);
        DataOutputStream to = new DataOutputStream(client.socket.getOutputStream());
        to.writeInt(size);
        to.write(bytes.array());
        to.flush();
    }

    private String receive(int waitMs) throws IOException {
        client.socket.setSoTimeout(waitMs);
        DataInputStream from = new DataInputStream(client.socket.getInputStream());
        try {
            byte[] answered = new byte[from.readInt()];
            client.socket.setSoTimeout(HANGS_AFTER_MS);
            from.readFully(answered);
            ByteBufferAccessor in = new ByteBufferAccessor(ByteBuffer.wrap(answered));
            new ResponseHeaderData().read(in, client.key.responseHeaderVersion(client.version));
            return client.shown.apply(in, client.version).trim();
        } catch (SocketTimeoutException e) {
            return waitMs == SOON_MS ? "..." : "HANGS";
        } catch (EOFException e) {
            clients.remove(client.name).socket.close();
            return "CLOSED";
        }
    }

    @Override
    public void close() throws IOException {
        for (Client each : clients.values()) {
            each.socket.close();
        }
    }

    /** Compares a server's answers with the script: HOST:PORT, its file, and kafka or firn. */
    public static void main(String[] args) throws Exception {
        int different = 0;
        List<Row> rows = rows(Files.readAllLines(Path.of(args[1])));
        try (LiveGroupRequests server = new LiveGroupRequests(args[0])) {
            server.prepare();
            for (Row row : rows) {
                String expected = args[2].equals("kafka") ? row.kafka() : row.firn();
                String found = server.answer(row.request());
                if (!found.equals(expected)) {
                    different++;
                    System.out.println(row.request() + " | " + found);
                } else if (args[2].equals("all")) {
                    System.out.println(row.request() + " | " + found);
                }
            }
        }
        System.out.println(rows.size() + " requests, " + different + " answers not as recorded");
        System.exit(different == 0 ? 0 : 1);
    }
}
