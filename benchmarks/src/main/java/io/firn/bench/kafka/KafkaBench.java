package io.firn.bench.kafka;

import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * Compares Firn's server with Apache Kafka: in turns, under the same load of Kafka's own tools, on
 * the same medium, with the same JVM options. Client and server share the cores, so the processor
 * time of the server says more than its throughput.
 */
@Command(
        name = "bin/bench kafka",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Compares the server with Apache Kafka, using Kafka's own tools.")
public final class KafkaBench implements Callable<Integer> {
    private static final List<String> PARTS =
            List.of("start", "produce", "durable", "latency", "exactly-once", "replay");
    private static final List<String> SERVERS = List.of("firn", "kafka");
    private static final List<String> WRITTEN = List.of("firn.durability=written");

    @Option(
            names = "--only",
            split = ",",
            description =
                    "Runs only these: start, produce, durable, latency, exactly-once, replay."
                            + " Default: all")
    private List<String> only = PARTS;

    @Option(names = "--mb", description = "MB of records for each run. Default: ${DEFAULT-VALUE}")
    private int mb = 300;

    @Option(
            names = "--turns",
            description =
                    "Repetitions of all runs; reported is the one with the median of the processor"
                            + " time, for replay and exactly-once each.")
    private int turns = 1;

    @Option(
            names = "--sizes",
            split = ",",
            description = "For produce and durable: lengths of values. Default: 1024,100")
    private List<Integer> sizes = List.of(1024, 100);

    @Option(
            names = "--batches",
            split = ",",
            description =
                    "For produce and durable: ${COMPLETION-CANDIDATES}. Default: default,large")
    private List<ThroughputBench.Batches> batches =
            List.of(ThroughputBench.Batches.DEFAULT, ThroughputBench.Batches.LARGE);

    @Option(names = "--produce-only", description = "For produce and durable: nothing is consumed.")
    private boolean isProduceOnly;

    @Option(
            names = "--seconds",
            description = "Duration of each latency run. Default: ${DEFAULT-VALUE}")
    private int seconds = 20;

    @Option(names = "--nice", description = "The client that replays gets the lowest priority.")
    private boolean isNice;

    @Option(names = "--cold-mb", description = "MB to be replayed. Default: ${DEFAULT-VALUE}")
    private int coldMb = 8_000;

    @Option(
            names = "--servers",
            split = ",",
            description = "For replay: firn, kafka. Default: both")
    private List<String> servers = SERVERS;

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

    @Option(
            names = "--firn-options",
            hidden = true,
            description = "JVM options of bin/firn server.")
    private String firnOptions = "-Xmx256m\n-XX:+UseSerialGC";

    @Option(names = "--kafka-classpath", required = true, hidden = true)
    private String kafkaClassPath;

    @Spec private CommandSpec spec;

    private final PrintStream out = System.out;

    /** Runs the benchmark and exits. */
    public static void main(String[] arguments) {
        System.exit(
                new CommandLine(new KafkaBench())
                        .setCaseInsensitiveEnumValuesAllowed(true)
                        .execute(arguments));
    }

    @Override
    public Integer call() throws Exception {
        Only.check(spec, "--only", only, PARTS);
        Only.check(spec, "--servers", servers, SERVERS);
        Path directory = Files.createTempDirectory(Files.createDirectories(place), "kafka-bench-");
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
            run(new Contenders(directory, jvm, firnClassPath, kafkaClassPath));
        } finally {
            Trees.delete(directory);
        }
        return 0;
    }

    private void run(Contenders contenders) throws Exception {
        Tools tools =
                new Tools(
                        Contenders.java(List.of("-Xmx512m", "-XX:+UseSerialGC")),
                        System.getProperty("java.class.path"));
        if (only.contains("start")) {
            List<String> own = List.of(firnOptions.strip().split("\n", -1));
            new StartBench(contenders, out).run(own);
        }
        ThroughputBench throughput =
                new ThroughputBench(contenders, tools, turns, sizes, batches, !isProduceOnly, out);
        if (only.contains("produce")) {
            throughput.run("written, not forced", false, WRITTEN, mb);
        }
        if (only.contains("durable")) {
            throughput.run("forced before acks=all", true, List.of(), mb / 2);
        }
        LatencyBench latency = new LatencyBench(contenders, tools, seconds, out);
        if (only.contains("latency")) {
            latency.run("written, not forced", false, WRITTEN);
            latency.run("forced", true, List.of());
        }
        if (only.contains("exactly-once")) {
            latency.runExactlyOnce("written, not forced", false, WRITTEN, turns);
            latency.runExactlyOnce("forced", true, List.of(), turns);
        }
        if (only.contains("replay")) {
            latency.runBesideReplay(servers, turns, coldMb, isNice);
        }
    }
}
