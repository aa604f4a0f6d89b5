package io.firn.background;

import io.firn.background.Duty.Duties;
import io.firn.findings.FindingKey;
import io.firn.findings.Subject;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import javax.annotation.concurrent.GuardedBy;
import org.agrona.concurrent.EpochClock;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.SystemNanoClock;

/**
 * A store's duties and the threads that run them. Those that force have threads of their own, so
 * that work for which appenders wait never queues behind housekeeping: {@code firn-force} and, when
 * several partitions are forced at once, {@code firn-force-2} and so on force and seal; {@code
 * firn-tidy} tidies up, one partition after another, and reserves, finishes and deletes blocks, for
 * which {@code firn-tidy-2} and so on help when several partitions want that. {@code firn-compact}
 * rewrites segments; it exists only if a topic needs it. {@code firn-scrub} verifies sealed
 * segments. A store that only reads has one thread, {@code firn-follow}. In invoker mode the caller
 * of {@link #invoke} does the work of all of them, except that nothing is rewritten and verified.
 */
public final class Background {
    private static final int MOST_PASSES = 8;

    /** More reserve no faster: a file system makes what they force durable together. */
    private static final int MOST_TIDIERS = 8;

    /** The lanes of {@link #tidying}: the two below, and one for all that is in neither. */
    private static final int TIDYING_LANES = 3;

    /** The lane of the duties of {@link #tidying} that reserve blocks, several at once. */
    public static final int RESERVING = 1;

    /**
     * The lane of those that bring sealed segments into their final form and delete others, several
     * at once: each waits for forces, which a file system makes durable together.
     */
    public static final int FINISHING = 2;

    private static final long LONGEST_FOLLOWER_REST_NS = 250_000_000;

    private final EpochClock usersClock;
    private final Threads threads;
    private final boolean isInvoked;
    private Following followed;
    private final CachedClock cachedClock;
    private final Attempts attempts;
    private final BackOff following;
    private final LongWaits longWaits = new LongWaits();
    private final Workers forcers;
    private final Workers tidiers;
    private final Workers compactors;
    private final Workers scrubbers;
    private final DutyScheduler forcing;
    private final DutyScheduler tidying;
    private final DutyScheduler compacting;
    private final DutyScheduler scrubbing;
    private final ParallelSteps sideBySide;
    private final Gate invoking = new Gate();
    private StoreThread follower;
    private volatile Thread invoker;
    private volatile boolean ending;
    private volatile boolean closed;

    @GuardedBy("this")
    private boolean started;

    @GuardedBy("this")
    private boolean isCompacting;

    /** Looks again and again at a store that another process writes. */
    public interface Following {
        /** Looks, if it is time; returns the amount of news. */
        int look() throws IOException;

        /** The time until the next look, in ns. */
        long untilLookNs();

        /** Names the look. */
        FindingKey job();
    }

    /**
     * Creates it without threads.
     *
     * @param usersClock null for the cached clock
     * @param pauseClock measures the pauses after failures
     * @param lanes how many tiers a force may be for
     */
    public Background(EpochClock usersClock, NanoClock pauseClock, Threads threads, int lanes) {
        this.usersClock = usersClock;
        this.attempts = new Attempts(pauseClock);
        this.following = new BackOff(pauseClock);
        this.threads = threads;
        this.isInvoked = threads.forcers == 0;
        this.cachedClock = new CachedClock(isInvoked ? null : this::wake);
        boolean isOwnClock = usersClock == null;
        EpochClock clock = isOwnClock ? cachedClock::systemTime : usersClock;
        CachedClock ticking = isOwnClock ? cachedClock : null;
        this.forcers = isInvoked ? null : workers("firn-force", threads.forcers);
        this.tidiers = isInvoked ? null : workers("firn-tidy", mostTidiers(threads.forcers));
        this.compactors = isInvoked ? null : workers("firn-compact", 1);
        this.scrubbers = isInvoked ? null : workers("firn-scrub", 1);
        long longest = DutyScheduler.LONGEST_REST_NS;
        this.forcing =
                new DutyScheduler(
                        new CheckedClock(clock, !isOwnClock, ticking, attempts),
                        lanes,
                        false,
                        forcers,
                        longest);
        this.tidying =
                new DutyScheduler(
                        new CheckedClock(clock, !isOwnClock, ticking, attempts),
                        TIDYING_LANES,
                        true,
                        tidiers,
                        longest);
        this.compacting =
                new DutyScheduler(
                        new CheckedClock(clock, !isOwnClock, null, attempts),
                        1,
                        false,
                        compactors,
                        longest);
        this.scrubbing =
                new DutyScheduler(
                        new CheckedClock(clock, !isOwnClock, null, attempts),
                        1,
                        false,
                        scrubbers,
                        longest);
        this.sideBySide = new ParallelSteps(threads.factory, Math.max(1, threads.forcers));
    }

    /** One more than those that reserve and tidy up: a lane that is idle keeps a thread. */
    private static int mostTidiers(int forcers) {
        return forcers == 1 ? 1 : Math.min(forcers, MOST_TIDIERS) + 1;
    }

    private Workers workers(String name, int most) {
        return new Workers(maker(), name, most, SystemNanoClock.INSTANCE);
    }

    private StoreThread.Maker maker() {
        return new StoreThread.Maker(threads.factory, threads.onDeath);
    }

    /**
     * The threads of a store.
     *
     * @param factory makes them; null for daemon threads
     * @param idleStrategy how they idle; null to park until there is work
     * @param forcers how many force; 0 when there are no threads, and the user calls {@link
     *     #invoke}
     * @param onDeath told the name of a thread that has ended too early, and why
     */
    public record Threads(
            ThreadFactory factory,
            Supplier<IdleStrategy> idleStrategy,
            int forcers,
            BiConsumer<String, Throwable> onDeath) {}

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

    /**
     * All other duties; they run one after another, but those of the lanes {@link #RESERVING} and
     * {@link #FINISHING}.
     */
    public Duties tidying() {
        return tidying;
    }

    /** For steps that wait for a disk; also after {@link #close}. */
    public ParallelSteps sideBySide() {
        return sideBySide;
    }

    /** The duties that rewrite segments, which may take minutes. */
    public Duties compacting() {
        return compacting;
    }

    /** The duty that verifies sealed segments, which waits for disks; not run in invoker mode. */
    public Duties scrubbing() {
        return scrubbing;
    }

    /**
     * Makes the thread for {@link #compacting} start with the others, or now if they run. Not in
     * invoker mode.
     */
    public synchronized void startCompacting() {
        if (!isCompacting && started && !ending) {
            compactors.start(compacting, null); // if that fails, the next call tries it again
        }
        isCompacting = true;
    }

    /** Whether the store is being closed: work that takes long ends early. */
    public boolean isEnding() {
        return ending;
    }

    public Attempts attempts() {
        return attempts;
    }

    /** In a store that only reads, the tailers that have waited long. */
    public LongWaits longWaits() {
        return longWaits;
    }

    private void wake() {
        forcers.wakeOne();
        tidiers.wakeOne();
    }

    /**
     * Starts the threads.
     *
     * @param toFollow of a store that only reads; null for one that writes
     */
    public void start(Following toFollow) {
        followed = toFollow;
        if (isInvoked) {
            return;
        }
        if (followed != null) {
            IdleStrategy chosen = chosenRest();
            IdleStrategy rest = chosen == null ? new FollowerRest() : chosen;
            // It changes nothing but what it has seen, which the next look sees again.
            follower = new StoreThread(maker(), "firn-follow", this::follow, rest, true);
            follower.start();
        } else {
            forcers.start(forcing, chosenRest());
            tidiers.start(tidying, chosenRest());
            scrubbers.start(scrubbing, null);
            synchronized (this) {
                started = true;
                if (isCompacting) {
                    compactors.start(compacting, null);
                }
            }
        }
    }

    private IdleStrategy chosenRest() {
        return threads.idleStrategy == null ? null : threads.idleStrategy.get();
    }

    /**
     * For how long each thread has stood still, by its name: that is how long its present step
     * takes. Empty where there are no threads of the store's own that write.
     */
    public Map<String, Duration> still() {
        Map<String, Duration> all = new TreeMap<>();
        if (!isInvoked) {
            forcers.addStill(all);
            tidiers.addStill(all);
            compactors.addStill(all);
            scrubbers.addStill(all);
        }
        return all;
    }

    /** Called in a long step that goes on, on whatever thread: the thread does not stand still. */
    public void onProgress() {
        if (!isInvoked) {
            tidiers.onProgress();
            compactors.onProgress();
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
                work += forcing.run() + tidying.run();
                if (!forcing.isAnyLeft() && !tidying.isAnyLeft()) {
                    break; // the work done made nothing else due
                }
            }
            return work;
        } finally {
            invoker = null;
            invoking.leave();
        }
    }

    private int follow() {
        longWaits.look();
        if (following.leftNs() > 0) {
            return 0;
        }
        return Math.max(0, attempts.run(followed.job(), followed::look, following));
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
            // While tailers wait long it wakes for them, and other looks share these wake-ups.
            long ns =
                    longWaits.isEmpty()
                            ? Math.max(following.leftNs(), followed.untilLookNs())
                            : longWaits.untilLookNs();
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
        return isTidying()
                || (forcers != null && forcers.isCurrent())
                || (compactors != null && compactors.isCurrent())
                || (scrubbers != null && scrubbers.isCurrent())
                || (follower != null && follower.isCurrent());
    }

    /** Whether the caller is a thread that prepares blocks. */
    public boolean isTidying() {
        return Thread.currentThread() == invoker || (tidiers != null && tidiers.isCurrent());
    }

    /** Ends the threads: each of them after the duty that it is in. */
    public void close() {
        boolean interrupted = Thread.interrupted();
        synchronized (this) {
            ending = true;
        }
        longWaits.close();
        if (follower != null) {
            follower.end();
            interrupted |= follower.join();
        }
        if (!isInvoked) {
            compactors.end();
            scrubbers.end();
            interrupted |= compactors.join() | scrubbers.join(); // they need the others
            forcers.end();
            tidiers.end();
            interrupted |= forcers.join() | tidiers.join();
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
    public int attempt(Subject subject, Attempts.Step step) {
        return attempts.run(FindingKey.job(subject, "close"), step, null);
    }
}
