package io.firn.background;

import io.firn.Finding.Kind;
import io.firn.PoisonedException;
import io.firn.findings.FindingKey;
import io.firn.findings.Findings;
import io.firn.medium.GuardedLog;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.agrona.concurrent.NanoClock;

/**
 * Runs steps of background work. A step that fails is counted and stops nothing else. While one
 * that is tried again fails, there is a finding, whose begin is logged with a stack trace. That a
 * partition is poisoned is a finding of its own. Thread-safe.
 */
public final class Attempts {
    /** What {@link #run} returns for a step that failed. */
    static final int FAILED = -1;

    private static final GuardedLog LOG = GuardedLog.get();

    private final AtomicLong errors = new AtomicLong();
    private final NanoClock clock;
    private volatile Findings findings;
    private volatile Predicate<Throwable> isShortage = error -> false;
    private volatile Predicate<Throwable> isReported = error -> false;
    private BooleanSupplier isLost = () -> false;

    /**
     * Creates it.
     *
     * @param clock measures the pauses after failures
     */
    public Attempts(NanoClock clock) {
        this.clock = clock;
        this.findings = new Findings();
    }

    /** Sets where it is noted that work fails. Called once, before any does. */
    public void reportTo(Findings ofStore) {
        findings = ofStore;
    }

    /** The clock that measures the pauses after failures. */
    public NanoClock clock() {
        return clock;
    }

    /**
     * Sets which failures are a shortage of what others in the process use up. They are reported
     * elsewhere, only counted here, and tried again after a short pause: when it is over, nothing
     * must wait for long. Called once, before there are any.
     */
    public void shortageIs(Predicate<Throwable> shortage) {
        isShortage = shortage;
    }

    /**
     * Sets which failures have a finding of their own, which says the cause, such as a tier that
     * fails. Called once, before there are any.
     */
    public void reportedBy(Predicate<Throwable> reported) {
        isReported = reported;
    }

    /**
     * Sets what tells that another process may write the store: no step is run any more, but those
     * that are for this case. Called once, before there are any.
     */
    public void stopIf(BooleanSupplier lost) {
        isLost = lost;
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
     * @param job names the step, {@link FindingKey#job}
     * @param backOff notes the outcome; null when the step is not tried again
     * @return how much was done, or {@link #FAILED}
     */
    int run(FindingKey job, Step step, BackOff backOff) {
        if (isLost.getAsBoolean() && !step.isForLost()) {
            return 0;
        }
        try {
            int work = step.run();
            succeeded(job, backOff);
            return work;
        } catch (IOException | RuntimeException | VirtualMachineError | LinkageError e) {
            // Whatever fails here, the other steps are run.
            failed(job, e, backOff);
            return FAILED;
        }
    }

    /** Notes a success; null when the step is not tried again. */
    public void succeeded(FindingKey job, BackOff backOff) {
        if (backOff != null && backOff.isFailing()) {
            backOff.onSuccess();
            findings.end(job);
        }
    }

    /** Counts and reports a failure. */
    public void failed(FindingKey job, Throwable e, BackOff backOff) {
        errors.incrementAndGet();
        if (e instanceof PoisonedException || isReported.test(e)) {
            if (backOff != null) {
                backOff.onFailure();
                findings.end(job);
            }
            return;
        }
        if (isShortage.test(e)) {
            if (backOff != null) {
                backOff.onShortage();
            }
            return;
        }
        if (backOff == null) {
            String text = job + ": background work failed: " + e.getMessage();
            LOG.log(System.Logger.Level.ERROR, text, e);
            return;
        }
        backOff.onFailure();
        findings.begin(
                job,
                job + ": background work fails and is tried again" + whatToDo(job) + e.getMessage(),
                e);
    }

    private static String whatToDo(FindingKey job) {
        return job.kind() == Kind.TOPIC_DELETION_FAILING
                ? "; what is left of the deleted topic takes up space until it succeeds, check the"
                        + " medium: "
                : "; check the medium if that does not end: ";
    }

    long errors() {
        return errors.get();
    }
}
