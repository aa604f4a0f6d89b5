package io.firn.crashlab;

import io.firn.crashlab.Matrix.Fault;
import io.firn.sim.SimulatedFileMedium;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.agrona.collections.LongHashSet;

/** Cuts the power before each operation of a workload and checks every image that may be left. */
final class CrashRun {
    /**
     * Which images are checked.
     *
     * @param mostCombinations above this number of combinations they are sampled
     * @param sampled how many images per step are chosen by a seed
     * @param stepsApart the power is cut before every operation with a multiple of this number
     * @param shares which images get more than one fault
     */
    record Limits(long mostCombinations, int sampled, int stepsApart, Shares shares) {
        /** Few images, which are enough to find most defects. */
        static final Limits FEW = new Limits(64, 6, 1, Shares.DEFAULT);

        /** Returns limits for all images of a workload. */
        static Limits all(Shares shares) {
            return new Limits(1 << 16, 32, 1, shares);
        }

        /**
         * Returns limits for a seed: all images where its workload is one incarnation; fewer images
         * per step where there are many incarnations, so that more workloads are executed.
         */
        static Limits of(long seed, Shares shares) {
            return Workload.styleOf(seed) == Workload.Style.PLAIN
                    ? all(shares)
                    : new Limits(64, 12, 1, shares);
        }
    }

    /**
     * Which images get more than one fault.
     *
     * @param deep one of this number is cut again during its recovery
     * @param blind one of this number is also opened while a look fails
     */
    record Shares(int deep, int blind) {
        static final Shares DEFAULT = new Shares(4, 16);
    }

    /**
     * A violated promise.
     *
     * @param step the operation before which the power was cut; 0 for none
     * @param image the image's number; −1 for the workload itself
     * @param action the action that was being executed
     * @param before the operation before the power cut
     */
    record Failure(
            Media media,
            long seed,
            int step,
            int image,
            String action,
            String before,
            Throwable why) {

        /** Returns the command that reproduces the violation. */
        String reproduction(int actions, Shares shares) {
            return String.format(
                    "bin/check crashlab --media %s --seed %d --actions %d --deep %d --looks %d --step %d"
                            + " --image %d",
                    media, seed, actions, shares.deep(), shares.blind(), step, image);
        }

        @Override
        public String toString() {
            return why + " (during " + action + ", after: " + before + ")";
        }
    }

    /** The number of the image that is left when only the process dies. */
    private static final int KILLED = 1 << 30;

    private final Workload workload;
    private final Limits limits;
    private final Matrix matrix;
    private final BooleanSupplier enough;
    private final Runnable progress;
    private final LongHashSet distinct = new LongHashSet();
    private final LongHashSet checked = new LongHashSet();
    private final List<Failure> failures = new ArrayList<>();
    private Supplier<SimulatedFileMedium> begin;
    private int onlyStep = -1;
    private int onlyImage = -1;
    private WorkloadRun run;
    private ImageChecker checker;

    /**
     * Creates a run that has not begun.
     *
     * @param enough says when no further images are to be checked
     * @param progress called for each image that this workload did not leave before
     */
    CrashRun(
            Workload workload,
            Limits limits,
            Matrix matrix,
            BooleanSupplier enough,
            Runnable progress) {
        this.workload = workload;
        this.begin = workload.media()::empty;
        this.limits = limits;
        this.matrix = matrix;
        this.enough = enough;
        this.progress = progress;
    }

    /** Begins on another medium than an empty one. */
    CrashRun on(Supplier<SimulatedFileMedium> medium) {
        begin = medium;
        return this;
    }

    /** Checks one image only, or with −1 all images of one step. */
    CrashRun only(int step, int image) {
        onlyStep = step;
        onlyImage = image;
        return this;
    }

    /** Executes the workload; returns the first violated promise, or none. */
    List<Failure> run() {
        SeededIds.seed(workload.seed());
        run = new WorkloadRun(workload, begin.get(), false);
        checker = new ImageChecker(run.store, matrix, limits.shares.deep, limits.shares.blind);
        Machine machine = run.store.machine;
        machine.observe(this::step);
        try {
            run.run();
            step(machine.operations());
        } catch (RuntimeException | AssertionError e) {
            fail(machine.operations(), -1, Fault.REPEATED, e);
        }
        matrix.count(Fault.INCARNATION, machine.cuts());
        matrix.count(Fault.DURING_MOVE, run.actionsDuringMoves());
        matrix.addDistinct(distinct.size());
        return failures;
    }

    private void step(int number) {
        if (!failures.isEmpty() || enough.getAsBoolean() || !isWanted(number)) {
            return;
        }
        SimulatedFileMedium medium = run.store.machine.medium();
        long stepSeed = mix(workload.seed(), number);
        Images images = new Images(medium, stepSeed, limits.mostCombinations, limits.sampled);
        Fault fault = fault(images.isEnumerated());
        if (onlyImage < 0 || onlyImage == KILLED) {
            check(number, KILLED, medium.kill(), Fault.KILLED, mix(stepSeed, KILLED));
        }
        long version = run.store.expected.version();
        images.each(
                (image, left) -> {
                    long fingerprint = left.fingerprint();
                    if (distinct.add(fingerprint)) {
                        progress.run();
                    }
                    boolean isNew = checked.add(mix(fingerprint, version));
                    if (onlyImage >= 0 ? image == onlyImage : isNew) {
                        check(number, image, left, fault, mix(stepSeed, image));
                    }
                    return failures.isEmpty() && !enough.getAsBoolean();
                });
    }

    private boolean isWanted(int number) {
        if (onlyStep >= 0) {
            return number == onlyStep;
        }
        return number % limits.stepsApart == 0 && !ZeroFill.isIn(before(number));
    }

    private String before(int number) {
        return run.store.machine.before(number);
    }

    private Fault fault(boolean enumerated) {
        return switch (workload.media()) {
            case MEMORY -> enumerated ? Fault.MEMORY_CUT : Fault.MEMORY_SAMPLED;
            case EADR -> Fault.EADR_CUT;
            case FILES -> enumerated ? Fault.FILES_CUT : Fault.FILES_SAMPLED;
            case BOTH -> enumerated ? Fault.BOTH_CUT : Fault.BOTH_SAMPLED;
            case MOVES -> enumerated ? Fault.MOVES_CUT : Fault.MOVES_SAMPLED;
            case TRANSACTIONS_MEMORY -> Fault.TRANSACTIONS_MEMORY_CUT;
            case TRANSACTIONS_FILES -> Fault.TRANSACTIONS_FILES_CUT;
            case TRANSACTIONS_BOTH -> Fault.TRANSACTIONS_BOTH_CUT;
            case TRANSACTIONS_COMPACT -> Fault.TRANSACTIONS_COMPACT_CUT;
            case COMPACT -> enumerated ? Fault.COMPACT_CUT : Fault.COMPACT_SAMPLED;
        };
    }

    private void check(int step, int image, SimulatedFileMedium left, Fault fault, long imageSeed) {
        try {
            checker.check(left, imageSeed, fault);
        } catch (RuntimeException | AssertionError e) {
            fail(step, image, fault, e);
        }
    }

    private void fail(int step, int image, Fault fault, Throwable why) {
        matrix.violated(fault);
        String action = String.valueOf(run.current());
        failures.add(
                new Failure(
                        workload.media(), workload.seed(), step, image, action, before(step), why));
    }

    private static long mix(long a, long b) {
        long hash = a * 0x9E3779B97F4A7C15L ^ (b + 0x7F4A7C15L) * 0xD6E8FEB86659FD93L;
        return hash ^ hash >>> 29;
    }
}
