package io.firn.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.sim.FirstRunOnly;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataRequestData.MetadataRequestTopic;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a client may have at most, of connections, of requests, and of memory. */
@FirstRunOnly
class LimitsTest {
    private static final String TOPIC = "orders";

    /** Far more than sockets have room for. */
    private static final int FETCHES = 100;

    @TempDir Path directory;
    private Running running;

    private void start(Map<String, String> settings) throws Exception {
        running = new Running(directory, settings);
        running.createTopic(TOPIC, 1, Map.of());
    }

    @AfterEach
    void stop() {
        running.close();
    }

    private long requests(ApiKeys key) {
        return running.server().metrics().getRequestsByApi().getOrDefault(key.name, 0L);
    }

    private long queuedBytes() {
        return running.server().metrics().getQueuedBytes();
    }

    private void produceOne() throws Exception {
        try (KafkaProducer<String, String> producer = running.producer(Map.of())) {
            producer.send(new ProducerRecord<>(TOPIC, "v"))
                    .get(Running.HANGS_AFTER_S, TimeUnit.SECONDS);
        }
    }

    private static byte[] fetchThatWaits() {
        FetchRequestData fetch = Asks.fetch(TOPIC, 0, 0, 1_000).setMaxWaitMs(600_000);
        return Wire.request(ApiKeys.FETCH, (short) Asks.FETCH, fetch);
    }

    @Test
    void shouldTakeOnlySoManyConnectionsFromOneAddress() throws Exception {
        start(Map.of("max.connections.per.ip", "3"));
        List<Wire> wires = new ArrayList<>();
        Running.await("the admin client to be gone", () -> connections() == 0);
        try {
            for (int i = 0; i < 3; i++) {
                wires.add(new Wire(running.server()));
            }
            Running.await("three connections", () -> connections() == 3);
            try (Wire tooMany = new Wire(running.server())) {
                assertTrue(tooMany.isClosedByServer());
            }
            wires.remove(0).close();
            Running.await("one to go", () -> connections() == 2);
            try (Wire again = new Wire(running.server())) {
                again.ask(
                        ApiKeys.METADATA,
                        12,
                        new MetadataRequestData(),
                        new MetadataResponseData());
            }
        } finally {
            for (Wire wire : wires) {
                wire.close();
            }
        }
    }

    private int connections() {
        return running.server().metrics().getConnections();
    }

    @Test
    void shouldReadOnlySoManyRequestsAheadOfTheirAnswersAndAnswerAllInTheEnd() throws Exception {
        start(Map.of("firn.max.requests.in.flight", "4"));
        try (Wire wire = new Wire(running.server());
                Wire other = new Wire(running.server())) {
            for (int i = 0; i < 10; i++) {
                wire.send(fetchThatWaits());
            }
            Running.await("four fetches", () -> requests(ApiKeys.FETCH) == 4);
            assertTrue(queuedBytes() > 0); // what waits counts
            other.ask(ApiKeys.METADATA, 12, new MetadataRequestData(), new MetadataResponseData());
            assertEquals(4, requests(ApiKeys.FETCH));
            produceOne();
            for (int i = 0; i < 10; i++) {
                FetchResponseData answer =
                        wire.receive(ApiKeys.FETCH, Asks.FETCH, new FetchResponseData());
                assertTrue(Asks.fetched(answer).records().sizeInBytes() > 0);
            }
            assertEquals(10, requests(ApiKeys.FETCH));
        }
        Running.await("all to be given back", () -> queuedBytes() == 0);
    }

    @Test
    void shouldNotReadOnWhileAClientDoesNotTakeWhatIsSentFromFiles() throws Exception {
        start(Map.of());
        try (Wire wire = new Wire(running.server())) {
            Asks.produced(wire, TOPIC, 0, Asks.ALL, Asks.batch(new byte[900_000]));
            for (int i = 0; i < FETCHES; i++) {
                wire.send(
                        Wire.request(
                                ApiKeys.FETCH,
                                (short) Asks.FETCH,
                                Asks.fetch(TOPIC, 0, 0, 1 << 20).setMaxBytes(1 << 20)));
            }
            Running.await("the socket to be full", () -> requests(ApiKeys.FETCH) > 1);
            long seen = -1;
            while (seen != requests(ApiKeys.FETCH)) {
                seen = requests(ApiKeys.FETCH);
                LockSupport.parkNanos(200_000_000); // a test that looks too early passes
            }
            assertTrue(seen < FETCHES / 2, seen + " of " + FETCHES + " were read");
            for (int i = 0; i < FETCHES; i++) {
                FetchResponseData answer =
                        wire.receive(ApiKeys.FETCH, Asks.FETCH, new FetchResponseData());
                assertTrue(Asks.fetched(answer).records().sizeInBytes() > 900_000);
            }
        }
    }

    /** Names of no letter are two bytes on the wire, and an object with a string in memory. */
    @Test
    void shouldEndAConnectionWhoseRequestIsFarLargerInMemoryThanOnTheWire() throws Exception {
        start(Map.of());
        for (int topics : List.of(300_000, 2_000_000)) {
            ByteBuffer request = ByteBuffer.allocate(14 + 2 * topics);
            request.putShort(ApiKeys.METADATA.id).putShort((short) 1).putInt(7);
            request.putShort((short) -1).putInt(topics);
            try (Wire wire = new Wire(running.server())) {
                wire.send(request.array());
                assertTrue(wire.isClosedByServer());
            }
        }
        MetadataRequestData large = new MetadataRequestData().setTopics(new ArrayList<>());
        for (int i = 0; i < 50_000; i++) {
            large.topics().add(new MetadataRequestTopic().setName("no-such-topic-" + i));
        }
        large.setAllowAutoTopicCreation(false);
        try (Wire wire = new Wire(running.server())) {
            MetadataResponseData answer =
                    wire.ask(ApiKeys.METADATA, 12, large, new MetadataResponseData());
            assertEquals(50_000, answer.topics().size());
        }
        Running.await("all to be given back", () -> queuedBytes() == 0);
    }

    /** Each waits for the memory of the others; with nobody to give way all would, for ever. */
    @Test
    void shouldBoundTheMemoryOfRequestsThatOnlyBeginToComeAndGoOn() throws Exception {
        int budget = 2_000_000;
        start(
                Map.of(
                        "queued.max.request.bytes", Integer.toString(budget),
                        "message.max.bytes", "900000",
                        "firn.write.stall.ms", "500"));
        byte[] large = Asks.produceBytes(TOPIC, 0, Asks.ALL, Asks.batch(new byte[800_000]));
        byte[] begin = java.util.Arrays.copyOf(Wire.framed(large), 790_000);
        int count = 40;
        List<Wire> begun = new ArrayList<>();
        AtomicLong most = new AtomicLong();
        try {
            for (int i = 0; i < count; i++) {
                Wire wire = new Wire(running.server());
                begun.add(wire);
                new Thread(() -> send(wire, begin)).start();
            }
            Running.await(
                    "some to be ended, so that others can go on",
                    () -> {
                        most.accumulateAndGet(queuedBytes(), Math::max);
                        return most.get() > budget && connections() < count / 2;
                    });
            // What each reads before it learns that others have used up the budget comes on top.
            assertTrue(most.get() < budget + count * 131_072L, most + " bytes");
            produceOne();
        } finally {
            for (Wire wire : begun) {
                wire.close();
            }
        }
        Running.await("all to be given back", () -> queuedBytes() == 0);
        try (Wire wire = new Wire(running.server())) {
            wire.send(large);
            assertEquals(0, Asks.produced(wire).errorCode());
        }
    }

    private static void send(Wire wire, byte[] bytes) {
        try {
            wire.sendRaw(bytes);
        } catch (java.io.IOException e) {
            return; // one that had to go
        }
    }
}
