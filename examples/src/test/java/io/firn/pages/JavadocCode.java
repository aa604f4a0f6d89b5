package io.firn.pages;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.firn.Appender;
import io.firn.Batch;
import io.firn.Claim;
import io.firn.Cursor;
import io.firn.ExclusiveAppender;
import io.firn.Finding;
import io.firn.LogRecord;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.RecordHandler.Action;
import io.firn.RecordId;
import io.firn.RetainUntilRead;
import io.firn.StoredRecord;
import io.firn.Tailer;
import io.firn.TailerLoop;
import io.firn.TailerOptions;
import io.firn.Topic;
import io.firn.TopicAppender;
import io.firn.TopicOptions;
import io.firn.Transaction;
import io.firn.bytes.BytesAppender;
import io.firn.bytes.BytesTailer;
import io.firn.bytes.TopicBytesAppender;
import io.firn.file.FileTier;
import io.firn.forward.Forward;
import io.firn.host.HostedStore;
import io.firn.junit.CrashableStore;
import io.firn.junit.FirnKafka;
import io.firn.junit.FirnKafkaServer;
import io.firn.junit.FirnStore;
import io.firn.migrator.MigrationPolicy;
import io.firn.migrator.Migrator;
import io.firn.migrator.MovePlan;
import io.firn.migrator.Policies;
import io.firn.pmem.Emulation;
import io.firn.pmem.PmemTier;
import io.firn.server.FirnServer;
import io.firn.server.config.ServerConfig;
import io.firn.shadow.Shadow;
import io.firn.spi.StorageTier;
import io.firn.stream.TailerPublisher;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.Flow.Subscriber;
import org.junit.jupiter.api.Test;

/**
 * The examples in the Javadoc of the libraries, so that they compile: JavadocTest compares both.
 */
@SuppressWarnings({"unused", "try", "resource", "ClassCanBeStatic"})
abstract class JavadocCode {
    private LogStore store;
    private Topic topic;
    private Topic accounts;
    private Partition partition;
    private Cursor cursor;
    private Appender appender;
    private Batch batch;
    private LogRecord record;
    private Path dir;
    private Subscriber<StoredRecord> subscriber;
    private byte[] k;
    private byte[] v;
    private byte[] key;
    private byte[] value;
    private byte[] other;
    private byte[] from;
    private byte[] to;
    private byte[] debit;
    private byte[] credit;
    private byte[] id;
    private long now;
    private int sequence;

    abstract void bill(ByteBuffer recordKey, ByteBuffer recordValue);

    abstract Action bill(LogRecord billed);

    abstract void alert(Finding.Kind kind, String text);

    void logStore() {
        try (LogStore store = LogStore.at(dir).tier(FileTier.at(dir.resolve("segments"))).open()) {
            Topic topic = store.ensureTopic("orders", TopicOptions.defaults());
            try (Appender appender = topic.partition(0).openAppender()) {
                appender.append("first".getBytes(UTF_8));
            }
            try (Tailer tailer = topic.openTailer()) {
                tailer.forEach(record -> System.out.println(record.offset()), 10);
            }
        }
    }

    void appender() {
        try (Appender appender = topic.partition(0).openAppender()) {
            long offset = appender.append(key, value);
            appender.append(appender.newBatch().add(key, value).add(key, other));
        }
    }

    void exclusiveAppender(long price) {
        try (ExclusiveAppender appender = partition.openExclusiveAppender()) {
            Claim claim = appender.claim(Long.BYTES);
            claim.buffer().putLong(0, price);
            claim.commit();
        }
    }

    void topicAppender() {
        try (TopicAppender appender = topic.openAppender()) {
            RecordId id = appender.append(key, value);
        }
    }

    void batch() {
        batch.clear().add(key, value).add(null, other);
        batch.key(k).value(v).header("trace", id).timestamp(now).add();
        appender.append(batch);
    }

    void tailer() {
        try (Tailer tailer = topic.openTailer(TailerOptions.at("billing"))) {
            int handled =
                    tailer.poll(
                            record -> {
                                bill(record.key(), record.value());
                                return Action.CONTINUE;
                            },
                            100,
                            Duration.ofSeconds(1));
        }
    }

    void tailerLoop() throws InterruptedException {
        Tailer tailer = topic.openTailer(TailerOptions.at("billing"));
        TailerLoop loop = TailerLoop.of(tailer).onError(error -> Action.RETRY);
        new Thread(() -> loop.run(this::bill)).start();
        loop.stop();
        loop.awaitEnd(Duration.ofSeconds(10));
    }

    void tailerPublisher() {
        TailerPublisher.of(() -> topic.openTailer(TailerOptions.at("billing")))
                .subscribe(subscriber);
    }

    void cursor() {
        Cursor billing = topic.cursor("billing");
        billing.commit(0, record.offset() + 1);
        billing.force();
    }

    void topicOptions() {
        TopicOptions options =
                TopicOptions.defaults()
                        .withRetentionAge(Duration.ofDays(7))
                        .withRetainUntilRead(
                                RetainUntilRead.by("billing").withLimitBytes(50L << 30));
        Topic topic = store.ensureTopic("orders", options);
    }

    void finding() {
        for (Finding finding : store.findings()) {
            alert(finding.kind(), finding.toString());
        }
    }

    void transaction() {
        try (Transaction tx = store.beginTransaction()) {
            tx.append(accounts, from, debit);
            tx.append(accounts, to, credit);
            tx.commitCursor(cursor, 0, record.offset() + 1);
            tx.commit();
        }
    }

    void hostedStore() {
        long id = HostedStore.of(store).newProducerId();
        batch.producer(id, 0, sequence);
    }

    void storageTier() {
        StorageTier tier = FileTier.at(dir.resolve("segments"));
        try (LogStore store = LogStore.at(dir).tier("ssd", tier).open()) {}
    }

    void fileTier() {
        StorageTier tier = FileTier.at(Path.of("/data/log"));
        StorageTier small = FileTier.at(Path.of("/data/log")).withCapacityBytes(10L << 30);
    }

    void pmemTier() {
        StorageTier tier = PmemTier.at(Path.of("/mnt/pmem/log"));
        StorageTier emulated =
                PmemTier.at(Path.of("/dev/shm/log"))
                        .withCapacityBytes(1L << 30)
                        .withEmulation(Emulation.PLAIN);
    }

    void migrator() {
        try (Migrator migrator =
                Migrator.of(store)
                        .policy(Policies.threshold(0.5))
                        .threads(2)
                        .bytesPerSecond(200_000_000)
                        .start()) {}
    }

    void migrationPolicy() {
        MigrationPolicy auditGoesDown =
                snapshot -> {
                    MovePlan plan = MovePlan.of(snapshot);
                    for (MovePlan.Candidate oldest : plan.candidatesIn("ssd")) {
                        if (oldest.partition().topic().startsWith("audit-")) {
                            plan.add(oldest, "hdd");
                        }
                    }
                    return plan.moves();
                };
    }

    void bytes(long id, double price, String symbol) {
        try (BytesAppender appender = BytesAppender.of(partition.openAppender())) {
            appender.write(b -> b.writeLong(id).writeDouble(price).writeUtf8(symbol));
        }
        try (TopicBytesAppender appender = TopicBytesAppender.of(topic.openAppender())) {
            appender.write(key, b -> b.writeLong(id).writeDouble(price).writeUtf8(symbol));
        }
        BytesTailer tailer = BytesTailer.of(partition.openTailer());
        tailer.read(
                b -> System.out.println(b.readLong() + " " + b.readDouble() + " " + b.readUtf8()));
    }

    void shadow() {
        Properties source = new Properties();
        source.put("bootstrap.servers", "broker1:9092,broker2:9092");
        try (LogStore store = LogStore.at(dir).tier(FileTier.at(dir.resolve("segments"))).open();
                Shadow shadow = Shadow.of(store, source).topics("orders").start()) {}
    }

    void forward() {
        Properties cluster = new Properties();
        cluster.put("bootstrap.servers", "broker1:9092,broker2:9092");
        Forward.Builder builder = Forward.from(store).to(cluster);
        try (Forward forward = builder.name("plant7").topic("orders", "plant7.orders").start()) {}
    }

    void firnServer() throws IOException {
        try (LogStore store = LogStore.at(dir).tier(FileTier.at(dir.resolve("segments"))).open();
                FirnServer server = FirnServer.of(store).port(0).start()) {
            System.out.println("bootstrap.servers=" + server.bootstrapServers());
        }
    }

    void serverConfig() throws IOException {
        ServerConfig config =
                ServerConfig.read(Path.of("server.properties"))
                        .with("listeners", "PLAINTEXT://127.0.0.1:9092");
        FirnServer server = FirnServer.of(store).config(config).start();
    }

    // ---- tests of an application

    private record Orders(String bootstrapServers) {
        void place(String order) {}
    }

    private record Outbox(LogStore store) {
        void add(String message) {}

        List<String> pending() {
            return List.of();
        }
    }

    void firnKafkaServer() throws Exception {
        try (FirnKafkaServer kafka = FirnKafkaServer.of().topic("orders", 3).start()) {
            new Orders(kafka.bootstrapServers()).place("book");
            assertEquals(1, kafka.records("orders").size());
        }
    }

    @FirnKafka(topics = "orders:3")
    class OrdersTest {
        @Test
        void shouldSendAnOrder(FirnKafkaServer kafka) {
            new Orders(kafka.bootstrapServers()).place("book");
            assertEquals("book", kafka.records("orders").get(0).valueAsString());
        }
    }

    @FirnStore
    class OutboxTest {
        @Test
        void shouldKeepWhatItAcknowledged(CrashableStore disk) {
            new Outbox(disk.store()).add("order 1");
            disk.powerCut();
            assertEquals(List.of("order 1"), new Outbox(disk.store()).pending());
        }
    }
}
