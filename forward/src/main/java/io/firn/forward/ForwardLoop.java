package io.firn.forward;

import io.firn.ClosedException;
import io.firn.MediumException;
import io.firn.RefusedException;
import io.firn.RetryableException;
import io.firn.forward.ForwardException.Reason;
import io.firn.forward.cluster.Target;
import io.firn.forward.cluster.TargetFailure;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;

/** The work of the thread: sessions with the cluster, one after the other, with pauses between. */
final class ForwardLoop {
    private static final System.Logger LOG = System.getLogger("io.firn");
    private static final long FIRST_PAUSE_MS = 100;
    private static final long LONGEST_PAUSE_MS = 10_000;
    private static final long IDLE_NS = 50_000_000;

    /** A broker that was just started may not know of a topic yet. */
    private static final int LOOKS_FOR_A_TOPIC = 6;

    private final ForwardPlan plan;
    private final Sources sources;
    private final Wakeup wakeup;
    private final Pace pace;

    private volatile boolean isEnding;
    private volatile boolean isConnected;
    private volatile String lastError;
    private final AtomicLong transactions = new AtomicLong();
    private volatile Target target;
    private volatile ForwardException failure;

    private int failures;
    private int missingTopics;
    private boolean hasBegun;

    ForwardLoop(ForwardPlan plan, Sources sources, Wakeup wakeup, Pace pace) {
        this.plan = plan;
        this.sources = sources;
        this.wakeup = wakeup;
        this.pace = pace;
    }

    Sources sources() {
        return sources;
    }

    /** Runs until it is ended, or something needs a decision. */
    void run() {
        OldestDropper dropper = dropper();
        try {
            Instance instance = Instance.ofThisProcess().withHost();
            while (!isEnding) {
                runSession(instance);
            }
        } catch (ForwardException e) {
            stop(e);
        } catch (ClosedException e) {
            LOG.log(System.Logger.Level.DEBUG, "the store was closed", e);
        } catch (RefusedException e) { // the topic was deleted, or truncated
            stop(new ForwardException(Reason.RECORDS_UNREADABLE, e.getMessage(), e));
        } catch (RuntimeException | Error e) {
            stop(
                    new ForwardException(
                            Reason.ERROR,
                            "an error has ended '" + plan.name() + "': " + e + "; start it again",
                            e));
            if (e instanceof Error error) {
                throw error; // to the thread's handler
            }
        } finally {
            isConnected = false;
            if (dropper != null) {
                dropper.close();
            }
            sources.close();
            signal();
        }
    }

    /** Returns null if records are never dropped. */
    private OldestDropper dropper() {
        return plan.onFull() == OnFull.DROP_OLDEST ? new OldestDropper(plan) : null;
    }

    private void stop(ForwardException e) {
        failure = e;
        LOG.log(
                System.Logger.Level.ERROR,
                "forwarding ''{0}'' has stopped: {1}",
                plan.name(),
                e.getMessage());
    }

    private void runSession(Instance instance) {
        try (Target opened = plan.target().open(() -> isEnding)) {
            target = opened;
            Session session = new Session(plan, sources, opened, instance);
            session.open(hasBegun);
            hasBegun = true;
            succeeded();
            while (!isEnding && !session.isOver()) {
                step(session);
            }
        } catch (TargetFailure e) {
            onFailure(e);
        } catch (RetryableException | MediumException e) {
            pause(e);
        } finally {
            isConnected = false;
        }
    }

    private void step(Session session) {
        long waitNs = pace.waitNs(System.nanoTime());
        if (waitNs > 0) {
            wakeup.await(Math.min(waitNs, IDLE_NS), () -> isEnding);
        } else {
            long bytes = session.forward();
            if (bytes >= 0) {
                pace.take(bytes, System.nanoTime());
                succeeded();
            } else {
                boolean isStalled = sources.hasNews(); // there is no memory to read it, say
                wakeup.await(IDLE_NS, () -> isEnding || (!isStalled && sources.hasNews()));
            }
        }
        session.tend();
    }

    private void succeeded() {
        failures = 0;
        missingTopics = 0;
        lastError = null;
        isConnected = true;
        transactions.incrementAndGet();
        signal();
    }

    private synchronized void signal() {
        notifyAll();
    }

    private void onFailure(TargetFailure e) {
        Reason reason =
                switch (e.kind()) {
                    case PASSING -> null;
                    case UNKNOWN_TOPIC ->
                            ++missingTopics < LOOKS_FOR_A_TOPIC ? null : Reason.UNKNOWN_TOPIC;
                    case NOT_AUTHORIZED -> Reason.NOT_AUTHORIZED;
                    case CONFIGURATION -> Reason.CONFIGURATION;
                    case RECORD_REFUSED -> Reason.RECORD_REFUSED;
                };
        if (reason == null) {
            pause(e);
        } else if (!isEnding) {
            throw new ForwardException(reason, e.getMessage() + advice(reason), e);
        }
    }

    private static String advice(Reason reason) {
        return switch (reason) {
            case UNKNOWN_TOPIC -> "; create the topic there, and start again";
            case NOT_AUTHORIZED ->
                    "; give its user the rights WRITE and DESCRIBE on the topics and on the"
                            + " transactional id, READ on the group of that name, and start again";
            case RECORD_REFUSED ->
                    "; make the topic there accept it (max.message.bytes, cleanup.policy), and start"
                            + " again: nothing after it is forwarded";
            default -> "; correct the properties, and start again";
        };
    }

    private void pause(RuntimeException why) {
        if (isEnding) {
            return;
        }
        isConnected = false;
        lastError = why.getMessage();
        System.Logger.Level level =
                failures == 0 ? System.Logger.Level.WARNING : System.Logger.Level.DEBUG;
        LOG.log(level, "forwarding ''{0}'' tries again: {1}", plan.name(), why.getMessage());
        long ms = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS << Math.min(failures, 10));
        failures++;
        long until =
                System.nanoTime()
                        + ThreadLocalRandom.current().nextLong(ms / 2, ms + 1) * 1_000_000;
        while (!isEnding && until - System.nanoTime() > 0) {
            wakeup.await(until - System.nanoTime(), () -> isEnding);
        }
    }

    /** Asks it to end after the transaction under way. */
    void end() {
        isEnding = true;
        wakeup.onVisible();
    }

    /** Ends the transaction under way without an answer. */
    void abandon() {
        Target now = target;
        if (now != null) {
            now.abandon();
        }
    }

    /**
     * Waits until a partition is forwarded up to an offset.
     *
     * @return false if the time is over, or it has ended
     */
    synchronized boolean await(SourcePartition partition, long offset, long ns)
            throws InterruptedException {
        long until = System.nanoTime() + ns;
        while (partition.forwardedTo() <= offset) {
            long left = until - System.nanoTime();
            if (left <= 0 || isEnding || failure != null) {
                return false;
            }
            wait(left / 1_000_000 + 1);
        }
        return true;
    }

    boolean isConnected() {
        return isConnected;
    }

    Optional<String> lastError() {
        return Optional.ofNullable(lastError);
    }

    Optional<ForwardException> failure() {
        return Optional.ofNullable(failure);
    }

    long transactions() {
        return transactions.get();
    }
}
