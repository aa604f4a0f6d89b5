package io.firn.shadow;

import io.firn.ClosedException;
import io.firn.Durability;
import io.firn.FirnException;
import io.firn.InvalidOptionException;
import io.firn.LogStore;
import io.firn.RefusedException;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.host.HostedStore;
import io.firn.host.StoreService;
import io.firn.shadow.source.SourceClient;
import io.firn.shadow.source.SourceConfig;
import io.firn.shadow.source.TopicSelection;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ThreadFactory;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;
import javax.annotation.concurrent.GuardedBy;

/**
 * Keeps local copies of topics of a Kafka cluster, the source: the same batches, byte for byte, at
 * the same offsets.
 *
 * <pre>{@code
 * Properties source = new Properties();
 * source.put("bootstrap.servers", "broker1:9092,broker2:9092");
 * try (LogStore store = LogStore.at(dir).tier(FileTier.at(dir.resolve("segments"))).open();
 *         Shadow shadow = Shadow.of(store, source).topics("orders").start()) {
 *     // ...
 * }
 * }</pre>
 *
 * <p>The copy of a topic is a replicated topic ({@link TopicOptions#isReplicated}) of the same
 * name. Others only read it. Its retention is its own: records stay here when the source deletes
 * them.
 *
 * <p>One thread copies all partitions. What fails in one partition does not stop the others. The
 * log itself says how far a partition is copied, so that a shadow whose process was killed
 * continues without losing or doubling anything. One shadow for a topic at a time. Close it before
 * its store; if the store is closed first, the shadow ends. If an error that cannot be repeated
 * ends its thread, such as a class that is missing, the listener, {@link #snapshot} and {@link
 * #close} say so.
 *
 * <p>Thread-safe.
 */
public final class Shadow implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("io.firn");

    private final LogStore store;
    private final StoreService service = this::onStoreClosing;
    private final SourceConfig config;
    private final TopicSelection selection;
    private final FollowContext context;
    private final FetchRate rate;
    private final ThreadFactory threadFactory;

    /** The one that runs, or the last one that ran; null before the first start. */
    private volatile FollowLoop loop;

    private volatile boolean isEnding;
    private volatile Thread thread;

    /** What ended the thread; null if that was asked for. */
    private volatile Throwable failure;

    @GuardedBy("this")
    private boolean isClosed;

    private Shadow(Builder builder) {
        this.store = builder.store;
        this.config = builder.config;
        this.selection = new TopicSelection(builder.names, builder.pattern);
        this.rate = new FetchRate(builder.bytesPerSecond);
        this.threadFactory = builder.threadFactory;
        this.context =
                new FollowContext(
                        builder.store,
                        builder.topicOptions,
                        builder.onDivergence,
                        builder.onGap,
                        builder.listener,
                        rate,
                        builder.clockMs,
                        config.retryPauseMs(),
                        config.longestRetryPauseMs());
    }

    /**
     * Returns a builder for a shadow.
     *
     * @param store where the copies are
     * @param source the properties of a Kafka consumer, with {@code bootstrap.servers} and what its
     *     connections need (such as {@code security.protocol}, {@code sasl.jaas.config}, {@code
     *     ssl.truststore.location}). {@code fetch.*}, {@code max.partition.fetch.bytes}, {@code
     *     metadata.max.age.ms} and the keys of time-outs and pauses have an effect too; those of
     *     groups, offsets and deserializers have none
     * @throws InvalidOptionException when a property has a value that Kafka's consumer refuses
     * @throws FirnException when the class path has another release of kafka-clients
     */
    public static Builder of(LogStore store, Properties source) {
        return new Builder(store, source);
    }

    /**
     * Starts the thread if it does not run. Partitions that stopped begin again.
     *
     * @throws InvalidOptionException when the configuration of security is wrong, or the store is
     *     open read-only
     * @throws ClosedException after {@link #close}, or when the store is closed
     */
    public synchronized Shadow start() {
        if (isClosed) {
            throw new ClosedException("this shadow was closed: open another one");
        }
        if (isRunning()) {
            return this;
        }
        FollowLoop starting = newLoop();
        isEnding = false;
        failure = null;
        Thread next = threadFactory.newThread(() -> run(starting));
        next.setName("firn-shadow");
        HostedStore.of(store).attach(service);
        loop = starting;
        thread = next;
        next.start();
        return this;
    }

    /** A source that is silent, or cannot be reached, gives no reason to ask the store. */
    private void onStoreClosing() {
        LOG.log(System.Logger.Level.INFO, "the store is being closed, so its shadow ends");
        isEnding = true;
        loop.wakeup();
    }

    private FollowLoop newLoop() {
        return new FollowLoop(
                context, new SourceClient(config, selection), selection, config.isAnsweredAtOnce());
    }

    private boolean isRunning() {
        Thread now = thread;
        return now != null && now.isAlive();
    }

    private void run(FollowLoop first) {
        RetryPause pause = context.newPause();
        FollowLoop running = first;
        try {
            while (running != null) {
                running = runUntilError(running, pause) ? newLoopAfter(pause) : null;
            }
        } catch (RuntimeException | Error e) {
            failure = e; // first: a listener may fail, too
            context.tell(
                    new FoundEvent(
                            ShadowEvent.Kind.ENDED,
                            "",
                            -1,
                            -1,
                            -1,
                            "the shadow has ended, and copies nothing until it is started again: "
                                    + e));
            throw e; // to the thread's handler
        }
    }

    /** Returns whether an error ended the loop, so that another one is needed. */
    private boolean runUntilError(FollowLoop running, RetryPause pause) {
        try (running) {
            while (!isEnding) {
                try {
                    running.step();
                    pause.succeeded();
                } catch (ClosedException e) {
                    return false; // the store was closed
                } catch (RuntimeException e) {
                    // If the thread ended silently, nothing would ever be copied again.
                    LOG.log(System.Logger.Level.ERROR, "a shadow caught an error and continues", e);
                    pause(pause);
                }
            }
            return false;
        } catch (OutOfMemoryError e) {
            // For an answer that the heap has no room for, or that is none: as from a port of TLS
            // that is asked without, of which the first bytes are taken for a length.
            LOG.log(
                    System.Logger.Level.ERROR,
                    "the heap has no room for an answer of a shadow's source, which is asked again:"
                            + " check security.protocol, lower fetch.max.bytes",
                    e);
            return true;
        }
    }

    /** Returns a loop with new connections: the old one would receive the same again. */
    private FollowLoop newLoopAfter(RetryPause pause) {
        while (true) {
            pause(pause);
            if (isEnding) {
                return null;
            }
            try {
                FollowLoop next = newLoop();
                loop = next;
                return next;
            } catch (RuntimeException | OutOfMemoryError e) { // a key store that is replaced, say
                LOG.log(System.Logger.Level.ERROR, "a shadow cannot connect, and tries again", e);
            }
        }
    }

    private void pause(RetryPause pause) {
        pause.failed(context.nowMs());
        while (!isEnding && !pause.isOver(context.nowMs())) {
            sleep();
        }
    }

    private static void sleep() {
        try {
            Thread.sleep(10);
        } catch (InterruptedException e) {
            LOG.log(System.Logger.Level.DEBUG, "interrupted");
        }
    }

    /**
     * Stops: on return nothing is copied, and partitions can be opened by another shadow. It can be
     * started again.
     */
    public synchronized void stop() {
        isEnding = true;
        Thread waited = thread;
        if (waited == null) {
            return;
        }
        if (waited == Thread.currentThread()) {
            throw new IllegalStateException("a listener cannot stop the shadow that calls it");
        }
        HostedStore.of(store).detach(service);
        boolean isInterrupted = false;
        while (waited.isAlive()) {
            loop.wakeup(); // it may have been replaced meanwhile
            try {
                waited.join(100);
            } catch (InterruptedException e) {
                isInterrupted = true;
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Stops for good. Idempotent.
     *
     * @throws RefusedException the first time, when the shadow had ended by itself; the cause says
     *     why
     */
    @Override
    public synchronized void close() {
        stop();
        boolean isFirst = !isClosed;
        isClosed = true;
        if (isFirst && failure != null) {
            throw new RefusedException(
                    "the shadow had ended before it was closed, and has copied nothing since: "
                            + failure,
                    failure);
        }
    }

    /** Changes the rate, in bytes per second: above 0. */
    public void bytesPerSecond(long value) {
        rate.set(Builder.checkRate(value));
    }

    /** Removes the limit of the rate. */
    public void unlimitedRate() {
        rate.set(FetchRate.UNLIMITED);
    }

    /** Returns the current state; cheap enough to call every second. */
    public ShadowSnapshot snapshot() {
        FollowLoop now = loop;
        boolean isRunning = isRunning(); // first: the thread sets what ended it before it ends
        return now == null
                ? new ShadowState(false, null, null, null, selection.names(), List.of())
                : now.snapshot(isRunning, failure);
    }

    /**
     * Returns the options with which copies are created by default: as {@link
     * TopicOptions#defaults()}, but {@link Durability#WRITTEN}, and forced after 16 MiB or a
     * second, since what a power failure takes is copied again.
     */
    public static TopicOptions defaultTopicOptions() {
        return TopicOptions.defaults()
                .withDurability(Durability.WRITTEN)
                .withForce(16 << 20, Duration.ofSeconds(1));
    }

    /** The options of a shadow. Not thread-safe. */
    public static final class Builder {
        private final LogStore store;
        private final SourceConfig config;
        private final Set<String> names = new TreeSet<>();
        private Pattern pattern;
        private TopicOptions topicOptions = defaultTopicOptions();
        private OnDivergence onDivergence = OnDivergence.STOP;
        private OnGap onGap = OnGap.FILL;
        private ShadowListener listener = event -> {};
        private long bytesPerSecond = FetchRate.UNLIMITED;
        private LongSupplier clockMs = () -> System.nanoTime() / 1_000_000;
        private ThreadFactory threadFactory =
                work -> {
                    Thread thread = new Thread(work);
                    thread.setDaemon(true);
                    return thread;
                };

        private Builder(LogStore store, Properties source) {
            this.store = Objects.requireNonNull(store, "store");
            this.config = SourceConfig.of(source);
        }

        /** Adds topics by their names. They may be created at the source later. */
        public Builder topics(String... values) {
            for (String each : values) {
                Topic.checkName(each);
                names.add(each);
            }
            return this;
        }

        /**
         * Sets a pattern: topics whose whole name it matches are followed, except Kafka's internal
         * ones; also those that are created later. Names ({@link #topics}) are followed besides.
         */
        public Builder pattern(Pattern value) {
            pattern = Objects.requireNonNull(value, "pattern");
            return this;
        }

        /**
         * Sets the options with which a copy is created; the number of partitions and {@link
         * TopicOptions#isReplicated} are set by the shadow. By default {@link
         * Shadow#defaultTopicOptions}. With {@link Durability#DURABLE}, readers see a batch only
         * when it is durable here; choose it when the copy outlives the source's records.
         */
        public Builder topicOptions(TopicOptions value) {
            topicOptions = Objects.requireNonNull(value, "topicOptions");
            return this;
        }

        /**
         * Sets what happens when the source has other records; default {@link OnDivergence#STOP}.
         */
        public Builder onDivergence(OnDivergence value) {
            onDivergence = Objects.requireNonNull(value, "onDivergence");
            return this;
        }

        /**
         * Sets what happens when the source deleted records too early; default {@link OnGap#FILL}.
         */
        public Builder onGap(OnGap value) {
            onGap = Objects.requireNonNull(value, "onGap");
            return this;
        }

        /** Sets who is told what an operator should know. It is logged as well. */
        public Builder listener(ShadowListener value) {
            listener = Objects.requireNonNull(value, "listener");
            return this;
        }

        /** Sets the bytes per second that are fetched, above 0; by default no limit. */
        public Builder bytesPerSecond(long value) {
            bytesPerSecond = checkRate(value);
            return this;
        }

        /** Sets what makes the thread; by default it is a daemon thread. */
        public Builder threadFactory(ThreadFactory value) {
            threadFactory = Objects.requireNonNull(value, "threadFactory");
            return this;
        }

        /**
         * Returns the shadow, started.
         *
         * @throws InvalidOptionException as {@link #open} and {@link Shadow#start}
         * @throws ClosedException when the store is closed
         */
        public Shadow start() {
            return open().start();
        }

        /**
         * Returns the shadow, which is not started.
         *
         * @throws InvalidOptionException when neither a topic nor a pattern was given
         */
        public Shadow open() {
            if (names.isEmpty() && pattern == null) {
                throw new InvalidOptionException("no topic to follow: call topics or pattern");
            }
            return new Shadow(this);
        }

        private static long checkRate(long value) {
            if (value < 1) {
                throw new InvalidOptionException("bytesPerSecond must be above 0, not " + value);
            }
            return value;
        }
    }
}
