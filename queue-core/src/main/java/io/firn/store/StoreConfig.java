package io.firn.store;

import io.firn.spi.FileMedium;
import io.firn.spi.StorageTier;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;
import org.agrona.concurrent.EpochClock;
import org.agrona.concurrent.IdleStrategy;

/**
 * What the builder collected; checked there. {@code clock} is null for the store's cached one, a
 * tier's label when it was given none, {@code idleStrategy} when the background rests as it likes.
 */
public record StoreConfig(
        Path directory,
        List<StorageTier> tiers,
        List<String> tierLabels,
        FileMedium medium,
        EpochClock clock,
        Supplier<IdleStrategy> idleStrategy,
        boolean readOnly,
        boolean createsBesideUnreadable,
        boolean invokerMode,
        long markIntervalMs,
        long cursorIntervalMs,
        long producerExpiryMs) {}
