package io.firn.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.InvalidOptionException;
import io.firn.StoreMetrics.TierMetrics;
import io.firn.StoreOpenException;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.UnreadableTopicException;
import io.firn.host.HostedStore;
import io.firn.host.TransactionCoordinator;
import io.firn.server.config.ServerConfig;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import javax.management.JMException;
import javax.management.JMX;
import javax.management.ObjectName;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** From a properties file to tiers, and what moves between them. */
class StorageTest {
    @TempDir Path directory;

    /** Pafka's sample, in directories of ours, and smaller. */
    private Map<String, String> pafkasSample(long pmemBytes) {
        return new HashMap<>(
                Map.of(
                        "log.dirs",
                        directory.resolve("log").toString(),
                        "storage.pmem.path",
                        directory.resolve("pmem").toString(),
                        "storage.pmem.size",
                        Long.toString(pmemBytes),
                        "storage.hdd.path",
                        directory.resolve("hdd").toString(),
                        "log.pmem.pool.ratio",
                        "0.8",
                        "log.channel.type",
                        "mix",
                        "log.preallocate",
                        "true",
                        "storage.pmem.emulate",
                        "true"));
    }

    private static List<String> tiersOf(Map<String, String> settings) {
        try (Storage storage = Storage.open(ServerConfig.of(settings))) {
            return storage.store().metrics().tiers().stream()
                    .map(tier -> tier.name().substring(0, 4))
                    .toList();
        }
    }

    private Map<String, String> tiers(String tiers) {
        return Map.of("log.dir", directory.toString(), "storage.tiers", tiers);
    }

    @Test
    void shouldOpenPafkasMixOfPersistentMemoryAndDisk() {
        Map<String, String> sample = pafkasSample(300_000_000);
        assertEquals(List.of("pmem", "file"), tiersOf(sample));
        assertEquals(List.of("pmem", "file"), tiersOf(sample));
    }

    @Test
    void shouldOpenAnyNumberOfTiers() {
        String three =
                String.join(
                        ",",
                        "file:" + directory.resolve("a") + "@5000000",
                        "file:" + directory.resolve("b@home"),
                        "file:" + directory.resolve("c"));
        try (Storage storage = Storage.open(ServerConfig.of(tiers(three)))) {
            assertEquals(
                    List.of(OptionalLong.of(5_000_000), OptionalLong.empty(), OptionalLong.empty()),
                    storage.store().metrics().tiers().stream()
                            .map(TierMetrics::capacityBytes)
                            .toList());
        }
        assertTrue(Files.isDirectory(directory.resolve("b@home")));
        for (String wrong : List.of("tape:/x", "file", "file:")) {
            assertThrows(InvalidOptionException.class, () -> tiersOf(tiers(wrong)), wrong);
        }
    }

    @Test
    void shouldKnowWhereItsTiersOfFilesAre() {
        Map<String, String> sample = pafkasSample(300_000_000);
        Path cold = directory.resolve("hdd").resolve("segments");
        assertEquals(List.of(cold), Storage.fileTiers(ServerConfig.of(sample)));
        sample.put("log.channel.type", "pmem");
        assertEquals(List.of(), Storage.fileTiers(ServerConfig.of(sample)));
        Path usual = directory.resolve("segments");
        Map<String, String> one = Map.of("log.dir", directory.toString());
        assertEquals(List.of(usual), Storage.fileTiers(ServerConfig.of(one)));
        Map<String, String> named = tiers("pmem:/a,file:/b@5000000,file:/c@d");
        assertEquals(
                List.of(Path.of("/b"), Path.of("/c@d")), Storage.fileTiers(ServerConfig.of(named)));
    }

    @Test
    void shouldRefuseALinkInPlaceOfADirectoryThatNobodyHasNamed() throws IOException {
        Map<String, String> settings = new HashMap<>(pafkasSample(300_000_000));
        tiersOf(settings);
        for (String name : List.of("log/firn", "hdd/segments", "pmem/firn-pool")) {
            Path link = directory.resolve(name);
            Path elsewhere = Files.move(link, directory.resolve("elsewhere"));
            Files.createSymbolicLink(link, elsewhere);
            String refusal =
                    assertThrows(StoreOpenException.class, () -> tiersOf(settings)).getMessage();
            assertTrue(refusal.startsWith(link + ": is a symbolic link"), refusal);
            settings.put("storage.allow.linked.directories", "true");
            assertEquals(List.of("pmem", "file"), tiersOf(settings));
            settings.remove("storage.allow.linked.directories");
            Files.delete(link);
            Files.move(elsewhere, link);
        }
    }

    @Test
    void shouldForgetProducersThatWereIdleForAsLongAsConfigured() {
        Map<String, String> settings = new HashMap<>(Map.of("log.dir", directory.toString()));
        try (Storage storage = Storage.open(ServerConfig.of(settings))) {
            HostedStore.of(storage.store())
                    .transactions()
                    .open("idle", Duration.ofSeconds(1), null);
        }
        settings.put("transactional.id.expiration.ms", "1");
        try (Storage storage = Storage.open(ServerConfig.of(settings))) {
            TransactionCoordinator producers = HostedStore.of(storage.store()).transactions();
            // It looks when it has begun.
            Running.await("the producer to be forgotten", () -> producers.find("idle") == null);
        }
    }

    @Test
    void shouldCreateTopicsBesideUnreadableOnesWhenConfigured() throws IOException {
        Map<String, String> settings = new HashMap<>(Map.of("log.dir", directory.toString()));
        Path file;
        try (Storage storage = Storage.open(ServerConfig.of(settings))) {
            Topic topic = storage.store().createTopic("t", TopicOptions.defaults());
            file =
                    storage.store()
                            .directory()
                            .resolve("topics")
                            .resolve(topic.id().toString())
                            .resolve("topic");
        }
        Files.writeString(file, "firn topic 1");
        try (Storage storage = Storage.open(ServerConfig.of(settings))) {
            assertThrows(
                    UnreadableTopicException.class,
                    () -> storage.store().createTopic("u", TopicOptions.defaults()));
        }
        settings.put("firn.create.topics.beside.unreadable", "true");
        try (Storage storage = Storage.open(ServerConfig.of(settings))) {
            storage.store().createTopic("u", TopicOptions.defaults());
            assertEquals(List.of("u"), storage.store().topicNames());
        }
    }

    @Test
    void shouldRefuseAThresholdThatIsNoPart() {
        for (String wrong : List.of("1.5", "-0.5")) {
            Map<String, String> sample = pafkasSample(300_000_000);
            sample.put("storage.migrate.threshold", wrong);
            assertThrows(InvalidOptionException.class, () -> tiersOf(sample), wrong);
        }
        assertFalse(Files.exists(directory.resolve("log")), "it was opened all the same");
    }

    @Test
    void shouldMoveSegmentsAboveTheThresholdAndServeThemFromWhereTheyAre() throws Exception {
        Map<String, String> sample = pafkasSample(40_000_000); // of which 0.8: 15 blocks or so
        sample.put("storage.pmem.block.size", Integer.toString(2 << 20));
        sample.put("storage.migrate.threshold", "0.5");
        sample.put("storage.migrate.threads", "2");
        sample.put("log.segment.bytes", Integer.toString(1 << 20));
        try (Storage storage = Storage.open(ServerConfig.of(sample));
                FirnServer server =
                        FirnServer.of(storage.store())
                                .config(ServerConfig.of(sample))
                                .port(0)
                                .start()) {
            Map<String, Object> client = Map.of("bootstrap.servers", server.bootstrapServers());
            int count = 200;
            try (KafkaProducer<byte[], byte[]> producer =
                    new KafkaProducer<>(
                            client, new ByteArraySerializer(), new ByteArraySerializer())) {
                List<Future<RecordMetadata>> sent = new ArrayList<>();
                for (int i = 0; i < count; i++) {
                    sent.add(producer.send(new ProducerRecord<>("snow", value(i))));
                }
                for (Future<RecordMetadata> each : sent) {
                    each.get(Running.HANGS_AFTER_S, TimeUnit.SECONDS);
                }
            }
            Running.await(
                    "half of the persistent memory to be free",
                    () -> {
                        TierMetrics hot = storage.store().metrics().tiers().get(0);
                        return hot.movedDownBytes() > 0
                                && hot.usedBytes() <= hot.capacityBytes().orElseThrow() / 2;
                    });
            MigratorMetricsMXBean migrator = migrator(storage);
            Running.await("the count of moves", () -> migrator.getMovedDown() > 0);
            try (KafkaConsumer<byte[], byte[]> consumer =
                    new KafkaConsumer<>(
                            client, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
                TopicPartition partition = new TopicPartition("snow", 0);
                consumer.assign(List.of(partition));
                consumer.seekToBeginning(List.of(partition));
                List<ConsumerRecord<byte[], byte[]>> records = Running.read(consumer, count);
                for (int i = 0; i < count; i++) {
                    assertArrayEquals(value(i), records.get(i).value(), "record " + i);
                }
            }
        }
    }

    @Test
    void shouldMoveNothingWhenMigrationIsOff() throws JMException {
        Map<String, String> sample = pafkasSample(300_000_000);
        sample.put("storage.migrate.threshold", "-1");
        try (Storage storage = Storage.open(ServerConfig.of(sample))) {
            assertFalse(migrator(storage).isRunning());
        }
    }

    @Test
    void shouldDrainATierOverJmxAndContinueAfterARestart() throws JMException {
        String hot = "file:" + directory.resolve("hot");
        String cold = "file:" + directory.resolve("cold");
        try (Storage storage = Storage.open(ServerConfig.of(tiers(hot + "," + cold + "@70000")))) {
            TopicOptions small =
                    TopicOptions.defaults().withSegmentBytes(65_536).withMaxRecordBytes(20_000);
            Topic topic = storage.store().createTopic("t", small);
            try (Appender appender = topic.partition(0).openAppender()) {
                for (int i = 0; i < 20; i++) {
                    appender.append(new byte[10_000]);
                }
            }
            TiersMXBean beans = bean(storage, "Tiers", TiersMXBean.class);
            assertEquals(Map.of("tier-0", "NONE", "tier-1", "NONE"), beans.getDrains());
            assertThrows(RuntimeException.class, () -> beans.drain("tape"));
            beans.drain("tier-0");
            Running.await(
                    "the reason why it waits",
                    () -> beans.getDrains().get("tier-0").contains("no other tier has room"));
        }
        try (Storage storage = Storage.open(ServerConfig.of(tiers(hot + "," + cold)))) {
            TiersMXBean beans = bean(storage, "Tiers", TiersMXBean.class);
            Running.await("the drain", () -> beans.getDrains().get("tier-0").equals("DONE"));
            beans.cancelDrain("tier-0");
            assertEquals("NONE", beans.getDrains().get("tier-0"));
            beans.drain("tier-0");
            Running.await("the drain", () -> beans.getDrains().get("tier-0").equals("DONE"));
        }
        try (Storage storage = Storage.open(ServerConfig.of(tiers(cold)))) {
            assertEquals(20, storage.store().openTopic("t").partition(0).nextOffset());
        }
    }

    private static MigratorMetricsMXBean migrator(Storage storage) throws JMException {
        return bean(storage, "Migrator", MigratorMetricsMXBean.class);
    }

    private static <T> T bean(Storage storage, String type, Class<T> kind) throws JMException {
        String directory = ObjectName.quote(storage.store().directory().toString());
        return JMX.newMXBeanProxy(
                ManagementFactory.getPlatformMBeanServer(),
                new ObjectName("io.firn:type=" + type + ",name=" + directory),
                kind);
    }

    private static byte[] value(int number) {
        byte[] value = new byte[65_536];
        new Random(number).nextBytes(value);
        return ByteBuffer.wrap(value).putInt(number).array();
    }
}
