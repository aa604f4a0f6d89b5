package io.firn.bench.kafka;

import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * Measures how long a consumer group takes to form, to rebalance when a tenth of its members leave
 * and when they return, and to end, on Firn's server and on Kafka in turns.
 */
@Command(
        name = "bin/bench groups",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description =
                "Measures how long consumer groups take to form and change, beside Apache Kafka.")
public final class GroupsBench implements Callable<Integer> {
    private static final List<String> PHASES = List.of("form", "10 % leave", "10 % join", "end");
    private static final int SHARE = 10;
    private static final int RAW = 10;

    @Mixin private Servers servers = new Servers();

    @Option(
            names = "--only",
            split = ",",
            description = {
                "raw: members that only join, sync, send heartbeats, and commit at revocation;",
                "java: the Java client's consumers. Default: raw"
            })
    private List<String> only = List.of("raw");

    @Option(
            names = "--members",
            split = ",",
            description = "Numbers of members. Default: ${DEFAULT-VALUE}")
    private List<Integer> members = List.of(10, 100, 500);

    @Option(
            names = "--assignors",
            split = ",",
            description = "range, cooperative-sticky or both. Default: ${DEFAULT-VALUE}")
    private List<String> assignors = List.of("range", "cooperative-sticky");

    @Option(
            names = "--partitions",
            description = "Partitions of the topic. Default: ${DEFAULT-VALUE}")
    private int partitions = 500;

    @Option(
            names = "--delay",
            description = {
                "group.initial.rebalance.delay.ms of both servers; 3000 is the default of both.",
                "Default: ${DEFAULT-VALUE}"
            })
    private int delayMs = 3_000;

    @Option(
            names = "--turns",
            description = "Repetitions of each run; the median of each phase is reported.")
    private int turns = 1;

    @Spec private CommandSpec spec;

    private final PrintStream out = System.out;
    private int number;

    /** Runs the benchmark and exits. */
    public static void main(String[] arguments) {
        System.exit(new CommandLine(new GroupsBench()).execute(arguments));
    }

    /** The cost of a phase. */
    private record Phase(double seconds, int generations, int joins, double cpuSeconds) {}

    @Override
    public Integer call() throws Exception {
        Only.check(spec, "--only", only, List.of("raw", "java"));
        servers.prepare();
        String delay = "group.initial.rebalance.delay.ms=" + delayMs;
        try {
            out.printf(
                    "%s%n%s, heartbeat.interval.ms=3000, a topic of %d partitions; medians of %d"
                            + " turns%n%n",
                    servers.conditions(), delay, partitions, turns);
            out.println(
                    "| members | assignor | phase | Kafka s | Firn s | ratio |"
                            + " generations Kafka / Firn | joins Kafka / Firn |"
                            + " server CPU s Kafka / Firn |");
            out.println("|---|---|---|---|---|---|---|---|---|");
            try (Broker kafka = servers.start(Servers.NAMES.get(0), delay);
                    Broker firn =
                            servers.start(Servers.NAMES.get(1), delay, IdleBench.FIRN_SEGMENTS)) {
                for (Broker each : List.of(kafka, firn)) {
                    Idlers.fill(each, "shared", partitions);
                    // Creates Kafka's internal topics, and warms up.
                    phases(each, "raw", RAW, "range");
                }
                for (String kind : only) {
                    for (int count : members) {
                        for (String assignor : assignors) {
                            compare(kafka, firn, kind, count, assignor);
                        }
                    }
                }
            }
        } finally {
            servers.delete();
        }
        return 0;
    }

    private void compare(Broker kafka, Broker firn, String kind, int count, String assignor)
            throws IOException {
        List<List<Phase>> theirs = new ArrayList<>();
        List<List<Phase>> ours = new ArrayList<>();
        for (int turn = 0; turn < turns; turn++) {
            theirs.add(phases(kafka, kind, count, assignor));
            ours.add(phases(firn, kind, count, assignor));
        }
        for (int i = 0; i < PHASES.size(); i++) {
            print(count + " " + kind, assignor, PHASES.get(i), median(theirs, i), median(ours, i));
        }
    }

    private static Phase median(List<List<Phase>> runs, int phase) {
        List<Phase> all = new ArrayList<>(runs.stream().map(run -> run.get(phase)).toList());
        all.sort((a, b) -> Double.compare(a.seconds, b.seconds));
        return all.get(all.size() / 2);
    }

    private List<Phase> phases(Broker broker, String kind, int count, String assignor)
            throws IOException {
        String name = "group-" + number++;
        int some = Math.max(1, count / SHARE);
        List<Phase> phases = new ArrayList<>();
        try (MeasuredGroup group =
                kind.equals("raw")
                        ? new RawGroup(broker, name, "shared", partitions, assignor)
                        : new JavaGroup(broker, name, "shared", partitions, assignor)) {
            phases.add(
                    phase(
                            broker,
                            group,
                            () -> {
                                group.add(count);
                                group.awaitStable();
                            }));
            phases.add(
                    phase(
                            broker,
                            group,
                            () -> {
                                group.remove(some);
                                group.awaitStable();
                            }));
            phases.add(
                    phase(
                            broker,
                            group,
                            () -> {
                                group.add(some);
                                group.awaitStable();
                            }));
            phases.add(phase(broker, group, () -> group.remove(count)));
        }
        return phases;
    }

    /** An action of the members. */
    private interface Step {
        void run() throws IOException;
    }

    private static Phase phase(Broker broker, MeasuredGroup group, Step step) throws IOException {
        int generation = group.generation();
        int joins = group.joins();
        double cpu = broker.cpuSeconds();
        long start = System.nanoTime();
        step.run();
        return new Phase(
                (System.nanoTime() - start) / 1e9,
                group.generation() == 0 ? 0 : group.generation() - Math.max(0, generation),
                group.joins() - joins,
                broker.cpuSeconds() - cpu);
    }

    private void print(String members, String assignor, String phase, Phase theirs, Phase ours) {
        out.printf(
                Locale.ROOT,
                "| %s | %s | %s | %.2f | %.2f | %.2f | %d / %d | %d / %d | %.2f / %.2f |%n",
                members,
                assignor,
                phase,
                theirs.seconds,
                ours.seconds,
                ours.seconds / theirs.seconds,
                theirs.generations,
                ours.generations,
                theirs.joins,
                ours.joins,
                theirs.cpuSeconds,
                ours.cpuSeconds);
    }
}
