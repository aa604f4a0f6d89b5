package io.firn.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.server.TransactionAttacks.Named;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.AddPartitionsToTxnRequestData.AddPartitionsToTxnTopic;
import org.apache.kafka.common.message.AddPartitionsToTxnResponseData;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopic;
import org.apache.kafka.common.message.CreateTopicsResponseData;
import org.apache.kafka.common.message.DescribeProducersRequestData;
import org.apache.kafka.common.message.DescribeProducersRequestData.TopicRequest;
import org.apache.kafka.common.message.DescribeProducersRequestData.TopicRequestCollection;
import org.apache.kafka.common.message.DescribeProducersResponseData;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsPartition;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsTopic;
import org.apache.kafka.common.message.ListOffsetsResponseData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.message.TxnOffsetCommitResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;

/**
 * Fills what clients can fill of a server's heap, each kind until the server refuses more, and
 * holds it until this is closed. Several addresses do it, since an address has a share.
 */
final class HeapFill implements AutoCloseable {
    private static final List<String> CLIENTS = List.of("127.0.0.10", "127.0.0.11");
    private static final List<String> IDLE = List.of("127.0.0.20", "127.0.0.21", "127.0.0.22");
    private static final String OFFSETS = "offsets";
    private static final String COMPACTED = "compacted-";
    private static final int PARTITIONS = 100;
    private static final int WITH_PRODUCERS = 20;
    private static final int MANY = 256;
    private static final int PIPELINED = 50;
    private static final int BOMBS = 4;
    private static final int READ_BYTES = 5 << 20;
    private static final int READ_PARTITIONS = 8;
    private static final int MOST_REQUESTS = 100_000;

    private final int port;
    private final List<Wire> held = new ArrayList<>();

    /** Topics that were created until there were too many partitions, with their numbers. */
    private final List<CreatableTopic> many = new ArrayList<>();

    HeapFill(int port) {
        this.port = port;
    }

    // ---- topics and partitions

    /** Creates the topics that the others need. */
    void createTopics() throws IOException {
        try (Wire wire = new Wire(CLIENTS.get(0), port)) {
            assertEquals(Errors.NONE, create(wire, HeapRequests.topic(OFFSETS, PARTITIONS)));
            assertEquals(
                    Errors.NONE,
                    create(wire, HeapRequests.topic(ReadingServer.TOPIC, READ_PARTITIONS)));
            for (int i = 0; i < CLIENTS.size(); i++) {
                CreatableTopic compacted = HeapRequests.compactedTopic(COMPACTED + i);
                assertEquals(Errors.NONE, create(wire, compacted));
            }
        }
    }

    private static Errors create(Wire wire, CreatableTopic topic) throws IOException {
        CreateTopicsRequestData request = new CreateTopicsRequestData().setTimeoutMs(60_000);
        request.topics().add(topic);
        return Errors.forCode(
                wire.ask(ApiKeys.CREATE_TOPICS, 7, request, new CreateTopicsResponseData())
                        .topics()
                        .iterator()
                        .next()
                        .errorCode());
    }

    /** Creates partitions until not one more may be, and appends to each of them. */
    void fillPartitions() throws IOException {
        try (Wire wire = new Wire(CLIENTS.get(0), port)) {
            for (int i = 0, partitions = MANY; partitions > 0; i++) {
                CreatableTopic next = HeapRequests.topic("many-" + i, partitions);
                Errors error = create(wire, next);
                if (error == Errors.NONE) {
                    many.add(next);
                } else {
                    assertEquals(Errors.POLICY_VIOLATION, error);
                    partitions /= 2;
                }
            }
            for (CreatableTopic each : many) {
                wire.send(appendToAll(each.name(), each.numPartitions(), Long.MIN_VALUE));
            }
            for (int i = 0; i < many.size(); i++) {
                assertEquals(Errors.NONE.code(), Asks.produced(wire).errorCode());
            }
        }
    }

    /** Asserts that there is no room for one more partition. */
    static void checkPartitions(Wire wire) throws IOException {
        assertEquals(Errors.POLICY_VIOLATION, create(wire, HeapRequests.topic("one-more", 1)));
    }

    // ---- producers

    /** A batch for each partition, of the producer with an id, or of none. */
    private static byte[] appendToAll(String topic, int partitions, long producerId) {
        MemoryRecords batch =
                producerId < 0 ? Asks.batch(new byte[1]) : Asks.batch(producerId, 0, new byte[1]);
        ProduceRequestData request =
                new ProduceRequestData().setAcks(Asks.ALL).setTimeoutMs(60_000);
        request.topicData()
                .add(
                        new TopicProduceData()
                                .setName(topic)
                                .setPartitionData(
                                        IntStream.range(0, partitions)
                                                .mapToObj(
                                                        i ->
                                                                new PartitionProduceData()
                                                                        .setIndex(i)
                                                                        .setRecords(batch))
                                                .toList()));
        return Wire.request(ApiKeys.PRODUCE, (short) Asks.PRODUCE, request);
    }

    /** Appends with ids of producers until a partition has forgotten some. */
    void fillProducers() throws IOException {
        try (Wire wire = new Wire(CLIENTS.get(0), port)) {
            int sent = 0;
            do {
                for (int i = 0; i < PIPELINED; i++) {
                    wire.send(appendToAll(OFFSETS, WITH_PRODUCERS, 1L << 40 | (sent + i)));
                }
                for (int i = 0; i < PIPELINED; i++) {
                    assertEquals(Errors.NONE.code(), Asks.produced(wire).errorCode());
                }
                sent += PIPELINED;
                assertTrue(sent < MOST_REQUESTS, sent + " ids, and none is forgotten");
            } while (producers(wire) == sent);
        }
    }

    /** Returns how many producers the first partition knows. */
    private static int producers(Wire wire) throws IOException {
        DescribeProducersRequestData request =
                new DescribeProducersRequestData()
                        .setTopics(
                                new TopicRequestCollection(
                                        List.of(
                                                        new TopicRequest()
                                                                .setName(OFFSETS)
                                                                .setPartitionIndexes(List.of(0)))
                                                .iterator()));
        return wire.ask(ApiKeys.DESCRIBE_PRODUCERS, 0, request, new DescribeProducersResponseData())
                .topics()
                .get(0)
                .partitions()
                .get(0)
                .activeProducers()
                .size();
    }

    // ---- transactions

    /** Opens transactions with partitions and offsets until no more may be put into them. */
    void fillTransactions() throws IOException {
        for (String client : CLIENTS) {
            try (Wire wire = new Wire(client, port)) {
                Errors last = Errors.NONE;
                for (int i = 0; last == Errors.NONE; i++) {
                    Named producer = TransactionAttacks.open(wire, "open-" + client + "-" + i);
                    last = i % 2 == 0 ? addPartitions(wire, producer) : addOffsets(wire, producer);
                }
                assertEquals(Errors.COORDINATOR_NOT_AVAILABLE, last);
            }
        }
    }

    private static Errors addPartitions(Wire wire, Named producer) throws IOException {
        List<Integer> all = IntStream.range(0, PARTITIONS).boxed().toList();
        wire.send(
                TransactionAttacks.add(
                        producer,
                        List.of(
                                new AddPartitionsToTxnTopic()
                                        .setName(OFFSETS)
                                        .setPartitions(all))));
        return Errors.forCode(
                wire.receive(ApiKeys.ADD_PARTITIONS_TO_TXN, 3, new AddPartitionsToTxnResponseData())
                        .resultsByTopicV3AndBelow()
                        .iterator()
                        .next()
                        .resultsByPartition()
                        .iterator()
                        .next()
                        .partitionErrorCode());
    }

    private static Errors addOffsets(Wire wire, Named producer) throws IOException {
        wire.send(
                TransactionAttacks.commit(
                        producer,
                        "of-transactions",
                        List.of(TransactionAttacks.offsets(OFFSETS, PARTITIONS))));
        return Errors.forCode(
                wire.receive(ApiKeys.TXN_OFFSET_COMMIT, 3, new TxnOffsetCommitResponseData())
                        .topics()
                        .get(0)
                        .partitions()
                        .get(0)
                        .errorCode());
    }

    /** Opens producers of ever new names until there are too many. */
    void fillNames() throws IOException {
        for (String client : CLIENTS) {
            try (Wire wire = new Wire(client, port)) {
                Errors last = Errors.NONE;
                for (int sent = 0; last == Errors.NONE; sent += PIPELINED) {
                    for (int i = 0; i < PIPELINED; i++) {
                        wire.send(TransactionAttacks.init(name(client, sent + i)));
                    }
                    for (int i = 0; i < PIPELINED; i++) {
                        last = opened(wire);
                    }
                }
                assertEquals(Errors.COORDINATOR_NOT_AVAILABLE, last);
            }
        }
    }

    /** Asserts that names that were opened are known, and that a new one is refused. */
    void checkNames() throws IOException {
        try (Wire wire = new Wire(CLIENTS.get(0), port)) {
            wire.send(TransactionAttacks.init(name(CLIENTS.get(1), 0)));
            assertEquals(Errors.NONE, opened(wire));
            wire.send(TransactionAttacks.init("one-more"));
            assertEquals(Errors.COORDINATOR_NOT_AVAILABLE, opened(wire));
        }
    }

    private static String name(String client, int number) {
        return "n".repeat(200) + client + "-" + number;
    }

    private static Errors opened(Wire wire) throws IOException {
        return Errors.forCode(
                wire.receive(ApiKeys.INIT_PRODUCER_ID, 4, new InitProducerIdResponseData())
                        .errorCode());
    }

    // ---- groups

    /** Commits metadata for ever new groups until there is no room for it. */
    void fillGroups() throws IOException {
        for (String client : CLIENTS) {
            try (Wire wire = new Wire(client, port)) {
                for (int partitions = PARTITIONS; partitions > 0; partitions /= 4) {
                    Errors last = Errors.NONE;
                    for (int i = 0; last == Errors.NONE; i++) {
                        last = commit(wire, client + "-" + partitions + "-" + i, partitions);
                    }
                    assertEquals(Errors.COORDINATOR_NOT_AVAILABLE, last);
                }
            }
        }
    }

    private static Errors commit(Wire wire, String group, int partitions) throws IOException {
        List<Errors> all = HeapRequests.commit(wire, group, OFFSETS, partitions);
        return all.get(all.size() - 1);
    }

    // ---- batches

    /** Appends what readers in the process of the server decompress. */
    void fillReaders() throws IOException {
        MemoryRecords batch =
                MemoryRecords.withRecords(
                        Compression.zstd().build(),
                        new SimpleRecord(1_000L, null, new byte[READ_BYTES]),
                        new SimpleRecord(2_000L, null, new byte[1]));
        try (Wire wire = new Wire(CLIENTS.get(0), port)) {
            for (int i = 0; i < READ_PARTITIONS; i++) {
                assertEquals(
                        Errors.NONE.code(),
                        Asks.produced(wire, ReadingServer.TOPIC, i, Asks.ALL, batch).errorCode());
            }
        }
    }

    /** Searches by time in each of these batches. */
    void searchByTime() throws IOException {
        ListOffsetsTopic topic = new ListOffsetsTopic().setName(ReadingServer.TOPIC);
        for (int i = 0; i < READ_PARTITIONS; i++) {
            topic.partitions()
                    .add(new ListOffsetsPartition().setPartitionIndex(i).setTimestamp(1_500L));
        }
        ListOffsetsRequestData request =
                new ListOffsetsRequestData().setReplicaId(-1).setTopics(List.of(topic));
        try (Wire wire = new Wire(IDLE.get(0), port)) {
            wire.ask(ApiKeys.LIST_OFFSETS, 5, request, new ListOffsetsResponseData())
                    .topics()
                    .get(0)
                    .partitions()
                    .forEach(each -> assertEquals(1, each.offset()));
        }
    }

    /**
     * Appends small batches whose one record is a tombstone with a very long key, which compaction
     * begins with at once.
     */
    void fillCompaction(Wire wire) throws IOException {
        MemoryRecords bomb = HeapRequests.bomb();
        for (int i = 0; i < BOMBS; i++) {
            for (int k = 0; k < CLIENTS.size(); k++) {
                assertEquals(
                        Errors.NONE.code(),
                        Asks.produced(wire, COMPACTED + k, 0, Asks.ALL, bomb).errorCode());
            }
        }
    }

    /**
     * Returns whether compaction has removed these batches but the last, in each topic; appends one
     * more record to each, so that the segment before it can be compacted.
     */
    static boolean isCompacted(Wire wire) throws IOException {
        MemoryRecords more =
                MemoryRecords.withRecords(
                        Compression.NONE, new SimpleRecord(new byte[1], new byte[1]));
        boolean compacted = true;
        for (int i = 0; i < CLIENTS.size(); i++) {
            assertEquals(
                    Errors.NONE.code(),
                    Asks.produced(wire, COMPACTED + i, 0, Asks.ALL, more).errorCode());
            MemoryRecords first = (MemoryRecords) Asks.fetched(wire, COMPACTED + i, 0, 0).records();
            compacted &= first.batches().iterator().next().baseOffset() >= BOMBS - 1;
        }
        return compacted;
    }

    // ---- requests and connections

    /** Holds requests that wait, requests that are not whole, and responses that are not read. */
    void holdRequests() throws IOException {
        byte[] waiting = Wire.framed(waitingFetch());
        byte[] part = Arrays.copyOf(Wire.framed(new byte[1 << 20]), 1_000_000);
        for (String client : CLIENTS) {
            for (int i = 0; i < 40; i++) {
                byte[] bytes = i < 30 ? waiting : part;
                Wire wire = new Wire(client, port);
                held.add(wire);
                Thread sender =
                        new Thread(
                                () -> {
                                    try {
                                        wire.sendRaw(bytes);
                                    } catch (IOException e) {
                                        return; // closed while the server did not read
                                    }
                                });
                sender.setDaemon(true);
                sender.start();
            }
        }
    }

    /** A fetch of all partitions that waits for what never comes. */
    private byte[] waitingFetch() {
        FetchRequestData request =
                new FetchRequestData()
                        .setMaxWaitMs(Integer.MAX_VALUE)
                        .setMinBytes(1 << 30)
                        .setMaxBytes(1 << 30);
        List<FetchTopic> topics = new ArrayList<>();
        for (CreatableTopic each : many) {
            topics.add(
                    new FetchTopic()
                            .setTopic(each.name())
                            .setPartitions(
                                    IntStream.range(0, each.numPartitions())
                                            .mapToObj(
                                                    i ->
                                                            new FetchPartition()
                                                                    .setPartition(i)
                                                                    .setFetchOffset(1)
                                                                    .setPartitionMaxBytes(1 << 20))
                                            .toList()));
        }
        return Wire.request(ApiKeys.FETCH, (short) Asks.FETCH, request.setTopics(topics));
    }

    /** Opens connections until each address that tries it is refused. */
    void fillConnections() throws IOException {
        for (String client : IDLE) {
            int opened = 0;
            while (isOpened(client)) {
                opened++;
                assertTrue(opened < MOST_REQUESTS, opened + " connections");
            }
        }
    }

    private boolean isOpened(String client) throws IOException {
        Wire wire = new Wire(client, port);
        held.add(wire);
        try {
            wire.ask(
                    ApiKeys.API_VERSIONS,
                    0,
                    new ApiVersionsRequestData(),
                    new ApiVersionsResponseData());
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    @Override
    public void close() throws IOException {
        release();
    }

    /** Ends what holds requests and connections. */
    void release() throws IOException {
        for (Wire each : held) {
            each.close();
        }
        held.clear();
    }
}
