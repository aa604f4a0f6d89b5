package users;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.firn.LogStore;
import io.firn.TopicOptions;
import io.firn.junit.CrashableStore;
import io.firn.junit.FirnKafka;
import io.firn.junit.FirnKafkaServer;
import io.firn.junit.FirnStore;
import io.firn.junit.ProducedRecord;
import io.netty.handler.ssl.SslContext;
import java.io.File;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.agrona.DirectBuffer;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** A test class of a user, on whatever versions of the libraries the user has. */
@FirnKafka(
        topics = {"orders:3", "copies"},
        bootstrapServersProperty = "orders.bootstrap")
@FirnStore
class ClientsTest {
    private static final AtomicReference<FirnKafkaServer> SERVER = new AtomicReference<>();

    private final String bootstrap = System.getProperty("orders.bootstrap");

    private KafkaProducer<String, String> producer(Map<String, Object> settings) {
        Map<String, Object> all = new HashMap<>(settings);
        all.put("bootstrap.servers", bootstrap);
        return new KafkaProducer<>(all, new StringSerializer(), new StringSerializer());
    }

    private KafkaConsumer<String, String> consumer(String group) {
        Map<String, Object> settings =
                Map.of(
                        "bootstrap.servers", bootstrap,
                        "group.id", group,
                        "isolation.level", "read_committed",
                        "auto.offset.reset", "earliest",
                        "enable.auto.commit", "false");
        return new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer());
    }

    private static List<ConsumerRecord<String, String>> read(
            KafkaConsumer<String, String> consumer, int count) {
        List<ConsumerRecord<String, String>> records = new ArrayList<>();
        long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (records.size() < count) {
            assertTrue(System.nanoTime() < end, () -> records.size() + " of " + count);
            consumer.poll(Duration.ofMillis(100)).forEach(records::add);
        }
        return records;
    }

    /** Else the others would prove nothing. */
    @Test
    void shouldHaveTheVersionsOfTheUser() throws Exception {
        Map<String, Class<?>> libraries =
                Map.of(
                        "kafka", KafkaProducer.class,
                        "netty", SslContext.class,
                        "agrona", DirectBuffer.class,
                        "jackson", ObjectMapper.class,
                        "junit", Test.class);
        libraries.forEach(
                (name, type) -> {
                    String jar = type.getProtectionDomain().getCodeSource().getLocation().getPath();
                    String version = System.getProperty(name + ".version");
                    assertTrue(jar.endsWith("-" + version + ".jar"), jar + ", not " + version);
                });
        new ObjectMapper().readTree("{}");
    }

    @Test
    void shouldProduceWithEachCodecAndConsumeInAGroup(FirnKafkaServer kafka) throws Exception {
        assertEquals(bootstrap, kafka.bootstrapServers());
        List<String> codecs = List.of("none", "gzip", "snappy", "lz4", "zstd");
        for (String codec : codecs) {
            try (KafkaProducer<String, String> producer =
                    producer(Map.of("compression.type", codec, "linger.ms", 5))) {
                for (int i = 0; i < 100; i++) {
                    producer.send(
                            new ProducerRecord<>("orders", "key " + i, codec + " ".repeat(200)));
                }
            }
        }
        assertEquals(500, kafka.records("orders").size());
        try (KafkaConsumer<String, String> consumer = consumer("readers")) {
            consumer.subscribe(List.of("orders"));
            assertEquals(500, read(consumer, 500).size());
            consumer.commitSync();
            Map<TopicPartition, OffsetAndMetadata> committed =
                    consumer.committed(consumer.assignment());
            assertEquals(
                    500, committed.values().stream().mapToLong(OffsetAndMetadata::offset).sum());
        }
    }

    @Test
    void shouldCopyInTransactions(FirnKafkaServer kafka) throws Exception {
        try (KafkaProducer<String, String> plain = producer(Map.of())) {
            plain.send(new ProducerRecord<>("orders", 0, "a", "1")).get();
        }
        try (KafkaConsumer<String, String> consumer = consumer("copiers");
                KafkaProducer<String, String> copier =
                        producer(Map.of("transactional.id", "copier"))) {
            consumer.subscribe(List.of("orders"));
            copier.initTransactions();
            List<ConsumerRecord<String, String>> read = read(consumer, 1);
            for (boolean commits : new boolean[] {false, true}) {
                copier.beginTransaction();
                copier.send(new ProducerRecord<>("copies", "copy of " + read.get(0).value()));
                copier.sendOffsetsToTransaction(
                        Map.of(new TopicPartition("orders", 0), new OffsetAndMetadata(1)),
                        consumer.groupMetadata());
                if (commits) {
                    copier.commitTransaction();
                } else {
                    copier.flush();
                    copier.abortTransaction();
                }
            }
        }
        List<ProducedRecord> copies = kafka.records("copies");
        assertEquals(1, copies.size());
        assertEquals("copy of 1", copies.get(0).valueAsString());
        try (KafkaConsumer<String, String> consumer = consumer("copiers")) {
            TopicPartition orders = new TopicPartition("orders", 0);
            assertEquals(1, consumer.committed(Set.of(orders)).get(orders).offset());
        }
    }

    @Test
    void shouldAdministrate(FirnKafkaServer kafka) throws Exception {
        SERVER.set(kafka);
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
            admin.createTopics(List.of(new NewTopic("more", 2, (short) 1))).all().get();
            assertEquals(Set.of("orders", "copies", "more"), admin.listTopics().names().get());
            assertEquals(1, admin.describeCluster().nodes().get().size());
            admin.deleteTopics(List.of("more")).all().get();
        }
        assertTrue(kafka.records("orders").isEmpty(), "of the tests before");
    }

    @Test
    void shouldKeepWhatWasForcedWhenThePowerIsCut(CrashableStore disk) {
        LogStore store = disk.store();
        store.createTopic("orders", TopicOptions.defaults());
        store.openTopic("orders").partition(0).openAppender().append("1 book".getBytes(UTF_8));
        assertEquals(1, disk.powerCut(7).openTopic("orders").partition(0).nextOffset());
    }

    /**
     * The class is not over yet: the exit code of the process shows whether the server was closed.
     */
    @AfterAll
    static void expectTheExtensionToDeleteTheDirectory() {
        File directory = SERVER.get().store().directory().toFile();
        assertTrue(directory.exists());
        Thread look =
                new Thread(
                        () -> {
                            if (directory.exists()) {
                                Runtime.getRuntime().halt(99);
                            }
                        });
        Runtime.getRuntime().addShutdownHook(look);
    }
}
