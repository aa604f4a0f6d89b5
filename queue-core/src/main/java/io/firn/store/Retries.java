package io.firn.store;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/**
 * Runs a step for each partition and keeps going: one that fails is logged, counted, and left alone
 * for a second, while the others are served.
 */
final class Retries {
    private static final System.Logger LOG = System.getLogger("io.firn");
    private static final long BACK_OFF_NS = 1_000_000_000;

    private final Map<Object, Long> notBefore = new HashMap<>();
    private volatile long errors;
    private boolean backsOff = true;

    /** A step of background work; returns how much was done. */
    @FunctionalInterface
    interface Step {
        int run() throws IOException;
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // one thread
    int run(Object subject, Step step) {
        if (!notBefore.isEmpty()) {
            Long until = notBefore.get(subject);
            if (until != null && System.nanoTime() - until < 0) {
                return 0;
            }
            notBefore.remove(subject);
        }
        try {
            return step.run();
        } catch (IOException | RuntimeException | VirtualMachineError | LinkageError e) {
            // Whatever one partition stumbles over, the others behind it are served.
            errors++;
            if (backsOff) {
                notBefore.put(subject, System.nanoTime() + BACK_OFF_NS);
            }
            LOG.log(
                    System.Logger.Level.ERROR,
                    subject
                            + ": background work failed, tried again in a second: "
                            + e.getMessage(),
                    e);
            return 0;
        }
    }

    /** From now on each step is tried, however lately it failed: there is no later. */
    void backOffNoMore() {
        backsOff = false;
        notBefore.clear();
    }

    long errors() {
        return errors;
    }
}
