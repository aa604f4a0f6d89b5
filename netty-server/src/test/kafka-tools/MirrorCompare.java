import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Waits for a running MirrorMaker, and compares what it copied record by record: FIRN KAFKA. From
 * Firn to Kafka the topic "mirrored" and the place of the group "half-way"; the other way some
 * records that are written here.
 */
final class MirrorCompare {
    private static final long HANGS_AFTER_S = 400;
    private static final int BACK = 1000;

    private final long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(HANGS_AFTER_S);

    private MirrorCompare() {}

    public static void main(String[] arguments) throws Exception {
        new MirrorCompare().run(arguments[0], arguments[1]);
    }

    private void run(String firn, String kafka) throws Exception {
        writeBack(kafka);
        int there = compare(firn, "mirrored", kafka, "firn.mirrored");
        int back = compare(kafka, "back", firn, "kafka.back");
        if (back != BACK) {
            throw new AssertionError("wrote " + BACK + " records to be copied back, not " + back);
        }
        group(firn, kafka);
        System.out.printf(
                "%,d records there and %,d back are equal, the group is in its place%n",
                there, back);
    }

    private static void writeBack(String kafka) throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", kafka))) {
            admin.createTopics(List.of(new NewTopic("back", 2, (short) 1)))
                    .all()
                    .get(HANGS_AFTER_S, TimeUnit.SECONDS);
        }
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(
                        Map.of("bootstrap.servers", kafka),
                        new ByteArraySerializer(),
                        new ByteArraySerializer())) {
            for (int i = 0; i < BACK; i++) {
                byte[] value = {(byte) i, (byte) (i >> 8)};
                producer.send(new ProducerRecord<>("back", i % 2, null, value));
            }
            producer.flush();
        }
    }

    /** The number of records, when all of the one topic are in the other, and nothing else. */
    private int compare(String from, String topic, String to, String copy) throws Exception {
        await("the topic " + copy, () -> exists(to, copy));
        int compared = 0;
        try (KafkaConsumer<byte[], byte[]> originals = consumer(from);
                KafkaConsumer<byte[], byte[]> copies = consumer(to)) {
            int partitions = originals.partitionsFor(topic).size();
            for (int p = 0; p < partitions; p++) {
                TopicPartition original = new TopicPartition(topic, p);
                TopicPartition copied = new TopicPartition(copy, p);
                long end = originals.endOffsets(List.of(original)).get(original);
                await(
                        end + " records in " + copied,
                        () -> copies.endOffsets(List.of(copied)).get(copied) >= end);
                List<ConsumerRecord<byte[], byte[]>> expected = read(originals, original, end);
                List<ConsumerRecord<byte[], byte[]>> found =
                        read(copies, copied, copies.endOffsets(List.of(copied)).get(copied));
                if (expected.size() != found.size()) {
                    throw new AssertionError(
                            copied + " has " + found.size() + " records, not " + expected.size());
                }
                for (int i = 0; i < expected.size(); i++) {
                    same(expected.get(i), found.get(i));
                }
                compared += expected.size();
            }
        }
        return compared;
    }

    private static void same(
            ConsumerRecord<byte[], byte[]> one, ConsumerRecord<byte[], byte[]> other) {
        boolean equal =
                one.offset() == other.offset()
                        && one.timestamp() == other.timestamp()
                        && one.timestampType() == other.timestampType()
                        && Arrays.equals(one.key(), other.key())
                        && Arrays.equals(one.value(), other.value())
                        && Objects.equals(one.headers(), other.headers());
        if (!equal) {
            throw new AssertionError("expected " + one + ", found " + other);
        }
    }

    private List<ConsumerRecord<byte[], byte[]>> read(
            KafkaConsumer<byte[], byte[]> consumer, TopicPartition partition, long end) {
        consumer.assign(List.of(partition));
        consumer.seekToBeginning(List.of(partition));
        List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
        await(
                "offset " + end + " of " + partition,
                () -> {
                    consumer.poll(Duration.ofMillis(100)).forEach(records::add);
                    return consumer.position(partition) >= end;
                });
        return records;
    }

    /** A checkpoint is never ahead of where the group was. */
    private void group(String firn, String kafka) throws Exception {
        long[] place = {-1};
        await(
                "the group's place in Kafka",
                () -> {
                    Collection<OffsetAndMetadata> found = offsets(kafka);
                    found.removeIf(Objects::isNull);
                    place[0] = found.stream().mapToLong(OffsetAndMetadata::offset).sum();
                    return !found.isEmpty();
                });
        long original = offsets(firn).stream().mapToLong(OffsetAndMetadata::offset).sum();
        if (place[0] < 0 || place[0] > original) {
            throw new AssertionError("the group was at " + original + ", is put to " + place[0]);
        }
    }

    private static Collection<OffsetAndMetadata> offsets(String bootstrap) {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
            return new ArrayList<>(
                    admin.listConsumerGroupOffsets("half-way")
                            .partitionsToOffsetAndMetadata()
                            .get(HANGS_AFTER_S, TimeUnit.SECONDS)
                            .values());
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private static boolean exists(String bootstrap, String topic) {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
            return admin.listTopics().names().get(HANGS_AFTER_S, TimeUnit.SECONDS).contains(topic);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private static KafkaConsumer<byte[], byte[]> consumer(String bootstrap) {
        return new KafkaConsumer<>(
                Map.of("bootstrap.servers", bootstrap, "enable.auto.commit", false),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
    }

    private void await(String what, Supplier<Boolean> condition) {
        while (!condition.get()) {
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("waited " + HANGS_AFTER_S + " s in vain for " + what);
            }
            try {
                Thread.sleep(200);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }
}
