package io.firn.crashlab;

import io.firn.crashlab.Matrix.Fault;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

/** Executes many workloads on several threads and collects the results. */
final class Campaign {
    private static final int MOST_FAILURES = 10;

    private final Settings settings;
    private final Matrix matrix = new Matrix();
    private final CallSites sites = new CallSites();
    private final ConcurrentLinkedQueue<CrashRun.Failure> failures = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<String> otherFailures = new ConcurrentLinkedQueue<>();

    /**
     * What all kinds of runs have in common.
     *
     * @param seed the seed of the first workload; the others count up from it
     * @param actions the number of actions in a workload
     * @param shares which images get more than one fault
     */
    record Settings(
            long seed, List<Media> media, int actions, CrashRun.Shares shares, int threads) {}

    Campaign(Settings settings) {
        this.settings = settings;
    }

    Matrix matrix() {
        return matrix;
    }

    /** Returns which call sites were hit by faults and which were not. */
    String sitesReport() {
        return sites.report();
    }

    /** Returns the violations that can be reproduced as one image, and shrunk. */
    Collection<CrashRun.Failure> failures() {
        return failures;
    }

    /** Returns descriptions of all other violations, at most ten. */
    List<String> otherFailures() {
        return otherFailures.stream().limit(MOST_FAILURES).toList();
    }

    /** Cuts the power before each operation of workloads until enough images were checked. */
    void cut(long images) throws InterruptedException {
        AtomicLong next = new AtomicLong(settings.seed());
        AtomicLong checked = new AtomicLong();
        try (ProgressBar bar = bar("Cutting", images)) {
            inThreads(
                    part -> {
                        while (checked.get() < images && failures.size() < MOST_FAILURES) {
                            long seed = next.getAndIncrement();
                            int choice = (int) Math.floorMod(seed, (long) settings.media().size());
                            Media media = settings.media().get(choice);
                            CrashRun run =
                                    new CrashRun(
                                            Workload.of(media, seed, settings.actions()),
                                            CrashRun.Limits.of(seed, settings.shares()),
                                            matrix,
                                            () -> checked.get() >= images,
                                            () -> {
                                                checked.incrementAndGet();
                                                bar.step();
                                            });
                            failures.addAll(run.run());
                        }
                    });
        }
    }

    /** Cuts the power in workloads on replicated topics until enough images were checked. */
    void replicate(long images) throws InterruptedException {
        AtomicLong next = new AtomicLong(settings.seed());
        AtomicLong checked = new AtomicLong();
        try (ProgressBar bar = bar("Cutting", images)) {
            inThreads(
                    part -> {
                        while (checked.get() < images && otherFailures.isEmpty()) {
                            long seed = next.getAndIncrement();
                            int choice = (int) Math.floorMod(seed, (long) settings.media().size());
                            ReplicaRun run =
                                    new ReplicaRun(
                                            settings.media().get(choice),
                                            seed,
                                            () -> checked.get() >= images,
                                            () -> {
                                                checked.incrementAndGet();
                                                matrix.count(Fault.REPLICAS_CUT);
                                                bar.step();
                                            });
                            for (String failure : run.run(settings.actions())) {
                                matrix.violated(Fault.REPLICAS_CUT);
                                otherFailures.add(failure);
                            }
                            matrix.addDistinct(run.distinct());
                        }
                    });
        }
    }

    /**
     * Injects errors into scenarios and into workloads.
     *
     * @param workloads the number of workloads on each of the media
     * @param newSites only at call sites that had no fault yet
     */
    void fail(int workloads, boolean newSites) throws InterruptedException {
        AtomicLong next = new AtomicLong();
        Set<String> tried = ConcurrentHashMap.newKeySet();
        FaultInjector injector = new FaultInjector(sites);
        List<Media> all = settings.media();
        try (ProgressBar bar = bar("Failing", -1)) {
            Reporter reporter = new Reporter(matrix, bar::step, otherFailures::add);
            for (Scenario each : Scenario.values()) {
                new ScenarioRun(each, injector, tried, reporter).run();
            }
            inThreads(
                    part -> {
                        long i;
                        while ((i = next.getAndIncrement()) < (long) workloads * all.size()) {
                            Media media = all.get((int) (i % all.size()));
                            long seed = settings.seed() + i / all.size();
                            Workload workload =
                                    Workload.of(
                                            Workload.Style.PLAIN, media, seed, settings.actions());
                            new FaultRun(workload, injector, newSites ? tried : null, reporter)
                                    .run();
                        }
                    });
        }
    }

    /** Damages reference logs; flips each bit with a multiple of the stride. */
    void damage(int stride) throws InterruptedException {
        try (ProgressBar bar = bar("Damaging", -1)) {
            Reporter reporter = new Reporter(matrix, bar::step, otherFailures::add);
            inThreads(
                    part -> {
                        for (Media media : settings.media()) {
                            for (ReferenceLog.Form form : ReferenceLog.Form.values()) {
                                new DamageRun(media, form, reporter)
                                        .run(part, settings.threads(), stride);
                            }
                        }
                    });
        }
    }

    /** Runs the work on all threads, each with a number from 0, and waits for them. */
    private void inThreads(Consumer<Integer> work) throws InterruptedException {
        List<Thread> all = new ArrayList<>();
        for (int i = 0; i < settings.threads(); i++) {
            int part = i;
            Thread thread = new Thread(() -> work.accept(part), "lab-" + part);
            thread.setUncaughtExceptionHandler(
                    (which, why) -> {
                        matrix.violated(Fault.REPEATED);
                        otherFailures.add("crashlab itself failed: " + Traces.of(why));
                    });
            all.add(thread);
            thread.start();
        }
        for (Thread each : all) {
            each.join();
        }
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
}
