package io.firn.bench.kafka;

import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * Measures the cost of an idle server, Firn's and Kafka's in turns, each with an empty directory
 * and alone on the machine.
 */
@Command(
        name = "bin/bench idle",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Measures the cost of idle servers, beside Apache Kafka.")
public final class IdleBench implements Callable<Integer> {
    /** Small segments, so that 2,000 partitions fit on the disk: segments are reserved ahead. */
    static final String FIRN_SEGMENTS = "log.segment.bytes=262144";

    private static final List<String> CASES =
            List.of("empty", "partitions", "connections", "consumers");

    @Mixin private Servers servers = new Servers();

    @Option(
            names = "--only",
            split = ",",
            description = {
                "Runs only these cases: empty, partitions, connections, consumers; 2 min each.",
                "Default: all of them"
            })
    private List<String> only = CASES;

    @Option(names = "--partitions", description = "Partitions. Default: ${DEFAULT-VALUE}")
    private int partitions = 2_000;

    @Option(names = "--connections", description = "Connections. Default: ${DEFAULT-VALUE}")
    private int connections = 1_000;

    @Option(names = "--consumers", description = "Consumers. Default: ${DEFAULT-VALUE}")
    private int consumers = 100;

    @Option(
            names = "--settle",
            description = "Seconds of rest before the measurement. Default: ${DEFAULT-VALUE}")
    private int settleSeconds = 15;

    @Option(
            names = "--seconds",
            description = "Seconds of the measurement. Default: ${DEFAULT-VALUE}")
    private int seconds = 25;

    @Option(names = "--turns", description = "Repetitions of each case; the median is reported.")
    private int turns = 1;

    @Spec private CommandSpec spec;

    private final PrintStream out = System.out;

    /** Runs the benchmark and exits. */
    public static void main(String[] arguments) {
        System.exit(new CommandLine(new IdleBench()).execute(arguments));
    }

    private record Cost(double percent, double threads, double anonymousMb) {}

    @Override
    public Integer call() throws Exception {
        Only.check(spec, "--only", only, CASES);
        servers.prepare();
        try {
            out.printf(
                    "%s; %d s after %d s of rest, medians of %d turns; segments of 256 KiB in"
                            + " Firn%n%n",
                    servers.conditions(), seconds, settleSeconds, turns);
            out.println(
                    "| case | % of a core, Kafka | Firn | ratio | threads Kafka / Firn |"
                            + " RssAnon MB Kafka / Firn |");
            out.println("|---|---|---|---|---|---|");
            for (String each : only) {
                List<Cost> theirs = new ArrayList<>();
                List<Cost> ours = new ArrayList<>();
                for (int turn = 0; turn < turns; turn++) {
                    theirs.add(cost(Servers.NAMES.get(0), each));
                    ours.add(cost(Servers.NAMES.get(1), each));
                }
                print(each, median(theirs), median(ours));
            }
        } finally {
            servers.delete();
        }
        return 0;
    }

    private Cost cost(String server, String what) throws Exception {
        List<String> settings = server.equals("Firn") ? List.of(FIRN_SEGMENTS) : List.of();
        try (Broker broker = servers.start(server, settings.toArray(String[]::new))) {
            AutoCloseable clients = begin(broker, what);
            try {
                return measure(broker);
            } finally {
                clients.close();
            }
        }
    }

    private Cost measure(Broker broker) throws IOException, InterruptedException {
        TimeUnit.SECONDS.sleep(settleSeconds);
        double before = broker.cpuSeconds();
        long start = System.nanoTime();
        TimeUnit.SECONDS.sleep(seconds);
        double used = broker.cpuSeconds() - before;
        return new Cost(
                100 * used * 1e9 / (System.nanoTime() - start),
                broker.threads(),
                broker.memoryMb("RssAnon"));
    }

    /** Sets up a case; the caller closes what it returns after the measurement. */
    private AutoCloseable begin(Broker broker, String what) throws Exception {
        switch (what) {
            case "empty" -> {
                return () -> {};
            }
            case "partitions" -> {
                Idlers.fill(broker, partitions);
                return () -> {};
            }
            case "connections" -> {
                return Idlers.connect(broker, connections);
            }
            case "consumers" -> {
                Servers.createTopic(broker, "waited-for", consumers);
                JavaGroup group =
                        new JavaGroup(broker, "waiting", "waited-for", consumers, "range");
                group.add(consumers);
                group.awaitStable();
                return group;
            }
            default -> throw new AssertionError(what);
        }
    }

    private static Cost median(List<Cost> costs) {
        costs.sort(Comparator.comparingDouble(Cost::percent));
        return costs.get(costs.size() / 2);
    }

    private void print(String what, Cost theirs, Cost ours) {
        String name =
                switch (what) {
                    case "partitions" -> partitions + " partitions";
                    case "connections" -> connections + " connections";
                    case "consumers" -> consumers + " consumers, a partition each";
                    default -> what;
                };
        out.printf(
                Locale.ROOT,
                "| %s | %.1f | %.1f | %.2f | %.0f / %.0f | %.0f / %.0f |%n",
                name,
                theirs.percent,
                ours.percent,
                ours.percent / theirs.percent,
                theirs.threads,
                ours.threads,
                theirs.anonymousMb,
                ours.anonymousMb);
    }
}
