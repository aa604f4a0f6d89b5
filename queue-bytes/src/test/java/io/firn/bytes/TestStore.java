package io.firn.bytes;

import io.firn.LogStore;
import io.firn.Partition;
import io.firn.StoredRecord;
import io.firn.Tailer;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import java.nio.file.Path;
import java.util.List;

/** A store with one topic. */
final class TestStore implements AutoCloseable {
    final LogStore store;
    final Partition partition;

    TestStore(Path directory, TopicOptions options) {
        store =
                LogStore.at(directory.resolve("store"))
                        .tier(FileTier.at(directory.resolve("tier")))
                        .open();
        partition = store.ensureTopic("t", options).partition(0);
    }

    List<StoredRecord> records() {
        try (Tailer tailer = partition.openTailer()) {
            return tailer.stream().toList();
        }
    }

    @Override
    public void close() {
        store.close();
    }
}
