package io.firn.background;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.agrona.concurrent.NanoClock;

/**
 * Runs steps of background work. A step that fails is counted and reported, and stops nothing else.
 * Thread-safe.
 */
public final class Attempts {
    /** What {@link #run} returns for a step that failed. */
    static final int FAILED = -1;

    private static final System.Logger LOG = System.getLogger("io.firn");

    private final AtomicLong errors = new AtomicLong();
    private final NanoClock clock;
    private volatile Predicate<Throwable> isLack = error -> false;

    /**
     * Creates it.
     *
     * @param clock measures the pauses after failures
     */
    public Attempts(NanoClock clock) {
        this.clock = clock;
    }

    /** The clock that measures the pauses after failures. */
    public NanoClock clock() {
        return clock;
    }

    /**
     * Sets which failures are a lack of what others in the process use up. They are told by
     * somebody else, only counted here, and tried again after a short pause: when it is over,
     * nothing must wait for long. Called once, before there are any.
     */
    public void lackIs(Predicate<Throwable> lack) {
        isLack = lack;
    }

    /** A step of background work. */
    @FunctionalInterface
    public interface Step {
        /** Does the step; returns the amount of work done. */
        int run() throws IOException;
    }

    /**
     * Runs a step.
     *
     * @param subject what the step is for, named in the report
     * @param backOff notes the outcome; null when the step is not tried again
     * @return how much was done, or {@link #FAILED}
     */
    int run(Object subject, Step step, BackOff backOff) {
        try {
            int work = step.run();
            if (backOff != null) {
                backOff.onSuccess();
            }
            return work;
        } catch (IOException | RuntimeException | VirtualMachineError | LinkageError e) {
            // Whatever fails here, the other steps are run.
            failed(subject, e, backOff);
            return FAILED;
        }
    }

    /** Counts and reports a failure. */
    public void failed(Object subject, Throwable e, BackOff backOff) {
        errors.incrementAndGet();
        if (isLack.test(e)) {
            if (backOff != null) {
                backOff.onLack();
            }
            return;
        }
        String next = "";
        if (backOff != null) {
            backOff.onFailure();
            next = ", tried again in " + backOff.pauseSeconds() + " s";
        }
        GuardedLog.log(
                LOG,
                System.Logger.Level.ERROR,
                subject + ": background work failed" + next + ": " + e.getMessage(),
                e);
    }

    long errors() {
        return errors.get();
    }
}
