package io.firn.bench;

import io.firn.Durability;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import io.firn.spi.StorageTier;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Function;

/** A store with one tier in a directory of its own, which is deleted on close. */
final class FirnLog implements AutoCloseable {
    private static final int MIB = 1 << 20;
    private static final int WARM_SEGMENT_BYTES = 64 * MIB;

    private final Path directory;
    private final LogStore store;

    private FirnLog(Path directory, LogStore store) {
        this.directory = directory;
        this.store = store;
    }

    /** Opens a new store in a new directory in the named one; see {@link Places#make(String)}. */
    static FirnLog open(String parent) throws IOException {
        return open(parent, directory -> FileTier.at(directory.resolve("segments")));
    }

    /** Opens a new store with a tier that is created in the store's directory. */
    static FirnLog open(String parent, Function<Path, StorageTier> tier) throws IOException {
        Path directory = Places.make(parent);
        return new FirnLog(directory, LogStore.at(directory).tier(tier.apply(directory)).open());
    }

    /**
     * Creates the topic that is measured: one segment is large enough, so that nothing rolls, and
     * its space is prepared before the first append.
     */
    Partition measured(Durability durability, int segmentMib) {
        return partition(
                "measured",
                TopicOptions.defaults()
                        .withDurability(durability)
                        .withSegmentBytes(segmentMib * MIB)
                        .withPreparedBytes(segmentMib * MIB));
    }

    /** Creates the topic for the warm-up, which deletes old segments. */
    Partition rolling(Durability durability) {
        return partition(
                "rolling",
                TopicOptions.defaults()
                        .withDurability(durability)
                        .withSegmentBytes(WARM_SEGMENT_BYTES)
                        .withRetentionBytes(2L * WARM_SEGMENT_BYTES));
    }

    private Partition partition(String name, TopicOptions options) {
        return store.createTopic(name, options).partition(0);
    }

    LogStore store() {
        return store;
    }

    @Override
    public void close() {
        store.close();
        Places.delete(directory);
    }
}
