package io.firn.examples;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.firn.LogStore;
import io.firn.Tailer;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import io.firn.server.FirnServer;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;

/** A server inside the application: a Kafka client produces, and a tailer reads the record. */
public final class KafkaClients {
    private KafkaClients() {}

    /** Runs it; the directory is the only argument. */
    public static void main(String[] args)
            throws IOException, InterruptedException, ExecutionException {
        run(Examples.directory(args), System.out);
    }

    static void run(Path dir, PrintStream out)
            throws IOException, InterruptedException, ExecutionException {
        try (LogStore store = LogStore.at(dir).tier(FileTier.at(dir.resolve("segments"))).open();
                FirnServer server = FirnServer.of(store).port(0).start()) { // any free port
            Topic orders = store.ensureTopic("orders", TopicOptions.defaults());
            produce(server.bootstrapServers());
            try (Tailer tailer = orders.openTailer()) {
                tailer.forEach(
                        record -> out.println("Read: " + UTF_8.decode(record.value())),
                        10,
                        Duration.ofSeconds(10));
            }
        } // the server closes first, then the store
    }

    private static void produce(String bootstrapServers)
            throws InterruptedException, ExecutionException {
        Map<String, Object> config = Map.of("bootstrap.servers", bootstrapServers);
        StringSerializer text = new StringSerializer();
        try (Producer<String, String> producer = new KafkaProducer<>(config, text, text)) {
            producer.send(new ProducerRecord<>("orders", "ice", "3 blocks")).get();
        }
    }
}
