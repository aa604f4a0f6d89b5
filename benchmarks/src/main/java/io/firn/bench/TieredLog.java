package io.firn.bench;

import io.firn.LogStore;
import io.firn.LogStoreBuilder;
import io.firn.Partition;
import io.firn.StoreMetrics.TierMetrics;
import io.firn.Survives;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import io.firn.pmem.Emulation;
import io.firn.pmem.PmemTier;
import java.io.IOException;
import java.nio.file.Path;

/** A log in a memory tier above a throttled file tier, or in the file tier alone. */
final class TieredLog implements AutoCloseable {
    static final int BLOCK_BYTES = 4 << 20;

    private final Path directory;
    private final LogStore store;
    private final Partition partition;
    private final ThrottledMedium medium;
    private final int hot;

    private TieredLog(
            Path place, long hotBytes, double coldRate, long retentionBytes, boolean hasHot)
            throws IOException {
        directory = Places.make(place);
        medium = new ThrottledMedium(coldRate);
        LogStoreBuilder builder = LogStore.at(directory.resolve("store"));
        if (hasHot) {
            builder.tier(
                    "pmem",
                    PmemTier.at(directory.resolve("pmem"))
                            .withBlockBytes(BLOCK_BYTES)
                            .withPoolRatio(1)
                            // The header takes less than a block.
                            .withCapacityBytes(hotBytes + BLOCK_BYTES)
                            .withEmulation(Emulation.PLAIN));
        }
        builder.tier("disk", FileTier.at(directory.resolve("disk")).withMedium(medium));
        hot = hasHot ? 0 : -1;
        store = builder.open();
        partition =
                store.createTopic(
                                "load",
                                TopicOptions.defaults()
                                        .withSegmentBytes(BLOCK_BYTES)
                                        .withRetentionBytes(retentionBytes)
                                        .withMinimumClass(Survives.PROCESS_CRASH))
                        .partition(0);
    }

    static TieredLog tiered(Path place, long hotBytes, double coldRate, long retentionBytes)
            throws IOException {
        return new TieredLog(place, hotBytes, coldRate, retentionBytes, true);
    }

    static TieredLog coldAlone(Path place, double coldRate, long retentionBytes)
            throws IOException {
        return new TieredLog(place, 0, coldRate, retentionBytes, false);
    }

    LogStore store() {
        return store;
    }

    Partition partition() {
        return partition;
    }

    /** Returns the migrator; null if there is none. */
    TierMetrics hotTier() {
        return hot < 0 ? null : store.metrics().tiers().get(hot);
    }

    TierMetrics coldTier() {
        return store.metrics().tiers().get(hot + 1);
    }

    /** Returns the number of bytes that fit into a segment. */
    long segmentRoom() {
        return store.snapshot().tiers().get(0).maxSegmentBytes();
    }

    @Override
    public void close() {
        store.close();
        Places.delete(directory);
    }
}
