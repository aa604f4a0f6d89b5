package io.firn.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.InvalidOptionException;
import io.firn.LimitExceededException;
import io.firn.LogStore;
import io.firn.LogStoreBuilder;
import io.firn.StoreOpenException;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.medium.FileMedium;
import io.firn.medium.SmallFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A store has no more partitions than it can open again. */
class PartitionLimitTest {
    @TempDir Path directory;

    private LogStoreBuilder limited(int partitions) {
        return Stores.at(directory).invokerMode().maxPartitions(partitions);
    }

    private static TopicOptions partitions(int count) {
        return TopicOptions.defaults()
                .withPartitions(count)
                .withSegmentBytes(64 << 10)
                .withMaxRecordBytes(10_000);
    }

    @Test
    void shouldRefuseATopicBeyondTheLimitAndWriteNothingOfIt() {
        try (LogStore store = limited(10).open()) {
            store.createTopic("first", partitions(6));
            List<Path> before = Stores.filesIn(directory);
            assertThrows(
                    LimitExceededException.class, () -> store.createTopic("second", partitions(5)));
            assertThrows(
                    LimitExceededException.class,
                    () -> store.ensureTopic("second", partitions(100_000)));
            assertEquals(before, Stores.filesIn(directory));
            store.createTopic("second", partitions(4));
        }
        try (LogStore store = limited(10).open()) {
            assertEquals(List.of("first", "second"), store.topicNames());
        }
    }

    @Test
    void shouldRefuseFurtherPartitionsOfATopicBeyondTheLimit() {
        try (LogStore store = limited(10).open()) {
            Topic topic = store.createTopic("first", partitions(6));
            assertThrows(LimitExceededException.class, () -> topic.addPartitions(11));
            assertEquals(6, topic.partitionCount());
            topic.addPartitions(10);
        }
        try (LogStore store = limited(10).open()) {
            assertEquals(10, store.openTopic("first").partitionCount());
        }
    }

    @Test
    void shouldCountTheTopicsOfAnOpenedStoreAndNotThoseThatWereDeleted() {
        try (LogStore store = limited(10).open()) {
            store.createTopic("first", partitions(6));
        }
        try (LogStore store = limited(10).open()) {
            assertThrows(
                    LimitExceededException.class, () -> store.createTopic("second", partitions(5)));
            store.deleteTopic("first");
            LimitExceededException soon =
                    assertThrows(
                            LimitExceededException.class,
                            () -> store.createTopic("second", partitions(5)));
            assertTrue(soon.getMessage().contains("6 of them of deleted"), soon.getMessage());
            while (store.doWork() > 0) {
                continue;
            }
            store.createTopic("second", partitions(5));
        }
    }

    @Test
    void shouldOpenAStoreThatHasMorePartitionsThanItsLimit() {
        try (LogStore store = limited(10).open()) {
            store.createTopic("first", partitions(6));
        }
        try (LogStore store = limited(5).open()) {
            assertEquals(6, store.openTopic("first").partitionCount());
            assertThrows(
                    LimitExceededException.class, () -> store.createTopic("second", partitions(1)));
        }
        assertThrows(InvalidOptionException.class, () -> limited(0));
    }

    @Test
    void shouldSayWhatIsWrongWhenTheHeapCannotHoldThePartitionsOfAStore() throws Exception {
        int topics = (int) (Runtime.getRuntime().maxMemory() / 4096 / 100_000) + 1;
        try (LogStore store = limited(topics).open()) {
            for (int i = 0; i < topics; i++) {
                store.createTopic("t" + i, partitions(1));
            }
        }
        setPartitions(100_000);
        StoreOpenException refused =
                assertThrows(StoreOpenException.class, () -> limited(topics).open());
        assertTrue(
                refused.getMessage().contains(topics * 100_000L + " partitions"),
                refused.getMessage());
        assertTrue(refused.getMessage().contains("-Xmx"), refused.getMessage());
        setPartitions(1);
        limited(topics).open().close();
    }

    /** Changes the files of all topics. */
    private void setPartitions(int count) throws IOException {
        FileMedium medium = FileMedium.real();
        List<Path> files;
        try (Stream<Path> all = Files.walk(directory)) {
            files = all.filter(each -> each.endsWith("topic")).toList();
        }
        for (Path file : files) {
            Map<String, String> content = new HashMap<>(SmallFile.read(medium, file, "topic", 1));
            content.put("partitions", Integer.toString(count));
            SmallFile.write(medium, file, "topic", 1, content);
        }
    }
}
