import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
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
 * MirrorMaker 2 in both directions, before and after a restart: FIRN KAFKA first|again. Writes
 * records to both, slowly, while a group goes on; then each record has to be in the copy once, at
 * its offset, and the group in its place: not ahead of the original, and not where it was before.
 */
final class MirrorAgain {
    private static final int PIECES = 20;
    private static final int RECORDS = 1000;
    private static final int PARTITIONS = 4;
    private static final long PAUSE_MS = 800;
    private static final long HANGS_AFTER_S = 120;
    private static final String GROUP = "again-readers";

    private final long deadline =
            System.nanoTime() + TimeUnit.SECONDS.toNanos(HANGS_AFTER_S + PIECES);
    private final boolean isFirst;

    private MirrorAgain(boolean isFirst) {
        this.isFirst = isFirst;
    }

    public static void main(String[] arguments) throws Exception {
        new MirrorAgain(arguments[2].equals("first")).run(arguments[0], arguments[1]);
    }

    private void run(String firn, String kafka) throws Exception {
        if (isFirst) {
            create(firn, "there-again");
            create(kafka, "back-again");
        }
        try (KafkaProducer<byte[], byte[]> toFirn = producer(firn);
                KafkaProducer<byte[], byte[]> toKafka = producer(kafka)) {
            for (int i = 0; i < PIECES; i++) {
                write(toFirn, firn, "there-again", i);
                write(toKafka, kafka, "back-again", i);
                Thread.sleep(PAUSE_MS);
            }
        }
        int there = compare(firn, "there-again", kafka, "firn.there-again");
        int back = compare(kafka, "back-again", firn, "kafka.back-again");
        place(firn, "there-again", kafka, "firn.there-again");
        place(kafka, "back-again", firn, "kafka.back-again");
        System.out.printf(
                "%,d records there and %,d back, each once; the groups went on%n", there, back);
    }

    private void create(String bootstrap, String topic) throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
            admin.createTopics(List.of(new NewTopic(topic, PARTITIONS, (short) 1)))
                    .all()
                    .get(HANGS_AFTER_S, TimeUnit.SECONDS);
        }
    }

    /** Writes a piece, and moves the group to its end. */
    private void write(
            KafkaProducer<byte[], byte[]> producer, String bootstrap, String topic, int piece)
            throws Exception {
        for (int i = 0; i < RECORDS; i++) {
            byte[] value = (topic + isFirst + " " + piece + " " + i).getBytes();
            producer.send(new ProducerRecord<>(topic, i % PARTITIONS, null, value));
        }
        producer.flush();
        long offset = (long) (piece + 1) * RECORDS / PARTITIONS + firstOffset();
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
            admin.alterConsumerGroupOffsets(
                            GROUP,
                            Map.of(new TopicPartition(topic, 0), new OffsetAndMetadata(offset)))
                    .all()
                    .get(HANGS_AFTER_S, TimeUnit.SECONDS);
        }
    }

    /** Returns where this run begins. */
    private long firstOffset() {
        return isFirst ? 0 : PIECES * RECORDS / PARTITIONS;
    }

    private int compare(String from, String topic, String to, String copy) throws Exception {
        int compared = 0;
        long end = firstOffset() + PIECES * RECORDS / PARTITIONS;
        try (KafkaConsumer<byte[], byte[]> originals = consumer(from);
                KafkaConsumer<byte[], byte[]> copies = consumer(to)) {
            for (int p = 0; p < PARTITIONS; p++) {
                List<ConsumerRecord<byte[], byte[]>> expected =
                        read(originals, new TopicPartition(topic, p), end);
                List<ConsumerRecord<byte[], byte[]>> found =
                        read(copies, new TopicPartition(copy, p), end);
                if (expected.size() != end || found.size() != end) {
                    throw new AssertionError(
                            topic + " has " + expected.size() + ", the copy " + found.size());
                }
                for (int i = 0; i < end; i++) {
                    if (expected.get(i).offset() != found.get(i).offset()
                            || !Arrays.equals(expected.get(i).value(), found.get(i).value())) {
                        throw new AssertionError(
                                "expected " + expected.get(i) + ", found " + found.get(i));
                    }
                }
                compared += expected.size();
            }
        }
        return compared;
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
                    return records.size() >= end;
                });
        return records;
    }

    /** The copy's group follows into what was written in this run, and is never ahead. */
    private void place(String from, String topic, String to, String copy) {
        long original = offset(from, topic);
        long[] found = {0};
        await(
                "a place of the group above " + firstOffset() + " in " + copy,
                () -> {
                    found[0] = offset(to, copy);
                    return found[0] > firstOffset();
                });
        if (found[0] > original) {
            throw new AssertionError(copy + " is at " + found[0] + ", " + topic + " at " + original);
        }
    }

    private static long offset(String bootstrap, String topic) {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
            OffsetAndMetadata found =
                    admin.listConsumerGroupOffsets(GROUP)
                            .partitionsToOffsetAndMetadata()
                            .get(HANGS_AFTER_S, TimeUnit.SECONDS)
                            .get(new TopicPartition(topic, 0));
            return Objects.isNull(found) ? -1 : found.offset();
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

    private static KafkaProducer<byte[], byte[]> producer(String bootstrap) {
        return new KafkaProducer<>(
                Map.of("bootstrap.servers", bootstrap),
                new ByteArraySerializer(),
                new ByteArraySerializer());
    }

    private void await(String what, Supplier<Boolean> condition) {
        while (!condition.get()) {
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("waited in vain for " + what);
            }
            try {
                Thread.sleep(200);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }
}
