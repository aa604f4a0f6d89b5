package io.firn;

import io.firn.medium.FileMedium;
import io.firn.spi.StorageTier;
import io.firn.store.StoreConfig;
import io.firn.store.StoreOpener;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.agrona.concurrent.EpochClock;
import org.agrona.concurrent.IdleStrategy;

/** Builds and opens a store. For one thread. */
public final class LogStoreBuilder {
    private static final Pattern TIER_LABEL = Pattern.compile("[a-z0-9-]{1,32}");

    private final Path directory;
    private final List<StorageTier> tiers = new ArrayList<>();
    private final List<String> tierLabels = new ArrayList<>();
    private FileMedium medium = FileMedium.real();
    private EpochClock clock;
    private Supplier<IdleStrategy> idleStrategy;
    private boolean readOnly;
    private boolean createsBesideUnreadable;
    private boolean invokerMode;
    private long markIntervalMs = 100;
    private long cursorIntervalMs = 100;
    private long producerExpiryMs = Duration.ofDays(1).toMillis();

    LogStoreBuilder(Path directory) {
        this.directory = Objects.requireNonNull(directory, "directory");
    }

    /** Adds a tier below those added so far: the first is the hottest. At least one is needed. */
    public LogStoreBuilder tier(StorageTier tier) {
        tiers.add(Objects.requireNonNull(tier, "tier"));
        tierLabels.add(null);
        return this;
    }

    /**
     * As {@link #tier(StorageTier)}, with a label by which topics may choose it; use the same label
     * when the store is opened again.
     *
     * @throws InvalidOptionException when the label is not 1 to 32 of {@code a–z 0–9 -}, or is
     *     given twice
     */
    public LogStoreBuilder tier(String label, StorageTier tier) {
        Objects.requireNonNull(label, "label");
        Objects.requireNonNull(tier, "tier");
        if (!isTierLabel(label) || tierLabels.contains(label)) {
            throw new InvalidOptionException(
                    "a tier's label has 1 to 32 of the characters a-z 0-9 - and is given once: '"
                            + label
                            + "'");
        }
        tier(tier);
        tierLabels.set(tierLabels.size() - 1, label);
        return this;
    }

    /**
     * Opens the store without changing anything, while another process writes it or afterwards.
     *
     * <p>Readers of a DURABLE topic see what the writer's marks prove to be durable. When the
     * writer has ended without closing the store, and no process holds the store's lock, they also
     * see what recovery would accept if a writer opened the store now: all acknowledged records,
     * and possibly the last ones that were appended but not acknowledged. The latter were not
     * forced: until a writer has opened the store, a power failure may lose them, even where the
     * durability class is {@link DurabilityClass#POWER_FAIL}. Acknowledged records survive it in
     * that class.
     */
    public LogStoreBuilder readOnly() {
        readOnly = true;
        return this;
    }

    /**
     * Allows topics to be created while the store has topics that it cannot read. Without this,
     * {@link LogStore#createTopic} refuses: the new topic might have the name of one that cannot be
     * read, and once that one is repaired, a store with two topics of one name does not open.
     */
    public LogStoreBuilder createTopicsBesideUnreadableOnes() {
        createsBesideUnreadable = true;
        return this;
    }

    /** Uses no threads: the caller runs {@link LogStore#doWork} all the time. */
    public LogStoreBuilder invokerMode() {
        invokerMode = true;
        return this;
    }

    /**
     * Sets the clock for timestamps and ages, in ms since 1970. The default is the system clock,
     * cached while records are appended: it lags by a few ms, or more while both background threads
     * are in I/O; the first append after a pause reads the system clock. In invoker mode the cached
     * time advances only in {@link LogStore#doWork}. Another clock may be set forward at any
     * moment, so it is read about every 10 ms while any background work is scheduled.
     */
    public LogStoreBuilder clock(EpochClock value) {
        clock = Objects.requireNonNull(value, "clock");
        return this;
    }

    /**
     * Sets how background threads idle. By default they spin and yield for some microseconds and
     * then park until there is work, so that an idle store uses no CPU time. A strategy that is
     * passed in is used as it is: one that spins checks for work all the time.
     */
    public LogStoreBuilder idleStrategy(Supplier<IdleStrategy> value) {
        idleStrategy = Objects.requireNonNull(value, "idleStrategy");
        return this;
    }

    /**
     * Sets how far, in time, marks may lag behind the durable position, which bounds what recovery
     * has to verify. 1 ms to 1 h, default 100 ms.
     */
    public LogStoreBuilder markInterval(Duration value) {
        markIntervalMs = inRange("markInterval", value);
        return this;
    }

    /** Sets how often advanced cursors are persisted. 1 ms to 1 h, default 100 ms. */
    public LogStoreBuilder cursorInterval(Duration value) {
        cursorIntervalMs = inRange("cursorInterval", value);
        return this;
    }

    /** Sets when an inactive producer is forgotten. 1 ms or more, default 1 day. */
    public LogStoreBuilder producerExpiry(Duration value) {
        long ms = millis("producerExpiry", value);
        if (ms < 1) {
            throw new InvalidOptionException("producerExpiry must be at least 1 ms, not " + value);
        }
        producerExpiryMs = ms;
        return this;
    }

    /** Sets the file system of the store's metadata; for tests that simulate one. */
    public LogStoreBuilder medium(FileMedium value) {
        medium = Objects.requireNonNull(value, "medium");
        return this;
    }

    /**
     * Opens the store, or creates it when the directory holds none. Completes recovery from a crash
     * before it returns.
     *
     * @throws StoreLockedException when it is open for writing elsewhere
     * @throws StoreOpenException when it cannot be opened; says what was expected and what was
     *     found
     * @throws InvalidOptionException when no tier was added
     */
    public LogStore open() {
        if (tiers.isEmpty()) {
            throw new InvalidOptionException(
                    "a store needs at least one tier, for example .tier(FileTier.at(path))");
        }
        return StoreOpener.open(
                new StoreConfig(
                        directory,
                        List.copyOf(tiers),
                        new ArrayList<>(tierLabels),
                        medium,
                        clock,
                        idleStrategy,
                        readOnly,
                        createsBesideUnreadable,
                        invokerMode,
                        markIntervalMs,
                        cursorIntervalMs,
                        producerExpiryMs));
    }

    private static long inRange(String name, Duration value) {
        long ms = millis(name, value);
        if (ms < 1 || ms > Duration.ofHours(1).toMillis()) {
            throw new InvalidOptionException(name + " must be from 1 ms to 1 h, not " + value);
        }
        return ms;
    }

    static boolean isTierLabel(String label) {
        return TIER_LABEL.matcher(label).matches();
    }

    /** Returns a duration in whole ms; one that does not fit into a long is refused. */
    static long millis(String name, Duration value) {
        Objects.requireNonNull(value, name);
        try {
            return value.toMillis();
        } catch (ArithmeticException e) {
            throw new InvalidOptionException(name + " is too long: " + value);
        }
    }
}
