package io.firn.api;

import static io.firn.api.Stores.bytes;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.Durability;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.PartitionReader.PartitionMetrics;
import io.firn.PoisonedException;
import io.firn.StoreMetrics;
import io.firn.file.FileTier;
import io.firn.medium.FileMedium;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MetricsTest {
    @TempDir private Path directory;
    private final ObservedMedium medium = new ObservedMedium();

    @Test
    void shouldCountWhatHappened() {
        try (LogStore store = Stores.at(directory, medium).invokerMode().open()) {
            Partition partition = store.createTopic("t", Stores.small()).partition(0);
            PartitionMetrics empty = partition.metrics();
            assertEquals("t", empty.topic());
            assertEquals(0, empty.partition());
            assertEquals(0, empty.nextOffset());
            assertEquals(0, empty.segments() + empty.bytes() + empty.forces());
            assertEquals(0, empty.rolls() + empty.stalls());
            assertEquals(empty, partition.metrics());
            try (Appender appender = partition.openExclusiveAppender()) {
                for (int i = 0; i < 5; i++) {
                    appender.append(new byte[20_000]);
                }
            }
            PartitionMetrics metrics = partition.metrics();
            assertEquals(0, metrics.logStartOffset());
            assertEquals(5, metrics.durableOffset());
            assertEquals(5, metrics.nextOffset());
            assertEquals(2, metrics.segments());
            assertEquals(1, metrics.rolls());
            assertEquals(5, metrics.forces(), "one for each, and none for the sealing");
            assertEquals(5 * 20_072, metrics.bytes(), "values, and what Kafka's format adds");
            assertFalse(metrics.isPoisoned());
            partition.force();
            assertEquals(5, partition.metrics().forces(), "there was nothing to force");
        }
    }

    @Test
    void shouldListAllPartitionsOfAllTopics() {
        try (LogStore store = Stores.at(directory, medium).open()) {
            store.createTopic("b", Stores.small().withPartitions(2));
            store.createTopic("a", Stores.small());
            List<String> names =
                    store.metrics().partitions().stream()
                            .map(p -> p.topic() + "-" + p.partition())
                            .toList();
            assertEquals(List.of("a-0", "b-0", "b-1"), names);
            store.deleteTopic("b");
            assertEquals(1, store.metrics().partitions().size());
        }
    }

    @Test
    void shouldTellAboutTheTier() throws IOException {
        long capacity = 3 * (Stores.SEGMENT_BYTES + 8192L);
        try (LogStore store =
                LogStore.at(directory.resolve("store"))
                        .tier(FileTier.at(Stores.tierOf(directory)).withCapacityBytes(capacity))
                        .open()) {
            StoreMetrics.TierMetrics tier = store.metrics().tiers().get(0);
            assertTrue(tier.name().contains(Stores.tierOf(directory).toString()), tier.name());
            assertEquals(capacity, tier.capacityBytes().orElseThrow());
            assertEquals(0, tier.usedBytes());
            assertEquals(0, tier.spilledSegments());
            assertEquals(
                    FileMedium.real().survives(directory),
                    tier.survives(),
                    "what the file system gives, no more");
            Partition partition = store.createTopic("t", Stores.small()).partition(0);
            try (Appender appender = partition.openExclusiveAppender()) {
                appender.append(bytes("a"));
            }
            assertEquals(capacity / 3, store.metrics().tiers().get(0).usedBytes());
            long onDisk = 0;
            for (Path file : Stores.filesIn(Stores.tierOf(directory))) {
                onDisk += file.toString().endsWith(".active") ? Files.size(file) : 0;
            }
            assertEquals(onDisk, store.metrics().tiers().get(0).usedBytes());
            assertEquals(0, store.metrics().backgroundErrors());
        }
    }

    @Test
    void shouldSayThatAPartitionIsPoisoned() {
        try (LogStore store = Stores.at(directory, medium).open()) {
            Partition partition = store.createTopic("t", Stores.small()).partition(0);
            try (Appender appender = partition.openExclusiveAppender()) {
                appender.append(bytes("a"));
                medium.beforeForce(
                        file -> {
                            throw new IOException("broken on purpose");
                        });
                assertThrows(PoisonedException.class, () -> appender.append(bytes("b")));
                medium.beforeForce(null);
            }
            assertTrue(partition.metrics().isPoisoned());
            assertEquals(1, partition.metrics().durableOffset());
            assertEquals(2, partition.metrics().nextOffset());
        }
    }

    @Test
    void shouldNotForceAWrittenTopicMoreThanItAsksFor() {
        try (LogStore store = Stores.at(directory, medium).open()) {
            Partition partition =
                    store.createTopic(
                                    "t",
                                    Stores.small()
                                            .withDurability(Durability.WRITTEN)
                                            .withForce(1 << 20, java.time.Duration.ofHours(1)))
                            .partition(0);
            try (Appender appender = partition.openExclusiveAppender()) {
                for (int i = 0; i < 500; i++) { // fits a segment: a roll would force
                    appender.append(new byte[10]);
                }
            }
            assertEquals(0, partition.metrics().forces());
            partition.force();
            assertEquals(500, partition.metrics().durableOffset());
        }
    }
}
