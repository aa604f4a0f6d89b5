package io.firn.forward.lab;

import com.sun.management.OperatingSystemMXBean;
import io.firn.Appender;
import io.firn.Batch;
import io.firn.LogStore;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.forward.Forward;
import io.firn.kafka.KafkaCluster;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * The processor time of Forward for a record, in turns with Kafka's producer alone, which sends the
 * same values from memory. The first turn of each is not counted. Arguments: a directory, records
 * of a turn, turns.
 */
public final class ForwardCost {
    private static final String SOURCE = "cost";
    private static final String TARGET = "forward-cost";
    private static final int PARTITIONS = 4;
    private static final int RECORD_BYTES = 1024;
    private static final int BATCH = 100;

    private final OperatingSystemMXBean system =
            ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    private final byte[] value = new byte[RECORD_BYTES];
    private final int records;
    private final int turns;

    private ForwardCost(int records, int turns) {
        this.records = records;
        this.turns = turns;
        new Random(1).nextBytes(value);
    }

    /** Runs it. */
    public static void main(String[] arguments) throws Exception {
        Path directory = Path.of(arguments[0]);
        new ForwardCost(Integer.parseInt(arguments[1]), Integer.parseInt(arguments[2]))
                .run(directory);
        System.exit(0);
    }

    private void run(Path directory) throws Exception {
        try (KafkaCluster cluster =
                        new KafkaCluster(
                                Files.createDirectories(directory.resolve("kafka")),
                                System.getProperty("firn.kafka.path"));
                LogStore store = ForwardChild.open(directory.resolve("store"))) {
            cluster.serveAlone(TARGET, PARTITIONS);
            fill(store);
            System.out.println("turn, microseconds of processor for a record: producer, Forward");
            for (int i = 0; i <= turns; i++) {
                long startNs = system.getProcessCpuTime();
                produce(cluster);
                long producedNs = system.getProcessCpuTime();
                forward(cluster, store, "turn" + i);
                long forwardedNs = system.getProcessCpuTime();
                System.out.printf(
                        "%d, %.2f, %.2f%n",
                        i,
                        (producedNs - startNs) / 1e3 / records,
                        (forwardedNs - producedNs) / 1e3 / records);
            }
        }
    }

    private void fill(LogStore store) {
        Topic topic = store.createTopic(SOURCE, TopicOptions.defaults().withPartitions(PARTITIONS));
        for (int partition = 0; partition < PARTITIONS; partition++) {
            try (Appender appender = topic.partition(partition).openAppender()) {
                for (int i = 0; i < records / PARTITIONS; i += BATCH) {
                    Batch batch = topic.newBatch();
                    for (int j = 0; j < BATCH; j++) {
                        batch.add(null, value);
                    }
                    appender.append(batch);
                }
            }
        }
    }

    private void produce(KafkaCluster cluster) {
        Map<String, Object> settings = new HashMap<>(cluster.client());
        settings.put("acks", "all");
        settings.put("batch.size", "131072"); // as Forward has it
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(
                        settings, new ByteArraySerializer(), new ByteArraySerializer())) {
            for (int partition = 0; partition < PARTITIONS; partition++) {
                for (int i = 0; i < records / PARTITIONS; i++) {
                    var unused =
                            producer.send(new ProducerRecord<>(TARGET, partition, null, value));
                }
            }
        }
    }

    private static void forward(KafkaCluster cluster, LogStore store, String name)
            throws InterruptedException {
        Properties properties = new Properties();
        properties.setProperty("bootstrap.servers", cluster.bootstrapServers());
        try (Forward forward =
                Forward.from(store).to(properties).name(name).topic(SOURCE, TARGET).start()) {
            while (!forward.snapshot().isCaughtUp()) {
                if (!forward.snapshot().isRunning()) {
                    throw new IllegalStateException("stopped: " + forward.snapshot().failure());
                }
                Thread.sleep(20);
            }
        }
    }
}
