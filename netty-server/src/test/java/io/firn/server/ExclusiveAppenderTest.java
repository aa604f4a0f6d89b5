package io.firn.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.BusyException;
import io.firn.ExclusiveAppender;
import io.firn.Partition;
import io.firn.TopicOptions;
import io.firn.api.Gate;
import io.firn.api.ObservedMedium;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.PolicyViolationException;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An exclusive appender of the application, and clients that produce to the same partition. */
class ExclusiveAppenderTest {
    private static final String TOPIC = "orders";
    private static final byte[] VALUE = {1};

    @TempDir Path directory;

    private static Partition create(Running running) {
        return running.store().createTopic(TOPIC, TopicOptions.defaults()).partition(0);
    }

    private static RecordMetadata send(KafkaProducer<byte[], byte[]> producer) throws Exception {
        return producer.send(new ProducerRecord<>(TOPIC, 0, null, VALUE))
                .get(Running.HANGS_AFTER_S, TimeUnit.SECONDS);
    }

    private static void assertRefused(KafkaProducer<byte[], byte[]> producer) {
        ExecutionException e = assertThrows(ExecutionException.class, () -> send(producer));
        assertInstanceOf(PolicyViolationException.class, e.getCause());
        assertTrue(e.getCause().getMessage().contains("exclusive appender"), e::getMessage);
    }

    @Test
    void shouldRefuseProducersAtOnceWhileTheApplicationHasAnExclusiveAppender() throws Exception {
        try (Running running = new Running(directory);
                Logged log = new Logged("io.firn.server")) {
            Partition partition = create(running);
            for (Map<String, Object> settings :
                    List.<Map<String, Object>>of(
                            Map.of("enable.idempotence", true),
                            Map.of("enable.idempotence", false, "acks", "1"))) {
                try (KafkaProducer<byte[], byte[]> producer = running.rawProducer(settings)) {
                    long before = partition.nextOffset();
                    try (ExclusiveAppender appender = partition.openExclusiveAppender()) {
                        assertRefused(producer);
                        assertEquals(before, appender.append(VALUE));
                        assertRefused(producer);
                    }
                    assertEquals(before + 1, send(producer).offset());
                }
            }
            assertEquals(1, log.count("orders-0"), "it is logged, but not for each request");
            assertTrue(log.has("exclusive appender"));
        }
    }

    @Test
    void shouldLetATransactionAbortThatAnExclusiveAppenderKeepsFromAppending() throws Exception {
        try (Running running = new Running(directory)) {
            Partition partition = create(running);
            try (KafkaProducer<byte[], byte[]> producer =
                    running.rawProducer(Map.of("transactional.id", "t"))) {
                producer.initTransactions();
                producer.beginTransaction();
                assertEquals(0, send(producer).offset());
                try (ExclusiveAppender appender = partition.openExclusiveAppender()) {
                    assertEquals(1, appender.append(VALUE));
                    assertRefused(producer);
                    assertThrows(KafkaException.class, producer::commitTransaction);
                    producer.abortTransaction();
                }
                producer.beginTransaction();
                send(producer);
                producer.commitTransaction();
            }
        }
    }

    @Test
    void shouldGiveTheApplicationAnExclusiveAppenderAfterClientsHaveProduced() throws Exception {
        try (Running running = new Running(directory)) {
            Partition partition = create(running);
            try (KafkaProducer<byte[], byte[]> producer = running.rawProducer(Map.of())) {
                for (int i = 0; i < 10; i++) {
                    assertEquals(2L * i, send(producer).offset());
                    // The answer may arrive just before the request has ended here.
                    try (ExclusiveAppender appender = awaitAppender(partition)) {
                        assertEquals(2L * i + 1, appender.append(VALUE));
                    }
                }
            }
        }
    }

    private static ExclusiveAppender awaitAppender(Partition partition) {
        ExclusiveAppender[] opened = new ExclusiveAppender[1];
        Running.await(
                "the appender",
                () -> {
                    try {
                        opened[0] = partition.openExclusiveAppender();
                        return true;
                    } catch (BusyException e) {
                        return false;
                    }
                });
        return opened[0];
    }

    @Test
    void shouldSayThatTheServerHasTheAppenderWhileARequestIsInProgress() throws Exception {
        ObservedMedium medium = new ObservedMedium();
        Gate gate = new Gate();
        try (Running running = new Running(directory, Map.of(), Running.filesOn(medium))) {
            Partition partition = create(running);
            medium.beforeForce(gate);
            gate.shut();
            try (Wire wire = new Wire(running.server())) {
                wire.send(Asks.produceBytes(TOPIC, 0, Asks.ALL, Asks.batch(VALUE)));
                Running.await("the force to be stuck", () -> gate.held() > 0);
                BusyException e =
                        assertThrows(BusyException.class, () -> partition.openExclusiveAppender());
                assertTrue(e.getMessage().contains("FirnServer"), e::getMessage);
                gate.open();
                assertEquals(Errors.NONE.code(), Asks.produced(wire).errorCode());
                awaitAppender(partition).close();
            } finally {
                gate.open();
            }
        }
    }
}
