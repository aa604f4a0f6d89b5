package io.firn.crashlab;

import io.firn.crashlab.Matrix.Fault;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * Counts the faults that are tried and reports violations. As thread-safe as its parts.
 *
 * @param progress called once for each fault that is tried
 * @param failures accepts a description of each violation
 */
record Reporter(Matrix matrix, Runnable progress, Consumer<String> failures) {
    /** Counts a fault that is about to be tried. */
    void tries(Fault fault) {
        matrix.count(fault);
        progress.run();
    }

    /** Reports a violation, with the way to reproduce it and the stack trace. */
    void violated(Fault fault, String reproduction, Throwable why) {
        matrix.violated(fault);
        failures.accept(reproduction + ": " + Traces.of(why));
    }

    /** Reports a violation in a workload with faults. */
    void violated(Fault fault, String where, WorkloadRun run, Throwable why) {
        Workload workload = run.workload();
        String reproduction =
                String.format(
                        Locale.ROOT,
                        "%s: bin/check crashlab --faults --workloads 1 --media %s --seed %d --actions %d"
                                + " (%s; during %s)",
                        fault,
                        workload.media(),
                        workload.seed(),
                        workload.actions().size(),
                        where,
                        run.current());
        violated(fault, reproduction, why);
    }
}
