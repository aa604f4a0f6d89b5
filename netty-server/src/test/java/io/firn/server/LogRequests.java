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
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.AddOffsetsToTxnRequestData;
import org.apache.kafka.common.message.AddOffsetsToTxnResponseData;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopic;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopicConfig;
import org.apache.kafka.common.message.CreateTopicsResponseData;
import org.apache.kafka.common.message.CreateTopicsResponseData.CreatableTopicResult;
import org.apache.kafka.common.message.DeleteRecordsRequestData;
import org.apache.kafka.common.message.DeleteRecordsRequestData.DeleteRecordsPartition;
import org.apache.kafka.common.message.DeleteRecordsRequestData.DeleteRecordsTopic;
import org.apache.kafka.common.message.DeleteRecordsResponseData;
import org.apache.kafka.common.message.DescribeConfigsRequestData;
import org.apache.kafka.common.message.DescribeConfigsRequestData.DescribeConfigsResource;
import org.apache.kafka.common.message.DescribeConfigsResponseData;
import org.apache.kafka.common.message.DescribeConfigsResponseData.DescribeConfigsResult;
import org.apache.kafka.common.message.DescribeTransactionsRequestData;
import org.apache.kafka.common.message.DescribeTransactionsResponseData;
import org.apache.kafka.common.message.EndTxnRequestData;
import org.apache.kafka.common.message.EndTxnResponseData;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsPartition;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsTopic;
import org.apache.kafka.common.message.ListOffsetsResponseData;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestPartition;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestTopic;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestGroup;
import org.apache.kafka.common.message.OffsetFetchResponseData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ProduceResponseData.BatchIndexAndErrorMessage;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
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
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;

/**
 * Requests about a log and what is committed of it, and what Apache Kafka answers to them, from a
 * table. The build asks our server; {@code bin/check kafka-tools --odd} asks a Kafka broker, too,
 * so that the table stays true. One file without any other class of ours, so that {@code java} runs
 * it as it is.
 *
 * <p>Each line of the table is {@code REQUEST | KAFKA'S ANSWER}, and where ours differs on purpose
 * {@code REQUEST | KAFKA'S ANSWER | OUR ANSWER | REASON}. A request is one of
 *
 * <pre>
 * create NAME[+NAME...] KEY=VALUE; KEY=VALUE
 * offset GROUP OFFSET
 * txn-offset GROUP OFFSET
 * end TRANSACTION/VERSION STEP; STEP
 * produce TOPIC TIMESTAMP; TIMESTAMP
 * truncate TOPIC OFFSET
 * list TOPIC TIMESTAMP; TIMESTAMP
 * epochs TOPIC TIMESTAMP; TIMESTAMP
 * document TYPE:NAME KEY; KEY
 * </pre>
 *
 * <p>Offsets are those of the topic {@code committed}; the answer has what is committed after the
 * request, with a transaction also before its end. A step of a transaction is {@code add}, of a
 * group, {@code commit} or {@code abort}. A batch is produced with a record for each timestamp,
 * which may be relative, as {@code now+1000}; the records that are refused are named, with a {@code
 * +} where a text says why. Of partition 0, {@code list} finds an offset and its timestamp, {@code
 * epochs} its leader epoch. A key that is documented has a {@code +}.
 */
final class LogRequests {
    private static final int HANGS_AFTER_MS = 60_000;
    private static final byte GROUP = 0;
    private static final byte TRANSACTION = 1;
    private static final Set<String> LOADING =
            Set.of("NOT_COORDINATOR", "COORDINATOR_NOT_AVAILABLE", "COORDINATOR_LOAD_IN_PROGRESS");
    private static final Map<String, Byte> TYPES = Map.of("topic", (byte) 2, "broker", (byte) 4);

    private final String host;
    private final int port;

    /** A line of the table. */
    record Row(String request, String kafka, String firn) {
        /**
         * Whether a broker may answer something else soon, as its metadata comes a moment later.
         */
        boolean mayChange(String found) {
            return found.contains("UNKNOWN_TOPIC_OR_PARTITION")
                    || List.of("list", "epochs", "document").contains(request.split(" ")[0]);
        }
    }

    LogRequests(String bootstrap) {
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
            case "document" -> document(words[1], rest);
            case "offset" -> commitOffset(words[1], Long.parseLong(words[2]), false);
            case "txn-offset" -> commitOffset(words[1], Long.parseLong(words[2]), true);
            case "end" -> end(words[1].split("/"), rest);
            case "produce" -> produce(words[1], rest);
            case "truncate" -> truncate(words[1], Long.parseLong(words[2]));
            case "list" -> list(words[1], rest, false);
            case "epochs" -> list(words[1], rest, true);
            default -> throw new IllegalArgumentException(request);
        };
    }

    private String create(List<String> names, List<String> configs) throws IOException {
        CreateTopicsRequestData request = new CreateTopicsRequestData().setTimeoutMs(30_000);
        for (String name : names) {
            CreatableTopic topic =
                    new CreatableTopic()
                            .setName(name)
                            .setNumPartitions(1)
                            .setReplicationFactor((short) 1);
            for (String config : configs) {
                String[] set = config.split("=");
                topic.configs()
                        .mustAdd(new CreatableTopicConfig().setName(set[0]).setValue(set[1]));
            }
            request.topics().mustAdd(topic);
        }
        CreateTopicsResponseData answer = new CreateTopicsResponseData();
        return ask(ApiKeys.CREATE_TOPICS, 7, request, answer)
                ? answer.topics().stream()
                        .sorted(Comparator.comparing(CreatableTopicResult::name))
                        .map(each -> name(each.errorCode()))
                        .collect(Collectors.joining(" + "))
                : "CLOSED";
    }

    private String document(String resource, List<String> keys) throws IOException {
        int colon = resource.indexOf(':');
        DescribeConfigsRequestData request =
                new DescribeConfigsRequestData().setIncludeDocumentation(true);
        request.resources()
                .add(
                        new DescribeConfigsResource()
                                .setResourceType(TYPES.get(resource.substring(0, colon)))
                                .setResourceName(resource.substring(colon + 1))
                                .setConfigurationKeys(keys));
        DescribeConfigsResponseData answer = new DescribeConfigsResponseData();
        if (!ask(ApiKeys.DESCRIBE_CONFIGS, 4, request, answer)) {
            return "CLOSED";
        }
        DescribeConfigsResult result = answer.results().get(0);
        return name(result.errorCode())
                + result.configs().stream()
                        .sorted(Comparator.comparing(each -> each.name()))
                        .map(each -> " " + each.name() + (isEmpty(each.documentation()) ? "" : "+"))
                        .collect(Collectors.joining());
    }

    private static boolean isEmpty(String text) {
        return text == null || text.isEmpty();
    }

    private String commit(String group, long offset) throws IOException {
        find(GROUP, group);
        OffsetCommitRequestData request =
                new OffsetCommitRequestData().setGroupId(group).setGenerationIdOrMemberEpoch(-1);
        OffsetCommitRequestTopic topic = new OffsetCommitRequestTopic().setName("committed");
        topic.partitions().add(new OffsetCommitRequestPartition().setCommittedOffset(offset));
        request.topics().add(topic);
        return askCoordinator(
                () -> {
                    OffsetCommitResponseData answer = new OffsetCommitResponseData();
                    return ask(ApiKeys.OFFSET_COMMIT, 9, request, answer)
                            ? name(answer.topics().get(0).partitions().get(0).errorCode())
                            : "CLOSED";
                });
    }

    /** Commits an offset, in a transaction or without one, and looks at all that is committed. */
    private String commitOffset(String group, long offset, boolean inTransaction)
            throws IOException {
        if (!inTransaction) {
            return commit(group, offset) + " " + committed(group);
        }
        InitProducerIdResponseData producer = new InitProducerIdResponseData();
        String answer = commitInTransaction(group, offset, producer);
        String before = committed(group);
        String ended = end("of-" + group, 3, producer, true);
        return answer + " " + before + " " + ended + " " + committed(group);
    }

    private String committed(String group) throws IOException {
        OffsetFetchRequestData request =
                new OffsetFetchRequestData()
                        .setRequireStable(false)
                        .setGroups(
                                List.of(
                                        new OffsetFetchRequestGroup()
                                                .setGroupId(group)
                                                .setTopics(null)));
        OffsetFetchResponseData answer = new OffsetFetchResponseData();
        if (!ask(ApiKeys.OFFSET_FETCH, 9, request, answer)) {
            return "CLOSED";
        }
        String found =
                answer.groups().get(0).topics().stream()
                        .flatMap(topic -> topic.partitions().stream())
                        .map(each -> Long.toString(each.committedOffset()))
                        .collect(Collectors.joining(","));
        return found.isEmpty() ? "none" : found;
    }

    /** Opens a producer, and ends transactions of it. */
    private String end(String[] name, List<String> steps) throws IOException {
        InitProducerIdResponseData producer = new InitProducerIdResponseData();
        String initialized = init(name[0], producer);
        if (!initialized.equals("NONE")) {
            return "InitProducerId: " + initialized;
        }
        List<String> answers = new ArrayList<>();
        for (String step : steps) {
            answers.add(
                    step.equals("add")
                            ? add(name[0], "a-group", producer)
                            : end(
                                    name[0],
                                    Integer.parseInt(name[1]),
                                    producer,
                                    step.equals("commit")));
        }
        return String.join(" ", answers);
    }

    private String end(
            String name, int version, InitProducerIdResponseData producer, boolean isCommit)
            throws IOException {
        EndTxnRequestData request =
                new EndTxnRequestData()
                        .setTransactionalId(name)
                        .setProducerId(producer.producerId())
                        .setProducerEpoch(producer.producerEpoch())
                        .setCommitted(isCommit);
        String answered =
                askCoordinator(
                        () -> {
                            EndTxnResponseData answer = new EndTxnResponseData();
                            if (!ask(ApiKeys.END_TXN, version, request, answer)) {
                                return "CLOSED";
                            }
                            if (answer.errorCode() == 0 && version > 4) {
                                producer.setProducerId(answer.producerId());
                                producer.setProducerEpoch(answer.producerEpoch());
                            }
                            return name(answer.errorCode());
                        });
        if (answered.equals("NONE")) {
            awaitEnd(name);
        }
        return answered;
    }

    /** A broker answers before the markers are there. */
    private void awaitEnd(String name) throws IOException {
        DescribeTransactionsRequestData request =
                new DescribeTransactionsRequestData().setTransactionalIds(List.of(name));
        askCoordinator(
                () -> {
                    DescribeTransactionsResponseData answer =
                            new DescribeTransactionsResponseData();
                    return ask(ApiKeys.DESCRIBE_TRANSACTIONS, 0, request, answer)
                                    && answer.transactionStates()
                                            .get(0)
                                            .transactionState()
                                            .startsWith("Prepare")
                            ? "COORDINATOR_NOT_AVAILABLE"
                            : "NONE";
                });
    }

    private String produce(String name, List<String> timestamps) throws IOException {
        long now = System.currentTimeMillis();
        SimpleRecord[] records =
                timestamps.stream()
                        .map(
                                each ->
                                        each.startsWith("now")
                                                ? now + Long.parseLong(each.substring(3))
                                                : Long.parseLong(each))
                        .map(each -> new SimpleRecord(each, null, new byte[1]))
                        .toArray(SimpleRecord[]::new);
        ProduceRequestData request =
                new ProduceRequestData()
                        .setAcks((short) -1)
                        .setTimeoutMs(30_000)
                        .setTransactionalId(null);
        TopicProduceData topic = new TopicProduceData().setName(name);
        topic.partitionData()
                .add(
                        new PartitionProduceData()
                                .setRecords(MemoryRecords.withRecords(Compression.NONE, records)));
        request.topicData().add(topic);
        ProduceResponseData answer = new ProduceResponseData();
        if (!ask(ApiKeys.PRODUCE, 9, request, answer)) {
            return "CLOSED";
        }
        PartitionProduceResponse result =
                answer.responses().iterator().next().partitionResponses().get(0);
        StringBuilder text = new StringBuilder(name(result.errorCode()));
        for (BatchIndexAndErrorMessage each : result.recordErrors()) {
            text.append(' ').append(each.batchIndex());
            text.append(isEmpty(each.batchIndexErrorMessage()) ? "" : "+");
        }
        return text.toString();
    }

    private String truncate(String name, long offset) throws IOException {
        DeleteRecordsRequestData request = new DeleteRecordsRequestData().setTimeoutMs(30_000);
        DeleteRecordsTopic topic = new DeleteRecordsTopic().setName(name);
        topic.partitions().add(new DeleteRecordsPartition().setOffset(offset));
        request.topics().add(topic);
        DeleteRecordsResponseData answer = new DeleteRecordsResponseData();
        if (!ask(ApiKeys.DELETE_RECORDS, 2, request, answer)) {
            return "CLOSED";
        }
        var result = answer.topics().iterator().next().partitions().iterator().next();
        return name(result.errorCode()) + " " + result.lowWatermark();
    }

    private String list(String name, List<String> timestamps, boolean epochs) throws IOException {
        List<String> found = new ArrayList<>();
        for (String timestamp : timestamps) {
            ListOffsetsRequestData request = new ListOffsetsRequestData().setReplicaId(-1);
            ListOffsetsTopic topic = new ListOffsetsTopic().setName(name);
            topic.partitions()
                    .add(new ListOffsetsPartition().setTimestamp(Long.parseLong(timestamp)));
            request.topics().add(topic);
            ListOffsetsResponseData answer = new ListOffsetsResponseData();
            if (!ask(ApiKeys.LIST_OFFSETS, 9, request, answer)) {
                return "CLOSED";
            }
            var result = answer.topics().get(0).partitions().get(0);
            found.add(
                    result.errorCode() != 0
                            ? name(result.errorCode())
                            : epochs
                                    ? Integer.toString(result.leaderEpoch())
                                    : result.offset() + "/" + result.timestamp());
        }
        return String.join(" ", found);
    }

    private String init(String transactionalId, InitProducerIdResponseData producer)
            throws IOException {
        find(TRANSACTION, transactionalId);
        InitProducerIdRequestData init =
                new InitProducerIdRequestData()
                        .setTransactionalId(transactionalId)
                        .setTransactionTimeoutMs(60_000);
        return askCoordinator(
                () -> {
                    InitProducerIdResponseData answer = new InitProducerIdResponseData();
                    if (!ask(ApiKeys.INIT_PRODUCER_ID, 4, init, answer)) {
                        return "CLOSED";
                    }
                    producer.setProducerId(answer.producerId());
                    producer.setProducerEpoch(answer.producerEpoch());
                    return name(answer.errorCode());
                });
    }

    private String add(String transactionalId, String group, InitProducerIdResponseData producer)
            throws IOException {
        AddOffsetsToTxnRequestData add =
                new AddOffsetsToTxnRequestData()
                        .setTransactionalId(transactionalId)
                        .setProducerId(producer.producerId())
                        .setProducerEpoch(producer.producerEpoch())
                        .setGroupId(group);
        find(GROUP, group);
        AddOffsetsToTxnResponseData added = new AddOffsetsToTxnResponseData();
        return ask(ApiKeys.ADD_OFFSETS_TO_TXN, 3, add, added) ? name(added.errorCode()) : "CLOSED";
    }

    private String commitInTransaction(
            String group, long offset, InitProducerIdResponseData producer) throws IOException {
        String transactionalId = "of-" + group;
        String initialized = init(transactionalId, producer);
        if (!initialized.equals("NONE")) {
            return "InitProducerId: " + initialized;
        }
        String added = add(transactionalId, group, producer);
        if (!added.equals("NONE")) {
            return "AddOffsetsToTxn: " + added;
        }
        TxnOffsetCommitRequestData request =
                new TxnOffsetCommitRequestData()
                        .setTransactionalId(transactionalId)
                        .setGroupId(group)
                        .setProducerId(producer.producerId())
                        .setProducerEpoch(producer.producerEpoch());
        TxnOffsetCommitRequestTopic topic = new TxnOffsetCommitRequestTopic().setName("committed");
        topic.partitions().add(new TxnOffsetCommitRequestPartition().setCommittedOffset(offset));
        request.topics().add(topic);
        return askCoordinator(
                () -> {
                    TxnOffsetCommitResponseData answer = new TxnOffsetCommitResponseData();
                    return ask(ApiKeys.TXN_OFFSET_COMMIT, 3, request, answer)
                            ? name(answer.topics().get(0).partitions().get(0).errorCode())
                            : "CLOSED";
                });
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
                            .setClientId("log");
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

    /** Compares a server's answers with the table: HOST:PORT, its file, and kafka or firn. */
    public static void main(String[] args) throws Exception {
        int different = 0;
        List<Row> rows = rows(Files.readAllLines(Path.of(args[1])));
        LogRequests server = new LogRequests(args[0]);
        for (Row row : rows) {
            String expected = args[2].equals("kafka") ? row.kafka() : row.firn();
            String found = server.answer(row.request());
            // A broker's metadata comes a moment behind its controller's.
            for (int i = 0; i < 50 && !found.equals(expected) && row.mayChange(found); i++) {
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
