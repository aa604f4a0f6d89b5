package io.firn.store;

import io.firn.ClosedException;
import io.firn.DurabilityClass;
import io.firn.FirnException;
import io.firn.InvalidOptionException;
import io.firn.LogStore;
import io.firn.PartitionMetrics;
import io.firn.StoreMetrics;
import io.firn.Topic;
import io.firn.TopicExistsException;
import io.firn.TopicOptions;
import io.firn.UnknownTopicException;
import io.firn.spi.StorageTier;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import org.agrona.collections.MutableLong;
import org.agrona.concurrent.Agent;
import org.agrona.concurrent.AgentRunner;
import org.agrona.concurrent.EpochClock;

/**
 * An open store. {@link StoreOpener} brings it up; here are the topics, the background and the end.
 *
 * <p>Two background threads, so that what appenders wait for never queues behind housekeeping:
 * {@code firn-force} forces and seals, {@code firn-tidy} prepares blocks and tidies up. A store
 * that only reads has one, {@code firn-follow}. In invoker mode the caller of {@link #doWork} is
 * all of them.
 */
public final class Store implements LogStore {
    private static final System.Logger LOG = System.getLogger("io.firn");
    private static final Pattern TOPIC_NAME = Pattern.compile("[a-zA-Z0-9._-]{1,249}");
    private static final long RELEASE_WAIT_NS = 1_000_000_000;

    private final StoreConfig config;
    private final CachedClock cachedClock = new CachedClock();
    private final EpochClock clock;
    private final Map<String, TopicLog> topics = new ConcurrentHashMap<>();
    private final List<TopicLog> dying = new CopyOnWriteArrayList<>();
    private final List<String> findings = new CopyOnWriteArrayList<>();
    private final Map<StorageTier, MutableLong> spills = new ConcurrentHashMap<>();
    private final Background forcing = new Background();
    private final Background tidying = new Background();
    private final AppendGate invoking = new AppendGate();
    private final List<AgentRunner> runners = new ArrayList<>();
    private final AtomicBoolean closing = new AtomicBoolean();
    private volatile boolean closed;
    private volatile Thread forceThread;
    private volatile Thread tidyThread;
    private long lastCursorsMs;

    private AutoCloseable lock;
    private LeasedCounter epochs;
    private LeasedCounter producerIds;
    private Follower follower;

    Store(StoreConfig config) {
        this.config = config;
        this.clock = config.clock() == null ? cachedClock : config.clock();
    }

    /** Opens or creates a store. */
    public static LogStore open(StoreConfig config) {
        return StoreOpener.open(config);
    }

    // ---- for the opener

    void own(AutoCloseable storeLock, LeasedCounter epochCounter, LeasedCounter producerIdCounter) {
        lock = storeLock;
        epochs = epochCounter;
        producerIds = producerIdCounter;
    }

    void follow(Follower newFollower) {
        follower = newFollower;
    }

    void addTopic(TopicLog topic) {
        topics.put(topic.name(), topic);
    }

    void dropTopic(TopicLog topic) {
        topics.remove(topic.name(), topic);
    }

    void addFinding(String finding) {
        if (!findings.contains(finding)) {
            findings.add(finding);
            LOG.log(System.Logger.Level.WARNING, finding);
        }
    }

    void start() {
        if (config.invokerMode()) {
            return;
        }
        if (config.readOnly()) {
            startAgent("firn-follow", this::followOnce);
        } else {
            forceThread = startAgent("firn-force", this::forceOnce);
            tidyThread = startAgent("firn-tidy", this::tidyOnce);
        }
    }

    private Thread startAgent(String name, Background.Step step) {
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
        AgentRunner runner =
                new AgentRunner(
                        config.idleStrategy().get(),
                        e -> LOG.log(System.Logger.Level.ERROR, name + " goes on after", e),
                        null,
                        agent);
        runners.add(runner);
        Thread thread = new Thread(runner, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    // ---- for the partitions

    StoreConfig config() {
        return config;
    }

    EpochClock clock() {
        return clock;
    }

    long nextEpoch() {
        return epochs.next();
    }

    boolean isInvoker() {
        return config.invokerMode();
    }

    void wakeForceAgent() {
        LockSupport.unpark(forceThread);
    }

    void wakeTidyAgent() {
        LockSupport.unpark(tidyThread);
    }

    void countSpill(StorageTier tier) {
        spills.computeIfAbsent(tier, t -> new MutableLong()).increment();
    }

    void checkWritable() {
        checkOpen();
        if (config.readOnly()) {
            throw new InvalidOptionException(
                    "the store " + config.directory() + " is open read-only");
        }
    }

    private void checkOpen() {
        if (closing.get()) {
            throw new ClosedException("the store " + config.directory() + " is closed");
        }
    }

    // ---- topics

    @Override
    public Topic createTopic(String name, TopicOptions options) {
        checkWritable();
        checkName(name);
        TopicOptions complete = complete(options);
        synchronized (topics) {
            if (topics.containsKey(name)) {
                throw new TopicExistsException(
                        "topic " + name + " exists: open it, or delete it first");
            }
            TopicLog topic = new TopicLog(this, UUID.randomUUID(), name, complete);
            if (topic.tiers().isEmpty()) {
                throw new InvalidOptionException(
                        "no tier gives " + complete.minimumClass() + ", which the topic asks for");
            }
            if (topic.segmentBytes() <= complete.maxRecordBytes()) {
                throw new InvalidOptionException(
                        "maxRecordBytes "
                                + complete.maxRecordBytes()
                                + " does not fit the tiers' blocks of "
                                + topic.segmentBytes()
                                + " bytes");
            }
            try {
                topic.files().create(name, complete);
            } catch (IOException e) {
                throw TopicFiles.failed("topic " + name + " could not be created", e);
            }
            topic.startEmpty();
            addTopic(topic);
            return topic;
        }
    }

    private TopicOptions complete(TopicOptions options) {
        if (options.minimumClass() != null) {
            return options;
        }
        DurabilityClass hottest = config.tiers().get(0).durabilityClass();
        return options.withMinimumClass(hottest);
    }

    private static void checkName(String name) {
        if (!TOPIC_NAME.matcher(name).matches() || name.equals(".") || name.equals("..")) {
            throw new InvalidOptionException(
                    "a topic's name has 1 to 249 of the characters a-z A-Z 0-9 . _ - and is not"
                            + " '.' or '..': '"
                            + (name.length() > 260 ? name.substring(0, 260) + "…" : name)
                            + "'");
        }
    }

    @Override
    public Topic openTopic(String name) {
        checkOpen();
        TopicLog topic = topics.get(name);
        if (topic == null && follower != null) {
            refreshFollower();
            topic = topics.get(name);
        }
        if (topic == null) {
            throw new UnknownTopicException(
                    "there is no topic '" + name + "' in " + config.directory());
        }
        return topic;
    }

    @Override
    public Topic openOrCreateTopic(String name, TopicOptions options) {
        checkOpen();
        synchronized (topics) {
            return topics.containsKey(name) || config.readOnly()
                    ? openTopic(name)
                    : createTopic(name, options);
        }
    }

    @Override
    public List<String> topicNames() {
        checkOpen();
        return topics.keySet().stream().sorted().toList();
    }

    @Override
    public void deleteTopic(String name) {
        checkWritable();
        synchronized (topics) {
            TopicLog topic = topics.get(name);
            if (topic == null) {
                throw new UnknownTopicException(
                        "there is no topic '" + name + "' in " + config.directory());
            }
            try {
                topic.files().writeTombstone(name, topic.options());
            } catch (IOException e) {
                throw TopicFiles.failed("topic " + name + " could not be deleted", e);
            }
            topics.remove(name);
            topic.logs().forEach(log -> log.markGone(true));
            dying.add(topic);
        }
        wakeTidyAgent();
    }

    @Override
    public long newProducerId() {
        checkWritable();
        return producerIds.next();
    }

    @Override
    public Path directory() {
        return config.directory();
    }

    @Override
    public StoreMetrics metrics() {
        List<StoreMetrics.TierMetrics> tiers = new ArrayList<>();
        for (StorageTier tier : config.tiers()) {
            MutableLong spilled = spills.get(tier);
            tiers.add(
                    new StoreMetrics.TierMetrics(
                            tier.name(),
                            tier.durabilityClass(),
                            tier.capacityBytes(),
                            tier.usedBytes(),
                            spilled == null ? 0 : spilled.get()));
        }
        List<PartitionMetrics> partitions = new ArrayList<>();
        for (String name : topics.keySet().stream().sorted().toList()) {
            TopicLog topic = topics.get(name);
            if (topic != null) {
                topic.logs().forEach(log -> partitions.add(log.metrics()));
            }
        }
        return new StoreMetrics(tiers, partitions, forcing.errors() + tidying.errors());
    }

    @Override
    public List<String> findings() {
        return List.copyOf(findings);
    }

    // ---- background

    @Override
    public int doWork() {
        if (!config.invokerMode()) {
            throw new InvalidOptionException(
                    "this store has its own threads; doWork is for invokerMode()");
        }
        if (closed || !invoking.tryEnter()) {
            return 0; // somebody is at it
        }
        try {
            return config.readOnly() ? followOnce() : forceOnce() + tidyOnce();
        } finally {
            invoking.leave();
        }
    }

    private int forceOnce() {
        cachedClock.update();
        long now = clock.time();
        int work = 0;
        for (TopicLog topic : topics.values()) {
            for (PartitionLog log : topic.logs()) {
                work += forcing.run(log, () -> log.forcer().doWork(now));
            }
        }
        return work;
    }

    private int tidyOnce() {
        cachedClock.update();
        long now = clock.time();
        int work = 0;
        for (TopicLog topic : topics.values()) {
            for (PartitionLog log : topic.logs()) {
                work += tidying.run(log, () -> log.upkeep().doWork(now));
            }
        }
        for (TopicLog topic : dying) {
            work += tidying.run(topic, () -> bury(topic));
        }
        if (now - lastCursorsMs >= config.cursorIntervalMs() || now < lastCursorsMs) {
            lastCursorsMs = now;
            for (TopicLog topic : topics.values()) {
                tidying.run(topic, () -> writeCursors(topic));
            }
        }
        return work;
    }

    private static int writeCursors(TopicLog topic) throws IOException {
        topic.writeCursors();
        return 0;
    }

    /** Takes a deleted topic's segments away, then the tombstone (O5). */
    private int bury(TopicLog topic) throws IOException {
        boolean released = true;
        for (PartitionLog log : topic.logs()) {
            // A force that is under way must not lose its mapping.
            log.forcer().exclusively(() -> {});
            log.upkeep().dropReserved();
            log.upkeep().retireAll(true);
            released &= log.upkeep().isReleased();
        }
        if (!released) {
            return 0;
        }
        topic.files().delete();
        dying.remove(topic);
        return 1;
    }

    private int followOnce() {
        cachedClock.update();
        return tidying.run(follower, this::refresh);
    }

    private int refresh() throws IOException {
        return follower.refresh();
    }

    private void refreshFollower() {
        try {
            follower.refresh();
        } catch (IOException e) {
            throw new FirnException("the store could not be read again: " + e.getMessage(), e);
        }
    }

    // ---- the end

    @Override
    public void close() {
        if (!closing.compareAndSet(false, true)) {
            return;
        }
        runners.forEach(AgentRunner::close);
        List<PartitionLog> logs = new ArrayList<>();
        topics.values().forEach(topic -> logs.addAll(topic.logs()));
        logs.forEach(PartitionLog::markClosing);
        if (!config.readOnly()) {
            for (TopicLog topic : topics.values()) {
                topic.logs().forEach(log -> forcing.run(log, () -> settle(log)));
                forcing.run(topic, () -> writeCursors(topic));
            }
        }
        closed = true;
        logs.forEach(log -> log.markGone(false));
        logs.forEach(log -> log.forcer().exclusively(() -> {}));
        dying.forEach(topic -> forcing.run(topic, () -> bury(topic)));
        logs.forEach(log -> log.upkeep().retireAll(false));
        awaitRelease(logs);
        release();
    }

    /** Everything durable, and written down where it stands. */
    private int settle(PartitionLog log) throws IOException {
        log.forcer().forceNow();
        log.upkeep().settle(clock.time());
        return 0;
    }

    private void awaitRelease(List<PartitionLog> logs) {
        long deadline = System.nanoTime() + RELEASE_WAIT_NS;
        for (PartitionLog log : logs) {
            forcing.run(
                    log,
                    () -> {
                        while (!log.upkeep().isReleased() && System.nanoTime() < deadline) {
                            Thread.onSpinWait();
                        }
                        return 0;
                    });
        }
    }

    /** Lets go of the tiers and the lock, whatever fails on the way. */
    void release() {
        List<AutoCloseable> held = new ArrayList<>(config.tiers());
        if (lock != null) {
            held.add(lock);
        }
        for (AutoCloseable resource : held) {
            try {
                resource.close();
            } catch (Exception e) {
                LOG.log(System.Logger.Level.ERROR, "closing " + resource + " failed", e);
            }
        }
    }
}
