import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;

/**
 * Compares a copy of a topic with it, record by record: BOOTSTRAP FROM TO RECORDS SECONDS. The
 * topic has RECORDS records with different values. Each partition of the copy is to have the
 * committed records of the same partition, in order and each once, and no transaction may be open.
 * Waits up to SECONDS until every record is there and no transaction is open.
 */
final class CheckCopy {
    private static final int HANGS_AFTER_S = 60;

    private final String bootstrap;
    private final Admin admin;
    private final long deadlineNs;
    private final List<String> wrong = new ArrayList<>();

    private CheckCopy(String bootstrap, Admin admin, int seconds) {
        this.bootstrap = bootstrap;
        this.admin = admin;
        this.deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    }

    public static void main(String[] arguments) throws Exception {
        String bootstrap = arguments[0];
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
            CheckCopy check = new CheckCopy(bootstrap, admin, Integer.parseInt(arguments[4]));
            String result =
                    check.compare(arguments[1], arguments[2], Integer.parseInt(arguments[3]));
            check.wrong.forEach(System.out::println);
            System.out.println(result);
            System.exit(check.wrong.isEmpty() ? 0 : 1);
        }
    }

    private String compare(String from, String to, int records) throws Exception {
        int partitions =
                admin.describeTopics(List.of(from))
                        .allTopicNames()
                        .get(HANGS_AFTER_S, TimeUnit.SECONDS)
                        .get(from)
                        .partitions()
                        .size();
        Set<String> all = new HashSet<>();
        int stored = 0;
        for (int i = 0; i < partitions; i++) {
            TopicPartition copy = new TopicPartition(to, i);
            List<String> expected =
                    read(new TopicPartition(from, i), "read_committed", new HashSet<>());
            awaitEnded(copy);
            compare(copy, expected, read(copy, "read_committed", new HashSet<>(expected)));
            all.addAll(expected);
            stored += read(copy, "read_uncommitted", new HashSet<>()).size();
        }
        if (all.size() != records) {
            wrong.add(from + " has " + all.size() + " different records, not " + records);
        }
        return String.format(
                "%,d records in %d partitions, each %s; %,d of aborted transactions beside them",
                all.size(),
                partitions,
                wrong.isEmpty() ? "once and in order" : "compared: they differ",
                stored - all.size());
    }

    /** Waits until no transaction is open, or the time is over. */
    private void awaitEnded(TopicPartition partition) throws Exception {
        while (true) {
            long stable = end(partition, IsolationLevel.READ_COMMITTED);
            long end = end(partition, IsolationLevel.READ_UNCOMMITTED);
            if (stable == end) {
                return;
            }
            if (System.nanoTime() - deadlineNs > 0) {
                wrong.add(partition + ": stable up to " + stable + ", but its end is " + end);
                return;
            }
            Thread.sleep(100);
        }
    }

    private long end(TopicPartition partition, IsolationLevel isolation) throws Exception {
        return admin.listOffsets(
                        Map.of(partition, OffsetSpec.latest()), new ListOffsetsOptions(isolation))
                .all()
                .get(HANGS_AFTER_S, TimeUnit.SECONDS)
                .get(partition)
                .offset();
    }

    /**
     * Reads a partition up to its present end, and further until all of some values were read or
     * the time is over.
     */
    private List<String> read(TopicPartition partition, String isolation, Set<String> missing) {
        List<String> values = new ArrayList<>();
        try (KafkaConsumer<String, String> consumer =
                new KafkaConsumer<>(
                        Map.of("bootstrap.servers", bootstrap, "isolation.level", isolation),
                        new StringDeserializer(),
                        new StringDeserializer())) {
            List<TopicPartition> one = List.of(partition);
            consumer.assign(one);
            consumer.seekToBeginning(one);
            long end = consumer.endOffsets(one).get(partition);
            while (consumer.position(partition) < end
                    || (!missing.isEmpty() && System.nanoTime() - deadlineNs < 0)) {
                for (ConsumerRecord<String, String> each : consumer.poll(Duration.ofMillis(100))) {
                    values.add(each.value());
                    missing.remove(each.value());
                }
            }
        }
        return values;
    }

    private void compare(TopicPartition partition, List<String> expected, List<String> found) {
        Map<String, Integer> counts = new HashMap<>();
        found.forEach(each -> counts.merge(each, 1, Integer::sum));
        List<String> missing = new ArrayList<>(expected);
        missing.removeIf(counts::containsKey);
        report(partition, "missing", missing);
        List<String> twice = new ArrayList<>(counts.keySet());
        twice.removeIf(each -> counts.get(each) == 1);
        report(partition, "there more than once", twice);
        Set<String> known = new HashSet<>(expected);
        List<String> strange = new ArrayList<>(counts.keySet());
        strange.removeIf(known::contains);
        report(partition, "not in the topic", strange);
        IntStream.range(0, Math.min(expected.size(), found.size()))
                .filter(i -> !expected.get(i).equals(found.get(i)))
                .findFirst()
                .ifPresent(
                        i ->
                                wrong.add(
                                        String.format(
                                                "%s: record %d is %s, not %s",
                                                partition, i, found.get(i), expected.get(i))));
    }

    private void report(TopicPartition partition, String what, List<String> values) {
        if (!values.isEmpty()) {
            wrong.add(
                    String.format(
                            "%s: %,d records are %s, one of them is %s",
                            partition, values.size(), what, values.get(0)));
        }
    }
}
