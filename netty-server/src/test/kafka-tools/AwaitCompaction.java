import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Waits until a server has compacted topics: BOOTSTRAP MOST_PERCENT TOPIC... Of each, a consumer
 * then reads no more than that share of the offsets as records.
 */
final class AwaitCompaction {
    private static final long HANGS_AFTER_S = 120;

    private AwaitCompaction() {}

    public static void main(String[] arguments) throws Exception {
        double most = Double.parseDouble(arguments[1]) / 100;
        List<String> found = new ArrayList<>();
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(HANGS_AFTER_S);
        for (String topic : Arrays.asList(arguments).subList(2, arguments.length)) {
            long[] counts = count(arguments[0], topic);
            while (counts[0] > most * counts[1]) {
                if (System.nanoTime() - deadline > 0) {
                    throw new AssertionError(
                            topic + " has " + counts[0] + " records at " + counts[1] + " offsets");
                }
                Thread.sleep(1_000);
                counts = count(arguments[0], topic);
            }
            found.add(String.format("%s %,d of %,d", topic, counts[0], counts[1]));
        }
        System.out.println(String.join(", ", found));
    }

    /** Returns the records and the offsets of a topic. */
    private static long[] count(String bootstrap, String topic) {
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(
                        Map.of("bootstrap.servers", bootstrap, "enable.auto.commit", false),
                        new ByteArrayDeserializer(),
                        new ByteArrayDeserializer())) {
            List<TopicPartition> partitions =
                    consumer.partitionsFor(topic).stream()
                            .map(each -> new TopicPartition(topic, each.partition()))
                            .toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            Map<TopicPartition, Long> begin = consumer.beginningOffsets(partitions);
            Map<TopicPartition, Long> end = consumer.endOffsets(partitions);
            long offsets = partitions.stream().mapToLong(p -> end.get(p) - begin.get(p)).sum();
            long records = 0;
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(HANGS_AFTER_S);
            while (isBehind(consumer, end)) {
                if (System.nanoTime() - deadline > 0) {
                    throw new AssertionError(topic + " was not read to its end");
                }
                records += consumer.poll(Duration.ofMillis(200)).count();
            }
            return new long[] {records, offsets};
        }
    }

    private static boolean isBehind(KafkaConsumer<?, ?> consumer, Map<TopicPartition, Long> end) {
        Set<TopicPartition> partitions = end.keySet();
        return partitions.stream().anyMatch(p -> consumer.position(p) < end.get(p));
    }
}
