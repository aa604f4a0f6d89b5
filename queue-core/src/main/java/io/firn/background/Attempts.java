package io.firn.background;

import io.firn.PoisonedException;
import io.firn.medium.GuardedLog;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.agrona.concurrent.NanoClock;

/**
 * Runs steps of background work. A step that fails is counted and reported, and stops nothing else.
 * Of failures in a row with one message the first is logged with its stack trace. That a partition
 * is poisoned was logged when it was poisoned, and is not logged again. Thread-safe.
 */
public final class Attempts {
    /** What {@link #run} returns for a step that failed. */
    static final int FAILED = -1;

    private static final GuardedLog LOG = GuardedLog.get();

    private final AtomicLong errors = new AtomicLong();

    /** The failures of what is tried again; by identity, since a pause has no value. */
    private final Map<BackOff, Failure> failing = new ConcurrentHashMap<>();

    private final NanoClock clock;
    private volatile Predicate<Throwable> isShortage = error -> false;
    private BooleanSupplier isLost = () -> false;

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
     * Sets which failures are a shortage of what others in the process use up. They are told by
     * somebody else, only counted here, and tried again after a short pause: when it is over,
     * nothing must wait for long. Called once, before there are any.
     */
    public void shortageIs(Predicate<Throwable> shortage) {
        isShortage = shortage;
    }

    /**
     * Sets what tells that another process may write the store: no step is run any more, but those
     * that are for this case. Called once, before there are any.
     */
    public void stopIf(BooleanSupplier lost) {
        isLost = lost;
    }

    private record Failure(Object subject, String message) {
        @Override
        public String toString() {
            return subject + ": background work fails and is tried again: " + message;
        }
    }

    /** A step of background work. */
    @FunctionalInterface
    public interface Step {
        /** Does the step; returns the amount of work done. */
        int run() throws IOException;

        /**
         * Whether it is run although another process may write the store. It must not change
         * anything then.
         */
        default boolean isForLost() {
            return false;
        }
    }

    /**
     * Runs a step.
     *
     * @param subject what the step is for, named in the report
     * @param backOff notes the outcome; null when the step is not tried again
     * @return how much was done, or {@link #FAILED}
     */
    int run(Object subject, Step step, BackOff backOff) {
        if (isLost.getAsBoolean() && !step.isForLost()) {
            return 0;
        }
        try {
            int work = step.run();
            succeeded(backOff);
            return work;
        } catch (IOException | RuntimeException | VirtualMachineError | LinkageError e) {
            // Whatever fails here, the other steps are run.
            failed(subject, e, backOff);
            return FAILED;
        }
    }

    /** Notes a success; null when the step is not tried again. */
    public void succeeded(BackOff backOff) {
        if (backOff != null && backOff.isFailing()) {
            backOff.onSuccess();
            failing.remove(backOff);
        }
    }

    /** Adds what fails now and is tried again, one line each. */
    public void addFailing(List<String> findings) {
        failing.values().forEach(each -> findings.add(each.toString()));
    }

    /** Counts and reports a failure. */
    public void failed(Object subject, Throwable e, BackOff backOff) {
        errors.incrementAndGet();
        if (e instanceof PoisonedException) {
            if (backOff != null) {
                backOff.onFailure();
                failing.remove(backOff);
            }
            return;
        }
        if (isShortage.test(e)) {
            if (backOff != null) {
                backOff.onShortage();
            }
            return;
        }
        String next = "";
        Failure before = null;
        Failure now = new Failure(subject, String.valueOf(e.getMessage()));
        if (backOff != null) {
            backOff.onFailure();
            next = ", tried again in " + backOff.pauseSeconds() + " s";
            before = failing.put(backOff, now);
        }
        LOG.log(
                System.Logger.Level.ERROR,
                subject + ": background work failed" + next + ": " + e.getMessage(),
                now.equals(before) ? null : e);
    }

    long errors() {
        return errors.get();
    }
}
