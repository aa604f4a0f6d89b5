package io.firn.crashlab;

import io.firn.FirnException;
import io.firn.crashlab.Matrix.Fault;
import io.firn.crashlab.Promises.Violation;
import io.firn.sim.SimulatedFileMedium;
import io.firn.sim.Survival;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Consumer;

/**
 * An error, or a lack of space, at each call site that a {@link Situation} comes to. What fails may
 * fail; what was acknowledged must still be found after a kill and after a power cut.
 */
final class SituationRun {
    private final Situation situation;
    private final Matrix matrix;
    private final CallSites sites;
    private final Set<String> planned;
    private final Runnable progress;

    /**
     * A run.
     *
     * @param planned call sites that had their fault, which are not tried again; grows
     */
    SituationRun(
            Situation situation,
            Matrix matrix,
            CallSites sites,
            Set<String> planned,
            Runnable progress) {
        this.situation = situation;
        this.matrix = matrix;
        this.sites = sites;
        this.planned = planned;
        this.progress = progress;
    }

    /** All of it; broken promises are told one line each. */
    void run(Consumer<String> failures) {
        SimulatedFileMedium counted = situation.empty();
        List<Integer> operations = new ArrayList<>();
        List<Integer> looks = new ArrayList<>();
        counted.faults()
                .failLooks(
                        number -> {
                            if (planned.add("situation " + CallSites.current())) {
                                looks.add(number);
                            }
                            return false;
                        });
        counted.onOperation(
                number -> {
                    String operation = counted.history().get(number - 1);
                    if (planned.add("situation " + CallSites.current(operation))) {
                        operations.add(number);
                    }
                });
        attempt(Fault.IO_ERROR, 0, counted, failures);
        List<String> history = counted.history();
        for (int number : operations) {
            SimulatedFileMedium failing = situation.empty();
            failing.faults().failOperations(each -> isHit(each == number, sites::fails));
            attempt(Fault.IO_ERROR, number, failing, failures);
            String operation = history.get(number - 1);
            if (operation.startsWith("write ") || operation.startsWith("create ")) {
                SimulatedFileMedium full = situation.empty();
                full.faults().refuseSpace(each -> isHit(each == number, sites::findsNoSpace));
                attempt(Fault.NO_SPACE, number, full, failures);
            }
        }
        for (int number : looks) {
            SimulatedFileMedium blind = situation.empty();
            blind.faults().failLooks(each -> isHit(each == number, sites::fails));
            attempt(Fault.LOOK, number, blind, failures);
        }
    }

    private static boolean isHit(boolean hit, Runnable note) {
        if (hit) {
            note.run();
        }
        return hit;
    }

    private void attempt(
            Fault fault, int number, SimulatedFileMedium medium, Consumer<String> failures) {
        if (number > 0) {
            matrix.count(fault);
            progress.run();
        }
        SeededIds.seed(situation.ordinal());
        Situation.Stay stay = new Situation.Stay(medium);
        try {
            live(stay, number == 0);
            medium.ignoreOperations();
            medium.faults().none();
            if (medium.inUse() > 0) {
                throw new Violation(medium.inUse() + " files, mappings or locks stay in use");
            }
            stay.check(medium.kill(), situation);
            stay.check(medium.crash(Survival.NONE), situation);
        } catch (IOException | RuntimeException | AssertionError e) {
            matrix.violated(fault);
            failures.accept(
                    String.format(
                            Locale.ROOT,
                            "%s in %s, number %d: bin/crashlab --faults: %s",
                            fault,
                            situation,
                            number,
                            CrashLab.Traces.of(e)));
        }
    }

    private void live(Situation.Stay stay, boolean isCounting) throws IOException {
        try {
            situation.live(stay);
        } catch (FirnException | IOException e) {
            if (isCounting) {
                throw e;
            }
        }
    }
}
