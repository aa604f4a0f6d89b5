package io.firn.crashlab;

import io.firn.FirnException;
import io.firn.sim.SimulatedFileMedium;

/** Executes a workload on a store, which may live through several incarnations meanwhile. */
final class WorkloadRun {
    final TestedStore store;

    private final Workload workload;
    private final ActionRunner runner;
    private Action current;

    /**
     * Creates a run that has not begun.
     *
     * @param mayFail whether actions may fail, because the medium returns errors
     */
    WorkloadRun(Workload workload, SimulatedFileMedium medium, boolean mayFail) {
        this.workload = workload;
        this.store = new TestedStore(workload.media(), medium, mayFail);
        this.runner = new ActionRunner(store);
    }

    Workload workload() {
        return workload;
    }

    /** Returns the action that is being executed, for messages; null when there is none. */
    Action current() {
        return current;
    }

    /** Whether the background work of the store is being executed. */
    boolean isInBackground() {
        return current != null && current.kind() == Action.Kind.PASS;
    }

    /** How many segments were moved. */
    int moves() {
        return runner.moves();
    }

    /** How many compactions removed records. */
    int drains() {
        return runner.drains();
    }

    int compactions() {
        return runner.compactions();
    }

    /** What was done in transactions. */
    TransactionActions transactions() {
        return runner.transactions();
    }

    /** How many actions were executed in the middle of a move. */
    int actionsDuringMoves() {
        return runner.actionsDuringMoves();
    }

    /** Executes all actions and closes the store. */
    void run() {
        run(() -> {});
    }

    /** Executes all actions, then what is given, and closes the store. */
    void run(Runnable beforeClose) {
        runWithJump(-1, 0);
        beforeClose.run();
        current = null;
        untilPowerCut(store::close);
    }

    /** Executes all actions and advances the clock before one of them. Does not close the store. */
    void runWithJump(int jumpBefore, long ms) {
        store.open(0);
        for (int i = 0; i < workload.actions().size() && store.isOpen(); i++) {
            current = workload.actions().get(i);
            if (i == jumpBefore) {
                store.clock.advance(ms);
            }
            untilPowerCut(() -> runner.run(current));
        }
    }

    /** Does something; if the power is cut meanwhile, the next incarnation recovers. */
    private void untilPowerCut(Runnable action) {
        try {
            action.run();
        } catch (PowerCut | AssertionError | RuntimeException e) {
            if (!store.machine.isCut()) {
                if (e instanceof FirnException failure) {
                    store.tolerate(failure);
                } else {
                    throw e;
                }
            }
        }
        if (store.machine.isCut()) {
            untilPowerCut(store::restart);
        }
    }
}
