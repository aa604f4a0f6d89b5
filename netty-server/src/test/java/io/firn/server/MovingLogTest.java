package io.firn.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.LogStore.MoveOutcome;
import io.firn.StoreSnapshot.SegmentPlace;
import io.firn.file.FileTier;
import io.firn.sim.FirstRunOnly;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData.OffsetForLeaderPartition;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData.OffsetForLeaderTopic;
import org.apache.kafka.common.message.OffsetForLeaderEpochResponseData;
import org.apache.kafka.common.message.OffsetForLeaderEpochResponseData.EpochEndOffset;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Clients of a partition whose segments roll, move to another tier, and go. */
@FirstRunOnly
class MovingLogTest {
    private static final String TOPIC = "orders";
    private static final TopicPartition PARTITION = new TopicPartition(TOPIC, 0);
    private static final int VALUE_BYTES = 30_000;

    @TempDir Path directory;
    private Running running;

    @BeforeEach
    void start() throws Exception {
        running =
                new Running(
                        directory,
                        Map.of("log.segment.bytes", "131072"),
                        where ->
                                List.of(
                                        FileTier.at(where.resolve("hot")),
                                        FileTier.at(where.resolve("cold"))));
        running.createTopic(TOPIC, 1, Map.of());
    }

    @AfterEach
    void stop() {
        running.close();
    }

    private static byte[] value(long offset) {
        byte[] value = new byte[VALUE_BYTES];
        new Random(offset).nextBytes(value);
        return value;
    }

    /** Four make a segment. */
    private void produce(int count) throws Exception {
        long from = running.store().openTopic(TOPIC).partition(0).nextOffset();
        try (KafkaProducer<byte[], byte[]> producer = running.rawProducer(Map.of())) {
            for (long i = from; i < from + count; i++) {
                producer.send(new ProducerRecord<>(TOPIC, value(i)))
                        .get(Running.HANGS_AFTER_S, TimeUnit.SECONDS);
            }
        }
    }

    private List<SegmentPlace> segments() {
        return running.store().snapshot().partitions().get(0).segments();
    }

    /** Moves what is sealed down, and returns how much it was. */
    private int migrate() {
        int moved = 0;
        List<SegmentPlace> all = segments();
        for (SegmentPlace each : all.subList(0, all.size() - 1)) {
            if (each.tier().equals("tier-0")) {
                Running.await(
                        each + " to move",
                        () ->
                                running.store().migrate(TOPIC, 0, each.baseOffset(), "tier-1")
                                        == MoveOutcome.MOVED);
                moved++;
            }
        }
        return moved;
    }

    private void awaitHotSegments(int count) {
        Running.await(
                "the hot tier to have " + count + " segments and no remains",
                () -> {
                    var hot = running.store().metrics().tiers().get(0);
                    // The one that is written to, and perhaps one that is set aside.
                    return hot.segments() == count && hot.usedBytes() <= (count + 1) * 140_000L;
                });
    }

    private long requests(ApiKeys key) {
        return running.server().metrics().getRequestsByApi().getOrDefault(key.name, 0L);
    }

    @Test
    void shouldTakeCommitsWhileSegmentsRollWithoutBeingAskedForAnEpoch() throws Exception {
        int count = 200;
        try (KafkaConsumer<byte[], byte[]> consumer =
                running.rawConsumer(
                        Map.of(
                                "group.id",
                                "readers",
                                "max.poll.records",
                                2,
                                "enable.auto.commit",
                                false))) {
            consumer.subscribe(List.of(TOPIC));
            int read = 0;
            for (int produced = 0; produced < count; produced += 20) {
                produce(20);
                for (int until = read + 20; read < until; ) {
                    int found = Running.readSome(consumer).size();
                    read += found;
                    consumer.commitSync();
                }
            }
            assertEquals(
                    count, consumer.committed(java.util.Set.of(PARTITION)).get(PARTITION).offset());
        }
        assertTrue(segments().size() > 40, segments().size() + " segments");
        assertEquals(0, requests(ApiKeys.OFFSET_FOR_LEADER_EPOCH));
    }

    @Test
    void shouldKeepAnIdleConsumerWaitingThroughAMigrationAndServeItAfterwards() throws Exception {
        produce(20);
        try (KafkaConsumer<byte[], byte[]> consumer =
                running.rawConsumer(Map.of("fetch.max.wait.ms", 3_000))) {
            consumer.assign(List.of(PARTITION));
            assertEquals(20, Running.read(consumer, 20).size());
            consumer.poll(Duration.ofMillis(20)); // its fetch waits now, and pins nothing
            int sealed = migrate();
            assertTrue(sealed >= 4, sealed + " segments moved");
            awaitHotSegments(1);
            produce(1);
            assertArrayEquals(value(20), Running.read(consumer, 1).get(0).value());
            consumer.seekToBeginning(List.of(PARTITION));
            for (ConsumerRecord<byte[], byte[]> each : Running.read(consumer, 21)) {
                assertArrayEquals(value(each.offset()), each.value());
            }
        }
    }

    /** What a socket has not taken yet stays where it is, whatever becomes of its segment. */
    @Test
    void shouldLetALogRollMoveAndEndUnderAClientThatStopsReading() throws Exception {
        produce(400); // 12 MB
        int answers = 30;
        try (Wire lazy = new Wire(running.server())) {
            for (int i = 0; i < answers; i++) {
                lazy.send(
                        Wire.request(
                                ApiKeys.FETCH,
                                (short) Asks.FETCH,
                                Asks.fetch(TOPIC, 0, i * 10L, 4 << 20)));
            }
            Running.await("an answer that is on its way", () -> requests(ApiKeys.FETCH) >= 2);
            produce(20); // rolls
            assertTrue(migrate() > 90);
            try (var admin = running.admin()) {
                admin.deleteRecords(
                                Map.of(
                                        PARTITION,
                                        org.apache.kafka.clients.admin.RecordsToDelete.beforeOffset(
                                                300)))
                        .all()
                        .get(Running.HANGS_AFTER_S, TimeUnit.SECONDS);
            }
            produce(20);
            int whole = 0;
            for (int i = 0; i < answers; i++) {
                PartitionData found =
                        Asks.fetched(
                                lazy.receive(ApiKeys.FETCH, Asks.FETCH, new FetchResponseData()));
                whole += check(found, i * 10L);
            }
            assertTrue(whole > 30, whole + " batches came before the log was cut");
        }
        migrate();
        awaitHotSegments(1); // nothing holds what it took any more
    }

    /** Batches of an answer, each as it was produced. */
    private static int check(PartitionData found, long from) {
        int batches = 0;
        ByteBuffer bytes = ((MemoryRecords) found.records()).buffer();
        for (RecordBatch batch : MemoryRecords.readableRecords(bytes).batches()) {
            batch.ensureValid();
            assertEquals(from + batches, batch.baseOffset());
            batch.forEach(
                    record -> {
                        byte[] value = new byte[record.valueSize()];
                        record.value().get(value);
                        assertArrayEquals(value(record.offset()), value);
                    });
            batches++;
        }
        return batches;
    }

    @Test
    void shouldSayWhereAnEpochEndsToAClientThatAsks() throws Exception {
        produce(12);
        running.restart();
        produce(8);
        int[] epochs = new int[20];
        try (Wire wire = new Wire(running.server())) {
            for (int i = 0; i < 20; i++) {
                PartitionData found = Asks.fetched(wire, TOPIC, 0, i);
                epochs[i] =
                        MemoryRecords.readableRecords(((MemoryRecords) found.records()).buffer())
                                .batches()
                                .iterator()
                                .next()
                                .partitionLeaderEpoch();
            }
            assertTrue(epochs[19] > epochs[11] && epochs[11] > epochs[0], "an epoch per segment");
            for (int i = 0; i < 20; i++) {
                long end = i + 1L;
                while (end < 20 && epochs[(int) end] == epochs[i]) {
                    end++;
                }
                EpochEndOffset found = ask(wire, epochs[i]);
                assertEquals(epochs[i], found.leaderEpoch());
                assertEquals(end, found.endOffset());
            }
            assertEquals(epochs[19], ask(wire, Integer.MAX_VALUE).leaderEpoch());
            assertEquals(20, ask(wire, Integer.MAX_VALUE).endOffset());
            EpochEndOffset before = ask(wire, epochs[0] - 1);
            assertEquals(
                    epochs[0] - 1, before.leaderEpoch()); // older than all: where the log begins
            assertEquals(0, before.endOffset());
        }
    }

    private static EpochEndOffset ask(Wire wire, int epoch) throws java.io.IOException {
        OffsetForLeaderEpochRequestData request = new OffsetForLeaderEpochRequestData();
        request.topics()
                .add(
                        new OffsetForLeaderTopic()
                                .setTopic(TOPIC)
                                .setPartitions(
                                        List.of(
                                                new OffsetForLeaderPartition()
                                                        .setPartition(0)
                                                        .setLeaderEpoch(epoch))));
        return wire.ask(
                        ApiKeys.OFFSET_FOR_LEADER_EPOCH,
                        4,
                        request,
                        new OffsetForLeaderEpochResponseData())
                .topics()
                .iterator()
                .next()
                .partitions()
                .get(0);
    }
}
