package io.firn.crashlab;

import io.firn.LogStore;
import io.firn.StoreOpenException;
import io.firn.crashlab.Matrix.Fault;
import io.firn.crashlab.Promises.Violation;
import io.firn.sim.SimulatedFileMedium;
import io.firn.sim.Survival;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * Runs a workload once to count its operations, then once for each of them with a fault there. What
 * fails may fail; what was promised must be found after a power cut at the end all the same.
 */
final class FaultRun {
    private static final long DAY_MS = 86_400_000;

    private final Media media;
    private final long seed;
    private final List<Action> actions;
    private final Matrix matrix;
    private final Runnable progress;

    FaultRun(Media media, long seed, List<Action> actions, Matrix matrix, Runnable progress) {
        this.media = media;
        this.seed = seed;
        this.actions = actions;
        this.matrix = matrix;
        this.progress = progress;
    }

    /** All kinds of faults; broken promises are told one line each. */
    void run(Consumer<String> failures) {
        SimulatedFileMedium counted = media.empty();
        SeededIds.seed(seed);
        new Life(media, counted, false).run(actions);
        List<String> operations = counted.history();
        for (int i = 1; i <= operations.size(); i++) {
            String operation = operations.get(i - 1);
            if (isDull(operation)) {
                continue;
            }
            int number = i;
            attempt(Fault.IO_ERROR, number, failures, medium -> failing(medium, number));
            if (operation.startsWith("write ")) {
                attempt(
                        Fault.SHORT_WRITE,
                        number,
                        failures,
                        medium -> medium.faults().shortenWrites(each -> each == number));
                attempt(Fault.NO_SPACE, number, failures, medium -> full(medium, number));
            }
        }
        recoveries(failures);
        for (int i = 1; i < actions.size(); i++) {
            jump(i, DAY_MS, failures);
            jump(i, -DAY_MS, failures);
        }
    }

    private static boolean isDull(String operation) {
        return (operation.startsWith("write 16384 ") && operation.contains(".active.tmp"))
                || operation.startsWith("write 1048576 ");
    }

    private static void failing(SimulatedFileMedium medium, int number) {
        medium.faults().failOperations(each -> each == number);
    }

    private static void full(SimulatedFileMedium medium, int number) {
        medium.onOperation(each -> medium.faults().limitBytes(each == number ? 0 : Long.MAX_VALUE));
    }

    private void attempt(
            Fault fault, int number, Consumer<String> failures, Consumer<SimulatedFileMedium> set) {
        matrix.count(fault);
        progress.run();
        SeededIds.seed(seed);
        SimulatedFileMedium medium = media.empty();
        set.accept(medium);
        Life life = new Life(media, medium, true);
        try {
            life.run(actions);
            medium.ignoreOperations();
            medium.faults().none();
            check(life, medium);
        } catch (RuntimeException | AssertionError e) {
            matrix.violated(fault);
            String operation =
                    number <= medium.history().size() ? medium.history().get(number - 1) : "?";
            failures.accept(describe(fault, "operation " + number + ", " + operation, life, e));
        }
    }

    private String describe(Fault fault, String where, Life life, Throwable why) {
        return String.format(
                Locale.ROOT,
                "%s: bin/crashlab --faults --workloads 1 --media %s --seed %d --actions %d (%s; in"
                        + " %s): %s",
                fault,
                media,
                seed,
                actions.size(),
                where,
                life.doing(),
                CrashLab.Traces.of(why));
    }

    /** After a power cut, and after a kill. */
    private void check(Life life, SimulatedFileMedium medium) {
        SimulatedFileMedium cut = medium.crash(Survival.NONE);
        SimulatedFileMedium killed = medium.kill();
        life.promises.check(media.open(cut, life.clock, 0));
        life.promises.check(media.open(killed, life.clock, 0));
        if (medium.inUse() > 0) {
            throw new Violation(medium.inUse() + " files, mappings or locks stay in use");
        }
    }

    /** Each operation of a recovery fails; the one behind it must succeed. */
    private void recoveries(Consumer<String> failures) {
        SeededIds.seed(seed);
        SimulatedFileMedium medium = media.empty();
        Life life = new Life(media, medium, false);
        life.runUntilClose(
                actions, () -> recoveries(medium.crash(Survival.random(seed)), life, failures));
    }

    private void recoveries(SimulatedFileMedium left, Life life, Consumer<String> failures) {
        SimulatedFileMedium counted = left.kill();
        media.open(counted, life.clock, 0);
        for (int number = 1; number <= counted.operations(); number++) {
            matrix.count(Fault.ERROR_IN_RECOVERY);
            progress.run();
            SimulatedFileMedium broken = left.kill();
            failing(broken, number);
            try {
                refuseOrOpen(broken, life);
                broken.faults().none();
                life.promises.check(media.open(broken.crash(Survival.NONE), life.clock, 0));
            } catch (RuntimeException | AssertionError e) {
                matrix.violated(Fault.ERROR_IN_RECOVERY);
                String where = "operation " + number + " of the recovery";
                failures.accept(describe(Fault.ERROR_IN_RECOVERY, where, life, e));
            }
        }
    }

    private void refuseOrOpen(SimulatedFileMedium broken, Life life) {
        LogStore store;
        try {
            store = media.open(broken, life.clock, 0);
        } catch (StoreOpenException e) {
            return; // what it was for is not known until the next open
        }
        life.promises.check(store);
    }

    private void jump(int before, long ms, Consumer<String> failures) {
        matrix.count(Fault.CLOCK);
        progress.run();
        SeededIds.seed(seed);
        SimulatedFileMedium medium = media.empty();
        Life life = new Life(media, medium, false);
        try {
            life.runWithJump(actions, before, ms);
            life.close();
            check(life, medium);
        } catch (RuntimeException | AssertionError e) {
            matrix.violated(Fault.CLOCK);
            failures.accept(describe(Fault.CLOCK, "jump of " + ms + " before " + before, life, e));
        }
    }
}
