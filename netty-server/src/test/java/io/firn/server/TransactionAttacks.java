package io.firn.server;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.AddPartitionsToTxnRequestData;
import org.apache.kafka.common.message.AddPartitionsToTxnRequestData.AddPartitionsToTxnTopic;
import org.apache.kafka.common.message.DescribeProducersRequestData;
import org.apache.kafka.common.message.DescribeProducersRequestData.TopicRequest;
import org.apache.kafka.common.message.DescribeProducersRequestData.TopicRequestCollection;
import org.apache.kafka.common.message.DescribeTransactionsRequestData;
import org.apache.kafka.common.message.EndTxnRequestData;
import org.apache.kafka.common.message.EndTxnResponseData;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.message.ListTransactionsRequestData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.TxnOffsetCommitRequestData;
import org.apache.kafka.common.message.TxnOffsetCommitRequestData.TxnOffsetCommitRequestPartition;
import org.apache.kafka.common.message.TxnOffsetCommitRequestData.TxnOffsetCommitRequestTopic;
import org.apache.kafka.common.message.WriteTxnMarkersRequestData;
import org.apache.kafka.common.message.WriteTxnMarkersRequestData.WritableTxnMarker;
import org.apache.kafka.common.message.WriteTxnMarkersRequestData.WritableTxnMarkerTopic;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;

/** What one client does to the coordinator of transactions, for {@link Attacks}. */
final class TransactionAttacks {
    static final List<String> NAMES =
            List.of(
                    "transaction-names",
                    "open-transactions",
                    "transaction-partitions",
                    "kept-partitions",
                    "transaction-offsets",
                    "transaction-ends",
                    "describe-transactions",
                    "describe-producers");

    private static final int PARTITIONS = 2_000;
    private static final int FEW = 20;

    private static final String TOPIC = "t0-0";
    private static final int MANY = 100_000;
    private static final int PIPELINED = 20;
    private static final int LONGEST_MS = 900_000;

    private final Consumer<String> count;
    private final BooleanSupplier goesOn;
    private final AtomicInteger names = new AtomicInteger();

    /**
     * Prepares them.
     *
     * @param count is told what came of each
     * @param goesOn false when the time is up
     */
    TransactionAttacks(Consumer<String> count, BooleanSupplier goesOn) {
        this.count = count;
        this.goesOn = goesOn;
    }

    /** Returns how many partitions the topic of an attack has. */
    static int partitions(String attack) {
        return switch (attack) {
            case "transaction-partitions",
                    "kept-partitions",
                    "transaction-offsets",
                    "describe-transactions" ->
                    PARTITIONS;
            default -> FEW;
        };
    }

    /** An attack on one connection, until the time is up. */
    void run(String attack, Wire wire, int number) throws IOException {
        switch (attack) {
            case "transaction-names" -> nameMany(wire);
            case "open-transactions" -> openMany(wire);
            case "transaction-partitions" -> addMany(wire, number);
            case "kept-partitions" -> keepMany(wire, number);
            case "transaction-offsets" -> commitMany(wire, number);
            case "transaction-ends" -> endOften(wire, number);
            case "describe-transactions" -> describeOneOften(wire, number);
            case "describe-producers" -> describeProducersOften(wire, number);
            default -> throw new IllegalArgumentException("no attack " + attack);
        }
    }

    // ---- requests

    private static byte[] request(ApiKeys key, int version, ApiMessage body) {
        return Wire.request(key, (short) version, body);
    }

    static byte[] init(String name) {
        return request(
                ApiKeys.INIT_PRODUCER_ID,
                4,
                new InitProducerIdRequestData()
                        .setTransactionalId(name)
                        .setTransactionTimeoutMs(LONGEST_MS));
    }

    /** A producer's name and identity. */
    record Named(String name, long id, short epoch) {}

    static Named opened(Wire wire, String name) throws IOException {
        InitProducerIdResponseData answer =
                wire.receive(ApiKeys.INIT_PRODUCER_ID, 4, new InitProducerIdResponseData());
        return answer.errorCode() == 0
                ? new Named(name, answer.producerId(), answer.producerEpoch())
                : null;
    }

    /** Returns null if it is refused. */
    static Named open(Wire wire, String name) throws IOException {
        wire.send(init(name));
        return opened(wire, name);
    }

    static byte[] add(Named producer, List<AddPartitionsToTxnTopic> topics) {
        AddPartitionsToTxnRequestData request =
                new AddPartitionsToTxnRequestData()
                        .setV3AndBelowTransactionalId(producer.name)
                        .setV3AndBelowProducerId(producer.id)
                        .setV3AndBelowProducerEpoch(producer.epoch);
        request.v3AndBelowTopics().addAll(topics);
        return request(ApiKeys.ADD_PARTITIONS_TO_TXN, 3, request);
    }

    /** Adds one partition. */
    static byte[] add(Named producer, String topic, int partition) {
        return add(
                producer,
                List.of(
                        new AddPartitionsToTxnTopic()
                                .setName(topic)
                                .setPartitions(List.of(partition))));
    }

    /** A batch of a producer's transaction. */
    static byte[] produce(Named producer, int sequence, String topic, int partition) {
        MemoryRecords records =
                MemoryRecords.withTransactionalRecords(
                        Compression.NONE,
                        producer.id,
                        producer.epoch,
                        sequence,
                        new SimpleRecord(new byte[10]));
        return request(
                ApiKeys.PRODUCE,
                Asks.PRODUCE,
                Asks.produce(topic, partition, Asks.ALL, records)
                        .setTransactionalId(producer.name));
    }

    static byte[] end(Named producer, boolean isCommit) {
        return request(
                ApiKeys.END_TXN,
                3,
                new EndTxnRequestData()
                        .setTransactionalId(producer.name)
                        .setProducerId(producer.id)
                        .setProducerEpoch(producer.epoch)
                        .setCommitted(isCommit));
    }

    private void countProduced(Wire wire, String what) throws IOException {
        int code =
                wire.receive(ApiKeys.PRODUCE, Asks.PRODUCE, new ProduceResponseData())
                        .responses()
                        .iterator()
                        .next()
                        .partitionResponses()
                        .get(0)
                        .errorCode();
        count.accept(what + " " + Errors.forCode((short) code));
    }

    /** Aborts a transaction in a partition, as an administrator may. */
    static byte[] marker(long id, short epoch, String topic) {
        return request(
                ApiKeys.WRITE_TXN_MARKERS,
                1,
                new WriteTxnMarkersRequestData()
                        .setMarkers(
                                List.of(
                                        new WritableTxnMarker()
                                                .setProducerId(id)
                                                .setProducerEpoch(epoch)
                                                .setTransactionResult(false)
                                                .setTopics(
                                                        List.of(
                                                                new WritableTxnMarkerTopic()
                                                                        .setName(topic)
                                                                        .setPartitionIndexes(
                                                                                List.of(0)))))));
    }

    // ---- attacks

    /** Each request opens a producer of another name. */
    private void nameMany(Wire wire) throws IOException {
        while (goesOn.getAsBoolean()) {
            String prefix = "n".repeat(200) + names.getAndAdd(PIPELINED);
            for (int i = 0; i < PIPELINED; i++) {
                wire.send(init(prefix + "-" + i));
            }
            for (int i = 0; i < PIPELINED; i++) {
                count.accept(opened(wire, "") == null ? "refused" : "opened");
            }
        }
    }

    /** Producers of many names that begin transactions in some partitions, and end none. */
    private void openMany(Wire wire) throws IOException {
        while (goesOn.getAsBoolean()) {
            int first = names.getAndAdd(PIPELINED);
            List<Named> opened = new ArrayList<>();
            for (int i = 0; i < PIPELINED; i++) {
                wire.send(init("open-" + (first + i)));
            }
            for (int i = 0; i < PIPELINED; i++) {
                Named each = opened(wire, "open-" + (first + i));
                if (each == null) {
                    count.accept("refused");
                } else {
                    opened.add(each);
                }
            }
            for (Named each : opened) {
                wire.send(add(each, TOPIC, (int) (each.id % FEW)));
            }
            for (int i = 0; i < opened.size(); i++) {
                wire.receive();
            }
            for (Named each : opened) {
                wire.send(produce(each, 0, TOPIC, (int) (each.id % FEW)));
            }
            for (int i = 0; i < opened.size(); i++) {
                countProduced(wire, "produced");
            }
        }
    }

    /** Adds as many partitions as there are, each ten times, or names that do not exist; ends. */
    private void addMany(Wire wire, int number) throws IOException {
        Named producer = open(wire, "adds-" + number);
        List<AddPartitionsToTxnTopic> topics;
        if (number % 2 == 0) {
            List<Integer> all = IntStream.range(0, MANY).map(i -> i % PARTITIONS).boxed().toList();
            topics = List.of(new AddPartitionsToTxnTopic().setName(TOPIC).setPartitions(all));
        } else {
            topics =
                    IntStream.range(0, MANY)
                            .mapToObj(
                                    i ->
                                            new AddPartitionsToTxnTopic()
                                                    .setName("no" + i)
                                                    .setPartitions(List.of(0)))
                            .toList();
        }
        byte[] add = add(producer, topics);
        byte[] end = end(producer, true);
        while (goesOn.getAsBoolean()) {
            wire.send(add);
            wire.send(end);
            wire.receive();
            int code = wire.receive(ApiKeys.END_TXN, 3, new EndTxnResponseData()).errorCode();
            count.accept("ended " + Errors.forCode((short) code));
        }
    }

    /** Transactions of many names, with as many partitions or offsets as there are, and no end. */
    private void keepMany(Wire wire, int number) throws IOException {
        List<Integer> all = IntStream.range(0, PARTITIONS).boxed().toList();
        while (goesOn.getAsBoolean()) {
            Named producer = open(wire, "keeps-" + names.getAndIncrement());
            if (producer == null) {
                count.accept("refused");
                continue;
            }
            if (number % 2 == 0) {
                wire.send(
                        add(
                                producer,
                                List.of(
                                        new AddPartitionsToTxnTopic()
                                                .setName(TOPIC)
                                                .setPartitions(all))));
            } else {
                wire.send(commit(producer, "kept", List.of(offsets(TOPIC, PARTITIONS))));
            }
            wire.receive();
            count.accept(number % 2 == 0 ? "added" : "committed");
        }
    }

    static byte[] commit(Named producer, String group, List<TxnOffsetCommitRequestTopic> topics) {
        return request(
                ApiKeys.TXN_OFFSET_COMMIT,
                3,
                new TxnOffsetCommitRequestData()
                        .setTransactionalId(producer.name)
                        .setProducerId(producer.id)
                        .setProducerEpoch(producer.epoch)
                        .setGroupId(group)
                        .setTopics(topics));
    }

    /** Opens a producer, and returns a request of it that commits one offset. */
    static byte[] commitOne(Wire wire, String name) throws IOException {
        return commit(open(wire, name), name, List.of(offsets(TOPIC, 1)));
    }

    /** Offsets of as many partitions as there are, or of topics that do not exist. */
    private void commitMany(Wire wire, int number) throws IOException {
        Named producer = open(wire, "commits-" + number);
        List<TxnOffsetCommitRequestTopic> topics =
                number % 2 == 0
                        ? IntStream.range(0, MANY / PARTITIONS)
                                .mapToObj(i -> offsets(TOPIC, PARTITIONS))
                                .toList()
                        : IntStream.range(0, MANY).mapToObj(i -> offsets("no" + i, 1)).toList();
        byte[] add = add(producer, TOPIC, 0);
        for (int i = 0; goesOn.getAsBoolean(); i++) {
            wire.send(add);
            wire.send(commit(producer, "offsets-" + number + "-" + i, topics));
            wire.send(end(producer, true));
            wire.receive();
            wire.receive();
            int code = wire.receive(ApiKeys.END_TXN, 3, new EndTxnResponseData()).errorCode();
            count.accept("ended " + Errors.forCode((short) code));
        }
    }

    static TxnOffsetCommitRequestTopic offsets(String topic, int partitions) {
        return new TxnOffsetCommitRequestTopic()
                .setName(topic)
                .setPartitions(
                        IntStream.range(0, partitions)
                                .mapToObj(
                                        i ->
                                                new TxnOffsetCommitRequestPartition()
                                                        .setPartitionIndex(i)
                                                        .setCommittedOffset(0)
                                                        .setCommittedMetadata("m".repeat(30)))
                                .toList());
    }

    /** Short transactions that are aborted, one after another; and reads which they are. */
    private void endOften(Wire wire, int number) throws IOException {
        Named producer = open(wire, "ends-" + number);
        for (int i = 0; goesOn.getAsBoolean(); i += PIPELINED) {
            for (int k = 0; k < PIPELINED; k++) {
                wire.send(add(producer, TOPIC, 0));
                wire.receive();
                wire.send(produce(producer, i + k, TOPIC, 0));
                countProduced(wire, "produced");
                wire.send(end(producer, false));
                int code = wire.receive(ApiKeys.END_TXN, 3, new EndTxnResponseData()).errorCode();
                count.accept("ended " + Errors.forCode((short) code));
            }
            wire.send(
                    request(
                            ApiKeys.FETCH,
                            Asks.FETCH,
                            Asks.fetch(TOPIC, 0, 0, 1 << 20).setIsolationLevel((byte) 1)));
            wire.receive();
        }
    }

    /** A transaction with very many partitions, of which a request asks very often; and lists. */
    private void describeOneOften(Wire wire, int number) throws IOException {
        Named producer = open(wire, "described-" + number);
        List<Integer> all = IntStream.range(0, PARTITIONS).boxed().toList();
        wire.send(
                add(
                        producer,
                        List.of(new AddPartitionsToTxnTopic().setName(TOPIC).setPartitions(all))));
        wire.receive();
        byte[] describe =
                request(
                        ApiKeys.DESCRIBE_TRANSACTIONS,
                        0,
                        new DescribeTransactionsRequestData()
                                .setTransactionalIds(
                                        IntStream.range(0, MANY)
                                                .mapToObj(i -> producer.name)
                                                .toList()));
        byte[] list = request(ApiKeys.LIST_TRANSACTIONS, 1, new ListTransactionsRequestData());
        while (goesOn.getAsBoolean()) {
            wire.send(describe);
            wire.send(list);
            wire.receive();
            wire.receive();
            count.accept("described");
        }
    }

    /** A partition with very many producers, of which a request asks very often. */
    private void describeProducersOften(Wire wire, int number) throws IOException {
        for (int i = 0; i < 2_000; i += PIPELINED) {
            for (int k = 0; k < PIPELINED; k++) {
                long id = 1_000_000L + (i + k) * 4L + number;
                wire.send(Asks.produceBytes(TOPIC, 0, Asks.ALL, Asks.batch(id, 0, new byte[1])));
            }
            for (int k = 0; k < PIPELINED; k++) {
                countProduced(wire, "produced");
            }
        }
        byte[] describe =
                request(
                        ApiKeys.DESCRIBE_PRODUCERS,
                        0,
                        new DescribeProducersRequestData()
                                .setTopics(
                                        new TopicRequestCollection(
                                                List.of(
                                                                new TopicRequest()
                                                                        .setName(TOPIC)
                                                                        .setPartitionIndexes(
                                                                                Collections.nCopies(
                                                                                        MANY, 0)))
                                                        .iterator())));
        while (goesOn.getAsBoolean()) {
            wire.send(describe);
            wire.receive();
            count.accept("described");
        }
    }
}
