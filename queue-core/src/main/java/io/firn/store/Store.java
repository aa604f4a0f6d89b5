package io.firn.store;

import io.firn.Backup;
import io.firn.BackupOptions;
import io.firn.Finding;
import io.firn.LogStore.MoveControl;
import io.firn.LogStore.MoveOutcome;
import io.firn.PartitionReader.CompactionResult;
import io.firn.PartitionReader.PartitionMetrics;
import io.firn.Producer;
import io.firn.StoreMetrics;
import io.firn.StoreSnapshot;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.Transaction;
import io.firn.append.AppendEvents;
import io.firn.background.Background;
import io.firn.force.PartitionForcer;
import io.firn.host.HostedStore;
import io.firn.host.ReplicatedTopicException;
import io.firn.host.StoreService;
import io.firn.host.TransactionCoordinator;
import io.firn.log.LogContext;
import io.firn.log.StoreConfig;
import io.firn.medium.GuardedLog;
import io.firn.metadata.LeasedCounter;
import io.firn.metadata.StoreIdentity;
import io.firn.move.Moves;
import io.firn.scrub.ScrubDuty;
import io.firn.spi.StorageTier;
import io.firn.store.StoreEnd.CloseSteps;
import io.firn.tx.Coordinator;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/**
 * An open store as its users see it, and its end. {@code StoreOpener} opens it; {@link LogContext}
 * is what its parts share, {@link Topics} what is in it.
 */
public final class Store implements HostedStore {
    private static final GuardedLog LOG = GuardedLog.get();

    private final StoreConfig config;
    private final LogContext context;
    private final Topics topics;
    private final Moves moves;
    private final Placement placement;
    private final TierDrain drains;
    private final Services services;
    private final StoreBackups backups;
    private final ScrubDuty scrub;
    private AutoCloseable lock;
    private AutoCloseable followed;
    private AutoCloseable mediumUse;

    /** The end that has not been reached; null before the first close, and after the last. */
    private final AtomicReference<StoreEnd> end = new AtomicReference<>();

    private LeasedCounter producerIds;
    private final StoreTransactions inTransactions;
    private final Coordinator transactions;

    public Store(StoreConfig config) {
        this.config = config;
        this.context = new LogContext(config, this::onDeath);
        this.topics = new Topics(context);
        this.services = new Services(config.directory());
        this.moves = new Moves(context);
        this.drains = new TierDrain(context, topics, moves);
        this.placement = new Placement(context, topics.all());
        this.inTransactions = new StoreTransactions(context, topics);
        this.transactions = new Coordinator(context, inTransactions);
        this.backups = new StoreBackups(context, topics, transactions);
        this.scrub =
                new ScrubDuty(
                        context,
                        () -> topics.partitions().stream().map(PartitionLog::log).toList());
        topics.producers().openTransactions(transactions);
    }

    private void onDeath(String thread, Throwable why) {
        topics.onDeath(thread, why);
    }

    // ---- for the opener

    /** Sets what is released at the end, what numbers producers, and what names the store. */
    public void own(
            AutoCloseable storeLock, LeasedCounter producerIdCounter, StoreIdentity identity) {
        lock = storeLock;
        producerIds = producerIdCounter;
        inTransactions.own(identity, producerIdCounter);
        topics.own(identity);
        drains.own(identity);
        backups.own(identity);
    }

    /** Sets what the medium keeps for the store, which is released last. */
    public void use(AutoCloseable ofMedium) {
        mediumUse = ofMedium;
    }

    /** Ends the transactions that a crash has left, before the store is used. */
    public void recoverTransactions() throws IOException {
        transactions.recover();
    }

    /** Sets what is closed at the end of a store that only reads. */
    public void own(AutoCloseable follower) {
        followed = follower;
    }

    public LogContext context() {
        return context;
    }

    public Topics topics() {
        return topics;
    }

    /**
     * Starts the background.
     *
     * @param follower of a store that only reads; null for one that writes
     */
    public void start(Background.Following follower) {
        if (AppendEvents.prepare() | PartitionForcer.ForceEvent.prepare()) {
            LOG.log(System.Logger.Level.DEBUG, "a recording wants this store's events");
        }
        context.background().start(follower);
        if (follower == null && !context.isInvoker()) {
            scrub.call();
        }
    }

    // ---- topics

    @Override
    public Topic createTopic(String name, TopicOptions options) {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(options, "options");
        return topics.create(name, options);
    }

    @Override
    public Topic openTopic(String name) {
        Objects.requireNonNull(name, "name");
        context.checkOpen();
        TopicLog topic = topics.get(name);
        if (topic == null) {
            context.lookAgain();
            topic = topics.find(name);
        }
        return topic;
    }

    @Override
    public boolean hasTopic(String name) {
        Objects.requireNonNull(name, "name");
        context.checkOpen();
        if (topics.get(name) == null) {
            context.lookAgain();
        }
        return topics.get(name) != null;
    }

    @Override
    public Topic ensureTopic(
            String name, TopicOptions options, Consumer<TopicOptions.Change> onChange) {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(options, "options");
        Objects.requireNonNull(onChange, "onChange");
        context.checkWritable();
        return topics.ensure(name, options, onChange);
    }

    @Override
    public List<String> topicNames() {
        context.checkOpen();
        return topics.names();
    }

    @Override
    public Map<UUID, String> unreadableTopics() {
        context.checkOpen();
        return topics.unreadable().byId();
    }

    @Override
    public void deleteTopic(String name) {
        Objects.requireNonNull(name, "name");
        topics.delete(name);
    }

    // ---- the rest of what its users see

    @Override
    public Transaction beginTransaction() {
        return transactions.begin();
    }

    @Override
    public Producer openProducer(String name, Duration timeout) {
        return transactions.openProducer(name, timeout);
    }

    @Override
    public TransactionCoordinator transactions() {
        return transactions;
    }

    @Override
    public Map<String, Duration> backgroundThreads() {
        return context.background().still();
    }

    @Override
    public long newProducerId() {
        context.checkWritable();
        return producerIds.next();
    }

    @Override
    public Path directory() {
        return config.directory();
    }

    @Override
    public boolean isReadOnly() {
        return config.readOnly();
    }

    @Override
    public String toString() {
        return "store " + config.directory() + (config.readOnly() ? ", read-only" : "");
    }

    @Override
    public StoreMetrics metrics() {
        context.checkOpen();
        int[] segments = placement.countSegments();
        List<StoreMetrics.TierMetrics> inTiers = new ArrayList<>();
        context.tiers().forEach(tier -> inTiers.add(tier.metrics(segments[tier.index()])));
        List<PartitionMetrics> partitions = new ArrayList<>();
        for (String name : topics.names()) {
            TopicLog topic = topics.get(name);
            if (topic != null) {
                topic.logs().forEach(partition -> partitions.add(partition.metrics()));
            }
        }
        return new StoreCounts(
                inTiers,
                partitions,
                context.background().errors(),
                context.forceTimes().counts(),
                context.forceTimes().total(),
                scrub.bytes(),
                scrub.completed(),
                transactions.metrics());
    }

    @Override
    public StoreSnapshot snapshot() {
        context.checkOpen();
        return placement.snapshot();
    }

    @Override
    public MoveOutcome migrate(
            String topic, int partition, long baseOffset, String tier, MoveControl control) {
        Objects.requireNonNull(topic, "topic");
        Objects.requireNonNull(tier, "tier");
        Objects.requireNonNull(control, "control");
        context.checkWritable();
        PartitionLog chosen = topics.find(topic).partitionLog(partition);
        return moves.move(chosen.log(), chosen.upkeep().releases(), baseOffset, tier, control);
    }

    @Override
    public boolean drain(String tier, MoveControl control) {
        Objects.requireNonNull(tier, "tier");
        Objects.requireNonNull(control, "control");
        return drains.drain(context.tier(tier), control);
    }

    @Override
    public void cancelDrain(String tier) {
        Objects.requireNonNull(tier, "tier");
        drains.cancel(context.tier(tier));
    }

    @Override
    public CompactionResult compact(String topic, int partition, MoveControl control) {
        Objects.requireNonNull(topic, "topic");
        Objects.requireNonNull(control, "control");
        context.checkWritable();
        PartitionLog chosen = topics.find(topic).partitionLog(partition);
        if (chosen.topic().options().isReplicated()) {
            throw new ReplicatedTopicException(
                    "topic "
                            + topic
                            + " is replicated: the log that it replicates is compacted, and what"
                            + " is missing there is missing here");
        }
        return topics.compactor().compact(chosen.compaction(), control);
    }

    @Override
    public Backup backupTo(Path destination, BackupOptions options) {
        Objects.requireNonNull(destination, "destination");
        Objects.requireNonNull(options, "options");
        context.checkWritable();
        return backups.make(destination, options);
    }

    @Override
    public List<Finding> findings() {
        return context.findings().all();
    }

    @Override
    public void addFindingListener(Finding.Listener listener) {
        Objects.requireNonNull(listener, "listener");
        context.checkOpen();
        context.findings().add(listener);
    }

    @Override
    public void removeFindingListener(Finding.Listener listener) {
        context.findingListeners().remove(Objects.requireNonNull(listener, "listener"));
    }

    @Override
    public int doWork() {
        if (!config.invokerMode()) {
            throw new IllegalStateException(
                    "this store has its own threads: call doWork only where it was opened with"
                            + " invokerMode()");
        }
        int work = context.background().invoke();
        return work + context.findingListeners().tell();
    }

    // ---- the end

    @Override
    public void attach(StoreService service) {
        Objects.requireNonNull(service, "service");
        context.checkWritable();
        services.attach(service);
    }

    @Override
    public void detach(StoreService service) {
        services.detach(Objects.requireNonNull(service, "service"));
    }

    @Override
    public void close() {
        Background background = context.background();
        if (background.isAtWork() || isTelling()) {
            throw new IllegalStateException(
                    "a handler or the callback of a future must not close the store: it runs on a"
                            + " thread whose end close() waits for; use another one");
        }
        if (context.isMoving()) {
            throw new IllegalStateException(
                    "the control of a move or a compaction must not close the store, which waits"
                            + " for the end of the move; use another thread");
        }
        if (!services.beginEnd()) {
            continueEnd(); // if an earlier close gave up
            return;
        }
        CloseSteps ending = new CloseSteps();
        services.end(ending); // first: they still use the store
        ending.run(List.of(this::end));
        ending.throwFirst();
    }

    private void end() {
        if (topics.beginClose()) {
            end.set(new StoreEnd(context, topics, transactions, () -> release(config.tiers())));
            continueEnd();
        }
    }

    private void continueEnd() {
        StoreEnd mine = end.getAndSet(null);
        if (mine == null) {
            return;
        }
        try {
            mine.run();
        } catch (RuntimeException | Error e) {
            if (!mine.isReleasing()) {
                end.set(mine);
            }
            throw e;
        }
    }

    /** Whether the caller is in a partition's {@link io.firn.Appender.DurableHandler}. */
    private boolean isTelling() {
        return topics.partitions().stream()
                .anyMatch(partition -> partition.forcer().handlers().isTelling());
    }

    /** Releases the tiers and the lock, whatever fails meanwhile. */
    public void release(List<StorageTier> tiers) {
        List<AutoCloseable> held = new ArrayList<>();
        if (context.published() != null) {
            held.add(context.published()::close); // before another process can have the lock
        }
        if (followed != null) {
            held.add(followed);
        }
        held.addAll(tiers);
        if (lock != null) {
            held.add(lock);
        }
        if (mediumUse != null) {
            held.add(mediumUse);
        }
        held.add(context.findingListeners()::close);
        CloseSteps ending = new CloseSteps();
        ending.each(held, Store::release);
        ending.throwFirst();
    }

    private static void release(AutoCloseable resource) {
        try {
            resource.close();
        } catch (Exception e) {
            LOG.log(System.Logger.Level.ERROR, "closing " + resource + " failed", e);
        }
    }

    /** The metrics of a store. */
    record StoreCounts(
            List<StoreMetrics.TierMetrics> tiers,
            List<PartitionMetrics> partitions,
            long backgroundErrors,
            SortedMap<Duration, Long> forceTimes,
            Duration totalForceTime,
            long scrubbedBytes,
            Optional<Instant> lastScrub,
            List<StoreMetrics.TransactionMetrics> transactions)
            implements StoreMetrics {

        @Override
        public String toString() {
            return "StoreMetrics["
                    + "tiers="
                    + tiers
                    + ", partitions="
                    + partitions
                    + ", backgroundErrors="
                    + backgroundErrors
                    + ", forceTimes="
                    + forceTimes
                    + ", totalForceTime="
                    + totalForceTime
                    + ", scrubbedBytes="
                    + scrubbedBytes
                    + ", lastScrub="
                    + lastScrub
                    + ", transactions="
                    + transactions
                    + "]";
        }
    }
}
