package io.firn.store;

import io.firn.ClosedException;
import io.firn.FirnException;
import io.firn.InvalidOptionException;
import io.firn.LogStore;
import io.firn.MoveControl;
import io.firn.MoveOutcome;
import io.firn.PartitionMetrics;
import io.firn.StoreMetrics;
import io.firn.StoreSnapshot;
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
import java.util.regex.Pattern;
import org.agrona.concurrent.EpochClock;

/**
 * An open store. {@link StoreOpener} brings it up; here are the topics, the background and the end.
 */
public final class Store implements LogStore {
    private static final System.Logger LOG = System.getLogger("io.firn");
    private static final Pattern TOPIC_NAME = Pattern.compile("[a-zA-Z0-9._-]{1,249}");

    private final StoreConfig config;
    private final CachedClock cachedClock = new CachedClock();
    private final EpochClock clock;
    private final Map<String, TopicLog> topics = new ConcurrentHashMap<>();
    private final Object partitionsLock = new Object();
    private volatile PartitionLog[] partitions = {};
    private final List<TopicLog> dying = new CopyOnWriteArrayList<>();
    private final List<String> findings = new CopyOnWriteArrayList<>();
    private volatile Death death;
    private final List<TierState> tiers = new ArrayList<>();
    private final SpareSpace spareSpace;
    private final Moves moves = new Moves(this);
    private final Background background;
    private final AtomicBoolean closing = new AtomicBoolean();

    private AutoCloseable lock;
    private LeasedCounter epochs;
    private LeasedCounter producerIds;
    private Follower follower;

    Store(StoreConfig config) {
        this.config = config;
        this.clock = config.clock() == null ? cachedClock : config.clock();
        this.spareSpace = new SpareSpace(config.medium(), config.directory());
        this.background = new Background(this);
        for (int i = 0; i < config.tiers().size(); i++) {
            tiers.add(new TierState(i, config.tierLabels().get(i), config.tiers().get(i)));
        }
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

    /** A thread of the background ended although the store is open: from now on it is read only. */
    void onDeath(String thread, Throwable why) {
        death = new Death("the thread " + thread + " ended (" + why + ")", why);
        listPartitions();
        addFinding(
                death.what
                        + ": "
                        + (isReadOnly() ? "new records are no longer seen" : "appends are refused")
                        + ", existing records can be read; open the store again");
    }

    void addTopic(TopicLog topic) {
        topics.put(topic.name(), topic);
        listPartitions();
    }

    void dropTopic(TopicLog topic) {
        topics.remove(topic.name(), topic);
        listPartitions();
    }

    /**
     * Lists the topics' partitions again; there are more of them, or fewer, or they are to refuse.
     */
    void listPartitions() {
        synchronized (partitionsLock) {
            List<PartitionLog> all = new ArrayList<>();
            topics.values().forEach(topic -> all.addAll(topic.logs()));
            partitions = all.toArray(new PartitionLog[0]);
        }
        Death now = death;
        if (now != null && !isReadOnly()) {
            for (PartitionLog log : partitions) {
                log.poison(now.what, "", now.why);
            }
        }
    }

    /** That a thread of the background ended. */
    private record Death(String what, Throwable why) {}

    void addFinding(String finding) {
        if (!findings.contains(finding)) {
            findings.add(finding);
            LOG.log(System.Logger.Level.WARNING, finding);
        }
    }

    void start() {
        background.start();
    }

    // ---- for the partitions

    StoreConfig config() {
        return config;
    }

    EpochClock clock() {
        return clock;
    }

    SpareSpace spareSpace() {
        return spareSpace;
    }

    long nextEpoch() {
        return epochs.next();
    }

    boolean isReadOnly() {
        return config.readOnly();
    }

    boolean isInvoker() {
        return config.invokerMode();
    }

    /** Has a partition's force made soon: somebody waits for it. */
    void call(PartitionForcer forcer) {
        background.call(forcer);
    }

    /** Has a partition's housekeeping done soon. */
    void call(PartitionUpkeep upkeep) {
        background.call(upkeep);
    }

    /** Hottest first. */
    List<TierState> tiers() {
        return tiers;
    }

    /** Whether the caller does the background's work, so that it must not wait for it. */
    boolean isBackground() {
        return background.isAtWork();
    }

    /** Whether the caller is the one who prepares blocks, so that it must not wait for one. */
    boolean isTidying() {
        return background.isTidying();
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
        checkTiers(options);
        TopicOptions complete = complete(options);
        synchronized (topics) {
            checkWritable();
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
                // Its file may be there, and would be a second topic of that name.
                try {
                    topic.files().delete();
                } catch (IOException again) {
                    e.addSuppressed(again);
                }
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
        for (TierState tier : tiers) {
            if (options.tiers().isEmpty() || options.tiers().contains(tier.label())) {
                return options.withMinimumClass(tier.tier().durabilityClass());
            }
        }
        return options;
    }

    /** Throws when a topic chooses tiers that are not there. */
    void checkTiers(TopicOptions options) {
        List<String> labels =
                tiers.stream().filter(TierState::isLabelled).map(TierState::label).toList();
        for (String chosen : options.tiers()) {
            if (!labels.contains(chosen)) {
                throw new InvalidOptionException(
                        "there is no tier labelled '"
                                + chosen
                                + "', the labels are "
                                + labels
                                + ": label the tiers where the store is opened");
            }
        }
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
        if (topic == null) {
            lookAgain();
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
        synchronized (topics) {
            checkWritable();
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
            dropTopic(topic);
            topic.logs().forEach(log -> log.markGone(true));
            dying.add(topic);
        }
        background.hurryTidy();
    }

    /** Writes a topic's file again, unless it is being deleted: a tombstone stays one. */
    void changeTopic(TopicFiles.Change change, TopicLog topic) throws IOException {
        synchronized (topics) {
            checkWritable();
            if (topics.get(topic.name()) != topic) {
                throw new UnknownTopicException("topic " + topic.name() + " was deleted");
            }
            change.write();
        }
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
        checkOpen();
        int[] segments = moves.countSegments();
        List<StoreMetrics.TierMetrics> inTiers = new ArrayList<>();
        tiers.forEach(tier -> inTiers.add(tier.metrics(segments[tier.index()])));
        List<PartitionMetrics> partitions = new ArrayList<>();
        for (String name : topics.keySet().stream().sorted().toList()) {
            TopicLog topic = topics.get(name);
            if (topic != null) {
                topic.logs().forEach(log -> partitions.add(log.metrics()));
            }
        }
        return new StoreMetrics(inTiers, partitions, background.errors());
    }

    @Override
    public StoreSnapshot snapshot() {
        checkOpen();
        return moves.snapshot();
    }

    @Override
    public MoveOutcome migrate(
            String topic, int partition, long baseOffset, int tier, MoveControl control) {
        checkWritable();
        TopicLog log = topics.get(topic);
        if (log == null) {
            throw new UnknownTopicException(
                    "there is no topic '" + topic + "' in " + config.directory());
        }
        return moves.move(log, partition, baseOffset, tier, control);
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
        return background.invoke();
    }

    Iterable<TopicLog> topics() {
        return topics.values();
    }

    /** Of all topics; not to be changed. Agents walk over it all day without an iterator. */
    PartitionLog[] partitions() {
        return partitions;
    }

    boolean hasDying() {
        return !dying.isEmpty();
    }

    Iterable<TopicLog> dying() {
        return dying;
    }

    Follower follower() {
        return follower;
    }

    void updateClock() {
        cachedClock.update();
    }

    /** Takes a deleted topic's segments away, then the tombstone (O5). */
    int bury(TopicLog topic) throws IOException {
        boolean released = true;
        for (PartitionLog log : topic.logs()) {
            // Whoever makes a copy removes it; no new copy begins any more.
            released &= log.moves() == 0;
            // A force that is under way must not lose its mapping.
            log.forcer().exclusively(() -> {});
            log.upkeep().dropReserved();
            log.upkeep().retireAll(true);
            // An append that was under way may still bring a segment.
            released &= log.upkeep().isReleased() && !log.hasAppenders();
            released &= log.segments().length == 0;
        }
        if (!released) {
            return 0;
        }
        topic.files().delete();
        dying.remove(topic);
        return 1;
    }

    /** Of a store that another process writes: what has become of it by now. */
    void lookAgain() {
        try {
            if (follower != null) {
                follower.refreshNow();
            }
        } catch (IOException e) {
            throw new FirnException("the store could not be read again: " + e.getMessage(), e);
        }
    }

    // ---- the end

    @Override
    public void close() {
        if (background.isAtWork() || isTelling()) {
            throw new IllegalStateException(
                    "a handler or the callback of a future must not close the store: it runs on a"
                            + " thread whose end close() waits for; use another one");
        }
        synchronized (topics) { // a creation or deletion that is under way comes to its end first
            if (!closing.compareAndSet(false, true)) {
                return;
            }
        }
        background.close();
        List<PartitionLog> logs = new ArrayList<>();
        topics.values().forEach(topic -> logs.addAll(topic.logs()));
        logs.forEach(log -> log.state().markClosing());
        List<PartitionLog> moving = new ArrayList<>(logs);
        dying.forEach(topic -> moving.addAll(topic.logs()));
        Moves.awaitEnd(moving);
        List<PartitionLog> sound = logs.stream().filter(log -> !log.state().isPoisoned()).toList();
        if (!config.readOnly()) {
            logs.forEach(background::settle);
            topics.values().forEach(background::writeCursors);
        }
        logs.forEach(log -> log.markGone(false));
        // A force that is under way must not lose its mapping.
        logs.forEach(log -> log.forcer().exclusively(() -> {}));
        dying.forEach(background::bury);
        logs.forEach(log -> log.upkeep().retireAll(false));
        background.awaitRelease(logs);
        release(config.tiers());
        // Told when nothing is held any more; what failed earlier was told by appends and waits.
        sound.forEach(log -> log.state().throwPoison());
    }

    /** Whether the caller is in a partition's {@link io.firn.DurableHandler}. */
    private boolean isTelling() {
        return topics.values().stream()
                .flatMap(topic -> topic.logs().stream())
                .anyMatch(log -> log.forcer().isTelling());
    }

    /** Lets go of these tiers and the lock, whatever fails on the way. */
    void release(List<StorageTier> tiers) {
        List<AutoCloseable> held = new ArrayList<>(tiers);
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
