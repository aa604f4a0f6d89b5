package io.firn.bench.kafka;

import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Measures what many partitions cost a server, Firn's and Kafka's in turns: to create them, to hold
 * them when they are idle, and to start again with them.
 */
@Command(
        name = "bin/bench partitions",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Measures what many partitions cost a server, beside Apache Kafka.")
public final class PartitionsBench implements Callable<Integer> {
    private static final long PATIENCE_NS = TimeUnit.MINUTES.toNanos(10);

    @Mixin private Servers servers = new Servers();

    @Option(
            names = "--partitions",
            split = ",",
            description = "Numbers of partitions. Default: ${DEFAULT-VALUE}")
    private int[] counts = {2_000, 10_000};

    @Option(
            names = "--per-topic",
            description =
                    "Partitions of a topic; 0 for all in one topic. Default: ${DEFAULT-VALUE}")
    private int perTopic = 0;

    @Option(
            names = "--server",
            split = ",",
            description = "Kafka, Firn or both. Default: ${DEFAULT-VALUE}")
    private List<String> names = Servers.NAMES;

    @Option(names = "--empty", description = "Appends nothing to the partitions.")
    private boolean isEmpty;

    @Option(names = "--firn-setting", description = "A setting of Firn's server; may be repeated.")
    private List<String> firnSettings = List.of();

    @Option(
            names = "--settle",
            description = "Seconds of rest before the measurement. Default: ${DEFAULT-VALUE}")
    private int settleSeconds = 10;

    @Option(
            names = "--seconds",
            description = "Seconds of the measurement. Default: ${DEFAULT-VALUE}")
    private int seconds = 15;

    private final PrintStream out = System.out;

    /** Runs the benchmark and exits. */
    public static void main(String[] arguments) {
        System.exit(new CommandLine(new PartitionsBench()).execute(arguments));
    }

    @Override
    public Integer call() throws Exception {
        servers.prepare();
        try {
            out.printf(
                    "%s; %s in each partition; %s; idle for %d s after %d s of rest%n%n",
                    servers.conditions(),
                    isEmpty ? "nothing" : Idlers.RECORDS + " records of 100 B",
                    perTopic == 0 ? "one topic" : "topics of " + perTopic,
                    seconds,
                    settleSeconds);
            out.println(
                    "| server, partitions | create s | fill s | idle % of a core | RssAnon MB |"
                            + " RssFile MB | disk MB | metadata ms | stop s | restart s |"
                            + " restart after kill -9 s |");
            out.println("|---|---|---|---|---|---|---|---|---|---|---|");
            for (int count : counts) {
                for (String name : names) {
                    measure(name, count);
                }
            }
        } finally {
            servers.delete();
        }
        return 0;
    }

    private void measure(String name, int count) throws Exception {
        String[] settings =
                name.equals("Firn") ? firnSettings.toArray(String[]::new) : new String[0];
        int each = perTopic == 0 ? count : perTopic;
        try (Broker broker = servers.start(name, settings)) {
            long began = System.nanoTime();
            create(broker, count, each);
            final double createS = secondsSince(began);
            began = System.nanoTime();
            if (!isEmpty) {
                for (int first = 0; first < count; first += each) {
                    Idlers.send(broker, topic(first / each), Math.min(each, count - first));
                }
            }
            final double fillS = secondsSince(began);
            TimeUnit.SECONDS.sleep(settleSeconds);
            double before = broker.cpuSeconds();
            long start = System.nanoTime();
            TimeUnit.SECONDS.sleep(seconds);
            final double idle = 100 * (broker.cpuSeconds() - before) / secondsSince(start);
            final double anonymous = broker.memoryMb("RssAnon");
            final double file = broker.memoryMb("RssFile");
            final double disk = Servers.usedMb(broker);
            final double metadataMs = metadataMs(broker);
            began = System.nanoTime();
            broker.stop();
            final double stopS = secondsSince(began);
            final double restartS = restart(broker, count, each);
            broker.kill();
            final double afterKillS = restart(broker, count, each);
            out.printf(
                    Locale.ROOT,
                    "| %s, %d | %.2f | %.2f | %.2f | %.0f | %.0f | %.1f | %.0f | %.2f | %.2f | %.2f"
                            + " |%n",
                    name,
                    count,
                    createS,
                    fillS,
                    idle,
                    anonymous,
                    file,
                    disk,
                    metadataMs,
                    stopS,
                    restartS,
                    afterKillS);
        }
    }

    /**
     * Creates the topics; returns when each partition can be written. Kafka answers before: it then
     * makes and forces the files of one partition after another, and a producer's records expire if
     * that takes longer than two minutes.
     */
    private void create(Broker broker, int count, int each) throws Exception {
        try (Admin admin = Admin.create(patiently(broker))) {
            List<NewTopic> topics = new ArrayList<>();
            for (int first = 0; first < count; first += each) {
                topics.add(
                        new NewTopic(
                                topic(first / each), Math.min(each, count - first), (short) 1));
            }
            admin.createTopics(topics).all().get();
            checkEnds(admin, count, each, 0);
        }
    }

    /** The settings of a client that waits until all partitions are there. */
    private static Map<String, Object> patiently(Broker broker) {
        return Map.of(
                "bootstrap.servers",
                broker.bootstrap(),
                "retry.backoff.ms",
                10,
                "retry.backoff.max.ms",
                100,
                "request.timeout.ms",
                (int) TimeUnit.NANOSECONDS.toMillis(PATIENCE_NS),
                "default.api.timeout.ms",
                (int) TimeUnit.NANOSECONDS.toMillis(PATIENCE_NS));
    }

    /** Waits until the server knows the end of each partition. */
    private static void checkEnds(Admin admin, int count, int each, long expected)
            throws Exception {
        Map<TopicPartition, OffsetSpec> wanted = new HashMap<>();
        for (int i = 0; i < count; i++) {
            wanted.put(new TopicPartition(topic(i / each), i % each), OffsetSpec.latest());
        }
        Map<TopicPartition, ListOffsetsResultInfo> ends = admin.listOffsets(wanted).all().get();
        for (ListOffsetsResultInfo end : ends.values()) {
            if (end.offset() != expected) {
                throw new IOException("an end is " + end.offset() + ", expected " + expected);
            }
        }
    }

    /** Returns the time of the quickest of some descriptions of all topics. */
    private static double metadataMs(Broker broker) throws Exception {
        double best = Double.MAX_VALUE;
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrap()))) {
            for (int i = 0; i < 10; i++) {
                long began = System.nanoTime();
                admin.listTopics().names().get();
                best = Math.min(best, 1e3 * secondsSince(began));
            }
        }
        return best;
    }

    /** Starts a server again; returns the time until it knows the end of each partition. */
    private double restart(Broker broker, int count, int each) throws Exception {
        long began = System.nanoTime();
        broker.start();
        try (Admin admin = Admin.create(patiently(broker))) {
            checkEnds(admin, count, each, isEmpty ? 0 : Idlers.RECORDS);
            return secondsSince(began);
        }
    }

    private static String topic(int number) {
        return "many-" + number;
    }

    private static double secondsSince(long startNs) {
        return (System.nanoTime() - startNs) / 1e9;
    }
}
