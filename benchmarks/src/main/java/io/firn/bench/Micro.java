package io.firn.bench;

import io.firn.Durability;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Runs the micro-benchmarks and their floors and prints one table. A round runs each of them in a
 * JVM of its own, subject and floor in turns, so that a disturbance of the machine affects both.
 */
@Command(
        name = "bin/bench micro",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Measures append, claim, batch, tail and end to end, each beside a hand-written floor",
            "(copy into a mapping, CRC32C, force) and beside Chronicle Queue."
        })
public final class Micro implements Callable<Integer> {
    private static final Path TARGET = Path.of("target");

    @Option(names = "--quick", description = "Runs fewer cases, one JVM each, in some minutes.")
    private boolean quick;

    @Option(
            names = "--dir",
            paramLabel = "DIR",
            description = "A directory on a disk. Default: target/ in the current directory.")
    private Path disk = TARGET;

    @Option(
            names = "--only",
            paramLabel = "REGEX",
            description =
                    "Runs only matching lines of the table, such as 'exclusive memory DURABLE'.")
    private Pattern only = Pattern.compile("");

    @Option(
            names = "--rounds",
            paramLabel = "N",
            description = "JVMs for each case; default 2, with --quick 1.")
    private int rounds;

    private final PrintStream out = System.out;

    /** Runs the benchmark and exits. */
    public static void main(String[] args) {
        System.exit(new CommandLine(new Micro()).execute(args));
    }

    @Override
    public Integer call() throws IOException, RunnerException {
        int times = rounds > 0 ? rounds : quick ? 1 : 2;
        Map<String, Path> places = new LinkedHashMap<>();
        Thread cleaner = new Thread(() -> places.values().forEach(Places::delete));
        Runtime.getRuntime().addShutdownHook(cleaner);
        if (Places.hasMemory()) {
            places.put(Case.MEMORY, Places.make(Places.MEMORY));
        }
        places.put(Case.DISK, Places.make(disk));
        Path log = Files.createTempFile(Files.createDirectories(TARGET), "bench-micro-", ".log");

        List<Case> cases =
                Plan.of(quick, places).stream()
                        .filter(line -> only.matcher(words(line)).find())
                        .toList();
        printConditions(places, times, log);
        Map<Bench, Sample> samples = run(cases, times, log);
        out.println();
        Table.print(out, cases, samples);
        out.println();
        targets(cases, samples).forEach(out::println);
        return 0;
    }

    private static String words(Case line) {
        return line.name() + " " + line.place() + " " + line.durabilityName() + " " + line.bytes();
    }

    private void printConditions(Map<String, Path> places, int times, Path log) throws IOException {
        out.println("CPU      " + Machine.cpu() + "; load before the run " + Machine.load());
        out.println("system   " + Machine.system());
        out.println(
                "JVM      " + Machine.jdk() + ", no flags except those that Chronicle Queue needs");
        for (Map.Entry<String, Path> place : places.entrySet()) {
            out.printf(
                    "%-8s %s (%s), class %s%n",
                    place.getKey(),
                    place.getValue(),
                    Machine.fileSystem(place.getValue()),
                    survives(place.getValue()));
        }
        out.println(
                "values   64, 256, 1024 B; one partition; segments and floors "
                        + (quick ? 256 : 512)
                        + " MiB, 64 MiB where a disk is forced and where it rolls");
        out.println(
                "figures  medians over "
                        + times
                        + (times == 1 ? " JVM" : " JVMs")
                        + " for each benchmark and "
                        + (quick ? 5 : 8)
                        + " iterations in each");
        out.println("JMH      " + log);
        out.flush();
    }

    private static String survives(Path parent) throws IOException {
        try (FirnLog log = FirnLog.open(parent.toString())) {
            return log.store().metrics().tiers().get(0).survives().name();
        }
    }

    /** Runs all benchmarks in turns, several times. */
    static Map<Bench, Sample> run(List<Case> cases, int times, Path log) throws RunnerException {
        Set<Bench> inTurns = new LinkedHashSet<>();
        for (Case line : cases) {
            inTurns.add(line.subject());
            inTurns.add(line.beside());
        }
        Map<Bench, Sample> samples = new LinkedHashMap<>();
        try (ProgressBar progress =
                new ProgressBarBuilder()
                        .setTaskName("benchmarks")
                        .setInitialMax((long) times * inTurns.size())
                        .setStyle(ProgressBarStyle.ASCII)
                        .build()) {
            for (int round = 0; round < times; round++) {
                for (Bench bench : inTurns) {
                    progress.setExtraMessage(bench.toString());
                    // JMH overwrites its file at each start, so the file is that of the last
                    // benchmark.
                    samples.computeIfAbsent(bench, b -> new Sample())
                            .add(
                                    bench,
                                    new Runner(bench.options(log.toString()).build()).runSingle());
                    progress.step();
                }
            }
        }
        return samples;
    }

    private static List<Target> targets(List<Case> cases, Map<Bench, Sample> samples) {
        List<Target> targets = new ArrayList<>();
        Map<String, Double> allocated = new LinkedHashMap<>();
        double oneThread = Double.NaN;
        for (Case line : cases) {
            Sample subject = samples.get(line.subject());
            double ratio = subject.ns() / samples.get(line.beside()).ns();
            String size = "-" + line.bytes();
            boolean memory = line.place().equals(Case.MEMORY);
            boolean durable = line.durability() == Durability.DURABLE;
            switch (line.name()) {
                case Plan.EXCLUSIVE -> {
                    if (memory && durable) {
                        targets.add(Target.atMost("durable-append-to-floor" + size, ratio, 1.3));
                    }
                }
                case Plan.EXCLUSIVE_VALUE -> {
                    if (durable) {
                        targets.add(
                                Target.atMost(
                                        "durable-append-to-encoding-floor" + size, ratio, 1.3));
                    }
                }
                case Plan.SHARED -> oneThread = subject.ns();
                case Plan.SHARED_8 ->
                        targets.add(
                                Target.atLeast(
                                        "disk-8-threads-to-one" + size,
                                        oneThread / subject.ns(),
                                        5));
                case Plan.END_TO_END -> {
                    if (memory && !durable) {
                        targets.add(Target.atMost("end-to-end-p50-to-bare" + size, ratio, 1.5));
                    }
                }
                case Plan.PEER_APPEND ->
                        targets.add(Target.atLeast("append-to-chronicle" + size, 1 / ratio, 3));
                case Plan.PEER_REPLAY ->
                        targets.add(Target.atLeast("replay-to-chronicle" + size, 1 / ratio, 1.4));
                default -> {
                    // no target of its own
                }
            }
            if (memory
                    && !line.name().equals(Plan.END_TO_END)
                    && !line.name().contains("Chronicle")) {
                allocated.merge(
                        "bytes-allocated-" + line.name().replaceAll("[ ,]+", "-"),
                        subject.bytes(),
                        Math::max);
            }
        }
        allocated.forEach(
                (name, bytes) -> targets.add(Target.atMost(name, Math.floor(bytes + 0.5), 0)));
        return targets;
    }
}
