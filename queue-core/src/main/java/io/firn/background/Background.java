package io.firn.background;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.agrona.concurrent.Agent;
import org.agrona.concurrent.AgentRunner;
import org.agrona.concurrent.EpochClock;
import org.agrona.concurrent.IdleStrategy;

/**
 * A store's duties and the threads that run them. There are two threads, so that work for which
 * appenders wait never queues behind housekeeping: {@code firn-force} forces and seals, {@code
 * firn-tidy} prepares blocks and tidies up. A store that only reads has one, {@code firn-follow}.
 * In invoker mode the caller of {@link #invoke} does the work of all of them.
 */
public final class Background {
    private static final System.Logger LOG = System.getLogger("io.firn");
    private static final int MOST_PASSES = 8;
    private static final long LONGEST_FOLLOWER_REST_NS = 100_000_000;

    private final EpochClock usersClock;
    private final Supplier<IdleStrategy> usersIdleStrategy;
    private final boolean isInvoked;
    private final BiConsumer<String, Throwable> onDeath;
    private Following followed;
    private final CachedClock cachedClock;
    private final Attempts attempts = new Attempts();
    private final BackOff following = new BackOff();
    private final Duties forcing;
    private final Duties tidying;
    private final Gate invoking = new Gate();
    private final List<AgentRunner> runners = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private volatile Thread tidyThread;
    private volatile Thread invoker;
    private volatile boolean closing;
    private volatile boolean closed;

    /** Looks again and again at a store that another process writes. */
    public interface Following {
        /** Looks, if it is time; returns the amount of news. */
        int look() throws IOException;

        /** The time until the next look, in ns. */
        long untilLookNs();
    }

    /**
     * Creates it without threads.
     *
     * @param usersClock null for the cached clock
     * @param usersIdleStrategy how threads idle; null to park until there is work
     * @param isInvoked whether there are no threads, and the user calls {@link #invoke}
     * @param onDeath told the name of a thread that has ended too early, and why
     */
    public Background(
            EpochClock usersClock,
            Supplier<IdleStrategy> usersIdleStrategy,
            boolean isInvoked,
            BiConsumer<String, Throwable> onDeath) {
        this.usersClock = usersClock;
        this.usersIdleStrategy = usersIdleStrategy;
        this.isInvoked = isInvoked;
        this.onDeath = onDeath;
        this.cachedClock = new CachedClock(isInvoked ? null : this::wake);
        boolean isOwnClock = usersClock == null;
        EpochClock clock = isOwnClock ? cachedClock::systemTime : usersClock;
        CachedClock ticking = isOwnClock ? cachedClock : null;
        this.forcing = new Duties(clock, ticking, attempts, !isInvoked);
        this.tidying = new Duties(clock, ticking, attempts, !isInvoked);
    }

    /** The clock for appenders. */
    public EpochClock clock() {
        return usersClock == null ? cachedClock : usersClock;
    }

    /** The time now. */
    public long timeMs() {
        return usersClock == null ? cachedClock.systemTime() : usersClock.time();
    }

    /** The duties that force, and seal rolled segments. */
    public Duties forcing() {
        return forcing;
    }

    /** All other duties. */
    public Duties tidying() {
        return tidying;
    }

    public Attempts attempts() {
        return attempts;
    }

    private void wake() {
        forcing.wake();
        tidying.wake();
    }

    /**
     * Starts the threads.
     *
     * @param follower of a store that only reads; null for one that writes
     */
    public void start(Following follower) {
        followed = follower;
        if (isInvoked) {
            return;
        }
        if (followed != null) {
            startAgent("firn-follow", this::follow, new FollowerRest(), null);
        } else {
            startAgent("firn-force", () -> run(forcing), forcing.rest(), forcing);
            tidyThread = startAgent("firn-tidy", () -> run(tidying), tidying.rest(), tidying);
        }
    }

    private Thread startAgent(String name, Attempts.Step step, IdleStrategy rest, Duties duties) {
        Agent agent =
                new Agent() {
                    @Override
                    public int doWork() throws IOException {
                        return step.run();
                    }

                    @Override
                    public String roleName() {
                        return name;
                    }
                };
        boolean isChosen = usersIdleStrategy != null;
        AgentRunner runner =
                new AgentRunner(
                        isChosen ? usersIdleStrategy.get() : rest,
                        e -> LOG.log(System.Logger.Level.ERROR, name + " failed", e),
                        null,
                        agent);
        runners.add(runner);
        Thread thread = new Thread(() -> live(name, runner), name);
        if (duties != null) {
            duties.onThread(thread, !isChosen);
        }
        threads.add(thread);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    /**
     * An agent continues after an exception, but an {@link Error} or an interrupt ends it. Nobody
     * else does its work, so all that wait for it are woken with an error.
     */
    private void live(String name, AgentRunner runner) {
        Throwable why = null;
        try {
            runner.run();
        } catch (Throwable e) {
            why = e;
        }
        if (!closing) {
            onDeath.accept(name, why == null ? new InterruptedException() : why);
        }
    }

    public long errors() {
        return attempts.errors();
    }

    /** Runs everything that is due, on the caller's thread. */
    public int invoke() {
        if (closed || !invoking.tryEnter()) {
            return 0; // another thread is doing it
        }
        invoker = Thread.currentThread();
        try {
            if (followed != null) {
                return follow();
            }
            int work = 0;
            for (int i = 0; i < MOST_PASSES; i++) {
                work += run(forcing) + run(tidying);
                if (!forcing.isCalled() && !tidying.isCalled()) {
                    break; // the work done made nothing else due
                }
            }
            return work;
        } finally {
            invoker = null;
            invoking.leave();
        }
    }

    private int run(Duties duties) {
        cachedClock.update();
        return duties.run();
    }

    private int follow() {
        if (following.leftNs() > 0) {
            return 0;
        }
        return Math.max(0, attempts.run(followed, followed::look, following));
    }

    /** Nothing notifies a follower, so it looks again and again. */
    private final class FollowerRest implements IdleStrategy {
        @Override
        public void idle(int workCount) {
            if (workCount <= 0) {
                idle();
            }
        }

        @Override
        public void idle() {
            if (closing) {
                return;
            }
            long ns = Math.max(following.leftNs(), followed.untilLookNs());
            LockSupport.parkNanos(Math.min(LONGEST_FOLLOWER_REST_NS, ns));
        }

        @Override
        public void reset() {
            // It keeps nothing.
        }
    }

    // ---- the steps of closing, on the closing thread, after the agents have ended

    /**
     * Whether the caller runs background work, so that it must not wait for the end of that work.
     */
    public boolean isAtWork() {
        Thread caller = Thread.currentThread();
        return caller == invoker || threads.contains(caller);
    }

    /** Whether the caller is the thread that prepares blocks. */
    public boolean isTidying() {
        Thread caller = Thread.currentThread();
        return caller == tidyThread || caller == invoker;
    }

    /** Ends the threads. */
    public void close() {
        boolean interrupted = Thread.interrupted();
        closing = true;
        forcing.end();
        tidying.end();
        threads.forEach(LockSupport::unpark);
        runners.forEach(AgentRunner::close);
        // After an interrupt the runner would stop waiting, and its thread would run beside the
        // closing one.
        for (Thread thread : threads) {
            while (thread.isAlive()) {
                try {
                    thread.join();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        if (isInvoked) {
            invoking.enter(); // never left again: nobody can invoke a closed store
        }
        closed = true;
    }

    /** Runs a step once, even if it failed just now: there is no later try. */
    public int attempt(Object subject, Attempts.Step step) {
        return attempts.run(subject, step, null);
    }
}
