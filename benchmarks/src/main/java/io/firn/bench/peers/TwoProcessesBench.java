package io.firn.bench.peers;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.ToDoubleFunction;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** Measures the time from a process that appends to another one that reads. */
@Command(
        name = "bin/bench two-processes",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Measures the time until a process reads what another one appends, at a fixed rate: from"
                    + " the",
            "moment at which a record was due, however late it was appended. Firn takes turns with"
                    + " Chronicle",
            "Queue and Aeron IPC. Both threads spin. The reader's histogram gives the percentiles. A"
                    + " run in",
            "which other processes took more than 5 %% of a core is repeated, three times at most.",
            ""
        })
public final class TwoProcessesBench implements Callable<Integer> {
    private static final Path MEMORY = Path.of("/dev/shm");
    private static final List<Double> PERCENTILES = List.of(50.0, 90.0, 99.0, 99.9);
    private static final String HEAD = "%-20s %10s %10s %10s %10s %8s %8s %9s %8s%n";
    private static final String LINE =
            "%-20s %10.0f %10.0f %10.0f %10.0f %7.0f%% %7.0f%% %8.1f%% %7.1f%%%n";

    @Option(
            names = "--only",
            split = ",",
            paramLabel = "NAME",
            description =
                    "Some of firn-written-pmem, firn-unforced-pmem, firn-durable-pmem,"
                            + " chronicle-memory, aeron-ipc, firn-written-files,"
                            + " firn-unforced-files, chronicle-files, firn-durable-files; firn for"
                            + " all that begin with it.")
    private List<String> only = new ArrayList<>();

    @Option(names = "--rate", description = "Records in a second. Default: ${DEFAULT-VALUE}")
    private int rate = 100_000;

    @Option(names = "--bytes", description = "Bytes of a value. Default: ${DEFAULT-VALUE}")
    private int bytes = 64;

    @Option(names = "--rounds", description = "Runs of each, in turns. Default: ${DEFAULT-VALUE}")
    private int rounds = 3;

    @Option(names = "--seconds", description = "Seconds of each run. Default: ${DEFAULT-VALUE}")
    private int seconds = 4;

    @Option(
            names = "--warm-up",
            paramLabel = "SECONDS",
            description = "At the same rate before each. Default: ${DEFAULT-VALUE}")
    private int warmUp = 6; // a segment of Firn is full after 5 s

    @Option(
            names = "--dir",
            paramLabel = "DIR",
            description = "Where the files are. Default: ${DEFAULT-VALUE}")
    private Path disk = Path.of("target");

    @Option(
            names = "--memory",
            paramLabel = "DIR",
            description = "A file system in memory. Default: ${DEFAULT-VALUE}")
    private Path memory = MEMORY;

    @Option(names = "--peers-classpath", hidden = true)
    private String peersClassPath = "";

    @Option(names = "--commit", hidden = true)
    private String commit = "unknown";

    @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

    private final PrintStream out = System.out;

    /** Runs the benchmark and exits. */
    public static void main(String[] args) {
        System.exit(execute(args));
    }

    /** Runs the benchmark and returns its exit code. */
    static int execute(String... args) {
        return new CommandLine(new TwoProcessesBench()).execute(args);
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        List<Pair> pairs = validated();
        Files.createDirectories(disk);
        out.print(Conditions.now(disk.toRealPath(), commit, false).lines());
        out.printf(
                "%-20s %d B, %,d records/s, %d s after %d s of the same, %d rounds; memory in %s%n",
                "load", bytes, rate, seconds, warmUp, rounds, memory);
        pairs.forEach(pair -> out.printf("%-20s %s%n", pair.id(), pair.description()));
        head("round, ns");
        PairRun run = new PairRun(peersClassPath);
        PairChild.Plan plan =
                new PairChild.Plan(null, bytes, rate, 1_000 * warmUp, 1_000 * seconds, null);
        Map<Pair, List<PairRun.Result>> results = new EnumMap<>(Pair.class);
        boolean failed = false;
        for (int round = 1; round <= rounds; round++) {
            for (Pair pair : pairs) {
                try {
                    Path parent = (pair.isInMemory() ? memory : disk).toRealPath();
                    PairRun.Result result = undisturbed(run, pair, parent, plan);
                    results.computeIfAbsent(pair, p -> new ArrayList<>()).add(result);
                    line(round + " " + pair.id(), List.of(result));
                } catch (IOException e) {
                    out.printf("%d %s failed: %s%n", round, pair.id(), e.getMessage());
                    failed = true;
                }
            }
        }
        head("medians, ns");
        results.forEach((pair, all) -> line(pair.id(), all));
        return failed ? 1 : 0;
    }

    /** Repeats a run that others disturbed; the least disturbed one counts. */
    private PairRun.Result undisturbed(PairRun run, Pair pair, Path parent, PairChild.Plan plan)
            throws IOException, InterruptedException {
        PairRun.Result best = run.run(pair, parent, plan);
        for (int i = 0; i < Runner.REPETITIONS && best.foreign() > Disturbance.MAX_FOREIGN; i++) {
            line("  dropped", List.of(best));
            PairRun.Result again = run.run(pair, parent, plan);
            best = again.foreign() < best.foreign() ? again : best;
        }
        return best;
    }

    private List<Pair> validated() {
        if (bytes < PairChild.MIN_BYTES || rate < 1 || rounds < 1 || seconds < 1 || warmUp < 1) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--bytes must be at least "
                            + PairChild.MIN_BYTES
                            + ", and the others at least 1");
        }
        List<Pair> pairs = new ArrayList<>();
        for (Pair pair : Pair.values()) {
            boolean isWanted = only.isEmpty() || only.stream().anyMatch(pair.id()::startsWith);
            if (isWanted && pair.family().isApart() && peersClassPath.isEmpty()) {
                out.println(pair.id() + " is missing: Maven could not obtain it");
            } else if (isWanted) {
                pairs.add(pair);
            }
        }
        if (pairs.isEmpty()) {
            throw new ParameterException(spec.commandLine(), "--only: there is none of " + only);
        }
        return pairs;
    }

    private void head(String title) {
        out.println();
        out.printf(
                HEAD,
                title,
                "p50",
                "p90",
                "p99",
                "p99.9",
                "writer",
                "reader",
                "pressure",
                "others");
    }

    private void line(String name, List<PairRun.Result> results) {
        List<Object> cells = new ArrayList<>(List.of(name));
        for (double percentile : PERCENTILES) {
            cells.add(median(results, result -> result.percentile(percentile, rate)));
        }
        cells.add(median(results, PairRun.Result::writerCpu));
        cells.add(median(results, PairRun.Result::readerCpu));
        cells.add(median(results, PairRun.Result::pressure));
        cells.add(median(results, PairRun.Result::foreign));
        out.printf(Locale.ROOT, LINE, cells.toArray());
    }

    private static double median(
            List<PairRun.Result> results, ToDoubleFunction<PairRun.Result> figure) {
        double[] sorted = results.stream().mapToDouble(figure).sorted().toArray();
        return sorted[sorted.length / 2];
    }
}
