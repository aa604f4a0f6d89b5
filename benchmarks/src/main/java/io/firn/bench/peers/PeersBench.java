package io.firn.bench.peers;

import io.firn.bench.peers.Schedule.Turn;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** Measures Firn beside other logs, and writes a report. */
@Command(
        name = "bin/bench peers",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Measures Firn beside Chronicle Queue, Aeron Archive, RocksDB's WAL, a FileChannel and"
                    + " a",
            "bare mapping, with equal payloads. Each run has a JVM of its own, and the contenders"
                    + " take",
            "turns. A run during which /proc/pressure/cpu rose above 20 %% because of other"
                    + " processes is",
            "dropped and repeated, three times at most. Results are kept in --out: a command that"
                    + " was",
            "interrupted continues there, and one with other sizes or contenders adds to it.",
            ""
        },
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {
            "0:everything was measured",
            "1:some runs failed, or something is wrong",
            "2:wrong arguments",
            "3:--minutes are over: run it again to continue"
        })
public final class PeersBench implements Callable<Integer> {
    private static final int TIME_IS_OVER = 3;
    private static final Path MEMORY = Path.of("/dev/shm");
    private static final Path TARGET = Path.of("target");

    @Option(
            names = "--only",
            split = ",",
            paramLabel = "NAME",
            description =
                    "Scenarios (append-fresh append-touched latency end-to-end replay durable-1"
                            + " durable-8 reopen), systems (firn chronicle aeron rocksdb file-channel"
                            + " mapping) or contenders (such as firn-claim), separated by commas.")
    private List<String> only = new ArrayList<>();

    @Option(
            names = "--sizes",
            split = ",",
            paramLabel = "BYTES",
            description = "Lengths of values. Default: 64,256,1024; with --quick 256.")
    private List<Integer> sizes = new ArrayList<>();

    @Option(names = "--runs", paramLabel = "N", description = "Default: 5; with --quick 1.")
    private int runs;

    @Option(
            names = "--quick",
            description =
                    "One short run of each cell at 256 B, in minutes; disturbed runs are not"
                            + " repeated.")
    private boolean quick;

    @Option(
            names = "--dir",
            paramLabel = "DIR",
            description =
                    "Where the logs are. Default: /dev/shm, a file system in memory, if there is"
                            + " one, otherwise target/ in the current directory.")
    private Path dir = Files.isWritable(MEMORY) ? MEMORY : TARGET;

    @Option(
            names = "--out",
            paramLabel = "DIR",
            description = "Where report and results are. Default: ${DEFAULT-VALUE}")
    private Path out = TARGET.resolve("peers");

    @Option(
            names = "--minutes",
            paramLabel = "M",
            description = "Begins no run after this time. Default: runs to the end.")
    private double minutes = Double.MAX_VALUE;

    @Option(names = "--peers-classpath", hidden = true)
    private String peersClassPath = "";

    @Option(names = "--commit", hidden = true)
    private String commit = "unknown";

    @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

    private final PrintStream console = System.out;

    /** Runs the benchmark and exits. */
    public static void main(String[] args) {
        System.exit(execute(args));
    }

    /** Runs the benchmark and returns its exit code. */
    static int execute(String... args) {
        CommandLine line = new CommandLine(new PeersBench());
        line.setExecutionExceptionHandler(
                (e, command, parsed) -> {
                    if (e instanceof IOException) {
                        command.getErr().println(e.getMessage());
                        return 1;
                    }
                    throw e;
                });
        return line.execute(args);
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        long started = System.nanoTime();
        Selection selection = validated();
        Schedule schedule =
                new Schedule(selection.scenarios(), available(selection.peers()), sizes, runs);
        if (schedule.turns().isEmpty()) {
            throw new ParameterException(
                    spec.commandLine(), "--only: no such contender is measured in that scenario");
        }
        Files.createDirectories(dir);
        Conditions conditions = Conditions.now(dir.toRealPath(), commit, quick);
        Results results = new Results(out.resolve("runs"));
        results.conditions(conditions.kept());
        results.load(schedule.cells());
        console.println(conditions.lines());
        Children children = new Children(dir.toRealPath(), peersClassPath, quick);
        Thread killer = new Thread(children::close);
        Runtime.getRuntime().addShutdownHook(killer);
        int left =
                run(
                        schedule,
                        results,
                        new Runner(results, children::run, dir, quick ? 0 : Runner.REPETITIONS),
                        started);
        children.close();
        List<Cell> all = Report.everyCell(results, sizes);
        Path report = Report.write(out, conditions, results, all, missing());
        TerminalTable.print(console, results, schedule.cells());
        console.println("report   " + report + ", CSV beside it");
        missing().forEach(why -> console.println("missing  " + why));
        if (left > 0) {
            console.println("left     " + left + " runs: run the same command again to continue");
        }
        boolean failed = printFailures(results, schedule);
        return failed ? 1 : left > 0 ? TIME_IS_OVER : 0;
    }

    private Selection validated() {
        if (sizes.isEmpty()) {
            sizes = quick ? List.of(256) : List.of(64, 256, 1024);
        }
        if (runs == 0) {
            runs = quick ? 1 : 5;
        }
        if (runs < 0
                || runs > Results.MAX_ROUNDS
                || sizes.stream().anyMatch(size -> size < 8 || size > 4096)) {
            throw new ParameterException(
                    spec.commandLine(), "--runs must be from 1 to 100, and --sizes from 8 to 4096");
        }
        if (!Files.exists(Path.of("/proc/self/schedstat"))) {
            throw new ParameterException(
                    spec.commandLine(),
                    "this benchmark reads CPU times from /proc: it needs Linux");
        }
        try {
            return Selection.of(only);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), "--only: " + e.getMessage(), e);
        }
    }

    private Set<Peer> available(Set<Peer> wanted) {
        Set<Peer> available = EnumSet.copyOf(wanted);
        available.removeIf(peer -> peer.family().isApart() && peersClassPath.isEmpty());
        return available;
    }

    private List<String> missing() {
        return peersClassPath.isEmpty()
                ? List.of(
                        "Aeron Archive and RocksDB: Maven could not obtain them, so they are not"
                                + " measured")
                : List.of();
    }

    private int run(Schedule schedule, Results results, Runner runner, long started)
            throws IOException, InterruptedException {
        List<Turn> missing =
                schedule.turns().stream()
                        .filter(turn -> !results.has(turn.cell(), turn.round()))
                        .toList();
        try (ProgressBar progress =
                new ProgressBarBuilder()
                        .setTaskName("runs")
                        .setInitialMax(missing.size())
                        .setStyle(ProgressBarStyle.ASCII)
                        .build()) {
            return runner.run(
                    missing,
                    turn -> {
                        double passed = (System.nanoTime() - started) / 60e9;
                        if (passed > minutes) {
                            return false;
                        }
                        progress.setExtraMessage(turn.cell().toString());
                        progress.step();
                        return true;
                    });
        }
    }

    private boolean printFailures(Results results, Schedule schedule) {
        boolean failed = false;
        for (Cell cell : schedule.cells()) {
            for (String why : results.failures(cell)) {
                console.println("failed   " + cell + ": " + why);
                failed = true;
            }
        }
        return failed;
    }
}
