package io.firn.crashlab;

import static java.util.stream.Collectors.joining;

import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Level;
import java.util.logging.Logger;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Crashes stores on simulated media, at every step, and says which promises were broken. */
@Command(
        name = "bin/crashlab",
        sortOptions = false,
        description = {
            "Runs workloads that are generated from a seed, on simulated persistent memory and"
                    + " simulated files. Cuts the power before each operation, opens every image"
                    + " that may be left, and compares it with what the store had promised.",
            ""
        },
        footer = {
            "",
            "Media: MEMORY, segments in persistent memory; EADR, the same with caches that survive;"
                    + " FILES, segments in files; BOTH, a few in memory and the others in files;"
                    + " MOVES, segments move between memory and two directories of files while"
                    + " records are appended and deleted. The store's own directory lies in files;"
                    + " all of it is cut at one instant.",
            "",
            "Workloads, by seed, a third each: one incarnation, all of whose images are looked at;"
                    + " many incarnations, each of which goes on where it recovers and may be cut"
                    + " in its recovery, too; the same with WRITTEN topics that are hardly ever"
                    + " forced. After a power cut a line of memory holds what it held at any time"
                    + " since it was flushed, a page of a file what it held at any time since it"
                    + " was forced, each whatever becomes of the others.",
            "",
            "A broken promise is told with a line that brings it back. Exit code: 0 when every"
                    + " promise was kept, 1 when not, 2 when an argument is wrong."
        })
public final class CrashLab implements Callable<Integer> {
    private static final Logger LOG = Logger.getLogger("io.firn");
    private static final int MOST_FAILURES = 10;

    @Option(
            names = "--images",
            paramLabel = "N",
            description = "Number of distinct images to test. Default: ${DEFAULT-VALUE}",
            defaultValue = "20000")
    private long images;

    @Option(
            names = "--seed",
            paramLabel = "S",
            description =
                    "Seed of the first workload; the others count up from it. Default: by date")
    private Long seed;

    @Option(
            names = "--media",
            paramLabel = "NAME",
            split = ",",
            description = "Where segments are: ${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}",
            defaultValue = "MEMORY")
    private List<Media> media;

    @Option(
            names = "--actions",
            paramLabel = "N",
            description = "Actions in a workload. Default: ${DEFAULT-VALUE}",
            defaultValue = "40")
    private int actions;

    @Option(
            names = "--deep",
            paramLabel = "N",
            description =
                    "One of N images is cut again during its recovery, up to three levels deep."
                            + " Default: ${DEFAULT-VALUE}",
            defaultValue = "4")
    private int deep;

    @Option(
            names = "--threads",
            paramLabel = "N",
            description = "Workloads at a time. Default: the number of processors")
    private int threads = Runtime.getRuntime().availableProcessors();

    @Option(
            names = "--faults",
            description =
                    "Instead of power cuts: EIO, short writes and ENOSPC at each operation of the"
                            + " workload and of a recovery, and clock jumps.")
    private boolean faults;

    @Option(
            names = "--damage",
            description =
                    "Instead of power cuts: flips every bit of a reference log, and makes pieces of"
                            + " it zeroed, stale or misplaced.")
    private boolean damage;

    @Option(
            names = "--workloads",
            paramLabel = "N",
            description = "With --faults: number of workloads. Default: ${DEFAULT-VALUE}",
            defaultValue = "3")
    private int workloads;

    @Option(
            names = "--new-sites",
            description = "With --faults: only at call sites that had no fault yet.")
    private boolean newSites;

    @Option(
            names = "--stride",
            paramLabel = "N",
            description = "With --damage: only each N-th bit. Default: ${DEFAULT-VALUE}",
            defaultValue = "1")
    private int stride;

    @Option(names = "--step", paramLabel = "N", description = "Cuts only before this operation.")
    private int step = -1;

    @Option(names = "--image", paramLabel = "N", description = "With --step: only this image.")
    private int image = -1;

    @Option(
            names = "--keep",
            paramLabel = "N",
            split = ",",
            description = "With --step: keeps only these actions of the workload, counted from 0.")
    private List<Integer> keep;

    @Option(names = "--shrink", description = "Reduces a failing workload to few actions.")
    private boolean shrink;

    @SuppressWarnings("UnusedVariable") // picocli acts on it
    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Shows this help.")
    private boolean help;

    @Spec private CommandSpec spec;

    private final Matrix matrix = new Matrix();
    private final CallSites sites = new CallSites();
    private final AtomicLong looked = new AtomicLong();
    private final ConcurrentLinkedQueue<Explorer.Failure> failures = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<String> others = new ConcurrentLinkedQueue<>();

    /** Runs the laboratory and exits. */
    public static void main(String[] arguments) {
        System.exit(new CommandLine(new CrashLab()).execute(arguments));
    }

    @Override
    public Integer call() throws InterruptedException {
        if (images < 1 || actions < 1 || threads < 1 || stride < 1 || workloads < 1 || deep < 1) {
            throw new ParameterException(spec.commandLine(), "numbers must be at least 1");
        }
        if (keep != null && keep.stream().anyMatch(each -> each < 0 || each >= actions)) {
            throw new ParameterException(
                    spec.commandLine(), "--keep must be from 0 to --actions, exclusive");
        }
        if (keep != null && step < 0) {
            throw new ParameterException(spec.commandLine(), "--keep needs --step");
        }
        LOG.setLevel(Level.OFF);
        if (!SeededIds.install()) {
            say("Ids were created before this program began: runs cannot be reproduced exactly.");
        }
        if (seed == null) {
            seed = LocalDate.now().toEpochDay() * 1_000;
        }
        say("Seed %d, %s, %d actions in a workload.", seed, media, actions);
        if (step >= 0) {
            return repeat();
        }
        long started = System.nanoTime();
        if (damage) {
            damage();
        } else if (faults) {
            fail();
        } else {
            cut();
        }
        double seconds = (System.nanoTime() - started) / 1e9;
        say("%n%s", matrix);
        say(
                "%,d tries, %,d distinct images, %.0f s, %.0f a second; %d violations.",
                matrix.tries(),
                matrix.distinct(),
                seconds,
                matrix.tries() / seconds,
                matrix.violations());
        if (faults) {
            say("%n%s", sites.report());
        }
        failures.forEach(this::tell);
        others.stream().limit(MOST_FAILURES).forEach(each -> say("%s", each));
        return matrix.violations() == 0 ? 0 : 1;
    }

    private void cut() throws InterruptedException {
        AtomicLong next = new AtomicLong(seed);
        try (ProgressBar bar = bar("Cutting", images)) {
            inThreads(
                    () -> {
                        while (looked.get() < images && failures.size() < MOST_FAILURES) {
                            long one = next.getAndIncrement();
                            Media on = media.get((int) Math.floorMod(one, (long) media.size()));
                            explore(on, one, bar);
                        }
                    });
        }
    }

    private void explore(Media on, long one, ProgressBar bar) {
        Explorer explorer =
                new Explorer(
                        on,
                        one,
                        Workload.of(on, one, actions),
                        Explorer.Limits.of(one, deep),
                        matrix,
                        () -> looked.get() >= images,
                        () -> {
                            looked.incrementAndGet();
                            bar.step();
                        });
        failures.addAll(explorer.explore());
    }

    private void fail() throws InterruptedException {
        AtomicLong next = new AtomicLong();
        Set<String> planned = ConcurrentHashMap.newKeySet();
        try (ProgressBar bar = bar("Failing", -1)) {
            for (Situation each : Situation.values()) {
                new SituationRun(each, matrix, sites, planned, bar::step).run(others::add);
            }
            inThreads(
                    () -> {
                        long i;
                        while ((i = next.getAndIncrement()) < (long) workloads * media.size()) {
                            Media on = media.get((int) (i % media.size()));
                            long one = seed + i / media.size();
                            new FaultRun(
                                            on,
                                            one,
                                            Action.workload(on, one, actions),
                                            matrix,
                                            sites,
                                            newSites ? planned : null,
                                            bar::step)
                                    .run(others::add);
                        }
                    });
        }
    }

    private void damage() throws InterruptedException {
        try (ProgressBar bar = bar("Damaging", -1)) {
            AtomicLong next = new AtomicLong();
            inThreads(
                    () -> {
                        int part = (int) next.getAndIncrement();
                        for (Media on : media) {
                            new DamageRun(on, matrix, bar::step, others::add)
                                    .run(part, threads, stride);
                        }
                    });
        }
    }

    private void inThreads(Runnable work) throws InterruptedException {
        List<Thread> all = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            Thread thread = new Thread(work, "lab-" + i);
            thread.setUncaughtExceptionHandler(
                    (which, why) -> {
                        matrix.violated(Matrix.Fault.REPEATED);
                        others.add("crashlab itself failed: " + Traces.of(why));
                    });
            all.add(thread);
            thread.start();
        }
        for (Thread each : all) {
            each.join();
        }
    }

    /** One image once more, told at length. */
    private int repeat() {
        List<Action> all = Action.pick(Workload.of(media.get(0), seed, actions), kept());
        Media on = media.get(0);
        List<Explorer.Failure> found =
                new Explorer(
                                on,
                                seed,
                                all,
                                Explorer.Limits.of(seed, deep),
                                matrix,
                                () -> false,
                                () -> {})
                        .only(step, image)
                        .explore();
        if (found.isEmpty()) {
            say("No violation.");
            return 0;
        }
        found.forEach(this::tell);
        return 1;
    }

    private void tell(Explorer.Failure failure) {
        say("%n%s%n%s", failure, failure.reproduction(actions, deep));
        if (step >= 0) {
            say("%s", Traces.of(failure.why()));
        }
        if (shrink) {
            shrink(failure);
        }
    }

    private List<Integer> kept() {
        return keep == null ? Shrinker.everything(actions) : keep;
    }

    private void shrink(Explorer.Failure failure) {
        Media on = failure.media();
        List<Action> all = Workload.of(on, failure.seed(), actions);
        Shrinker.Small small =
                new Shrinker(on, failure.seed(), all, deep, on::empty).shrink(kept());
        say(
                "The smallest workload found that fails, %d of %d actions:",
                small.kept().size(), actions);
        Action.pick(all, small.kept()).forEach(each -> say("  %s", each));
        String places = small.kept().stream().map(String::valueOf).collect(joining(","));
        small.failure()
                .ifPresent(
                        how ->
                                say(
                                        "%s%n%s --keep %s",
                                        how, how.reproduction(actions, deep), places));
    }

    private static ProgressBar bar(String what, long most) {
        return new ProgressBarBuilder()
                .setTaskName(what)
                .setInitialMax(most)
                .setUnit(" images", 1)
                .showSpeed()
                .setUpdateIntervalMillis(500)
                .setStyle(ProgressBarStyle.ASCII)
                .setConsumer(new ConsoleProgressBarConsumer(System.err, 100))
                .build();
    }

    private void say(String format, Object... arguments) {
        spec.commandLine().getOut().printf(Locale.ROOT, format + "%n", arguments);
        spec.commandLine().getOut().flush();
    }

    /** Stack traces, without what is not ours. */
    static final class Traces {
        private Traces() {}

        static String of(Throwable why) {
            StringBuilder out = new StringBuilder();
            for (Throwable t = why; t != null; t = t.getCause()) {
                out.append(t).append('\n');
                Arrays.stream(t.getStackTrace())
                        .filter(each -> each.getClassName().startsWith("io.firn"))
                        .limit(40)
                        .forEach(each -> out.append("        at ").append(each).append('\n'));
            }
            return out.toString();
        }
    }
}
