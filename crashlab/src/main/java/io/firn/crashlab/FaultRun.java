package io.firn.crashlab;

import io.firn.LogStore;
import io.firn.StoreOpenException;
import io.firn.crashlab.Matrix.Fault;
import io.firn.crashlab.Promises.Violation;
import io.firn.sim.SimulatedFileMedium;
import io.firn.sim.Survival;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Runs a workload once to count its operations, then once for each of them with a fault there. What
 * fails may fail; what was promised must be found after a power cut at the end all the same.
 */
final class FaultRun {
    private static final long DAY_MS = 86_400_000;
    private static final int LOOKS_PER_SITE = 2;

    private final Media media;
    private final long seed;
    private final List<Action> actions;
    private final Matrix matrix;
    private final CallSites sites;
    private final Set<String> planned;
    private final boolean newSitesOnly;
    private final Runnable progress;

    /**
     * A run.
     *
     * @param planned call sites that had their fault, which then are not tried again, and where
     *     others are added; null to try each operation
     */
    FaultRun(
            Media media,
            long seed,
            List<Action> actions,
            Matrix matrix,
            CallSites sites,
            Set<String> planned,
            Runnable progress) {
        this.media = media;
        this.seed = seed;
        this.actions = actions;
        this.matrix = matrix;
        this.sites = sites;
        this.planned = planned == null ? new HashSet<>() : planned;
        this.newSitesOnly = planned != null;
        this.progress = progress;
    }

    /** All kinds of faults; broken promises are told one line each. */
    void run(Consumer<String> failures) {
        SimulatedFileMedium counted = media.empty();
        SeededIds.seed(seed);
        List<Integer> looks = new ArrayList<>();
        Map<String, Integer> seen = new HashMap<>();
        counted.faults().failLooks(number -> isWanted(number, seen, looks));
        Life counting = new Life(media, counted, false);
        BitSet inBackground = new BitSet();
        BitSet isNew = new BitSet();
        counted.onOperation(
                number -> {
                    inBackground.set(number, counting.isInBackground());
                    isNew.set(number, isNewSite(counted.history().get(number - 1)));
                });
        counting.run(actions);
        List<String> operations = counted.history();
        for (int i = 1; i <= operations.size(); i++) {
            String operation = operations.get(i - 1);
            if (isDull(operation) || (newSitesOnly && !isNew.get(i))) {
                continue;
            }
            int number = i;
            if (inBackground.get(number)) {
                attempt(Fault.DEATH, number, failures, medium -> dying(medium, number));
            }
            attempt(Fault.IO_ERROR, number, failures, medium -> failing(medium, number));
            if (operation.startsWith("write ")) {
                attempt(
                        Fault.SHORT_WRITE,
                        number,
                        failures,
                        medium -> medium.faults().shortenWrites(each -> each == number));
                attempt(Fault.NO_SPACE, number, failures, medium -> full(medium, number));
            } else if (operation.startsWith("create ")) {
                attempt(Fault.NO_SPACE, number, failures, medium -> refusing(medium, number));
            }
        }
        for (int number : looks) {
            attempt(Fault.LOOK, number, failures, medium -> blind(medium, number));
        }
        recoveries(failures);
        for (int i = 1; i < actions.size() && !newSitesOnly; i++) {
            jump(i, DAY_MS, failures);
            jump(i, -DAY_MS, failures);
        }
    }

    private static boolean isDull(String operation) {
        return (operation.startsWith("write 16384 ") && operation.contains(".active.tmp"))
                || operation.startsWith("write 1048576 ");
    }

    private boolean isNewSite(String operation) {
        return !isDull(operation) && planned.add(CallSites.current(operation));
    }

    /** A few of each call site: what changes nothing is asked for again and again. */
    private boolean isWanted(int number, Map<String, Integer> seen, List<Integer> looks) {
        String site = CallSites.current();
        if (newSitesOnly
                ? planned.add(site)
                : seen.merge(site, 1, Integer::sum) <= LOOKS_PER_SITE) {
            looks.add(number);
        }
        return false;
    }

    private void failing(SimulatedFileMedium medium, int number) {
        medium.faults().failOperations(each -> isHit(each == number, sites::fails));
    }

    private static void dying(SimulatedFileMedium medium, int number) {
        medium.onOperation(
                each -> {
                    if (each == number) {
                        throw new OutOfMemoryError("simulated");
                    }
                });
    }

    private void refusing(SimulatedFileMedium medium, int number) {
        medium.faults().refuseSpace(each -> isHit(each == number, sites::findsNoSpace));
    }

    private void blind(SimulatedFileMedium medium, int number) {
        medium.faults().failLooks(each -> isHit(each == number, sites::fails));
    }

    private void full(SimulatedFileMedium medium, int number) {
        medium.onOperation(
                each -> {
                    boolean isFull = isHit(each == number, sites::findsNoSpace);
                    medium.faults().limitBytes(isFull ? 0 : Long.MAX_VALUE);
                });
    }

    private static boolean isHit(boolean hit, Runnable note) {
        if (hit) {
            note.run();
        }
        return hit;
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

    /** Fails each operation of a recovery; the recovery after that must succeed. */
    private void recoveries(Consumer<String> failures) {
        SeededIds.seed(seed);
        SimulatedFileMedium medium = media.empty();
        Life life = new Life(media, medium, false);
        life.runUntilClose(
                actions, () -> recoveries(medium.crash(Survival.random(seed)), life, failures));
    }

    private void recoveries(SimulatedFileMedium left, Life life, Consumer<String> failures) {
        SimulatedFileMedium counted = left.kill();
        List<Integer> looks = new ArrayList<>();
        Map<String, Integer> seen = new HashMap<>();
        counted.faults().failLooks(number -> isWanted(number, seen, looks));
        BitSet isNew = new BitSet();
        counted.onOperation(
                number -> isNew.set(number, isNewSite(counted.history().get(number - 1))));
        media.open(counted, life.clock, 0);
        for (int i = 1; i <= counted.operations(); i++) {
            int number = i;
            if (newSitesOnly && !isNew.get(number)) {
                continue;
            }
            recover(
                    Fault.ERROR_IN_RECOVERY,
                    "operation " + number,
                    left,
                    medium -> failing(medium, number),
                    life,
                    failures);
        }
        for (int number : looks) {
            recover(
                    Fault.LOOK_IN_RECOVERY,
                    "look " + number,
                    left,
                    medium -> blind(medium, number),
                    life,
                    failures);
        }
    }

    private void recover(
            Fault fault,
            String where,
            SimulatedFileMedium left,
            Consumer<SimulatedFileMedium> set,
            Life life,
            Consumer<String> failures) {
        matrix.count(fault);
        progress.run();
        SimulatedFileMedium broken = left.kill();
        set.accept(broken);
        try {
            refuseOrOpen(broken, life);
            broken.faults().none();
            life.promises.check(media.open(broken.crash(Survival.NONE), life.clock, 0));
        } catch (RuntimeException | AssertionError e) {
            matrix.violated(fault);
            failures.accept(describe(fault, where + " of the recovery", life, e));
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
