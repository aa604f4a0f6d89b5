package io.firn.bench.peers;

import io.firn.bench.peers.LatencyWork.OpenLoop;
import io.firn.bench.peers.PeerLog.LogAppender;
import io.firn.bench.peers.PeerLog.Shape;
import io.firn.bench.peers.ThreadCounters.Counters;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** Measures the tail of appends at a fixed rate, in turns within one JVM. */
@Command(
        name = "bin/bench append-tail",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Appends at a fixed rate, however late the earlier appends were, to a new log in each"
                    + " turn: a",
            "hand-written mapping, Chronicle Queue and a WRITTEN topic, all in one JVM. Prints the",
            "percentiles from the moment at which a record was due, and of the call alone, for each"
                    + " turn",
            "and their medians; and what the system counted of the threads: time on a processor,"
                    + " time",
            "without one, how often they rested or lost it, and page faults.",
            ""
        })
public final class AppendTail implements Callable<Integer> {
    private static final List<Double> PERCENTILES = List.of(50.0, 99.0, 99.9, 99.99, 100.0);
    private static final long WARM_UP_MS = 700;
    private static final String CHILD = "--in-this-jvm";

    @Option(
            names = "--only",
            split = ",",
            paramLabel = "NAME",
            description =
                    "Some of floor, chronicle, chronicle-bytes, firn, firn-pinned, firn-unforced."
                            + " Default: floor,chronicle,firn, and firn-pinned with"
                            + " --background-cpus.")
    private List<String> only = new ArrayList<>();

    @Option(names = "--rate", description = "Records in a second. Default: ${DEFAULT-VALUE}")
    private int rate = 100_000;

    @Option(names = "--bytes", description = "Bytes of a value. Default: ${DEFAULT-VALUE}")
    private int bytes = 256;

    @Option(names = "--seconds", description = "Seconds of each turn. Default: ${DEFAULT-VALUE}")
    private int seconds = 3;

    @Option(names = "--turns", description = "Turns of each. Default: ${DEFAULT-VALUE}")
    private int turns = 5;

    @Option(
            names = "--dir",
            paramLabel = "DIR",
            description = "Where the logs are. Default: ${DEFAULT-VALUE}")
    private Path parent = Path.of("/dev/shm");

    @Option(
            names = "--appender-cpus",
            paramLabel = "LIST",
            description = "Processors of the thread that appends, such as 1. Needs taskset.")
    private String appenderCpus = "";

    @Option(
            names = "--background-cpus",
            paramLabel = "LIST",
            description = "Processors of Firn's threads, set by LogStoreBuilder.threadFactory.")
    private String backgroundCpus = "";

    @Option(names = "--threads", description = "Print the counters of each thread and turn.")
    private boolean printsThreads;

    @Option(
            names = "--plot",
            paramLabel = "FILE",
            description = "Write the percentiles of all turns together as an SVG image.")
    private Path plot;

    @Option(names = CHILD, hidden = true)
    private boolean isChild;

    @Option(names = "--commit", hidden = true)
    private String commit = "unknown";

    @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

    private final PrintStream out = System.out;
    private final Map<Contender, List<Histogram>> fromDue = new EnumMap<>(Contender.class);
    private final Map<Contender, List<Histogram>> calls = new EnumMap<>(Contender.class);
    private final Map<Contender, List<Counters>> appenders = new EnumMap<>(Contender.class);

    /** Runs the benchmark, in a JVM with the flags that Chronicle Queue needs, and exits. */
    public static void main(String[] args) {
        System.exit(new CommandLine(new AppendTail()).execute(args));
    }

    @Override
    public Integer call() throws Exception {
        List<Contender> contenders = validated();
        if (!isChild) {
            List<String> command = Children.java(Family.CHRONICLE, "", AppendTail.class);
            command.addAll(spec.commandLine().getParseResult().originalArgs());
            command.add(CHILD);
            return new ProcessBuilder(command).inheritIO().start().waitFor();
        }
        Files.createDirectories(parent);
        out.print(Conditions.now(parent.toRealPath(), commit, false).lines());
        out.printf(
                "%-20s %d B, %,d records/s, %d turns of %d s, each after %d ms of the same%n",
                "load", bytes, rate, turns, seconds, WARM_UP_MS);
        contenders.forEach(each -> out.printf("%-20s %s%n", each.id(), each.description()));
        ThreadFactory pinned = backgroundCpus.isEmpty() ? null : Affinity.factory(backgroundCpus);
        if (!appenderCpus.isEmpty()) {
            Affinity.pin(appenderCpus);
        }
        for (int turn = 0; turn <= turns; turn++) {
            head(turn == 0 ? "warm-up, ns" : "turn " + turn + ", ns");
            for (Contender each : contenders) {
                if (turn == 1) {
                    forget(each); // the compilers were at work
                }
                turn(each, pinned);
            }
        }
        head("medians, ns");
        contenders.forEach(each -> line(each, fromDue.get(each), calls.get(each), sum(each)));
        if (plot != null) {
            Map<String, Histogram> all = new LinkedHashMap<>();
            contenders.forEach(each -> all.put(each.id(), together(fromDue.get(each))));
            Files.writeString(plot, PercentilePlot.draw(title(), all));
        }
        return 0;
    }

    private String title() {
        return String.format(
                Locale.ROOT, "%d B at %,d records/s: from due until appended", bytes, rate);
    }

    private List<Contender> validated() {
        if (rate < 1 || bytes < 1 || seconds < 1 || turns < 1) {
            throw new ParameterException(
                    spec.commandLine(), "--rate, --bytes, --seconds and --turns: at least 1");
        }
        List<Contender> contenders = new ArrayList<>();
        for (Contender each : Contender.values()) {
            boolean isUsual =
                    each == Contender.FLOOR
                            || each == Contender.CHRONICLE
                            || each == Contender.FIRN
                            || (each == Contender.FIRN_PINNED && !backgroundCpus.isEmpty());
            if (only.isEmpty() ? isUsual : only.contains(each.id())) {
                contenders.add(each);
            }
        }
        if (contenders.size() < only.size() || contenders.isEmpty()) {
            throw new ParameterException(spec.commandLine(), "--only: one is unknown in " + only);
        }
        if (contenders.contains(Contender.FIRN_PINNED) && backgroundCpus.isEmpty()) {
            throw new ParameterException(spec.commandLine(), "firn-pinned needs --background-cpus");
        }
        return contenders;
    }

    private void forget(Contender each) {
        fromDue.remove(each);
        calls.remove(each);
        appenders.remove(each);
    }

    private void turn(Contender contender, ThreadFactory pinned) throws Exception {
        Path directory = Files.createTempDirectory(parent, "firn-tail-");
        long warmUp = TimeUnit.MILLISECONDS.toNanos(WARM_UP_MS);
        long measured = TimeUnit.SECONDS.toNanos(seconds);
        OpenLoop loop = new OpenLoop(rate);
        Shape shape = new Shape(bytes, loop.records(warmUp + measured), false, 1);
        Histogram done = Histograms.create();
        Histogram called = Histograms.create();
        try (PeerLog log = contender.create(pinned)) {
            log.open(directory, shape);
            LogAppender appender = log.appender();
            append(loop, appender, warmUp, Histograms.create(), Histograms.create());
            Map<Long, Counters> before = ThreadCounters.read();
            append(loop, appender, measured, done, called);
            Map<Long, Counters> threads = ThreadCounters.since(before);
            Counters own = threads.isEmpty() ? Counters.NONE : threads.remove(Affinity.id());
            add(fromDue, contender, done);
            add(calls, contender, called);
            add(appenders, contender, own);
            line(contender, List.of(done), List.of(called), own);
            threads(threads);
        } finally {
            Trees.delete(directory);
        }
        Meter.settle();
    }

    private static <T> void add(Map<Contender, List<T>> to, Contender contender, T value) {
        to.computeIfAbsent(contender, c -> new ArrayList<>()).add(value);
    }

    private void append(
            OpenLoop loop, LogAppender appender, long ns, Histogram done, Histogram called)
            throws Exception {
        byte[] value = new byte[bytes];
        loop.begin();
        long records = loop.records(ns);
        for (long i = 0; i < records; i++) {
            long due = loop.awaitNext();
            long start = System.nanoTime();
            appender.append(value);
            long end = System.nanoTime();
            Histograms.record(done, end - due);
            Histograms.record(called, end - start);
        }
    }

    private void head(String title) {
        out.printf("%n%-16s", title);
        for (String kind : List.of("", "call ")) {
            for (double each : PERCENTILES) {
                out.printf(" %11s", kind + (each == 100 ? "max" : "p" + text(each)));
            }
        }
        out.printf(" %8s %8s %7s %7s %7s%n", "cpu ms", "wait ms", "rests", "losses", "faults");
    }

    private static String text(double percentile) {
        return percentile == Math.rint(percentile)
                ? Integer.toString((int) percentile)
                : Double.toString(percentile);
    }

    private void line(
            Contender contender, List<Histogram> due, List<Histogram> called, Counters own) {
        out.printf("%-16s", contender.id());
        for (List<Histogram> each : List.of(due, called)) {
            for (double percentile : PERCENTILES) {
                out.printf(" %11d", median(each, percentile));
            }
        }
        print(own);
    }

    private void print(Counters counters) {
        out.printf(
                Locale.ROOT,
                " %8.1f %8.2f %7d %7d %7d%n",
                counters.cpuNs() / 1e6,
                counters.waitedNs() / 1e6,
                counters.rests(),
                counters.losses(),
                counters.faults());
    }

    private void threads(Map<Long, Counters> threads) {
        if (!printsThreads) {
            return;
        }
        for (Counters each : threads.values()) {
            if (each.cpuNs() > 0) {
                out.printf("    %-132s", each.name());
                print(each);
            }
        }
    }

    private Counters sum(Contender contender) {
        return appenders.get(contender).stream().reduce(Counters.NONE, Counters::plus);
    }

    private static long median(List<Histogram> histograms, double percentile) {
        long[] sorted =
                histograms.stream()
                        .mapToLong(each -> each.getValueAtPercentile(percentile))
                        .sorted()
                        .toArray();
        return sorted[sorted.length / 2];
    }

    private static Histogram together(List<Histogram> histograms) {
        Histogram all = Histograms.create();
        histograms.forEach(all::add);
        return all;
    }
}
