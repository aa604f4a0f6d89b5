package io.firn.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.host.HostedStore;
import io.firn.sim.FirstRunOnly;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.AbortTransactionSpec;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListTransactionsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.ProducerState;
import org.apache.kafka.clients.admin.TransactionDescription;
import org.apache.kafka.clients.admin.TransactionListing;
import org.apache.kafka.clients.admin.TransactionState;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.TransactionalIdNotFoundException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Transactions with Kafka's own client, by both of its protocols: with version 2 of the feature the
 * client gets a new epoch for each transaction, and partitions are added as it produces.
 */
@FirstRunOnly
class TransactionsTest {
    private static final String TOPIC = "orders";
    private static final String OUT = "out";
    private static final TopicPartition FIRST = new TopicPartition(TOPIC, 0);

    @TempDir Path directory;

    private Running start(int version) throws Exception {
        Running running =
                new Running(
                        directory, Map.of("firn.transaction.version", Integer.toString(version)));
        running.createTopic(TOPIC, 2, Map.of());
        running.createTopic(OUT, 1, Map.of());
        return running;
    }

    private static KafkaProducer<String, String> producer(Running running, String id) {
        return producer(running, id, Map.of());
    }

    private static KafkaProducer<String, String> producer(
            Running running, String id, Map<String, Object> more) {
        Map<String, Object> settings = new TreeMap<>(more);
        settings.put("transactional.id", id);
        KafkaProducer<String, String> producer = running.producer(settings);
        producer.initTransactions();
        return producer;
    }

    private static ProducerRecord<String, String> record(int partition, String value) {
        return new ProducerRecord<>(TOPIC, partition, null, value);
    }

    private static void send(
            KafkaProducer<String, String> producer, ProducerRecord<String, String> record) {
        var unused = producer.send(record); // the end of the transaction reports a failure
    }

    private static KafkaConsumer<String, String> consumer(Running running, String isolation) {
        KafkaConsumer<String, String> consumer =
                running.consumer(Map.of("isolation.level", isolation));
        consumer.assign(List.of(FIRST, new TopicPartition(TOPIC, 1)));
        consumer.seekToBeginning(consumer.assignment());
        return consumer;
    }

    /** All values up to the end that the isolation has now, sorted. */
    private static List<String> values(Running running, String isolation) {
        List<String> values = new ArrayList<>();
        try (KafkaConsumer<String, String> consumer = consumer(running, isolation)) {
            Map<TopicPartition, Long> ends = consumer.endOffsets(consumer.assignment());
            Running.await(
                    "the end",
                    () -> {
                        for (ConsumerRecord<String, String> each :
                                consumer.poll(Duration.ofMillis(50))) {
                            values.add(each.value());
                        }
                        return ends.entrySet().stream()
                                .allMatch(e -> consumer.position(e.getKey()) >= e.getValue());
                    });
        }
        values.sort(null);
        return values;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldShowWhatWasCommittedAndHideWhatWasAborted(int version) throws Exception {
        try (Running running = start(version);
                KafkaProducer<String, String> producer = producer(running, "tx")) {
            producer.beginTransaction();
            send(producer, record(0, "a0"));
            send(producer, record(1, "a1"));
            producer.commitTransaction();
            producer.beginTransaction();
            send(producer, record(0, "b0"));
            producer.send(record(1, "b1")).get();
            producer.abortTransaction();
            producer.beginTransaction();
            send(producer, record(0, "c0"));
            producer.commitTransaction();
            assertEquals(List.of("a0", "a1", "c0"), values(running, "read_committed"));
            assertEquals(
                    List.of("a0", "a1", "b0", "b1", "c0"), values(running, "read_uncommitted"));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldHoldUpReadersOfCommittedRecordsUntilTheEnd(int version) throws Exception {
        try (Running running = start(version);
                KafkaProducer<String, String> producer = producer(running, "tx");
                KafkaProducer<String, String> plain = running.producer(Map.of());
                Admin admin = running.admin();
                KafkaConsumer<String, String> waiting = consumer(running, "read_committed")) {
            producer.beginTransaction();
            producer.send(record(0, "in")).get();
            plain.send(record(0, "beside")).get();
            assertEquals(List.of(), values(running, "read_committed"));
            assertEquals(List.of("beside", "in"), values(running, "read_uncommitted"));
            assertEquals(0, end(admin, IsolationLevel.READ_COMMITTED));
            assertEquals(2, end(admin, IsolationLevel.READ_UNCOMMITTED));
            assertTrue(waiting.poll(Duration.ofMillis(50)).isEmpty()); // a long poll is on its way
            producer.commitTransaction();
            assertEquals(
                    List.of("in", "beside"),
                    Running.read(waiting, 2).stream().map(ConsumerRecord::value).toList());
            // Its marker is forced later.
            Running.await("the marker", () -> end(admin, IsolationLevel.READ_COMMITTED) == 3);
        }
    }

    private static long end(Admin admin, IsolationLevel isolation) {
        try {
            return admin.listOffsets(
                            Map.of(FIRST, OffsetSpec.latest()), new ListOffsetsOptions(isolation))
                    .partitionResult(FIRST)
                    .get(Running.HANGS_AFTER_S, TimeUnit.SECONDS)
                    .offset();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldCommitOffsetsWithTheTransaction(int version) throws Exception {
        try (Running running = start(version);
                KafkaProducer<String, String> plain = running.producer(Map.of());
                KafkaProducer<String, String> producer = producer(running, "tx");
                KafkaConsumer<String, String> consumer =
                        running.consumer(
                                Map.of(
                                        "group.id", "g",
                                        "enable.auto.commit", "false",
                                        "isolation.level", "read_committed"))) {
            for (int i = 0; i < 4; i++) {
                plain.send(record(0, "r" + i)).get();
            }
            consumer.subscribe(List.of(TOPIC));
            Running.read(consumer, 4);
            producer.beginTransaction();
            send(producer, new ProducerRecord<>(OUT, "o1"));
            producer.sendOffsetsToTransaction(
                    Map.of(FIRST, new OffsetAndMetadata(2, "not this")), consumer.groupMetadata());
            producer.abortTransaction();
            assertEquals(Map.of(), committed(running));
            producer.beginTransaction();
            send(producer, new ProducerRecord<>(OUT, "o2"));
            producer.sendOffsetsToTransaction(
                    Map.of(FIRST, new OffsetAndMetadata(4, "this")), consumer.groupMetadata());
            assertEquals(Map.of(), committed(running));
            producer.commitTransaction();
            assertEquals(Map.of(FIRST, new OffsetAndMetadata(4, "this")), committed(running));
            running.restart();
            assertEquals(Map.of(FIRST, new OffsetAndMetadata(4, "this")), committed(running));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldCommitOffsetsWithTheirMetadataAfterARestart(int version) throws Exception {
        try (Running running = start(version);
                KafkaProducer<String, String> plain = running.producer(Map.of());
                KafkaProducer<String, String> producer = producer(running, "tx");
                KafkaConsumer<String, String> consumer =
                        running.consumer(Map.of("group.id", "g"))) {
            plain.send(record(0, "r")).get();
            producer.beginTransaction();
            send(producer, new ProducerRecord<>(OUT, "o"));
            producer.flush(); // or it is sent when the restart has forgotten its partition
            producer.sendOffsetsToTransaction(
                    Map.of(FIRST, new OffsetAndMetadata(1, "kept")), consumer.groupMetadata());
            running.restart();
            producer.commitTransaction();
            assertEquals(Map.of(FIRST, new OffsetAndMetadata(1, "kept")), committed(running));
            running.restart();
            assertEquals(Map.of(FIRST, new OffsetAndMetadata(1, "kept")), committed(running));
        }
    }

    @Test
    void shouldKeepTheMetadataOfATransactionThatARestartHasCommitted() throws Exception {
        try (Running running = start(2);
                KafkaProducer<String, String> plain = running.producer(Map.of());
                KafkaProducer<String, String> producer = producer(running, "tx");
                KafkaConsumer<String, String> consumer =
                        running.consumer(Map.of("group.id", "g"))) {
            plain.send(record(0, "r")).get();
            producer.beginTransaction();
            send(producer, new ProducerRecord<>(OUT, "o"));
            producer.sendOffsetsToTransaction(
                    Map.of(FIRST, new OffsetAndMetadata(1, "kept")), consumer.groupMetadata());
            var coordinator = HostedStore.of(running.store()).transactions();
            coordinator.end("tx", coordinator.find("tx").identity(), true, true);
            running.restart();
            assertEquals(Map.of(FIRST, new OffsetAndMetadata(1, "kept")), committed(running));
        }
    }

    private static Map<TopicPartition, OffsetAndMetadata> committed(Running running)
            throws Exception {
        try (Admin admin = running.admin()) {
            Map<TopicPartition, OffsetAndMetadata> found =
                    new java.util.HashMap<>(
                            admin.listConsumerGroupOffsets("g")
                                    .partitionsToOffsetAndMetadata()
                                    .get(Running.HANGS_AFTER_S, TimeUnit.SECONDS));
            found.values().removeIf(each -> each == null);
            return found;
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldFenceTheProducerBeforeAndAbortItsTransaction(int version) throws Exception {
        try (Running running = start(version);
                KafkaProducer<String, String> old = producer(running, "tx")) {
            old.beginTransaction();
            old.send(record(0, "old")).get();
            try (KafkaProducer<String, String> next = producer(running, "tx")) {
                assertFenced(
                        assertThrows(
                                ExecutionException.class, () -> old.send(record(0, "late")).get()));
                next.beginTransaction();
                send(next, record(0, "new"));
                next.commitTransaction();
            }
            assertThrows(KafkaException.class, old::commitTransaction);
            assertEquals(List.of("new"), values(running, "read_committed"));
        }
    }

    private static void assertFenced(ExecutionException e) {
        assertTrue(
                e.getCause() instanceof ProducerFencedException
                        || e.getCause() instanceof InvalidProducerEpochException,
                () -> e.getCause().toString());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldAbortATransactionWhoseTimeIsOut(int version) throws Exception {
        try (Running running = start(version);
                KafkaProducer<String, String> producer =
                        producer(running, "tx", Map.of("transaction.timeout.ms", "2000"))) {
            producer.beginTransaction();
            producer.send(record(0, "slow")).get();
            try (KafkaProducer<String, String> plain = running.producer(Map.of())) {
                plain.send(record(0, "after")).get();
            }
            try (KafkaConsumer<String, String> consumer = consumer(running, "read_committed")) {
                assertEquals("after", Running.read(consumer, 1).get(0).value());
            }
            assertThrows(KafkaException.class, producer::commitTransaction);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldGoOnWithTheTransactionAfterARestart(int version) throws Exception {
        try (Running running = start(version);
                KafkaProducer<String, String> producer = producer(running, "tx");
                KafkaProducer<String, String> aborting = producer(running, "tx-2")) {
            producer.beginTransaction();
            producer.send(record(0, "before")).get();
            aborting.beginTransaction();
            aborting.send(record(0, "never")).get();
            running.restart();
            assertEquals(List.of(), values(running, "read_committed"));
            send(producer, record(0, "behind"));
            send(producer, record(1, "aside"));
            producer.commitTransaction();
            aborting.abortTransaction();
            List<String> expected = List.of("aside", "before", "behind");
            assertEquals(expected, values(running, "read_committed"));
            running.restart();
            assertEquals(expected, values(running, "read_committed"));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldTellAdministratorsOfTransactions(int version) throws Exception {
        try (Running running = start(version);
                KafkaProducer<String, String> producer = producer(running, "tx");
                Admin admin = running.admin()) {
            producer.beginTransaction();
            producer.send(record(1, "x")).get();
            List<TransactionListing> all =
                    List.copyOf(
                            admin.listTransactions()
                                    .all()
                                    .get(Running.HANGS_AFTER_S, TimeUnit.SECONDS));
            assertEquals(1, all.size());
            assertEquals("tx", all.get(0).transactionalId());
            assertEquals(TransactionState.ONGOING, all.get(0).state());
            assertEquals(
                    List.of(),
                    List.copyOf(
                            admin.listTransactions(
                                            new ListTransactionsOptions().filterOnDuration(60_000))
                                    .all()
                                    .get(Running.HANGS_AFTER_S, TimeUnit.SECONDS)));
            TransactionDescription described =
                    admin.describeTransactions(List.of("tx"))
                            .description("tx")
                            .get(Running.HANGS_AFTER_S, TimeUnit.SECONDS);
            TopicPartition second = new TopicPartition(TOPIC, 1);
            assertEquals(TransactionState.ONGOING, described.state());
            assertEquals(java.util.Set.of(second), described.topicPartitions());
            List<ProducerState> producers =
                    admin.describeProducers(List.of(second))
                            .partitionResult(second)
                            .get(Running.HANGS_AFTER_S, TimeUnit.SECONDS)
                            .activeProducers();
            assertEquals(1, producers.size());
            assertEquals(described.producerId(), producers.get(0).producerId());
            assertEquals(0, producers.get(0).currentTransactionStartOffset().getAsLong());
            assertTrue(
                    assertThrows(
                                            ExecutionException.class,
                                            () ->
                                                    admin.describeTransactions(List.of("none"))
                                                            .description("none")
                                                            .get(
                                                                    Running.HANGS_AFTER_S,
                                                                    TimeUnit.SECONDS))
                                    .getCause()
                            instanceof TransactionalIdNotFoundException);
            // It is open and has its coordinator: it does not hang.
            assertThrows(
                    ExecutionException.class,
                    () ->
                            admin.abortTransaction(
                                            new AbortTransactionSpec(
                                                    second,
                                                    described.producerId(),
                                                    (short) described.producerEpoch(),
                                                    0))
                                    .all()
                                    .get(Running.HANGS_AFTER_S, TimeUnit.SECONDS));
            admin.fenceProducers(List.of("tx")).all().get(Running.HANGS_AFTER_S, TimeUnit.SECONDS);
            assertEquals(List.of(), values(running, "read_committed"));
            assertThrows(KafkaException.class, producer::commitTransaction);
        }
    }
}
