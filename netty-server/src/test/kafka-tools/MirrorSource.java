import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** What is to be copied: BOOTSTRAP. Records of all shapes, in each compression that there is. */
final class MirrorSource {
    private static final int RECORDS = 100_000;
    private static final int PARTITIONS = 4;
    private static final long HANGS_AFTER_S = 240;
    private static final long FIRST_TIMESTAMP = 1_700_000_000_000L;

    private MirrorSource() {}

    public static void main(String[] arguments) throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", arguments[0]))) {
            NewTopic topic = new NewTopic("mirrored", PARTITIONS, (short) 1);
            topic.configs(Map.of("segment.bytes", "4194304", "retention.ms", "-1"));
            admin.createTopics(List.of(topic)).all().get(HANGS_AFTER_S, TimeUnit.SECONDS);
            List<String> compressions = List.of("none", "gzip", "snappy", "lz4", "zstd");
            int share = RECORDS / compressions.size();
            for (int i = 0; i < compressions.size(); i++) {
                produce(arguments[0], compressions.get(i), i * share, share);
            }
            Map<TopicPartition, OffsetAndMetadata> half = new HashMap<>();
            for (int p = 0; p < PARTITIONS; p++) {
                half.put(
                        new TopicPartition("mirrored", p),
                        new OffsetAndMetadata(RECORDS / PARTITIONS / 2));
            }
            admin.alterConsumerGroupOffsets("half-way", half)
                    .all()
                    .get(HANGS_AFTER_S, TimeUnit.SECONDS);
        }
        System.out.printf("%,d records in %d partitions%n", RECORDS, PARTITIONS);
    }

    private static void produce(String bootstrap, String compression, int from, int count)
            throws Exception {
        Random random = new Random(from);
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(
                        Map.of("bootstrap.servers", bootstrap, "compression.type", compression),
                        new ByteArraySerializer(),
                        new ByteArraySerializer())) {
            List<Future<RecordMetadata>> sent = new ArrayList<>();
            for (int i = from; i < from + count; i++) {
                byte[] key = random.nextInt(10) == 0 ? null : bytes("key-" + i % 1000);
                byte[] value = null;
                if (random.nextInt(20) != 0) {
                    value = new byte[random.nextInt(400)];
                    random.nextBytes(value);
                }
                ProducerRecord<byte[], byte[]> record =
                        new ProducerRecord<>(
                                "mirrored", i % PARTITIONS, FIRST_TIMESTAMP + i, key, value);
                for (int h = random.nextInt(3); h > 0; h--) {
                    record.headers().add(new RecordHeader("header" + h, bytes("of " + i)));
                }
                sent.add(producer.send(record));
            }
            for (Future<RecordMetadata> each : sent) {
                each.get(HANGS_AFTER_S, TimeUnit.SECONDS);
            }
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
