package io.firn.log;

import io.firn.Finding;
import io.firn.medium.FileMedium;
import io.firn.spi.StorageTier;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.function.Supplier;
import org.agrona.concurrent.EpochClock;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.NanoClock;

/**
 * The options that the builder has collected and checked. {@code clock} is null for the store's
 * cached clock, a tier's label if it has none, {@code idleStrategy} for the default, and {@code
 * threadFactory} for daemon threads; {@code maxPartitions} is 0 for a limit that depends on the
 * heap.
 */
public record StoreConfig(
        Path directory,
        List<StorageTier> tiers,
        List<String> tierLabels,
        List<Finding.Listener> findingListeners,
        FileMedium medium,
        EpochClock clock,
        NanoClock nanoClock,
        Supplier<IdleStrategy> idleStrategy,
        ThreadFactory threadFactory,
        boolean readOnly,
        boolean createsBesideUnreadable,
        boolean verifiesEveryRead,
        boolean invokerMode,
        int forceThreads,
        int maxPartitions,
        long markIntervalMs,
        long cursorIntervalMs,
        long producerExpiryMs,
        long producerNameExpiryMs,
        int compactionMemory,
        long compactionRate,
        long readMemory,
        long scrubPeriodMs,
        int journalSegmentBytes) {}
