import static java.nio.charset.StandardCharsets.UTF_8;

import io.firn.LogStore;
import io.firn.TopicOptions;
import io.firn.junit.CrashableStore;
import io.firn.junit.FirnKafkaServer;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;

/** Needs most of what is published: a server, a Kafka client, a store whose power is cut. */
public final class Together {
    private Together() {}

    public static void main(String[] args) throws Exception {
        try (FirnKafkaServer kafka = FirnKafkaServer.of().topic("orders", 1).start()) {
            Map<String, Object> settings =
                    Map.of(
                            "bootstrap.servers",
                            kafka.bootstrapServers(),
                            "compression.type",
                            "gzip");
            try (KafkaProducer<String, String> producer =
                    new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer())) {
                producer.send(new ProducerRecord<>("orders", "alice", "1 book")).get();
            }
            System.out.println(kafka.records("orders").get(0).valueAsString());
        }
        try (CrashableStore disk = CrashableStore.open()) {
            disk.store()
                    .ensureTopic("orders", TopicOptions.defaults())
                    .partition(0)
                    .openAppender()
                    .append("1 book".getBytes(UTF_8));
            LogStore after = disk.powerCut();
            System.out.println("kept: " + after.openTopic("orders").partition(0).nextOffset());
        }
    }
}
