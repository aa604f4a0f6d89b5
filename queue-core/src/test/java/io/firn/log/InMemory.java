package io.firn.log;

import io.firn.Compression;
import io.firn.LogStoreBuilder;
import io.firn.Survives;
import io.firn.TopicOptions;
import io.firn.format.BatchFormat;
import io.firn.kafka.KafkaBatches;
import io.firn.kafka.RandomRecords;
import io.firn.open.StoreBuilder;
import io.firn.producer.Producers;
import io.firn.sim.SimulatedFileMedium;
import io.firn.spi.Block;
import io.firn.spi.MemoryTier;
import io.firn.spi.StorageTier.TierContext;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import org.agrona.concurrent.BusySpinIdleStrategy;
import org.agrona.concurrent.SystemNanoClock;

/** Stores and segments of which no byte is in a file. */
public final class InMemory {
    static final UUID TOPIC = new UUID(3, 4);
    private static final UUID STORE = new UUID(1, 2);
    private static final int ROOM = 64 * 1024;

    private InMemory() {}

    /** A new store without threads. */
    public static LogStoreBuilder store() {
        return StoreBuilder.over(Path.of("/store"), new SimulatedFileMedium())
                .tier(new MemoryTier())
                .invokerMode();
    }

    /** A DURABLE topic with segments that are soon full. */
    public static TopicOptions small() {
        return TopicOptions.defaults().withSegmentBytes(ROOM).withMaxRecordBytes(32_000);
    }

    /** A partition's log on a tier, with nothing in it and nobody above it. */
    public static SegmentedLog log(MemoryTier tier) {
        return log(tier, new Producers());
    }

    /** As {@link #log(MemoryTier)}, with these producers. */
    public static SegmentedLog log(MemoryTier tier, Producers producers) {
        StoreConfig config =
                new StoreConfig(
                        Path.of("/store"),
                        List.of(tier),
                        Collections.singletonList(null),
                        List.of(),
                        new SimulatedFileMedium(),
                        () -> 0,
                        SystemNanoClock.INSTANCE,
                        BusySpinIdleStrategy::new,
                        null,
                        false,
                        false,
                        false,
                        true,
                        1,
                        0,
                        100,
                        100,
                        100,
                        100,
                        1 << 20,
                        1 << 20,
                        1 << 20,
                        Long.MAX_VALUE,
                        1 << 20);
        LogContext store = new LogContext(config, (thread, why) -> {});
        TopicOptions options = small().withMinimumClass(Survives.PROCESS_CRASH);
        return new SegmentedLog(
                new TopicContext(store, UUID.randomUUID(), "t", options),
                RecoveredPartition.empty(0),
                producers.transactions());
    }

    /** A new tier, open for writing. */
    public static MemoryTier tier() throws IOException {
        MemoryTier tier = new MemoryTier();
        tier.open(new TierContext(STORE, true, false));
        return tier;
    }

    public static Block block(MemoryTier tier, long epoch) {
        return block(tier, epoch, ROOM);
    }

    public static Block block(MemoryTier tier, long epoch, int bytes) {
        return tier.reserve(TOPIC, 0, bytes, epoch);
    }

    /**
     * Stores a valid batch.
     *
     * @return the position after it
     */
    public static int put(ByteBuffer memory, int at, long baseOffset, long epoch, int records) {
        ByteBuffer batch =
                KafkaBatches.of(Compression.NONE)
                        .encode(new RandomRecords(baseOffset).next(0, 0, records, 100));
        batch.putLong(BatchFormat.BASE_OFFSET, baseOffset);
        batch.putInt(BatchFormat.EPOCH, BatchFormat.epochBits(epoch));
        memory.put(at, batch, 0, batch.limit());
        return at + batch.limit();
    }
}
