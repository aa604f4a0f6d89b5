package io.firn.shadow.lab;

import io.firn.LogStore;
import io.firn.file.FileTier;
import io.firn.kafka.Children;
import io.firn.kafka.KafkaCluster;
import io.firn.shadow.Shadow;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * How long a shadow takes for a topic, and how much processor time, in turns with a consumer that
 * writes nothing, and with a floor: as many bytes written to files without a source and without a
 * log ({@link WriteFloor}). Each in a process of its own. Arguments: a directory, MiB, turns.
 *
 * <p>Before each of them a file without content, as large as the free memory, is read. So each
 * finds what a machine has that has run for a while: memory that is full of cached files. Memory
 * that was never used costs a virtual machine up to three times as much as what is written to it,
 * and who comes first would pay.
 */
public final class CatchUp {
    private static final String TOPIC = "catch-up";
    private static final int PARTITIONS = 4;
    private static final int RECORD_BYTES = 1024;
    private static final long KEPT_FREE = 512L << 20;
    private static final List<String> WHO = List.of("consumer", "shadow", "floor");

    private CatchUp() {}

    /** Runs it; with one of {@link #WHO} first, one turn. */
    public static void main(String[] arguments) throws Exception {
        if (WHO.contains(arguments[0])) {
            turn(arguments);
        } else {
            run(
                    Path.of(arguments[0]),
                    Integer.parseInt(arguments[1]),
                    Integer.parseInt(arguments[2]));
        }
        System.exit(0);
    }

    private static void run(Path directory, int mib, int turns) throws Exception {
        try (KafkaCluster cluster =
                new KafkaCluster(
                        Files.createDirectories(directory.resolve("kafka")),
                        System.getProperty("firn.kafka.path"))) {
            cluster.serveAlone(TOPIC, PARTITIONS);
            fill(cluster, mib);
            System.out.println("MiB, seconds, MiB/s, processor seconds:");
            for (int i = 0; i < turns; i++) {
                for (String who : WHO) {
                    Path store = directory.resolve("store");
                    Path output = directory.resolve(who + "-" + i);
                    List<String> command = new ArrayList<>();
                    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
                    command.add("-Xmx512m");
                    command.add("-cp");
                    command.add(System.getProperty("java.class.path"));
                    command.add(CatchUp.class.getName());
                    command.addAll(
                            List.of(
                                    who,
                                    cluster.bootstrapServers(),
                                    store.toString(),
                                    Long.toString((long) mib << 10)));
                    useFreeMemory(directory.resolve("hole"));
                    Process process = Children.start(output, command);
                    if (process.waitFor() != 0) {
                        throw new IllegalStateException("see " + output);
                    }
                    for (String line : Files.readAllLines(output)) {
                        if (line.startsWith("| ")) {
                            System.out.println(line);
                        }
                    }
                    delete(store);
                }
            }
        }
    }

    private static void useFreeMemory(Path file) throws IOException {
        long free = 0;
        for (String line : Files.readAllLines(Path.of("/proc/meminfo"))) {
            if (line.startsWith("MemFree:")) {
                free = Long.parseLong(line.replaceAll("[^0-9]", "")) << 10;
            }
        }
        Files.deleteIfExists(file);
        try (FileChannel hole =
                FileChannel.open(
                        file,
                        StandardOpenOption.CREATE_NEW,
                        StandardOpenOption.WRITE,
                        StandardOpenOption.READ)) {
            long size = Math.max(1, free - KEPT_FREE);
            hole.write(ByteBuffer.allocate(1), size - 1);
            ByteBuffer buffer = ByteBuffer.allocateDirect(1 << 20);
            while (hole.read(buffer.clear()) > 0) {}
        }
    }

    private static void fill(KafkaCluster cluster, int mib) {
        Map<String, Object> settings = cluster.client();
        settings.put("batch.size", "131072");
        settings.put("linger.ms", "20");
        settings.put("acks", "1");
        settings.put("enable.idempotence", "false");
        byte[] value = new byte[RECORD_BYTES];
        new Random(1).nextBytes(value);
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(
                        settings, new ByteArraySerializer(), new ByteArraySerializer())) {
            for (long i = 0; i < (long) mib << 10; i++) {
                var unused =
                        producer.send(
                                new ProducerRecord<>(TOPIC, (int) (i % PARTITIONS), null, value));
            }
        }
    }

    private static void turn(String[] arguments) throws Exception {
        long startNs = System.nanoTime();
        long startCpuNs = processorNs();
        long records = Long.parseLong(arguments[3]);
        if (arguments[0].equals("consumer")) {
            consume(arguments[1], records);
        } else if (arguments[0].equals("floor")) {
            WriteFloor.write(Path.of(arguments[2]), PARTITIONS, records * RECORD_BYTES);
        } else {
            shadow(arguments[1], Path.of(arguments[2]), records);
        }
        double s = (System.nanoTime() - startNs) / 1e9;
        double mib = records / 1024.0;
        System.out.printf(
                Locale.ROOT,
                "| %s | %.0f | %.1f | %.0f | %.1f |%n",
                arguments[0],
                mib,
                s,
                mib / s,
                (processorNs() - startCpuNs) / 1e9);
    }

    private static long processorNs() {
        return ((com.sun.management.OperatingSystemMXBean)
                        ManagementFactory.getOperatingSystemMXBean())
                .getProcessCpuTime();
    }

    private static void consume(String bootstrapServers, long records) {
        Map<String, Object> settings = Map.of("bootstrap.servers", bootstrapServers);
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(
                        settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            List<TopicPartition> all = new ArrayList<>();
            for (int i = 0; i < PARTITIONS; i++) {
                all.add(new TopicPartition(TOPIC, i));
            }
            consumer.assign(all);
            consumer.seekToBeginning(all);
            long left = records;
            while (left > 0) {
                ConsumerRecords<byte[], byte[]> found = consumer.poll(Duration.ofSeconds(1));
                left -= found.count();
            }
        }
    }

    private static void shadow(String bootstrapServers, Path directory, long records)
            throws InterruptedException {
        Properties source = new Properties();
        source.setProperty("bootstrap.servers", bootstrapServers);
        try (LogStore store =
                        LogStore.at(directory)
                                .tier(FileTier.at(directory.resolve("segments")))
                                .open();
                Shadow shadow = Shadow.of(store, source).topics(TOPIC).start()) {
            long copied = 0;
            while (copied < records) {
                Thread.sleep(5);
                copied = 0;
                for (var each : shadow.snapshot().partitions()) {
                    copied += each.nextOffset();
                }
            }
        }
    }

    /** Deletes a directory, if there is one, and all in it. */
    static void delete(Path directory) throws IOException {
        if (!Files.exists(directory)) {
            return;
        }
        Files.walkFileTree(
                directory,
                new SimpleFileVisitor<>() {
                    @Override
                    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                            throws IOException {
                        Files.delete(file);
                        return FileVisitResult.CONTINUE;
                    }

                    @Override
                    public FileVisitResult postVisitDirectory(Path each, IOException failure)
                            throws IOException {
                        Files.delete(each);
                        return FileVisitResult.CONTINUE;
                    }
                });
    }
}
