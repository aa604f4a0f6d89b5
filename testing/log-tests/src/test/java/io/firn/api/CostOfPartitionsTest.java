package io.firn.api;

import static io.firn.api.Stores.bytes;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.Durability;
import io.firn.LogStore;
import io.firn.Topic;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What many partitions cost, in operations on the medium. */
class CostOfPartitionsTest {
    private static final int PARTITIONS = 1_000;

    @TempDir private Path directory;

    private static void appendToEach(Topic topic) {
        for (int i = 0; i < topic.partitionCount(); i++) {
            try (Appender appender = topic.partition(i).openExclusiveAppender()) {
                appender.append(bytes("p" + i));
            }
        }
    }

    @Test
    void shouldCreateTenThousandPartitionsWithTheFilesOfATopic() throws IOException {
        ObservedMedium medium = new ObservedMedium();
        AtomicInteger created = new AtomicInteger();
        try (LogStore store = Stores.at(directory, medium).open()) {
            medium.beforeCreate(
                    file -> {
                        String name = file.getFileName().toString();
                        if (!Set.of("spare", ".epochs.tmp").contains(name)) { // at some time
                            created.getAndIncrement();
                        }
                    });
            int open = medium.files(); // those that the tier keeps to seal with
            Topic topic = store.createTopic("t", Stores.small().withPartitions(10_000));
            assertEquals(1, created.get());
            topic.addPartitions(20_000);
            assertEquals(2, created.get());
            assertEquals(0, medium.mappings());
            assertTrue(medium.files() <= open, "one more may have been the background's");
        }
        assertEquals(0, medium.files());
        assertEquals(3, created.get()); // that it was closed
    }

    @ParameterizedTest
    @EnumSource
    void shouldForceAndDeleteNearlyNothingAtCloseAndAFewPagesAtOpen(Durability durability)
            throws IOException {
        ObservedMedium medium = new ObservedMedium();
        AtomicInteger deleted = new AtomicInteger();
        long before;
        try (LogStore store = Stores.at(directory, medium).open()) {
            Topic topic =
                    store.createTopic(
                            "t",
                            Stores.small().withPartitions(PARTITIONS).withDurability(durability));
            appendToEach(topic);
            before = medium.forces();
            medium.beforeDelete(file -> deleted.getAndIncrement());
        }
        // The record, if nobody had to wait for it, and the mark.
        assertTrue(medium.forces() - before <= 2 * PARTITIONS, medium.forces() + " forces");
        assertTrue(deleted.get() < 10, deleted + " deletions");
        assertEquals(0, medium.mappings());

        before = medium.forces();
        try (LogStore store = Stores.at(directory, medium).open()) {
            Topic topic = store.openTopic("t");
            // What recovery found, the mark that it found, and the new one in two slots.
            assertTrue(medium.forces() - before <= 4 * PARTITIONS, medium.forces() + " forces");
            for (int i = 0; i < PARTITIONS; i++) {
                assertEquals(1, topic.partition(i).nextOffset());
            }
        }
        assertEquals(0, medium.files());
    }
}
