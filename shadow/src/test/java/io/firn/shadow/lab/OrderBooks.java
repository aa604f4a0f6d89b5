package io.firn.shadow.lab;

import io.firn.LogStore;
import io.firn.Tailer;
import io.firn.file.FileTier;
import io.firn.kafka.Children;
import io.firn.kafka.KafkaCluster;
import io.firn.pmem.Emulation;
import io.firn.pmem.PmemTier;
import io.firn.shadow.Shadow;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * How long an application takes at start to rebuild an order book (see the example {@code
 * ShadowedOrders}): from the cluster, from a shadow's copy in emulated persistent memory, and from
 * one in files, in turns, each in a process of its own. The time is that from the beginning of
 * {@code main} until the book is complete. Arguments: a directory, one in memory, orders, turns.
 */
public final class OrderBooks {
    private static final String TOPIC = "orders";
    private static final int ORDER_BYTES = 64;
    private static final List<String> FROM = List.of("cluster", "pmem", "files");

    private OrderBooks() {}

    /** Runs it; with one of {@link #FROM} first, one turn. */
    public static void main(String[] arguments) throws Exception {
        if (FROM.contains(arguments[0])) {
            rebuild(arguments);
        } else {
            run(
                    Path.of(arguments[0]),
                    Path.of(arguments[1]),
                    Long.parseLong(arguments[2]),
                    Integer.parseInt(arguments[3]));
        }
        System.exit(0);
    }

    private static void run(Path directory, Path memory, long orders, int turns) throws Exception {
        try (KafkaCluster cluster =
                new KafkaCluster(
                        Files.createDirectories(directory.resolve("kafka")),
                        System.getProperty("firn.kafka.path"))) {
            cluster.serveAlone(TOPIC, 1);
            placeOrders(cluster, orders);
            for (String where : List.of("pmem", "files")) {
                copy(cluster, where, where.equals("pmem") ? memory : directory, orders);
            }
            System.out.println("from, ms, processor ms, book:");
            for (int i = 0; i < turns; i++) {
                for (String from : FROM) {
                    Path output = directory.resolve(from + "-" + i);
                    List<String> command = new ArrayList<>();
                    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
                    command.add("-Xmx512m");
                    command.add("-cp");
                    command.add(System.getProperty("java.class.path"));
                    command.add(OrderBooks.class.getName());
                    command.add(from);
                    command.add(cluster.bootstrapServers());
                    command.add((from.equals("pmem") ? memory : directory).toString());
                    command.add(Long.toString(orders));
                    if (Children.start(output, command).waitFor() != 0) {
                        throw new IllegalStateException("see " + output);
                    }
                    for (String line : Files.readAllLines(output)) {
                        if (line.startsWith("| ")) {
                            System.out.println(line);
                        }
                    }
                }
            }
        }
    }

    private static void placeOrders(KafkaCluster cluster, long orders) {
        Map<String, Object> settings = cluster.client();
        settings.put("linger.ms", "20");
        settings.put("batch.size", "65536");
        Random random = new Random(7);
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(
                        settings, new ByteArraySerializer(), new ByteArraySerializer())) {
            for (long i = 0; i < orders; i++) {
                boolean isBid = random.nextBoolean();
                int price = isBid ? 9_000 + random.nextInt(1_000) : -10_001 - random.nextInt(1_000);
                ByteBuffer order = ByteBuffer.allocate(ORDER_BYTES).putInt(price);
                order.putInt(1 + random.nextInt(100));
                var unused = producer.send(new ProducerRecord<>(TOPIC, 0, null, order.array()));
            }
        }
    }

    private static LogStore open(String where, Path directory) {
        Path segments = directory.resolve("segments");
        return LogStore.at(directory.resolve("store"))
                .tier(
                        where.equals("pmem")
                                ? PmemTier.at(segments)
                                        .withEmulation(Emulation.PLAIN)
                                        .withCapacityBytes(2L << 30)
                                        .withPoolRatio(1)
                                : FileTier.at(segments))
                .open();
    }

    private static void copy(KafkaCluster cluster, String where, Path directory, long orders)
            throws Exception {
        Properties source = new Properties();
        source.setProperty("bootstrap.servers", cluster.bootstrapServers());
        try (LogStore store = open(where, directory);
                Shadow shadow = Shadow.of(store, source).topics(TOPIC).start()) {
            KafkaCluster.await(
                    "the copy",
                    () ->
                            shadow.snapshot().partitions().stream()
                                    .anyMatch(each -> each.nextOffset() == orders));
        }
    }

    private static void rebuild(String[] arguments) {
        long startNs = System.nanoTime();
        long startCpuNs = processorNs();
        long orders = Long.parseLong(arguments[3]);
        Book book = new Book();
        if (arguments[0].equals("cluster")) {
            rebuildFromCluster(arguments[1], orders, book);
        } else {
            try (LogStore store = open(arguments[0], Path.of(arguments[2]));
                    Tailer tailer = store.openTopic(TOPIC).openTailer()) {
                while (book.orders < orders) {
                    tailer.forEach(record -> book.take(record.value()), 1000);
                }
                print(arguments[0], startNs, startCpuNs, book);
            }
            return;
        }
        print(arguments[0], startNs, startCpuNs, book);
    }

    private static void rebuildFromCluster(String bootstrapServers, long orders, Book book) {
        TopicPartition partition = new TopicPartition(TOPIC, 0);
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(
                        Map.of(
                                "bootstrap.servers",
                                bootstrapServers,
                                "max.partition.fetch.bytes",
                                8 << 20,
                                "max.poll.records",
                                10_000),
                        new ByteArrayDeserializer(),
                        new ByteArrayDeserializer())) {
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            while (book.orders < orders) {
                for (var record : consumer.poll(Duration.ofSeconds(1))) {
                    book.take(ByteBuffer.wrap(record.value()));
                }
            }
        }
    }

    private static long processorNs() {
        return ((com.sun.management.OperatingSystemMXBean)
                        ManagementFactory.getOperatingSystemMXBean())
                .getProcessCpuTime();
    }

    private static void print(String from, long startNs, long startCpuNs, Book book) {
        System.out.printf(
                Locale.ROOT,
                "| %s | %.0f | %.0f | %s, %s |%n",
                from,
                (System.nanoTime() - startNs) / 1e6,
                (processorNs() - startCpuNs) / 1e6,
                book.bids.lastEntry(),
                book.asks.firstEntry());
    }

    /** Quantities by price. */
    private static final class Book {
        private final TreeMap<Integer, Integer> bids = new TreeMap<>();
        private final TreeMap<Integer, Integer> asks = new TreeMap<>();
        private long orders;

        /** An order is a price, negative to sell, and a quantity. */
        void take(ByteBuffer order) {
            int price = order.getInt(order.position());
            int quantity = order.getInt(order.position() + Integer.BYTES);
            (price > 0 ? bids : asks).merge(Math.abs(price), quantity, Integer::sum);
            orders++;
        }
    }
}
