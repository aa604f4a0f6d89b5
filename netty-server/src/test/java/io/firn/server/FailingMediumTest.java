package io.firn.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.api.ObservedMedium;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Disks that are full or broken, as clients see them. */
class FailingMediumTest {
    private static final String TOPIC = "orders";
    private static final TopicPartition FIRST = new TopicPartition(TOPIC, 0);

    @TempDir Path directory;

    private static short produce(Wire wire, int partition, int bytes) throws IOException {
        return Asks.produced(wire, TOPIC, partition, Asks.ALL, Asks.batch(new byte[bytes]))
                .errorCode();
    }

    private static short fetch(Wire wire, int partition) throws IOException {
        var found = Asks.fetched(wire, TOPIC, partition, 0);
        assertTrue(found.records().sizeInBytes() > 0);
        return found.errorCode();
    }

    @Test
    void shouldRefuseWhatHasNoRoomAndGoOnWhereThereIs() throws Exception {
        try (Running running = new Running(directory, Map.of(), Running.filesOf(6 << 20));
                Wire wire = new Wire(running.server())) {
            running.createTopic(TOPIC, 2, Map.of());
            assertEquals(Errors.NONE.code(), produce(wire, 1, 1_000)); // it has its block now
            short error = Errors.NONE.code();
            for (int i = 0; i < 1_000 && error == Errors.NONE.code(); i++) {
                error = produce(wire, 0, 100_000);
            }
            assertEquals(Errors.KAFKA_STORAGE_ERROR.code(), error);
            assertEquals(Errors.KAFKA_STORAGE_ERROR.code(), produce(wire, 0, 100_000));
            assertEquals(Errors.NONE.code(), produce(wire, 1, 1_000));
            assertEquals(Errors.NONE.code(), fetch(wire, 0));

            // A client tries again for as long as it is told to, and room may come meanwhile.
            try (KafkaProducer<byte[], byte[]> producer = running.rawProducer(Map.of());
                    Admin admin = running.admin()) {
                Future<RecordMetadata> sent =
                        producer.send(new ProducerRecord<>(TOPIC, 0, null, new byte[100_000]));
                admin.deleteRecords(Map.of(FIRST, RecordsToDelete.beforeOffset(-1)))
                        .all()
                        .get(Running.HANGS_AFTER_S, TimeUnit.SECONDS);
                assertTrue(sent.get(Running.HANGS_AFTER_S, TimeUnit.SECONDS).offset() > 0);
            }
        }
    }

    @Test
    void shouldKeepTheSpaceFreeThatIsConfiguredAndAppendForTheApplication() throws Exception {
        String all = Long.toString(Long.MAX_VALUE);
        try (Logged log = new Logged("io.firn.server");
                Running running = new Running(directory, Map.of("firn.min.free.bytes", all))) {
            running.createTopic(TOPIC, 2, Map.of());
            try (Wire wire = new Wire(running.server())) {
                var refused = Asks.produced(wire, TOPIC, 0, Asks.ALL, Asks.batch(new byte[1_000]));
                Errors error = Errors.forCode(refused.errorCode());
                assertEquals(Errors.KAFKA_STORAGE_ERROR, error);
                assertInstanceOf(RetriableException.class, error.exception());
                assertTrue(
                        refused.errorMessage().contains("firn.min.free.bytes"),
                        refused.errorMessage());
                try (Appender appender =
                        running.store().openTopic(TOPIC).partition(0).openAppender()) {
                    appender.append(new byte[1_000]);
                }
                assertEquals(Errors.NONE.code(), fetch(wire, 0));
            }
            assertTrue(log.has("firn.min.free.bytes"));
            running.restart(Map.of("firn.min.free.bytes", "1"));
            try (Wire wire = new Wire(running.server())) {
                assertEquals(Errors.NONE.code(), produce(wire, 0, 1_000));
            }
        }
    }

    @Test
    void shouldRefuseToWriteWhereAForceFailedAndGoOnElsewhere() throws Exception {
        ObservedMedium medium = new ObservedMedium();
        try (Running running = new Running(directory, Map.of(), Running.filesOn(medium));
                Wire wire = new Wire(running.server())) {
            running.createTopic(TOPIC, 2, Map.of());
            assertEquals(Errors.NONE.code(), produce(wire, 0, 1_000));
            assertEquals(Errors.NONE.code(), produce(wire, 1, 1_000));
            medium.beforeForce(
                    file -> {
                        if (file.getParent().getFileName().toString().equals("0")) {
                            throw new IOException(file + ": Input/output error");
                        }
                    });
            assertEquals(Errors.KAFKA_STORAGE_ERROR.code(), produce(wire, 0, 1_000));
            medium.beforeForce(null); // what was lost stays lost, whatever later forces say
            assertEquals(Errors.KAFKA_STORAGE_ERROR.code(), produce(wire, 0, 1_000));
            assertEquals(Errors.NONE.code(), produce(wire, 1, 1_000));
            assertEquals(Errors.NONE.code(), fetch(wire, 0));
            assertEquals(1, Asks.fetched(wire, TOPIC, 0, 0).highWatermark());
            assertEquals(1, running.server().metrics().getPoisonedPartitions());

            medium.beforeForce(
                    file -> {
                        throw new IOException(file + ": Input/output error");
                    });
            wire.send(Asks.produceBytes(TOPIC, 1, (short) 0, Asks.batch(new byte[10])));
            Running.await(
                    "the other one to be poisoned, too",
                    () -> running.server().metrics().getPoisonedPartitions() == 2);
            wire.send(Asks.produceBytes(TOPIC, 1, (short) 0, Asks.batch(new byte[10])));
            assertTrue(wire.isClosedByServer()); // who does not listen can be told no other way
            medium.beforeForce(null);
        }
    }
}
