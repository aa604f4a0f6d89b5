package io.firn.crashlab;

import static io.firn.crashlab.Violation.require;

import io.firn.crashlab.FaultPoints.Filter;
import io.firn.crashlab.FaultPoints.Operation;
import io.firn.crashlab.Matrix.Fault;
import io.firn.sim.SimulatedFileMedium;
import io.firn.sim.Survival;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Executes a workload once to record its operations, then once for each of them with a fault there.
 * Actions may fail; what was promised must be found after a power cut at the end.
 */
final class FaultRun {
    private static final long DAY_MS = 86_400_000;

    private final Workload workload;
    private final FaultInjector injector;
    private final Set<String> tried;
    private final Reporter reporter;

    /**
     * Creates a run that has not begun.
     *
     * @param tried call sites that had their fault and are not tried again, to which others are
     *     added; null to try each operation
     */
    FaultRun(Workload workload, FaultInjector injector, Set<String> tried, Reporter reporter) {
        this.workload = workload;
        this.injector = injector;
        this.tried = tried;
        this.reporter = reporter;
    }

    private Filter filter() {
        return tried == null ? Filter.every() : Filter.newSites(tried, "");
    }

    /** Tries all kinds of faults. */
    void run() {
        FaultPoints points = record();
        for (Operation each : points.operations()) {
            fail(each);
        }
        for (int number : points.queries()) {
            attempt(Fault.QUERY, number, medium -> injector.failQuery(medium, number));
        }
        new RecoveryFaultRun(workload, injector, filter(), reporter).run();
        for (int i = 1; i < workload.actions().size() && tried == null; i++) {
            jump(i, DAY_MS);
            jump(i, -DAY_MS);
        }
    }

    private FaultPoints record() {
        SeededIds.seed(workload.seed());
        SimulatedFileMedium medium = workload.media().empty();
        FaultPoints points = new FaultPoints(medium, filter().without(ZeroFill::isIn));
        WorkloadRun run = new WorkloadRun(workload, medium, false);
        points.background(run::isInBackground);
        run.run();
        return points;
    }

    private void fail(Operation operation) {
        int number = operation.number();
        if (operation.isInBackground()) {
            attempt(Fault.DEATH, number, medium -> FaultInjector.die(medium, number));
        }
        attempt(Fault.IO_ERROR, number, medium -> injector.failOperation(medium, number));
        if (operation.text().startsWith("write ")) {
            attempt(
                    Fault.SHORT_WRITE,
                    number,
                    medium -> FaultInjector.shortenWrite(medium, number));
            attempt(Fault.NO_SPACE, number, medium -> injector.fillDuring(medium, number));
        } else if (operation.text().startsWith("create ")) {
            attempt(Fault.NO_SPACE, number, medium -> injector.refuseSpace(medium, number));
        }
    }

    private void attempt(Fault fault, int number, Consumer<SimulatedFileMedium> inject) {
        reporter.tries(fault);
        SeededIds.seed(workload.seed());
        SimulatedFileMedium medium = workload.media().empty();
        inject.accept(medium);
        WorkloadRun run = new WorkloadRun(workload, medium, true);
        try {
            run.run();
            medium.ignoreOperations();
            medium.faults().none();
            check(run, medium);
        } catch (RuntimeException | AssertionError e) {
            String operation =
                    number <= medium.history().size() ? medium.history().get(number - 1) : "?";
            String where = "operation " + number + ", " + operation;
            reporter.violated(fault, where, run, e);
        }
    }

    private void jump(int before, long ms) {
        reporter.tries(Fault.CLOCK);
        SeededIds.seed(workload.seed());
        SimulatedFileMedium medium = workload.media().empty();
        WorkloadRun run = new WorkloadRun(workload, medium, false);
        try {
            run.runWithJump(before, ms);
            run.store.close();
            check(run, medium);
        } catch (RuntimeException | AssertionError e) {
            String where = "clock jump of " + ms + " ms before action " + before;
            reporter.violated(Fault.CLOCK, where, run, e);
        }
    }

    /** Opens what is left after a power cut, and after a kill. */
    private static void check(WorkloadRun run, SimulatedFileMedium medium) {
        TestedStore tested = run.store;
        SimulatedFileMedium cut = medium.crash(Survival.NONE);
        SimulatedFileMedium killed = medium.kill();
        tested.expected.check(tested.media.open(cut, tested.clock, 0));
        tested.expected.check(tested.media.open(killed, tested.clock, 0));
        require(medium.inUse() == 0, medium.inUse() + " files, mappings or locks are still in use");
    }
}
