package io.firn.embedder;

import io.firn.LogStore;
import io.firn.file.FileTier;
import io.firn.server.FirnServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * An application that has a server inside, and Kafka's clients in a version of its own beside it.
 * Says which one that is; ends with 0 when all that was produced was consumed.
 */
public final class Embedder {
    private static final int RECORDS = 1_000;
    private static final int ENOUGH_POLLS = 600;

    private Embedder() {}

    /** {@code Embedder DIRECTORY}. */
    public static void main(String[] arguments) throws Exception {
        Path directory = Path.of(arguments[0]);
        System.out.println(FirnServer.class.getModule());
        int next = 0;
        try (LogStore store =
                        LogStore.in(directory.resolve("store"))
                                .tier(FileTier.at(directory.resolve("tier")))
                                .open();
                FirnServer server = FirnServer.of(store).port(0).start()) {
            Map<String, Object> client = Map.of("bootstrap.servers", server.bootstrapServers());
            produce(new java.util.HashMap<>(client));
            Map<String, Object> settings = new java.util.HashMap<>(client);
            settings.put("group.id", "g");
            settings.put("auto.offset.reset", "earliest");
            try (KafkaConsumer<String, String> consumer =
                    new KafkaConsumer<>(
                            settings, new StringDeserializer(), new StringDeserializer())) {
                consumer.subscribe(List.of("orders"));
                for (int i = 0; i < ENOUGH_POLLS && next < RECORDS; i++) {
                    for (ConsumerRecord<String, String> each :
                            consumer.poll(Duration.ofMillis(100))) {
                        if (!each.value().equals("v" + next++)) {
                            throw new IllegalStateException(each + " is number " + (next - 1));
                        }
                    }
                }
                consumer.commitSync();
            }
        }
        System.exit(next == RECORDS ? 0 : 1);
    }

    private static void produce(Map<String, Object> settings) {
        settings.put("compression.type", "zstd");
        try (KafkaProducer<String, String> producer =
                new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer())) {
            for (int i = 0; i < RECORDS; i++) {
                var unused = producer.send(new ProducerRecord<>("orders", "v" + i));
            }
            producer.flush();
            producer.metrics().values().stream()
                    .filter(each -> each.metricName().group().equals("app-info"))
                    .filter(each -> each.metricName().name().equals("version"))
                    .forEach(each -> System.out.println("version " + each.metricValue()));
        }
    }
}
