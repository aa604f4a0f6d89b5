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
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;
import org.agrona.concurrent.EpochClock;

/**
 * An open store. {@link StoreOpener} brings it up; here are the topics, the background and the end.
 */
public final class Store implements LogStore {
    private static final System.Logger LOG = System.getLogger("io.firn");
    private static final Pattern TOPIC_NAME = Pattern.compile("[a-zA-Z0-9._-]{1,249}");

    private final StoreConfig config;
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
    private volatile UnreadableTopics unreadable = UnreadableTopics.NONE;
    private final List<TopicFiles> halfCreated = new ArrayList<>();
    private final AtomicBoolean closing = new AtomicBoolean();
    private final AtomicLong freedBlocks = new AtomicLong();
    private final Set<BlockSupply> withoutRoom = ConcurrentHashMap.newKeySet();

    private AutoCloseable lock;
    private LeasedCounter epochs;
    private LeasedCounter producerIds;
    private Follower follower;

    Store(StoreConfig config) {
        this.config = config;
        this.background = new Background(this);
        this.spareSpace = new SpareSpace(background.tidying(), config.medium(), config.directory());
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

    /** What cannot be served from now on. */
    void unreadable(UnreadableTopics found) {
        for (UnreadableTopics.Unreadable each : found.all()) {
            addFinding(each.told() + "; it is not served, nothing of it is deleted");
        }
        if (!found.isEmpty() && unreadable.isEmpty()) {
            LOG.log(
                    System.Logger.Level.ERROR,
                    "the store "
                            + config.directory()
                            + (config.createsBesideUnreadable()
                                    ? ": "
                                    : " creates no topic while one cannot be read: ")
                            + found.told());
        }
        unreadable = found;
    }

    void addFinding(String finding) {
        if (!findings.contains(finding)) {
            findings.add(finding);
            LOG.log(System.Logger.Level.WARNING, finding);
        }
    }

    void start() {
        if (RollEvent.prepare() | StallEvent.prepare() | ForceEvent.prepare()) {
            LOG.log(System.Logger.Level.DEBUG, "a recording wants this store's events");
        }
        background.start();
    }

    // ---- for the partitions

    StoreConfig config() {
        return config;
    }

    /** For those who append. */
    EpochClock clock() {
        return background.clock();
    }

    /** The time now; does not have the clock of those who append tick. */
    long timeMs() {
        return background.timeMs();
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

    Background background() {
        return background;
    }

    /** The duties that force and seal. */
    Duties forcing() {
        return background.forcing();
    }

    /** All other duties. */
    Duties tidying() {
        return background.tidying();
    }

    /** Runs and reports what the background does. */
    Attempts attempts() {
        return background.attempts();
    }

    /** Blocks went back to their tiers: who found no room looks again. */
    void onFreed() {
        freedBlocks.incrementAndGet();
        for (BlockSupply supply : withoutRoom) {
            withoutRoom.remove(supply);
            supply.call();
        }
    }

    /** Has the duty called when something is freed, or now if more was freed than it knew. */
    void onNoRoom(BlockSupply supply, long freed) {
        withoutRoom.add(supply);
        if (freed != freedBlocks.get() && withoutRoom.remove(supply)) {
            supply.call();
        }
    }

    /** Grows whenever blocks went back to their tiers. */
    long freedBlocks() {
        return freedBlocks.get();
    }

    /** Hottest first. */
    List<TierState> tiers() {
        return tiers;
    }

    @SuppressWarnings("ReferenceEquality") // this very tier
    TierState stateOf(StorageTier tier) {
        for (TierState state : tiers) {
            if (state.tier() == tier) {
                return state;
            }
        }
        throw new IllegalStateException(tier.name() + " is none of this store's tiers");
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
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(options, "options");
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
            unreadable.checkMayCreate(name, config.createsBesideUnreadable());
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
                dropHalfCreated();
                halfCreated.add(topic.files());
                topic.files().create(name, complete);
                halfCreated.clear();
            } catch (IOException e) {
                try {
                    dropHalfCreated();
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

    /**
     * A creation that failed may have left its topic file, which would be a second topic of that
     * name: before it is gone nothing is created.
     */
    private void dropHalfCreated() throws IOException {
        while (!halfCreated.isEmpty()) {
            halfCreated.get(0).delete();
            halfCreated.remove(0);
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
        Objects.requireNonNull(name, "name");
        checkOpen();
        TopicLog topic = topics.get(name);
        if (topic == null) {
            lookAgain();
            topic = find(name);
        }
        return topic;
    }

    private TopicLog find(String name) {
        TopicLog topic = topics.get(name);
        if (topic == null) {
            unreadable.checkMayBeMissing(name);
            throw new UnknownTopicException(
                    "there is no topic '" + name + "' in " + config.directory());
        }
        return topic;
    }

    @Override
    public Topic openOrCreateTopic(String name, TopicOptions options) {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(options, "options");
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
    public Map<UUID, String> unreadableTopics() {
        checkOpen();
        return unreadable.byId();
    }

    @Override
    public void deleteTopic(String name) {
        Objects.requireNonNull(name, "name");
        synchronized (topics) {
            checkWritable();
            TopicLog topic = find(name);
            try {
                topic.files().writeTombstone(name, topic.options());
            } catch (IOException e) {
                takeTombstoneBack(topic, e);
                throw TopicFiles.failed("topic " + name + " could not be deleted", e);
            }
            dropTopic(topic);
            topic.logs().forEach(log -> log.markGone(true));
            dying.add(topic);
            new Burial(this, topic).call();
        }
    }

    /**
     * A tombstone that could not be made durable may be there all the same, and would take away, at
     * the next open, what is acknowledged until then.
     */
    private static void takeTombstoneBack(TopicLog topic, IOException failure) {
        try {
            TopicFiles.Description there = topic.files().read();
            if (there == null || there.deleted()) {
                topic.files().create(topic.name(), topic.options());
            }
        } catch (IOException e) {
            failure.addSuppressed(e);
            topic.logs().forEach(log -> log.poison(failure));
        }
    }

    /**
     * Changes a topic, unless it is being deleted: a tombstone stays one, and of what a deletion
     * ends nothing is added afterwards.
     *
     * @param change writes the topic's file, then shows the change
     */
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
        Objects.requireNonNull(topic, "topic");
        Objects.requireNonNull(control, "control");
        checkWritable();
        return moves.move(find(topic), partition, baseOffset, tier, control);
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

    Follower follower() {
        return follower;
    }

    /**
     * Takes a deleted topic's segments away, then the tombstone (O5).
     *
     * @return false when somebody holds some of it, or a medium refused: call it again
     */
    boolean bury(TopicLog topic) throws IOException {
        boolean released = true;
        for (PartitionLog log : topic.logs()) {
            // Whoever makes a copy removes it; no new copy begins any more.
            released &= log.moves() == 0;
            // A force that is under way must not lose its mapping.
            log.forcer().exclusively(() -> {});
            log.upkeep().dropReserved();
            log.upkeep().retireAll(true);
            // An append that was under way may still bring a segment.
            released &= log.upkeep().isAllGone() && !log.hasAppenders();
            released &= log.segments().length == 0;
        }
        if (released) {
            topic.files().delete();
            dying.remove(topic);
        }
        return released;
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
            settle(logs);
        }
        logs.forEach(log -> log.markGone(false));
        // A force that is under way must not lose its mapping.
        logs.forEach(log -> log.forcer().exclusively(() -> {}));
        dying.forEach(topic -> background.attempt(topic, () -> bury(topic) ? 1 : 0));
        logs.forEach(log -> log.upkeep().retireAll(false));
        background.awaitRelease(logs);
        release(config.tiers());
        // Told when nothing is held any more; what failed earlier was told by appends and waits.
        sound.forEach(log -> log.state().throwPoison());
    }

    /** Everything durable, and written down where it stands. */
    private void settle(List<PartitionLog> logs) {
        long nowMs = timeMs();
        logs.forEach(log -> log.forcer().forceNow());
        logs.forEach(log -> log.upkeep().settle(nowMs));
        for (TopicLog topic : topics.values()) {
            background.attempt(
                    topic,
                    () -> {
                        topic.writeCheckpoints(nowMs);
                        return 0;
                    });
            background.attempt(
                    topic,
                    () -> {
                        topic.writeCursors();
                        return 0;
                    });
        }
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
