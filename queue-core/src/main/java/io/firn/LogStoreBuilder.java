package io.firn;

import io.firn.spi.FileMedium;
import io.firn.spi.StorageTier;
import io.firn.store.Store;
import io.firn.store.StoreConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.EpochClock;
import org.agrona.concurrent.IdleStrategy;

/** Describes a store, then opens it. For one thread. */
public final class LogStoreBuilder {
    private final Path directory;
    private final List<StorageTier> tiers = new ArrayList<>();
    private final List<String> tierLabels = new ArrayList<>();
    private FileMedium medium = FileMedium.real();
    private EpochClock clock;
    private Supplier<IdleStrategy> idleStrategy = LogStoreBuilder::backoff;
    private boolean readOnly;
    private boolean invokerMode;
    private long markIntervalMs = 100;
    private long cursorIntervalMs = 100;
    private long producerExpiryMs = Duration.ofDays(1).toMillis();

    LogStoreBuilder(Path directory) {
        this.directory = Objects.requireNonNull(directory, "directory");
    }

    /** Adds a tier below those named so far: the first is the hottest. At least one is needed. */
    public LogStoreBuilder tier(StorageTier tier) {
        tiers.add(Objects.requireNonNull(tier, "tier"));
        tierLabels.add(null);
        return this;
    }

    /**
     * As {@link #tier(StorageTier)}, with a label by which topics may choose it; keep it when the
     * store is opened again.
     *
     * @throws InvalidOptionException when the label is not 1 to 32 of {@code a–z 0–9 -}, or is
     *     given twice
     */
    public LogStoreBuilder tier(String label, StorageTier tier) {
        if (!label.matches("[a-z0-9-]{1,32}") || tierLabels.contains(label)) {
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
     * Opens without changing anything, beside the process that writes or after it.
     *
     * <p>Of a DURABLE topic it shows what the writer's marks prove to be durable. When the writer
     * is gone without having closed the store, and nobody holds the store's lock, it shows in
     * addition what the recovery of a writer would accept if it opened the store now: all
     * acknowledged records, and possibly some that were appended last and not acknowledged. The
     * latter were not forced. Until a writer has opened the store, a power cut may lose them, also
     * where the durability class is {@link DurabilityClass#POWER_FAIL}; the acknowledged ones
     * survive it in that class.
     */
    public LogStoreBuilder readOnly() {
        readOnly = true;
        return this;
    }

    /** No threads: the caller runs {@link LogStore#doWork} all the time. */
    public LogStoreBuilder invokerMode() {
        invokerMode = true;
        return this;
    }

    /**
     * The clock for timestamps and ages, ms since 1970. The default is cached: it follows the
     * system clock within some ms, more while both background threads are in I/O.
     */
    public LogStoreBuilder clock(EpochClock value) {
        clock = Objects.requireNonNull(value, "clock");
        return this;
    }

    /**
     * How waiting and background threads idle; the default spins, yields, then parks up to 1 ms.
     */
    public LogStoreBuilder idleStrategy(Supplier<IdleStrategy> value) {
        idleStrategy = Objects.requireNonNull(value, "idleStrategy");
        return this;
    }

    /**
     * How far, in time, the written-down durable position may lag; it bounds what recovery has to
     * verify. 1 ms to 1 h, default 100 ms.
     */
    public LogStoreBuilder markInterval(Duration value) {
        markIntervalMs = inRange("markInterval", value);
        return this;
    }

    /** Advanced cursors are written down this often. 1 ms to 1 h, default 100 ms. */
    public LogStoreBuilder cursorInterval(Duration value) {
        cursorIntervalMs = inRange("cursorInterval", value);
        return this;
    }

    /** A producer that appended nothing for so long is forgotten. 1 ms or more, default 1 day. */
    public LogStoreBuilder producerExpiry(Duration value) {
        long ms = millis("producerExpiry", value);
        if (ms < 1) {
            throw new InvalidOptionException("producerExpiry must be at least 1 ms, not " + value);
        }
        producerExpiryMs = ms;
        return this;
    }

    /** The file system under the store's metadata; for tests that simulate one. */
    public LogStoreBuilder medium(FileMedium value) {
        medium = Objects.requireNonNull(value, "medium");
        return this;
    }

    /**
     * Opens the store, or creates it when the directory holds none. Recovers what a crash left
     * before it returns.
     *
     * @throws StoreLockedException when it is open for writing elsewhere
     * @throws StoreOpenException when it cannot be opened; says what was expected and what was
     *     found
     * @throws InvalidOptionException when no tier was named
     */
    public LogStore open() {
        if (tiers.isEmpty()) {
            throw new InvalidOptionException(
                    "a store needs at least one tier, for example .tier(FileTier.at(path))");
        }
        return Store.open(
                new StoreConfig(
                        directory,
                        List.copyOf(tiers),
                        new ArrayList<>(tierLabels),
                        medium,
                        clock,
                        idleStrategy,
                        readOnly,
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

    /** In ms; an option, too, can be too long for a long. */
    static long millis(String name, Duration value) {
        try {
            return value.toMillis();
        } catch (ArithmeticException e) {
            throw new InvalidOptionException(name + " is too long: " + value);
        }
    }

    private static IdleStrategy backoff() {
        return new BackoffIdleStrategy(100, 10, 1_000, 1_000_000);
    }
}
