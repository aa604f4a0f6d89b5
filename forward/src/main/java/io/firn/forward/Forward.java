package io.firn.forward;

import io.firn.ClosedException;
import io.firn.InvalidOptionException;
import io.firn.LogRecord;
import io.firn.LogStore;
import io.firn.RecordId;
import io.firn.Topic;
import io.firn.UnknownTopicException;
import io.firn.forward.cluster.Target;
import io.firn.forward.cluster.TargetConfig;
import io.firn.host.HostedStore;
import io.firn.host.StoreService;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import java.util.function.ToIntFunction;
import javax.annotation.concurrent.GuardedBy;

/**
 * Sends the records of topics to a Kafka cluster, in order and exactly once, whenever it can be
 * reached. The application appends at the speed of its store, and does not wait for the cluster.
 *
 * <pre>{@code
 * Properties cluster = new Properties();
 * cluster.put("bootstrap.servers", "broker1:9092,broker2:9092");
 * Forward.Builder builder = Forward.from(store).to(cluster);
 * try (Forward forward = builder.name("plant7").topic("orders", "plant7.orders").start()) {}
 * }</pre>
 *
 * <p>Only records that are committed and durable here are sent. Key, value, headers and timestamp
 * are kept, and the order of each partition. Consumers there read with {@code
 * isolation.level=read_committed}.
 *
 * <p>Records are sent in transactions, and each has the position after its records, which the
 * cluster keeps as the offsets of the group {@code firn-forward-NAME}. After a crash, Forward goes
 * on there. The cursor {@code ~forward-NAME} of each topic follows; retention waits for it ({@link
 * io.firn.TopicOptions#retainUntilRead}), which is set at the start. One instance at a time
 * forwards under a name: a second one that is started takes over, and the first one stops.
 *
 * <p>What passes, such as a cluster that cannot be reached, is waited out. Everything else stops it
 * with a {@link ForwardException}, see {@link #snapshot}. It can be started again.
 *
 * <p>Close it before its store; if the store is closed first, it ends. Thread-safe.
 */
public final class Forward implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("io.firn");
    private static final long END_MS = 5_000;

    private final ForwardPlan plan;
    private final Pace pace;
    private final StoreService service = this::onStoreClosing;

    /** The one that runs, or the last one that ran; null before the first start. */
    private volatile ForwardLoop loop;

    private volatile Thread thread;

    @GuardedBy("this")
    private boolean isClosed;

    private Forward(ForwardPlan plan, Pace pace) {
        this.plan = plan;
        this.pace = pace;
    }

    /** Returns a builder; {@link Builder#start} starts it. */
    public static Builder from(LogStore store) {
        return new Builder(store);
    }

    /**
     * Starts the thread if it does not run.
     *
     * @throws UnknownTopicException when the store does not have a topic
     * @throws io.firn.BusyException when another instance forwards a topic under this name
     * @throws ClosedException after {@link #close}, or when the store is closed
     * @throws InvalidOptionException when the store is open read-only
     */
    public synchronized Forward start() {
        if (isClosed) {
            throw new ClosedException("this Forward was closed: open another one");
        }
        if (isRunning()) {
            return this;
        }
        Wakeup wakeup = new Wakeup();
        HostedStore.of(plan.store()).attach(service);
        try {
            loop = new ForwardLoop(plan, new Sources(plan, wakeup), wakeup, pace);
        } catch (RuntimeException e) {
            HostedStore.of(plan.store()).detach(service);
            throw e;
        }
        Thread next = new Thread(loop::run, "firn-forward");
        next.setDaemon(true);
        thread = next;
        next.start();
        return this;
    }

    private void onStoreClosing() {
        LOG.log(System.Logger.Level.INFO, "the store is being closed, so Forward ends");
        end();
    }

    private boolean isRunning() {
        Thread now = thread;
        return now != null && now.isAlive();
    }

    /** Waits for the transaction under way, but not for a cluster that does not answer. */
    private void end() {
        ForwardLoop ending = loop;
        Thread waited = thread;
        if (waited == null) {
            return;
        }
        ending.end();
        boolean isInterrupted = false;
        long until = System.nanoTime() + END_MS * 1_000_000;
        while (waited.isAlive()) {
            try {
                waited.join(100);
            } catch (InterruptedException e) {
                isInterrupted = true;
            }
            if (isInterrupted || until - System.nanoTime() < 0) {
                ending.abandon();
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Stops after the transaction under way, unless the cluster does not answer for 5 s: then it is
     * sent again after the next start. On return nothing is sent.
     */
    public synchronized void stop() {
        end();
        HostedStore.of(plan.store()).detach(service);
    }

    /** Stops for good. Idempotent. */
    @Override
    public synchronized void close() {
        isClosed = true;
        stop();
    }

    /**
     * Waits until the cluster has committed a record.
     *
     * @param topic the name of the topic here
     * @param record as an appender has returned it
     * @param timeout how long to wait at most
     * @return whether it has; false when the time is over, or this was stopped
     * @throws ForwardException when it has stopped by itself; says why
     * @throws UnknownTopicException when the topic is not forwarded
     * @throws InterruptedException when the thread was interrupted
     */
    public boolean awaitForwarded(String topic, RecordId record, Duration timeout)
            throws InterruptedException {
        ForwardLoop now = loop;
        if (now == null) {
            return false;
        }
        SourcePartition partition =
                now.sources().partitions().stream()
                        .filter(each -> each.mapping().topic().equals(topic))
                        .filter(each -> each.partition().index() == record.partition())
                        .findFirst()
                        .orElseThrow(
                                () ->
                                        new UnknownTopicException(
                                                topic
                                                        + "-"
                                                        + record.partition()
                                                        + " is not forwarded by '"
                                                        + plan.name()
                                                        + "': name its topic when you start"));
        if (now.await(partition, record.offset(), timeout.toNanos())) {
            return true;
        }
        if (now.failure().isPresent()) {
            throw now.failure().get();
        }
        return false;
    }

    /** Changes the rate, in bytes per second: above 0. */
    public void bytesPerSecond(long value) {
        pace.set(Builder.checkRate(value));
    }

    /** Removes the limit of the rate. */
    public void unlimitedRate() {
        pace.set(Pace.UNLIMITED);
    }

    /** Returns the current state; cheap enough to call every second. */
    public ForwardSnapshot snapshot() {
        boolean isRunning = isRunning(); // first: the thread sets what ended it before it ends
        return ForwardState.of(loop, isRunning, plan);
    }

    /** What is forwarded, and how. Not thread-safe. */
    public static final class Builder {
        private final LogStore store;
        private final List<Mapping> mappings = new ArrayList<>();
        private Properties cluster;
        private String name;
        private OnLostPosition onLostPosition = OnLostPosition.FAIL;
        private OnFull onFull = OnFull.BACK_PRESSURE;
        private long bytesPerSecond = Pace.UNLIMITED;

        private Builder(LogStore store) {
            this.store = Objects.requireNonNull(store, "store");
        }

        /**
         * Sets the cluster.
         *
         * @param properties those of a Kafka producer, with {@code bootstrap.servers} and what its
         *     connections need (such as {@code security.protocol}, {@code sasl.jaas.config});
         *     {@code compression.type} and the sizes have an effect, too
         */
        public Builder to(Properties properties) {
            cluster = new Properties();
            properties
                    .stringPropertyNames()
                    .forEach(key -> cluster.setProperty(key, properties.getProperty(key)));
            properties.forEach((key, value) -> cluster.put(key, String.valueOf(value)));
            return this;
        }

        /**
         * Sets the name under which the cluster keeps the positions. Each store needs one of its
         * own, which stays: with another name, everything is sent again.
         */
        public Builder name(String value) {
            Topic.checkName(value);
            name = value;
            return this;
        }

        /** Adds a topic, which has the same name there. */
        public Builder topic(String topic) {
            return topic(topic, topic);
        }

        /**
         * Adds a topic, with its name there. Each partition goes to the one of the same number,
         * which must exist.
         */
        public Builder topic(String topic, String target) {
            return add(topic, target, null);
        }

        /**
         * Adds a topic whose records a function gives to partitions.
         *
         * @param partitioner returns the number of the partition there; called on the thread of
         *     Forward, and again for a record that is sent again. Records of one partition here
         *     stay in order if they go to the same one. The topic there needs as many partitions as
         *     the one here, or more
         */
        public Builder topic(
                String topic, String target, ToIntFunction<? super LogRecord> partitioner) {
            return add(topic, target, Objects.requireNonNull(partitioner, "partitioner"));
        }

        private Builder add(
                String topic, String target, ToIntFunction<? super LogRecord> partitioner) {
            Topic.checkName(topic);
            Topic.checkName(target);
            for (Mapping each : mappings) {
                if (each.topic().equals(topic) || each.target().equals(target)) {
                    throw new InvalidOptionException(
                            "a topic has one target, and a target one topic, for its positions: "
                                    + topic
                                    + " to "
                                    + target
                                    + " does not fit "
                                    + each.topic()
                                    + " to "
                                    + each.target()
                                    + "; use another Forward with a name of its own");
                }
            }
            mappings.add(new Mapping(topic, target, partitioner));
            return this;
        }

        /** Sets what happens when the position is lost; default {@link OnLostPosition#FAIL}. */
        public Builder onLostPosition(OnLostPosition value) {
            onLostPosition = Objects.requireNonNull(value, "onLostPosition");
            return this;
        }

        /** Sets what happens when the store is full; default {@link OnFull#BACK_PRESSURE}. */
        public Builder onFull(OnFull value) {
            onFull = Objects.requireNonNull(value, "onFull");
            return this;
        }

        /** Sets the bytes per second that are sent, above 0; by default no limit. */
        public Builder bytesPerSecond(long value) {
            bytesPerSecond = checkRate(value);
            return this;
        }

        /**
         * Returns it, started.
         *
         * @throws InvalidOptionException as {@link #open} and {@link Forward#start}
         */
        public Forward start() {
            return open().start();
        }

        /**
         * Returns it, not started.
         *
         * @throws InvalidOptionException when something is missing, or Kafka's producer refuses a
         *     property
         */
        public Forward open() {
            if (cluster == null || name == null || mappings.isEmpty()) {
                throw new InvalidOptionException(
                        "the cluster, a name and a topic are expected: call to, name and topic");
            }
            int recordBytes = 0;
            for (Mapping each : mappings) {
                Topic topic = store.openTopic(each.topic());
                recordBytes = Math.max(recordBytes, topic.options().maxRecordBytes());
            }
            return open(Target.Factory.of(TargetConfig.of(cluster, name, recordBytes)));
        }

        Forward open(Target.Factory target) {
            ForwardPlan plan =
                    new ForwardPlan(
                            store, name, List.copyOf(mappings), target, onLostPosition, onFull);
            return new Forward(plan, new Pace(bytesPerSecond));
        }

        private static long checkRate(long value) {
            if (value < 1) {
                throw new InvalidOptionException("bytesPerSecond must be above 0, not " + value);
            }
            return value;
        }
    }
}
