package io.firn.bench.kafka;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Our server and Kafka's, by turns, under the same load of Kafka's own tools, on the same medium,
 * with the same options of the JVM. Client and server share the cores, so processor time of the
 * server is the figure that says most.
 */
@Command(
        name = "bin/bench kafka",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "The server beside Apache Kafka, with Kafka's own tools.")
public final class KafkaBench implements Callable<Integer> {
    private static final int STARTS = 5;
    private static final int LATE_MS = 50;
    private static final int PRODUCERS = 3;
    private static final int MEMORY_MB = 500;
    private static final int WARM_RECORDS = 600_000;
    private static final double MB = 1 << 20;
    private static final double GB = 1e9;

    @Option(
            names = "--only",
            split = ",",
            description = "Runs only these: start, produce, durable, latency, replay. Default: all")
    private List<String> only = List.of("start", "produce", "durable", "latency", "replay");

    @Option(names = "--mb", description = "MB of records for each run. Default: ${DEFAULT-VALUE}")
    private int mb = 300;

    @Option(
            names = "--turns",
            description = "Repetitions of each run, of which the median is reported.")
    private int turns = 1;

    @Option(
            names = "--seconds",
            description = "Duration of each latency run. Default: ${DEFAULT-VALUE}")
    private int seconds = 20;

    @Option(names = "--cold-mb", description = "MB to be replayed. Default: ${DEFAULT-VALUE}")
    private int coldMb = 8_000;

    @Option(
            names = "--dir",
            paramLabel = "DIR",
            description = "Work directory. Default: ${DEFAULT-VALUE}")
    private Path place = Path.of("target");

    @Option(
            names = "--jvm",
            split = " ",
            description = "JVM options of both servers. Default: ${DEFAULT-VALUE}")
    private List<String> jvm = List.of("-Xmx1g", "-XX:+UseG1GC");

    @Option(names = "--firn-classpath", required = true, hidden = true)
    private String firnClassPath;

    @Option(names = "--firn-options", hidden = true, description = "As bin/firn-server starts it.")
    private String firnOptions = "-Xmx256m\n-XX:+UseSerialGC";

    @Option(names = "--kafka-classpath", required = true, hidden = true)
    private String kafkaClassPath;

    private final PrintStream out = System.out;
    private Path directory;
    private Tools tools;

    /** Runs it. */
    public static void main(String[] arguments) {
        System.exit(new CommandLine(new KafkaBench()).execute(arguments));
    }

    private static List<String> java(List<String> options) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(options);
        return command;
    }

    @Override
    public Integer call() throws Exception {
        directory = Files.createTempDirectory(Files.createDirectories(place), "kafka-bench-");
        tools =
                new Tools(
                        java(List.of("-Xmx512m", "-XX:+UseSerialGC")),
                        System.getProperty("java.class.path"));
        try {
            out.printf(
                    "%d cores, load before %s; %s %s; %s on %s; servers with %s%n",
                    Runtime.getRuntime().availableProcessors(),
                    Files.readString(Path.of("/proc/loadavg")).split(" ", 2)[0],
                    System.getProperty("java.vm.name"),
                    Runtime.version(),
                    directory.toAbsolutePath().getParent(),
                    Files.getFileStore(directory).type(),
                    jvm);
            if (only.contains("start")) {
                starts();
            }
            if (only.contains("produce")) {
                throughput(
                        "written, not forced", List.of(), List.of("firn.durability=written"), mb);
            }
            if (only.contains("durable")) {
                // Kafka's way to have a record on the disk before it is acknowledged.
                throughput(
                        "forced before acks=all", List.of("flush.messages=1"), List.of(), mb / 2);
            }
            if (only.contains("latency")) {
                latency("written, not forced", List.of(), List.of("firn.durability=written"));
                latency("forced", List.of("flush.messages=1"), List.of());
            }
            if (only.contains("replay")) {
                replay();
            }
        } finally {
            Trees.delete(directory);
        }
        return 0;
    }

    // ---- servers

    private Broker broker(boolean ours, String name, List<String> settings) throws Exception {
        Path place = Files.createDirectories(directory.resolve(name));
        return ours
                ? Broker.firn(java(jvm), firnClassPath, place, settings)
                : Broker.kafka(java(jvm), kafkaClassPath, place, List.of());
    }

    /** Kafka has as a key of the topic what Firn has as a key of the server. */
    private static void create(Broker broker, String topic, List<String> settings)
            throws Exception {
        Map<String, String> configs =
                settings.isEmpty() || broker.name().equals("Firn")
                        ? Map.of()
                        : Map.of("flush.messages", "1");
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrap()))) {
            admin.createTopics(List.of(new NewTopic(topic, 1, (short) 1).configs(configs)))
                    .all()
                    .get();
        }
    }

    // ---- start

    /** From nothing, and once more with what the first start left. */
    private void starts() throws Exception {
        out.printf(
                "%ntime from start to the first response, medians of %d; memory at that moment%n",
                STARTS);
        out.printf("%-34s %8s %8s %10s%n", "", "ms", "RSS MB", "RssAnon MB");
        Path place = Files.createDirectories(directory.resolve("start"));
        List<String> own = List.of(firnOptions.strip().split("\n", -1));
        start("Kafka", broker(false, "start-kafka", List.of()));
        start("Firn, same options", broker(true, "start-firn", List.of()));
        start("Firn, as bin/firn-server", Broker.firn(java(own), firnClassPath, place, List.of()));
    }

    private void start(String name, Broker broker) throws IOException {
        List<Double> ms = new ArrayList<>();
        double rss = 0;
        double anonymous = 0;
        for (int i = 0; i < STARTS; i++) {
            try (broker) {
                broker.start();
                ms.add(broker.startMs());
                rss = broker.memoryMb("VmRSS");
                anonymous = broker.memoryMb("RssAnon");
            }
        }
        ms.sort(null);
        out.printf(
                Locale.ROOT,
                "%-34s %8.0f %8.0f %10.0f%n",
                name,
                ms.get(STARTS / 2),
                rss,
                anonymous);
    }

    // ---- throughput

    /** How a producer batches; one by one is slow, and gets a share of the bytes. */
    private enum Batches {
        SINGLE(", one by one", 20, "batch.size=0"),
        DEFAULT("", 1),
        LARGE(", 160 KB", 1, "batch.size=163840", "linger.ms=5");

        private final String words;
        private final int share;
        private final List<String> settings;

        Batches(String words, int share, String... settings) {
            this.words = words;
            this.share = share;
            this.settings = List.of(settings);
        }
    }

    private record Load(int bytes, String acks, Batches batches, int producers) {
        String name() {
            return bytes
                    + " B, acks="
                    + acks
                    + batches.words
                    + (producers == 1 ? "" : ", x" + producers);
        }

        List<String> settings() {
            List<String> all = new ArrayList<>(batches.settings);
            all.add("acks=" + acks);
            return all;
        }
    }

    private static List<Load> loads(boolean forced) {
        List<Load> loads = new ArrayList<>();
        if (forced) {
            loads.add(new Load(1024, "all", Batches.SINGLE, 1));
            loads.add(new Load(1024, "all", Batches.SINGLE, PRODUCERS));
        }
        for (int bytes : List.of(1024, 100)) {
            for (Batches batches : List.of(Batches.DEFAULT, Batches.LARGE)) {
                if (!forced) {
                    loads.add(new Load(bytes, "1", batches, 1));
                }
                loads.add(new Load(bytes, "all", batches, 1));
                loads.add(new Load(bytes, "all", batches, PRODUCERS));
            }
        }
        return loads;
    }

    /** What one run gave; bytes of values count. */
    private record Result(
            double mbPerSecond,
            double cpuPerGb,
            double p50Ms,
            double p99Ms,
            double consumeMbPerSecond,
            double consumeCpuPerGb) {}

    private void throughput(String what, List<String> kafkaTopic, List<String> firn, int megabytes)
            throws Exception {
        boolean forced = !kafkaTopic.isEmpty();
        out.printf(
                "%n%s; %d MB a run, one by one %d; medians of %d turns%n",
                what, megabytes, megabytes / Batches.SINGLE.share, turns);
        out.printf(
                "%-28s %-6s %8s %8s %8s %8s %8s %8s%n",
                "", "", "MB/s", "CPU s/GB", "p50 ms", "p99 ms", "out MB/s", "CPU s/GB");
        String suffix = forced ? "-forced" : "";
        try (Broker ours = broker(true, "firn" + suffix, firn).start();
                Broker theirs = broker(false, "kafka" + suffix, List.of()).start()) {
            List<Broker> both = List.of(theirs, ours);
            for (Broker each : both) {
                warm(each, kafkaTopic, forced);
            }
            int number = 0;
            for (Load load : loads(forced)) {
                List<List<Result>> results = List.of(new ArrayList<>(), new ArrayList<>());
                for (int turn = 0; turn < turns; turn++) {
                    String topic = "t" + number++;
                    for (int i = 0; i < 2; i++) {
                        create(both.get(i), topic, kafkaTopic);
                        results.get(i).add(run(both.get(i), topic, load, megabytes));
                    }
                }
                print(load.name(), median(results.get(0)), median(results.get(1)));
            }
            for (Broker each : both) {
                out.printf(
                        Locale.ROOT,
                        "%-6s started in %.0f ms; RSS %.0f MB, of it anonymous %.0f MB%n",
                        each.name(),
                        each.startMs(),
                        each.memoryMb("VmRSS"),
                        each.memoryMb("RssAnon"));
            }
        }
    }

    /** Until little is left to be compiled. */
    private void warm(Broker broker, List<String> kafkaTopic, boolean forced) throws Exception {
        for (Batches batches : List.of(Batches.LARGE, Batches.DEFAULT)) {
            for (int bytes : List.of(1024, 100)) {
                Load load = new Load(bytes, "all", batches, 1);
                long records = forced ? WARM_RECORDS / 10 : WARM_RECORDS;
                String topic = "warm-" + bytes + batches;
                create(broker, topic, kafkaTopic);
                tools.produce(broker, topic, records, bytes, load.settings());
                tools.consume(broker, topic, records);
            }
        }
    }

    private Result run(Broker broker, String topic, Load load, int megabytes) throws IOException {
        long records = megabytes * 1_000_000L / load.batches.share / load.bytes;
        double gb = records * (double) load.bytes / GB;
        Trees.warmMemory(directory, 2 * megabytes + MEMORY_MB);
        double before = broker.cpuSeconds();
        Tools.Produced produced =
                tools.produce(broker, topic, records, load.bytes, load.settings(), load.producers);
        double between = broker.cpuSeconds();
        double consumed = tools.consume(broker, topic, records / load.producers * load.producers);
        double after = broker.cpuSeconds();
        return new Result(
                produced.mbPerSecond() * MB / 1e6,
                (between - before) / gb,
                produced.p50Ms(),
                produced.p99Ms(),
                consumed * MB / 1e6,
                (after - between) / gb);
    }

    private static Result median(List<Result> results) {
        results.sort(Comparator.comparingDouble(Result::mbPerSecond));
        return results.get(results.size() / 2);
    }

    private void print(String name, Result theirs, Result ours) {
        print(name, "Kafka", theirs);
        print("", "Firn", ours);
        out.printf(
                Locale.ROOT,
                "%-28s %-6s %8.2f %8.2f %8s %8s %8.2f %8.2f%n",
                "",
                "ratio",
                ours.mbPerSecond / theirs.mbPerSecond,
                ours.cpuPerGb / theirs.cpuPerGb,
                "",
                "",
                ours.consumeMbPerSecond / theirs.consumeMbPerSecond,
                ours.consumeCpuPerGb / theirs.consumeCpuPerGb);
    }

    private void print(String name, String who, Result result) {
        out.printf(
                Locale.ROOT,
                "%-28s %-6s %8.1f %8.2f %8.0f %8.0f %8.1f %8.2f%n",
                name,
                who,
                result.mbPerSecond,
                result.cpuPerGb,
                result.p50Ms,
                result.p99Ms,
                result.consumeMbPerSecond,
                result.consumeCpuPerGb);
    }

    // ---- latency

    private void latency(String what, List<String> kafkaTopic, List<String> firn) throws Exception {
        out.printf(
                "%nlatency in us, %s: 10,000 records of 1024 B a second, acks=all, linger 0, %d s%n",
                what, seconds);
        out.printf(
                "%-6s %-14s %8s %8s %8s %8s %8s%n", "", "", "p50", "p90", "p99", "p99.9", "p99.99");
        String suffix = kafkaTopic.isEmpty() ? "-latency" : "-latency-forced";
        try (Broker ours = broker(true, "firn" + suffix, firn).start();
                Broker theirs = broker(false, "kafka" + suffix, List.of()).start()) {
            for (Broker each : List.of(theirs, ours)) {
                create(each, "paced", kafkaTopic);
                List<String> lines =
                        tools.openLoop(
                                each,
                                "paced",
                                "10000",
                                "1024",
                                "10",
                                Integer.toString(seconds),
                                "all",
                                "true");
                lines.forEach(line -> printPercentiles(each.name(), line));
            }
        }
    }

    private void printPercentiles(String name, String line) {
        String[] words = line.split(" ", -1);
        if (words[0].equals("late") && Integer.parseInt(words[1]) > LATE_MS) {
            out.printf(
                    "%-6s the sender was late by up to %s ms: the machine is too busy%n",
                    name, words[1]);
        }
        if (words.length == 6 && words[1].matches("[0-9]+")) {
            out.printf(
                    "%-6s %-14s %8s %8s %8s %8s %8s%n",
                    name, words[0], words[1], words[2], words[3], words[4], words[5]);
        }
    }

    // ---- replay

    /** Produces on one topic, without and with somebody who reads what no cache has any more. */
    private void replay() throws Exception {
        out.printf(
                "%nlatency in us of 2,000 records of 1024 B a second, acks=all, forced, without and"
                        + " with a replay of %d MB from the disk beside it%n",
                coldMb);
        long records = coldMb * 1_000_000L / 1024;
        try (Broker ours = broker(true, "replay", List.of()).start()) {
            create(ours, "cold", List.of());
            create(ours, "hot", List.of());
            tools.produce(ours, "cold", records, 1024, List.of("acks=1", "batch.size=163840"));
        }
        // A new process maps nothing of it yet, so the cache can be emptied of it.
        try (Broker ours = broker(true, "replay", List.of()).start()) {
            tools.openLoop(ours, "hot", "2000", "1024", "5", "5", "all", "false");
            Trees.evict(directory.resolve("replay"));
            paced(ours, "without");
            Thread replay =
                    new Thread(
                            () -> {
                                try {
                                    double rate = tools.consumeNicely(ours, "cold", records);
                                    out.printf("replayed at %.0f MB/s%n", rate * MB / 1e6);
                                } catch (IOException e) {
                                    out.println("the replay failed: " + e.getMessage());
                                }
                            },
                            "replay");
            replay.start();
            paced(ours, "with");
            out.println(
                    replay.isAlive()
                            ? "the replay was still running"
                            : "the replay had ended before");
            replay.join();
        }
    }

    private void paced(Broker broker, String name) throws IOException {
        String time = Integer.toString(seconds);
        List<String> lines =
                tools.openLoop(broker, "hot", "2000", "1024", "3", time, "all", "false");
        lines.forEach(line -> printPercentiles(name, line));
    }
}
