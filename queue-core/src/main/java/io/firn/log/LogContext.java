package io.firn.log;

import io.firn.ClosedException;
import io.firn.FirnException;
import io.firn.InvalidOptionException;
import io.firn.MediumException;
import io.firn.RetryableException;
import io.firn.background.Attempts;
import io.firn.background.Background;
import io.firn.background.Duty;
import io.firn.background.Duty.Duties;
import io.firn.background.LongWaits;
import io.firn.background.TailerRest;
import io.firn.findings.FindingListeners;
import io.firn.findings.Findings;
import io.firn.findings.Subject;
import io.firn.format.BatchFormat;
import io.firn.format.ReadMemory;
import io.firn.medium.DirectMemory;
import io.firn.medium.FileMedium;
import io.firn.metadata.CleanClose;
import io.firn.metadata.LeasedCounter;
import io.firn.metadata.SpareSpace;
import io.firn.metadata.StoreFiles;
import io.firn.spi.StorageTier;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.BiConsumer;
import org.agrona.concurrent.EpochClock;
import org.agrona.concurrent.IdleStrategy;

/**
 * What all parts of an open store share: options, clock, background, tiers, epochs, small files.
 * Thread-safe, once {@link #own} and {@link #follow} were called by the thread that opens the
 * store.
 */
public final class LogContext {
    private final StoreConfig config;
    private final Background background;
    private final StoreFiles files;
    private final Subject subject;
    private final FindingListeners listeners;
    private final Findings findings;
    private final DescriptorShortage descriptors;
    private final List<TierState> tiers = new ArrayList<>();
    private final FreedBlocks freedBlocks = new FreedBlocks();
    private final WriteBuffers writeBuffers = new WriteBuffers();
    private final ForceTimes forceTimes = new ForceTimes();
    private final PreparedShare preparedShare = new PreparedShare();
    private final ReadMemory readMemory;
    private final Set<Thread> movers = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean closing = new AtomicBoolean();
    private LeasedCounter epochs;
    private Attempts.Step look;
    private final Ownership ownership;
    private final CleanClose cleanClose;
    private PublishedOffsets published;
    private volatile boolean hasListeners;
    private volatile boolean hasTransactions;

    /**
     * Creates the context of a store that is being opened.
     *
     * @param onDeath told when a background thread has ended although the store is open
     */
    public LogContext(StoreConfig config, BiConsumer<String, Throwable> onDeath) {
        this.config = config;
        this.readMemory = new ReadMemory(config.readMemory(), BatchFormat.MAX_DECOMPRESSED);
        this.background =
                new Background(
                        config.clock(),
                        config.nanoClock(),
                        new Background.Threads(
                                config.threadFactory(),
                                config.idleStrategy(),
                                config.invokerMode() ? 0 : config.forceThreads(),
                                onDeath),
                        config.tiers().size());
        this.ownership = new Ownership(config.directory(), config.tiers());
        this.subject = Subject.store(config.directory());
        this.listeners = new FindingListeners(config.threadFactory(), config.invokerMode());
        this.findings = new Findings(background::timeMs, listeners);
        background.attempts().reportTo(findings);
        background.attempts().stopIf(ownership::isLost);
        this.descriptors = new DescriptorShortage(this);
        background.attempts().shortageIs(descriptors::note);
        background.attempts().reportedBy(this::isOfFailingTier);
        this.cleanClose = new CleanClose(config.medium(), config.directory());
        FileMedium medium = cleanClose.watched();
        SpareSpace spare =
                new SpareSpace(background.tidying(), medium, config.directory(), findings);
        this.files = new StoreFiles(medium, config.directory(), spare, findings);
        for (int i = 0; i < config.tiers().size(); i++) {
            String label = config.tierLabels().get(i);
            StorageTier tier = config.tiers().get(i);
            tiers.add(new TierState(i, label, tier, config.nanoClock(), findings));
        }
    }

    private boolean isOfFailingTier(Throwable e) {
        return tiers.stream().anyMatch(tier -> tier.isFailingBy(e));
    }

    // ---- while the store is opened

    /** Sets the counter of epochs. */
    public void own(LeasedCounter epochCounter) {
        epochs = epochCounter;
    }

    /** Sets where the offsets of partitions are published; null for nowhere. */
    public void publishTo(PublishedOffsets file) {
        published = file;
        ownership.publishedIn(file);
    }

    /** Sets what looks for news in a read-only store. */
    public void follow(Attempts.Step lookNow) {
        look = lookNow;
    }

    /** Whether the last process closed the store, and this one may say so in the end. */
    public CleanClose cleanClose() {
        return cleanClose;
    }

    /** Whether this process is still the only writer. */
    public Ownership ownership() {
        return ownership;
    }

    // ---- options

    public StoreConfig config() {
        return config;
    }

    public boolean isReadOnly() {
        return config.readOnly();
    }

    public boolean isInvoker() {
        return config.invokerMode();
    }

    /** Whether readers trust no batch that was verified before. */
    public boolean verifiesEveryRead() {
        return config.verifiesEveryRead();
    }

    public StoreFiles files() {
        return files;
    }

    public Findings findings() {
        return findings;
    }

    /** Keeps the findings and calls their listeners. */
    public FindingListeners findingListeners() {
        return listeners;
    }

    /** The store as a whole, in findings and messages about background work. */
    public Subject subject() {
        return subject;
    }

    /** Whether files can be opened. */
    public DescriptorShortage descriptors() {
        return descriptors;
    }

    // ---- time and background

    /** The clock for appenders. */
    public EpochClock clock() {
        return background.clock();
    }

    /** The time now; does not make the cached clock tick. */
    public long timeMs() {
        return background.timeMs();
    }

    /** Returns a time that only differences of mean something of. */
    public long nowNs() {
        return config.nanoClock().nanoTime();
    }

    public Background background() {
        return background;
    }

    /** The duties that force and seal. */
    public Duties forcing() {
        return background.forcing();
    }

    /** All other duties. */
    public Duties tidying() {
        return background.tidying();
    }

    /** Runs background steps and reports their failures. */
    public Attempts attempts() {
        return background.attempts();
    }

    /** In invoker mode: does the background's work, for a caller that waits for some of it. */
    public int invoke() {
        return background.invoke();
    }

    /** In a read-only store, how a tailer waits for news, for which it is not woken. */
    public IdleStrategy newTailerRest(LongWaits.News news) {
        return config.idleStrategy() == null
                ? new TailerRest(background.longWaits(), news)
                : config.idleStrategy().get();
    }

    /** In a read-only store: looks for what another process has written. */
    public void lookAgain() {
        try {
            if (look != null) {
                look.run();
            }
        } catch (IOException e) {
            throw new MediumException("the store could not be read again: " + e.getMessage(), e);
        }
    }

    // ---- tiers and blocks

    /** A number that no block has had. */
    public long nextEpoch() {
        return epochs.next();
    }

    /** Hottest first. */
    public List<TierState> tiers() {
        return tiers;
    }

    /**
     * Returns the tier with a label.
     *
     * @throws InvalidOptionException when there is none
     */
    public TierState tier(String label) {
        for (TierState state : tiers) {
            if (state.label().equals(label)) {
                return state;
            }
        }
        throw new InvalidOptionException(
                "the store has the tiers "
                        + tiers
                        + ", hottest first, and none is '"
                        + label
                        + "'");
    }

    @SuppressWarnings("ReferenceEquality") // this very tier
    public TierState stateOf(StorageTier tier) {
        for (TierState state : tiers) {
            if (state.tier() == tier) {
                return state;
            }
        }
        throw new IllegalStateException(tier.name() + " is none of this store's tiers");
    }

    public FreedBlocks freedBlocks() {
        return freedBlocks;
    }

    /** How long forces took. */
    public ForceTimes forceTimes() {
        return forceTimes;
    }

    /** What appenders write batches from. */
    public WriteBuffers writeBuffers() {
        return writeBuffers;
    }

    /** Where readers decompress batches. */
    public ReadMemory readMemory() {
        return readMemory;
    }

    /** How much space may be prepared ahead of appends. */
    public PreparedShare preparedShare() {
        return preparedShare;
    }

    /**
     * Notes that the caller moves or compacts a segment, until {@link #endMove}.
     *
     * @return false when it does so already
     */
    public boolean beginMove() {
        return movers.add(Thread.currentThread());
    }

    public void endMove() {
        movers.remove(Thread.currentThread());
    }

    /** Whether the caller moves or compacts a segment. */
    public boolean isMoving() {
        return movers.contains(Thread.currentThread());
    }

    // ---- readers in other processes

    /** Notes that a listener is called for new ends. */
    void noteListener() {
        hasListeners = true;
    }

    /** Whether there was ever a listener for new ends. */
    public boolean hasListeners() {
        return hasListeners;
    }

    /**
     * Returns what to add to a message about an error: where the file with the published offsets is
     * truncated, Java may tell of that in any code that runs.
     */
    public String reason(Throwable error) {
        return isOfPublished(error) ? " because " + published.path() + " was truncated" : "";
    }

    /** Returns what stopped an append: the medium, or the truncated file. */
    String appendFailure(Throwable failure) {
        return isOfPublished(failure)
                ? published.path()
                        + " was truncated while the store is open, and an append stopped, whose"
                        + " record may be there ("
                        + failure.getMessage()
                        + ")"
                : "the medium failed (" + failure.getMessage() + ")";
    }

    private boolean isOfPublished(Throwable error) {
        return error instanceof InternalError && published != null && published.wasTruncated();
    }

    /** Where the offsets of partitions are published for them; null for nowhere. */
    public PublishedOffsets published() {
        return published;
    }

    /** Publishes to them that topics were created, changed or deleted. */
    public void onTopics() {
        if (published != null) {
            published.topicsChanged();
        }
    }

    // ---- transactions

    /** Notes that the store has a journal of transactions. */
    public void onTransactions() {
        hasTransactions = true;
    }

    /** Whether the store has ever had transactions, as far as is known. */
    public boolean hasTransactions() {
        return hasTransactions;
    }

    @Override
    public String toString() {
        return config.directory().toString();
    }

    // ---- the end

    /** Throws when nothing may be changed. */
    public void checkWritable() {
        checkOpen();
        if (config.readOnly()) {
            throw new InvalidOptionException(
                    "the store " + config.directory() + " is open read-only");
        }
        ownership.check();
    }

    /** Throws when the store is closed. */
    public void checkOpen() {
        if (closing.get()) {
            throw new ClosedException("the store " + config.directory() + " is closed");
        }
    }

    /** Begins the end; false when it has begun before. */
    public boolean beginClose() {
        return closing.compareAndSet(false, true);
    }

    /**
     * How far ahead a partition may prepare space by itself: all partitions of the store that have
     * appenders together about a GiB. Thread-safe.
     */
    public static final class PreparedShare {
        private static final int ALL = 1 << 30;
        private static final int MOST = 64 << 20;
        private static final int LEAST = 1 << 20;

        private final AtomicInteger partitions = new AtomicInteger();

        /** A partition has its first appender. */
        public void enter() {
            partitions.incrementAndGet();
        }

        /** A partition has no appender any more. */
        public void leave() {
            partitions.decrementAndGet();
        }

        /** The bytes that each may prepare ahead now. */
        public int ofEach() {
            return Math.max(LEAST, Math.min(MOST, ALL / Math.max(1, partitions.get())));
        }
    }

    /**
     * Counts how often blocks went back to the tiers of a store, and calls the duties that found no
     * room before. Thread-safe.
     */
    public static final class FreedBlocks {
        private final AtomicLong count = new AtomicLong();
        private final Set<Duty> waiting = ConcurrentHashMap.newKeySet();

        /** Grows whenever blocks went back to their tiers. */
        public long count() {
            return count.get();
        }

        /** Notes that blocks went back to their tiers: who found no room looks again. */
        public void onFreed() {
            count.incrementAndGet();
            for (Duty duty : waiting) {
                waiting.remove(duty);
                duty.call();
            }
        }

        /**
         * Has a duty called when something is freed, or now if something was freed meanwhile.
         *
         * @param known the count before the duty looked for room
         */
        public void onNoRoom(Duty duty, long known) {
            waiting.add(duty);
            if (known != count.get() && waiting.remove(duty)) {
                duty.call();
            }
        }
    }

    /**
     * Direct buffers from which batches are written, shared by the partitions of a store: as many
     * as threads write at once. Thread-safe; allocates nothing in the steady state.
     */
    public static final class WriteBuffers {
        /** Larger batches are written in pieces of this size, which stay in a processor's cache. */
        public static final int PIECE = 64 * 1024;

        private static final int MOST = 16;
        private static final int LARGEST_KEPT = 2 << 20;

        private final AtomicReferenceArray<ByteBuffer> free = new AtomicReferenceArray<>(MOST);

        /**
         * Returns a buffer of at least this capacity, to be given back; its content is arbitrary.
         *
         * @throws RetryableException when the process has used up its direct memory
         */
        public ByteBuffer take(int bytes) {
            for (int i = 0; i < MOST; i++) {
                ByteBuffer buffer = free.getPlain(i) == null ? null : free.getAndSet(i, null);
                if (buffer != null && buffer.capacity() >= bytes) {
                    return buffer.clear();
                }
            }
            int room = Math.max(bytes, 2 * PIECE);
            int roomy = room > 1 << 30 ? room : Integer.highestOneBit(room - 1) * 2;
            try {
                return DirectMemory.allocate(roomy);
            } catch (FirnException e) {
                return DirectMemory.allocate(bytes); // as much as has to be
            }
        }

        /** Takes a buffer back. */
        public void give(ByteBuffer buffer) {
            if (buffer.capacity() > LARGEST_KEPT) {
                return;
            }
            for (int i = 0; i < MOST; i++) {
                if (free.getPlain(i) == null && free.compareAndSet(i, null, buffer)) {
                    return;
                }
            }
        }
    }
}
