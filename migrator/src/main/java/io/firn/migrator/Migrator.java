package io.firn.migrator;

import io.firn.ClosedException;
import io.firn.FirnException;
import io.firn.InvalidOptionException;
import io.firn.LogStore;
import io.firn.LogStore.MoveControl;
import io.firn.LogStore.MoveOutcome;
import io.firn.UnknownTopicException;
import io.firn.host.HostedStore;
import io.firn.host.StoreService;
import io.firn.medium.GuardedLog;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ThreadFactory;
import java.util.function.BooleanSupplier;

/**
 * Moves segments between a store's tiers in the background, as a policy decides.
 *
 * <pre>{@code
 * try (Migrator migrator = Migrator.of(store)
 *         .policy(Policies.threshold(0.5)).threads(2).bytesPerSecond(200_000_000).start()) {
 *     // ...
 * }
 * }</pre>
 *
 * <p>A move that fails is logged, shown by {@link #status} and tried again after growing pauses;
 * other moves continue. Close the migrator before its store. If the store is closed first, the
 * migrator's moves are cancelled and its threads end.
 *
 * <p>Thread-safe.
 */
public final class Migrator implements AutoCloseable {
    private static final GuardedLog LOG = GuardedLog.get();
    private static final int MOST_THREADS = 64;

    private final LogStore store;
    private final long intervalNs;
    private final ByteRate rate;
    private final MoveRetries retries;
    private final MoveQueue queue;
    private final MoveStatistics statistics = new MoveStatistics();
    private final MigratorThreads threads;
    private final StoreService service = this::onStoreClosing;

    private Migrator(Builder builder) {
        this.store = builder.store;
        this.intervalNs = builder.interval.toNanos();
        this.rate = new ByteRate(builder.bytesPerSecond);
        this.retries = new MoveRetries(builder.firstRetry.toNanos());
        this.queue = new MoveQueue(store::snapshot, builder.policy, retries, intervalNs);
        this.threads = new MigratorThreads(builder.threads, builder.threadFactory, this::work);
    }

    /** Returns a builder for a migrator of a store. */
    public static Builder of(LogStore store) {
        return new Builder(store);
    }

    /**
     * Starts the threads if they do not run. Waits first for the end of a {@link #stop} in
     * progress, so that there are never more threads than configured.
     *
     * @throws ClosedException after {@link #close}, or when the store is closed
     * @throws InvalidOptionException when the store is open read-only
     * @throws IllegalStateException when called on a thread of this migrator while it stops: the
     *     thread would wait for itself
     */
    public Migrator start() {
        HostedStore.of(store).attach(service);
        try {
            threads.start();
        } catch (ClosedException e) {
            HostedStore.of(store).detach(service);
            throw e;
        }
        return this;
    }

    /** Does not wait for its policy: a thread that still uses the store gets an exception. */
    private void onStoreClosing() {
        if (threads.end()) {
            LOG.log(System.Logger.Level.INFO, "the store is being closed, so its migrator stops");
        }
    }

    /**
     * Stops: moves in progress give up and leave their segments where they were. On return no
     * thread of the migrator runs, unless it was started again meanwhile. It can be started again.
     * A policy may call this method on the migrator's own thread: then it returns at once, and the
     * thread ends after the policy has returned.
     */
    public void stop() {
        end(false);
    }

    /** Stops like {@link #stop}, for good: the migrator cannot be started again. Idempotent. */
    @Override
    public void close() {
        end(true);
        HostedStore.of(store).detach(service);
    }

    private void end(boolean forGood) {
        threads.stop(forGood);
        queue.clear();
    }

    /** Changes the rate, in bytes per second: above 0. */
    public void bytesPerSecond(long value) {
        rate.set(Builder.checkRate(value));
    }

    /** Removes the limit of the rate. */
    public void unlimitedRate() {
        rate.set(ByteRate.UNLIMITED);
    }

    /** Returns the migrator's state. */
    public MigratorStatus status() {
        boolean running = threads.state() == MigratorThreads.State.RUNNING;
        return statistics.status(running, queue.inProgress(), queue.dueCount(), retries.list());
    }

    /**
     * Makes the next due move on this thread; for a store in invoker mode, or to make all due moves
     * at once. Waits for the byte rate.
     *
     * @return whether there was one; false when nothing is due now
     */
    public boolean moveNext() {
        return moveNext(() -> Thread.currentThread().isInterrupted());
    }

    private boolean moveNext(BooleanSupplier isEnding) {
        Move move = queue.begin();
        if (move == null) {
            return false;
        }
        try {
            statistics.count(move, make(move, isEnding), queue.isDown(move));
        } finally {
            queue.end(move);
        }
        return true;
    }

    private void work(MigratorThreads.Run run) {
        while (!run.mustEnd()) {
            boolean worked = false;
            try {
                worked = moveNext(run::mustEnd);
            } catch (ClosedException e) {
                run.end();
            } catch (Throwable e) {
                // Any error: if the thread ended silently, nothing would ever be moved again.
                statistics.fault(e);
                LOG.log(
                        System.Logger.Level.ERROR,
                        "a migrator thread caught an error and continues",
                        e);
            }
            if (!worked) {
                pause(run);
            }
        }
    }

    private void pause(MigratorThreads.Run run) {
        try {
            run.pause(intervalNs);
        } catch (InterruptedException e) {
            // The loop finds out whether this was a stop.
        }
    }

    /** Makes a move; returns null when it failed. */
    private MoveOutcome make(Move move, BooleanSupplier isEnding) {
        try {
            MoveOutcome outcome =
                    store.migrate(
                            move.topic(),
                            move.partition(),
                            move.baseOffset(),
                            move.toTier(),
                            (copied, total, next) -> control(move, copied, next, isEnding));
            if (outcome == MoveOutcome.NOT_SEALED || outcome == MoveOutcome.BUSY) {
                retries.failed(move, outcome.toString());
            } else if (outcome != MoveOutcome.CANCELLED) {
                retries.remove(move);
            }
            return outcome;
        } catch (UnknownTopicException e) {
            retries.remove(move);
            return MoveOutcome.GONE;
        } catch (ClosedException e) {
            throw e;
        } catch (FirnException | InvalidOptionException e) {
            retries.failed(move, e.getMessage());
            statistics.failed(move, e);
            return null;
        }
    }

    private long control(Move move, long copied, int next, BooleanSupplier isEnding) {
        queue.progress(move, copied);
        return isEnding.getAsBoolean() ? MoveControl.CANCEL : rate.take(next);
    }

    /** The options of a migrator. Not thread-safe. */
    public static final class Builder {
        private final LogStore store;
        private MigrationPolicy policy = Policies.threshold(0.5);
        private int threads = 1;
        private ThreadFactory threadFactory;
        private long bytesPerSecond = ByteRate.UNLIMITED;
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
         * Sets what makes the threads; by default they are daemon threads. Each gets the name
         * {@code firn-migrate-N}.
         */
        public Builder threadFactory(ThreadFactory value) {
            threadFactory = Objects.requireNonNull(value, "threadFactory");
            return this;
        }

        /**
         * Sets the bytes per second that all threads copy together, above 0; by default no limit.
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

        /**
         * Returns the migrator, started.
         *
         * @throws InvalidOptionException as {@link #open}
         * @throws ClosedException when the store is closed
         */
        public Migrator start() {
            return open().start();
        }

        /**
         * Returns the migrator without starting it, for {@link Migrator#moveNext}.
         *
         * @throws InvalidOptionException when the store is open read-only: only the process that
         *     writes it moves its segments
         */
        public Migrator open() {
            if (store.isReadOnly()) {
                throw new InvalidOptionException(
                        "the store "
                                + store.directory()
                                + " is open read-only, so that its segments cannot be moved here:"
                                + " start the migrator in the process that writes the store");
            }
            return new Migrator(this);
        }

        private static long checkRate(long value) {
            if (value < 1) {
                throw new InvalidOptionException("bytesPerSecond must be above 0, not " + value);
            }
            return value;
        }

        private static Duration checkPause(String name, Duration value) {
            Objects.requireNonNull(value, name);
            if (value.compareTo(Duration.ofMillis(1)) < 0
                    || value.compareTo(Duration.ofHours(1)) > 0) {
                throw new InvalidOptionException(name + " must be from 1 ms to 1 h, not " + value);
            }
            return value;
        }
    }
}
