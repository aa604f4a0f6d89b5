package io.firn.api;

import static io.firn.api.Stores.bytes;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.CleanupPolicy;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.Topic;
import io.firn.Transaction;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who logs a value of the API reads its names there, and no address in memory. */
class MetricsTextTest {
    @TempDir private Path directory;

    @Test
    void shouldShowMetricsByTheNamesOfTheApi() {
        try (LogStore store = Stores.at(directory).open()) {
            Topic topic =
                    store.createTopic("orders", Stores.small().withCleanup(CleanupPolicy.COMPACT));
            Partition partition = topic.partition(0);
            try (Appender appender = partition.openAppender();
                    Transaction tx = store.beginTransaction()) {
                appender.append(bytes("k"), bytes("v"));
                topic.cursor("c").commit(0, 1);
                tx.append(partition, bytes("k"), bytes("v"));
                checkText(store.metrics(), "StoreMetrics[tiers=[TierMetrics[label=tier-0, ");
                checkText(store.metrics(), "capacityBytes=unlimited, ");
                checkText(store.metrics(), "partitions=[PartitionMetrics[topic=orders, ");
                checkText(store.metrics(), "compaction=CompactionMetrics[dirtyRatio=");
                checkText(
                        store.metrics(),
                        "transactions=[TransactionMetrics[producer=Optional.empty, ");
                checkText(partition.metrics(), "nextOffset=2, ");
                checkText(store.cursorMetrics(), "CursorMetrics[cursor=c, partition=0, offset=1, ");
                checkText(store, "store " + directory);
                checkText(topic.cursor("c"), "cursor c of topic orders");
            }
        }
    }

    private static void checkText(Object value, String part) {
        String text = value.toString();
        assertTrue(text.contains(part), text);
        for (String internal : List.of("Counts[", "OpenTransaction", "Lag[", "=Metrics[", "@")) {
            assertFalse(text.contains(internal), text);
        }
    }
}
