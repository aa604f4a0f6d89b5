package io.firn.migrator;

import io.firn.ClosedException;
import io.firn.FirnException;
import io.firn.InvalidOptionException;
import io.firn.LogStore;
import io.firn.MoveControl;
import io.firn.MoveOutcome;
import io.firn.UnknownTopicException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;

/**
 * Moves segments between a store's tiers in the background, as a policy decides.
 *
 * <pre>{@code
 * try (Migrator migrator = Migrator.of(store)
 *         .policy(Policies.threshold(0.5)).threads(2).bytesPerSecond(200_000_000).build().start()) {
 *     ...
 * }
 * }</pre>
 *
 * <p>A move that fails is logged, shown by {@link #status} and tried again, later each time; others
 * go on. Close the migrator before its store. If the store is closed first, the migrator's moves
 * are cancelled and it ends.
 *
 * <p>Thread-safe.
 */
public final class Migrator implements AutoCloseable {
    /** As a rate: no limit. */
    public static final long UNLIMITED = -1;

    private static final System.Logger LOG = System.getLogger("io.firn");
    private static final int MOST_THREADS = 64;

    private final LogStore store;
    private final MigrationPolicy policy;
    private final int threadCount;
    private final long intervalNs;
    private final ByteRate rate;
    private final MoveRetries retries;
    private final Queue<Move> due = new ArrayDeque<>();
    private final Map<Move, Long> current = new HashMap<>();
    private final List<Thread> threads = new ArrayList<>();
    private final Tally tally = new Tally();
    private volatile boolean running;
    private long nextLookNs = System.nanoTime();

    private Migrator(Builder builder) {
        this.store = builder.store;
        this.policy = builder.policy;
        this.threadCount = builder.threads;
        this.intervalNs = builder.interval.toNanos();
        this.rate = new ByteRate(builder.bytesPerSecond);
        this.retries = new MoveRetries(builder.firstRetry.toNanos());
    }

    /** Returns a builder for a migrator of a store. */
    public static Builder of(LogStore store) {
        return new Builder(store);
    }

    /** Starts the threads, when they do not run. */
    public synchronized Migrator start() {
        if (!running) {
            running = true;
            for (int i = 0; i < threadCount; i++) {
                Thread thread = new Thread(this::run, "firn-migrate-" + i);
                thread.setDaemon(true);
                threads.add(thread);
                thread.start();
            }
        }
        return this;
    }

    /**
     * Stops: moves that are under way give up and leave their segments where they were. On return
     * no thread of the migrator runs. It can be started again.
     */
    public void stop() {
        List<Thread> ending;
        synchronized (this) {
            running = false;
            ending = List.copyOf(threads);
            threads.clear();
        }
        boolean interrupted = false;
        for (Thread thread : ending) {
            thread.interrupt();
            while (thread.isAlive() && thread != Thread.currentThread()) {
                try {
                    thread.join();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        }
        synchronized (due) {
            due.clear();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** As {@link #stop}. */
    @Override
    public void close() {
        stop();
    }

    /** Changes the rate, in bytes per second: above 0, or {@link #UNLIMITED}. */
    public void bytesPerSecond(long value) {
        rate.set(Builder.checkRate(value));
    }

    /** Returns what it is doing now. */
    public MigratorStatus status() {
        List<MigratorStatus.Progress> progress = new ArrayList<>();
        int queued;
        synchronized (due) {
            current.forEach((move, n) -> progress.add(new MigratorStatus.Progress(move, n)));
            queued = due.size();
        }
        return tally.status(running, progress, queued, retries.list());
    }

    /**
     * Makes the next due move on this thread; for a store in invoker mode, or to make all due moves
     * at once. Waits for the byte rate.
     *
     * @return whether there was one; false when nothing is due now
     */
    public boolean moveNext() {
        Move move = next();
        if (move == null) {
            return false;
        }
        try {
            tally.count(move, make(move));
        } finally {
            synchronized (due) {
                current.remove(move);
            }
        }
        return true;
    }

    // ---- the threads

    private void run() {
        while (running) {
            boolean worked = false;
            try {
                worked = moveNext();
            } catch (ClosedException e) {
                LOG.log(System.Logger.Level.INFO, "the store was closed, its migrator ends");
                running = false;
            } catch (Throwable e) {
                // Whatever it was: a thread that ends in silence moves nothing for ever after.
                tally.fault(e);
                LOG.log(
                        System.Logger.Level.ERROR,
                        "a migrator thread caught an error and continues",
                        e);
            }
            if (!worked && running) {
                rest();
            }
        }
    }

    private void rest() {
        try {
            Thread.sleep(Math.max(1, intervalNs / 1_000_000));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // stop() is the only one who interrupts
        }
    }

    /** The next move, now current; the policy is asked when all of its last answer is begun. */
    private Move next() {
        synchronized (due) {
            if (due.isEmpty() && System.nanoTime() - nextLookNs >= 0) {
                plan();
            }
            Move move = due.poll();
            if (move != null) {
                current.put(move, 0L);
            }
            return move;
        }
    }

    private void plan() {
        nextLookNs = System.nanoTime() + intervalNs; // not again and again when it fails
        Set<Move> begun = new HashSet<>(current.keySet());
        for (Move move : policy.moves(store.snapshot())) {
            if (retries.mayTry(move) && begun.add(move)) {
                due.add(move);
            }
        }
        if (!due.isEmpty()) {
            nextLookNs = System.nanoTime();
        }
    }

    /** Makes a move; null when it failed. */
    private MoveOutcome make(Move move) {
        try {
            MoveOutcome outcome =
                    store.migrate(
                            move.topic(),
                            move.partition(),
                            move.baseOffset(),
                            move.toTier(),
                            (copied, total, next) -> pause(move, copied, next));
            if (outcome == MoveOutcome.NOT_SEALED || outcome == MoveOutcome.BUSY) {
                retries.failed(move, outcome.toString());
            } else if (outcome != MoveOutcome.CANCELLED) {
                retries.settled(move);
            }
            return outcome;
        } catch (UnknownTopicException e) {
            retries.settled(move);
            return MoveOutcome.GONE;
        } catch (ClosedException e) {
            throw e;
        } catch (FirnException e) {
            retries.failed(move, e.getMessage());
            tally.failed(move, e);
            return null;
        }
    }

    private long pause(Move move, long copied, int next) {
        synchronized (due) {
            current.put(move, copied);
        }
        boolean stopping = Thread.currentThread().isInterrupted();
        return stopping ? MoveControl.CANCEL : rate.take(next);
    }

    /** The options of a migrator. Not thread-safe. */
    public static final class Builder {
        private final LogStore store;
        private MigrationPolicy policy = Policies.threshold(0.5);
        private int threads = 1;
        private long bytesPerSecond = UNLIMITED;
        private Duration interval = Duration.ofMillis(100);
        private Duration firstRetry = Duration.ofSeconds(1);

        private Builder(LogStore store) {
            this.store = Objects.requireNonNull(store, "store");
        }

        /** Sets the policy; by default {@link Policies#threshold} with 0.5. */
        public Builder policy(MigrationPolicy value) {
            policy = Objects.requireNonNull(value, "policy");
            return this;
        }

        /**
         * Sets the concurrent moves, 1 to 64, default 1. Pafka's {@code storage.migrate.threads}.
         */
        public Builder threads(int value) {
            if (value < 1 || value > MOST_THREADS) {
                throw new InvalidOptionException(
                        "threads must be from 1 to " + MOST_THREADS + ", not " + value);
            }
            threads = value;
            return this;
        }

        /**
         * Sets the bytes per second that all threads copy together, above 0; default {@link
         * #UNLIMITED}.
         */
        public Builder bytesPerSecond(long value) {
            bytesPerSecond = checkRate(value);
            return this;
        }

        /**
         * Sets how often the policy is called while there is nothing to do. 1 ms to 1 h, default
         * 100 ms.
         */
        public Builder interval(Duration value) {
            interval = checkPause("interval", value);
            return this;
        }

        /**
         * Sets how long a failed move waits before the first retry; doubles each time. 1 ms to 1 h,
         * default 1 s.
         */
        public Builder firstRetry(Duration value) {
            firstRetry = checkPause("firstRetry", value);
            return this;
        }

        /** Returns the migrator, which is not started. */
        public Migrator build() {
            return new Migrator(this);
        }

        private static long checkRate(long value) {
            if (value < 1 && value != UNLIMITED) {
                throw new InvalidOptionException(
                        "bytesPerSecond must be above 0, or −1 for unlimited, not " + value);
            }
            return value;
        }

        private static Duration checkPause(String name, Duration value) {
            if (value.compareTo(Duration.ofMillis(1)) < 0
                    || value.compareTo(Duration.ofHours(1)) > 0) {
                throw new InvalidOptionException(name + " must be from 1 ms to 1 h, not " + value);
            }
            return value;
        }
    }
}
