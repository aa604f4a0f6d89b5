package io.firn.crashlab;

import io.firn.LogStore;
import io.firn.StoreOpenException;
import io.firn.crashlab.FaultPoints.Filter;
import io.firn.crashlab.FaultPoints.Operation;
import io.firn.crashlab.Matrix.Fault;
import io.firn.sim.SimulatedFileMedium;
import io.firn.sim.Survival;
import java.util.function.Consumer;

/**
 * Cuts the power after a workload and injects a fault into each operation of the recovery. The
 * recovery may be refused; the one after it, without a fault, must succeed.
 */
final class RecoveryFaultRun {
    private final Workload workload;
    private final FaultInjector injector;
    private final Filter filter;
    private final Reporter reporter;

    /** Creates a run that has not begun. */
    RecoveryFaultRun(Workload workload, FaultInjector injector, Filter filter, Reporter reporter) {
        this.workload = workload;
        this.injector = injector;
        this.filter = filter;
        this.reporter = reporter;
    }

    /** Tries all operations and queries of the recovery that the filter accepts. */
    void run() {
        SeededIds.seed(workload.seed());
        SimulatedFileMedium medium = workload.media().empty();
        WorkloadRun run = new WorkloadRun(workload, medium, false);
        run.run(() -> recover(medium.crash(Survival.random(workload.seed())), run));
    }

    private void recover(SimulatedFileMedium left, WorkloadRun run) {
        SimulatedFileMedium recorded = left.kill();
        FaultPoints points = new FaultPoints(recorded, filter);
        open(recorded, run);
        for (Operation each : points.operations()) {
            int number = each.number();
            attempt(
                    Fault.ERROR_IN_RECOVERY,
                    "operation " + number,
                    left.kill(),
                    medium -> injector.failOperation(medium, number),
                    run);
        }
        for (int number : points.queries()) {
            attempt(
                    Fault.QUERY_IN_RECOVERY,
                    "query " + number,
                    left.kill(),
                    medium -> injector.failQuery(medium, number),
                    run);
        }
    }

    private void attempt(
            Fault fault,
            String where,
            SimulatedFileMedium medium,
            Consumer<SimulatedFileMedium> inject,
            WorkloadRun run) {
        reporter.tries(fault);
        inject.accept(medium);
        try {
            openOrRefuse(medium, run);
            medium.faults().none();
            run.store.expected.check(open(medium.crash(Survival.NONE), run));
        } catch (RuntimeException | AssertionError e) {
            reporter.violated(fault, where + " of the recovery", run, e);
        }
    }

    private void openOrRefuse(SimulatedFileMedium medium, WorkloadRun run) {
        LogStore store;
        try {
            store = open(medium, run);
        } catch (StoreOpenException e) {
            return; // the next open shows whether anything was lost
        }
        run.store.expected.check(store);
    }

    private LogStore open(SimulatedFileMedium medium, WorkloadRun run) {
        return workload.media().open(medium, run.store.clock, 0);
    }
}
