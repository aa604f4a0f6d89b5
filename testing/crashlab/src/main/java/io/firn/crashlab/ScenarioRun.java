package io.firn.crashlab;

import static io.firn.crashlab.Violation.require;

import io.firn.FirnException;
import io.firn.crashlab.FaultPoints.Filter;
import io.firn.crashlab.FaultPoints.Operation;
import io.firn.crashlab.Matrix.Fault;
import io.firn.sim.SimulatedFileMedium;
import io.firn.sim.Survival;
import java.io.IOException;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Injects an error or a lack of space at each call site that a {@link Scenario} reaches. The
 * scenario may fail; what was acknowledged must be found after a kill and after a power cut.
 */
final class ScenarioRun {
    private static final String REPRODUCTION = ": bin/check crashlab --faults";

    private final Scenario scenario;
    private final FaultInjector injector;
    private final Set<String> tried;
    private final Reporter reporter;

    /**
     * Creates a run that has not begun.
     *
     * @param tried call sites that had their fault and are not tried again; others are added
     */
    ScenarioRun(Scenario scenario, FaultInjector injector, Set<String> tried, Reporter reporter) {
        this.scenario = scenario;
        this.injector = injector;
        this.tried = tried;
        this.reporter = reporter;
    }

    /** Executes the scenario without a fault, and then with each. */
    void run() {
        FaultPoints points = record();
        for (Operation each : points.operations()) {
            int number = each.number();
            attempt(Fault.IO_ERROR, number, medium -> injector.failOperation(medium, number));
            if (each.text().startsWith("write ") || each.text().startsWith("create ")) {
                attempt(Fault.NO_SPACE, number, medium -> injector.refuseSpace(medium, number));
            }
        }
        for (int number : points.queries()) {
            attempt(Fault.QUERY, number, medium -> injector.failQuery(medium, number));
        }
    }

    private FaultPoints record() {
        SimulatedFileMedium medium = scenario.empty();
        FaultPoints points = new FaultPoints(medium, Filter.newSites(tried, "scenario "));
        SeededIds.seed(scenario.ordinal());
        ScenarioStore store = new ScenarioStore(medium);
        try {
            scenario.run(store);
            check(medium, store);
        } catch (IOException | RuntimeException | AssertionError e) {
            reporter.violated(Fault.IO_ERROR, scenario + " without a fault" + REPRODUCTION, e);
        }
        return points;
    }

    private void attempt(Fault fault, int number, Consumer<SimulatedFileMedium> inject) {
        reporter.tries(fault);
        SimulatedFileMedium medium = scenario.empty();
        inject.accept(medium);
        SeededIds.seed(scenario.ordinal());
        ScenarioStore store = new ScenarioStore(medium);
        try {
            runAsFarAsPossible(store);
            check(medium, store);
        } catch (RuntimeException | AssertionError e) {
            String what = fault + " in " + scenario + ", number " + number + REPRODUCTION;
            reporter.violated(fault, what, e);
        }
    }

    private void runAsFarAsPossible(ScenarioStore store) {
        try {
            scenario.run(store);
        } catch (FirnException | IOException e) {
            return; // the fault, which the scenario reports
        }
    }

    /** Opens what is left after a kill, and after a power cut. */
    private void check(SimulatedFileMedium medium, ScenarioStore store) {
        medium.ignoreOperations();
        medium.faults().none();
        require(medium.inUse() == 0, medium.inUse() + " files, mappings or locks are still in use");
        scenario.check(medium.kill(), store);
        scenario.check(medium.crash(Survival.NONE), store);
    }
}
