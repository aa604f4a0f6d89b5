package io.firn.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.api.Gate;
import io.firn.api.ObservedMedium;
import io.firn.host.HostedStore;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What clients see between a write and its force, which hangs here until a gate opens. */
class StuckForceTest {
    private static final String TOPIC = "orders";
    private static final int A_WHILE_MS = 300;

    @TempDir Path directory;
    private final ObservedMedium medium = new ObservedMedium();
    private final Gate gate = new Gate();
    private Running running;

    @BeforeEach
    void start() throws Exception {
        running =
                new Running(directory, Map.of("num.network.threads", "1"), Running.filesOn(medium));
        running.createTopic(TOPIC, 1, Map.of());
        medium.beforeForce(gate);
    }

    @AfterEach
    void stop() {
        gate.open();
        running.close();
    }

    private void awaitStuck() {
        Running.await("the force to be stuck", () -> gate.held() > 0);
    }

    @Test
    void shouldHoldTheAnswerToADuplicateBackUntilTheFirstOneIsDurable() throws Exception {
        long producerId = HostedStore.of(running.store()).newProducerId();
        MemoryRecords batch = Asks.batch(producerId, 0, new byte[100], new byte[100]);
        gate.shut();
        try (Wire first = new Wire(running.server());
                Wire second = new Wire(running.server());
                Wire other = new Wire(running.server())) {
            first.send(Asks.produceBytes(TOPIC, 0, Asks.ALL, batch));
            awaitStuck();
            second.send(Asks.produceBytes(TOPIC, 0, Asks.ALL, batch));
            other.askTwice();
            assertTrue(second.isSilentFor(1));
            gate.open();
            for (Wire each : List.of(first, second)) {
                PartitionProduceResponse answer = Asks.produced(each);
                assertEquals(Errors.NONE.code(), answer.errorCode());
                assertEquals(0, answer.baseOffset());
            }
            assertEquals(2, running.store().openTopic(TOPIC).partition(0).nextOffset());
        }
    }

    @Test
    void shouldSayThatTheThreadOfTheForceStandsStillAndNoOther() throws Exception {
        gate.shut();
        try (Wire wire = new Wire(running.server())) {
            wire.send(Asks.produceBytes(TOPIC, 0, Asks.ALL, Asks.batch(new byte[100])));
            awaitStuck();
            int longMs = 4 * A_WHILE_MS;
            Running.await("it to be still", () -> stillMs("firn-force") > longMs);
            for (String each : List.of("firn-net-1", "firn-accept-1", "firn-tidy")) {
                Running.await(each + " to move", () -> stillMs(each) < longMs);
            }
            gate.open();
            Running.await("the end of the force", () -> stillMs("firn-force") < longMs);
        }
    }

    private long stillMs(String thread) {
        return running.server().metrics().getThreadsStillMs().get(thread);
    }

    @Test
    void shouldAnswerWhatIsUnderWayBeforeItEnds() throws Exception {
        gate.shut();
        try (Wire before = new Wire(running.server());
                Wire wire = new Wire(running.server());
                Wire after = new Wire(running.server())) {
            before.askTwice();
            after.askTwice();
            wire.send(Asks.produceBytes(TOPIC, 0, Asks.ALL, Asks.batch(new byte[100])));
            awaitStuck();
            Thread stops = new Thread(running.server()::close, "stops");
            stops.start();
            Running.await("it to let nobody in", () -> !isListening());
            assertTrue(before.isClosedByServer()); // there is nothing to wait for
            assertTrue(after.isClosedByServer());
            assertTrue(wire.isSilentFor(1));
            gate.open();
            assertEquals(Errors.NONE.code(), Asks.produced(wire).errorCode());
            assertTrue(wire.isClosedByServer());
            stops.join(TimeUnit.SECONDS.toMillis(Running.HANGS_AFTER_S));
        }
        assertEquals(1, running.store().openTopic(TOPIC).partition(0).durableOffset());
    }

    private boolean isListening() {
        try {
            new Wire(running.server()).close();
            return true;
        } catch (java.io.IOException e) {
            return false;
        }
    }

    @Test
    void shouldShowAnUnforcedRecordToNobodyAndCallItsOffsetNoError() throws Exception {
        gate.shut();
        TopicPartition partition = new TopicPartition(TOPIC, 0);
        try (KafkaProducer<String, String> producer =
                        running.producer(Map.of("acks", "1", "enable.idempotence", false));
                KafkaConsumer<String, String> consumer =
                        running.consumer(Map.of("auto.offset.reset", "none"))) {
            long offset =
                    producer.send(new ProducerRecord<>(TOPIC, "v0"))
                            .get(Running.HANGS_AFTER_S, TimeUnit.SECONDS)
                            .offset();
            awaitStuck();
            consumer.assign(List.of(partition));
            for (long to = offset; to <= offset + 1; to++) {
                consumer.seek(partition, to); // an offset out of range would throw from poll
                assertEquals(0, consumer.poll(Duration.ofMillis(A_WHILE_MS)).count());
            }
            assertEquals(0, consumer.endOffsets(List.of(partition)).get(partition));
            try (Wire wire = new Wire(running.server())) {
                PartitionData between = Asks.fetched(wire, TOPIC, 0, offset + 1);
                assertEquals(Errors.NONE.code(), between.errorCode());
                assertEquals(0, between.highWatermark());
                PartitionData beyond = Asks.fetched(wire, TOPIC, 0, offset + 2);
                assertEquals(Errors.OFFSET_OUT_OF_RANGE.code(), beyond.errorCode());
            }
            consumer.seek(partition, offset);
            gate.open();
            ConsumerRecord<String, String> read = Running.read(consumer, 1).get(0);
            assertEquals("v0", read.value());
            assertEquals(offset, read.offset());
        }
    }
}
