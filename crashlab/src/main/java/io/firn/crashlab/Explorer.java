package io.firn.crashlab;

import io.firn.crashlab.Matrix.Fault;
import io.firn.sim.SimulatedFileMedium;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.agrona.collections.LongHashSet;

/** Cuts the power before each operation of a workload, and looks at what may be left each time. */
final class Explorer {
    /** Which images are looked at. */
    record Limits(long mostCombinations, int sampled, int stepsApart, int deepShare) {
        /** As many as are enough to see most faults. */
        static final Limits FEW = new Limits(64, 6, 1, 4);

        /** All that a workload gives. */
        static Limits all(int deepShare) {
            return new Limits(1 << 16, 32, 1, deepShare);
        }

        /**
         * All where a seed's workload is one incarnation; fewer of each step where there are many,
         * so that many workloads are lived through.
         */
        static Limits of(long seed, int deepShare) {
            return Workload.styleOf(seed) == Workload.Style.PLAIN
                    ? all(deepShare)
                    : new Limits(64, 12, 1, deepShare);
        }
    }

    /**
     * A broken promise.
     *
     * @param step the operation before which the power was cut; 0 for none
     * @param image the image's number; −1 for the workload itself
     */
    record Failure(
            Media media,
            long seed,
            int step,
            int image,
            String doing,
            String before,
            Throwable why) {

        /** The line that brings it back. */
        String reproduction(int actions, int deepShare) {
            return String.format(
                    "bin/crashlab --media %s --seed %d --actions %d --deep %d --step %d --image %d",
                    media, seed, actions, deepShare, step, image);
        }

        @Override
        public String toString() {
            return why + " (in " + doing + ", before: " + before + ")";
        }
    }

    /** The number of the image that is left when only the process dies. */
    private static final int KILLED = 1 << 30;

    private final Media media;
    private final long seed;
    private final List<Action> actions;
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
    private Life life;
    private Examiner examiner;

    /** With what is called for each image that this workload did not leave before. */
    Explorer(
            Media media,
            long seed,
            List<Action> actions,
            Limits limits,
            Matrix matrix,
            BooleanSupplier enough,
            Runnable progress) {
        this.media = media;
        this.begin = media::empty;
        this.seed = seed;
        this.actions = actions;
        this.limits = limits;
        this.matrix = matrix;
        this.enough = enough;
        this.progress = progress;
    }

    /** Begins on another medium than an empty one. */
    Explorer on(Supplier<SimulatedFileMedium> medium) {
        begin = medium;
        return this;
    }

    /** Looks at one image only, or with −1 at those of one step. */
    Explorer only(int step, int image) {
        onlyStep = step;
        onlyImage = image;
        return this;
    }

    /** Runs the workload; returns the first broken promise, or none. */
    List<Failure> explore() {
        SeededIds.seed(seed);
        life = new Life(media, begin.get(), false);
        examiner = new Examiner(life, matrix, limits.deepShare);
        life.machine.observe(this::step);
        try {
            life.run(actions);
            step(life.machine.operations());
        } catch (RuntimeException | AssertionError e) {
            fail(life.machine.operations(), -1, Fault.REPEATED, e);
        }
        matrix.count(Fault.INCARNATION, life.machine.cuts());
        matrix.count(Fault.BESIDE_MOVE, life.besideMoves());
        matrix.addDistinct(distinct.size());
        return failures;
    }

    private void step(int number) {
        if (!failures.isEmpty() || enough.getAsBoolean() || !isWanted(number)) {
            return;
        }
        SimulatedFileMedium medium = life.machine.medium();
        long stepSeed = mix(seed, number);
        Images images = new Images(medium, stepSeed, limits.mostCombinations, limits.sampled);
        Fault fault = fault(images.isEnumerated());
        if (onlyImage < 0 || onlyImage == KILLED) {
            look(number, KILLED, medium.kill(), Fault.KILLED, mix(stepSeed, KILLED));
        }
        long version = life.promises.version();
        images.each(
                (image, left) -> {
                    long fingerprint = left.fingerprint();
                    if (distinct.add(fingerprint)) {
                        progress.run();
                    }
                    boolean isNew = checked.add(mix(fingerprint, version));
                    if (onlyImage >= 0 ? image == onlyImage : isNew) {
                        look(number, image, left, fault, mix(stepSeed, image));
                    }
                    return failures.isEmpty() && !enough.getAsBoolean();
                });
    }

    private boolean isWanted(int number) {
        if (onlyStep >= 0) {
            return number == onlyStep;
        }
        return number % limits.stepsApart == 0 && !isDull(number);
    }

    /** Zeros for a file that means nothing yet; the first and the last are interesting enough. */
    private boolean isDull(int number) {
        String operation = before(number);
        return (operation.startsWith("write 16384 ") && operation.contains(".active.tmp"))
                || operation.startsWith("write 1048576 ");
    }

    private String before(int number) {
        return life.machine.before(number);
    }

    private Fault fault(boolean enumerated) {
        return switch (media) {
            case MEMORY -> enumerated ? Fault.MEMORY_CUT : Fault.MEMORY_SAMPLED;
            case EADR -> Fault.EADR_CUT;
            case FILES -> enumerated ? Fault.FILES_CUT : Fault.FILES_SAMPLED;
            case BOTH -> enumerated ? Fault.BOTH_CUT : Fault.BOTH_SAMPLED;
            case MOVES -> enumerated ? Fault.MOVES_CUT : Fault.MOVES_SAMPLED;
        };
    }

    private void look(int step, int image, SimulatedFileMedium left, Fault fault, long imageSeed) {
        try {
            examiner.examine(left, imageSeed, fault);
        } catch (RuntimeException | AssertionError e) {
            fail(step, image, fault, e);
        }
    }

    private void fail(int step, int image, Fault fault, Throwable why) {
        matrix.violated(fault);
        String doing = String.valueOf(life.doing());
        failures.add(new Failure(media, seed, step, image, doing, before(step), why));
    }

    private static long mix(long a, long b) {
        long hash = a * 0x9E3779B97F4A7C15L ^ (b + 0x7F4A7C15L) * 0xD6E8FEB86659FD93L;
        return hash ^ hash >>> 29;
    }
}
