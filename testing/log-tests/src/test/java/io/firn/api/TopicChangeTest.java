package io.firn.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.firn.Appender;
import io.firn.Cursor;
import io.firn.InvalidOptionException;
import io.firn.LogStore;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.UnknownTopicException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Topics that change after they were created. */
class TopicChangeTest {
    @TempDir Path directory;

    @Test
    void shouldKeepChangedOptionsAndRefuseThoseThatAreFixed() {
        TopicOptions changed;
        try (LogStore store = Stores.at(directory).open()) {
            Topic topic = store.createTopic("t", Stores.small());
            changed = topic.options().withRetentionAge(Duration.ofSeconds(5)).withRetentionBytes(9);
            topic.changeOptions(changed);
            assertEquals(changed, topic.options());
            assertThrows(
                    InvalidOptionException.class,
                    () -> topic.changeOptions(changed.withPartitions(2)));
            assertThrows(
                    InvalidOptionException.class,
                    () -> topic.changeOptions(changed.withSegmentBytes(1 << 20)));
        }
        try (LogStore store = Stores.at(directory).open()) {
            assertEquals(changed, store.openTopic("t").options());
        }
    }

    /** A topic has the class of its hottest tier if its creator did not choose one. */
    @Test
    void shouldTakeOptionsWithoutAClassForThoseOfAnyTopic() {
        TopicOptions options = Stores.small().withMinimumClass(null);
        try (LogStore store = Stores.at(directory).open()) {
            Topic topic = store.createTopic("t", options);
            topic.changeOptions(options.withRetentionBytes(1 << 20));
            assertEquals(OptionalLong.of(1 << 20), topic.options().retentionBytes());
            assertNotNull(topic.options().minimumClass());
        }
    }

    @Test
    void shouldAddPartitionsThatLast() {
        try (LogStore store = Stores.at(directory).open()) {
            Topic topic = store.createTopic("t", Stores.small());
            Cursor cursor = topic.cursor("c");
            topic.addPartitions(3);
            assertEquals(3, topic.partitionCount());
            try (Appender appender = topic.partition(2).openExclusiveAppender()) {
                appender.append(new byte[1]);
            }
            assertEquals(-1, cursor.offset(2));
            cursor.commit(2, 1);
            assertThrows(InvalidOptionException.class, () -> topic.addPartitions(3));
        }
        try (LogStore store = Stores.at(directory).open()) {
            Topic topic = store.openTopic("t");
            assertEquals(3, topic.partitionCount());
            assertEquals(1, topic.partition(2).nextOffset());
            assertEquals(1, topic.cursor("c").offset(2));
        }
    }

    @Test
    void shouldNotBringADeletedTopicBack() {
        try (LogStore store = Stores.at(directory).open()) {
            Topic topic = store.createTopic("t", Stores.small());
            store.deleteTopic("t");
            assertThrows(UnknownTopicException.class, () -> topic.addPartitions(2));
        }
        try (LogStore store = Stores.at(directory).open()) {
            assertEquals(0, store.topicNames().size());
        }
    }

    /**
     * The deletion waits for the writing of the topic file; what follows takes long with so many
     * partitions.
     */
    @Test
    void shouldLeaveNoOpenPartitionWhenATopicIsDeletedBesideAddPartitions() throws Exception {
        ObservedMedium medium = new ObservedMedium();
        Gate gate = new Gate();
        medium.beforeCreate(
                file -> {
                    if (file.getFileName().toString().equals(".topic.tmp")) {
                        gate.run(file);
                    }
                });
        // The partitions of a deleted topic count until they are released, which may take longer
        // than the next round needs.
        try (LogStore store = Stores.at(directory, medium).maxPartitions(200_000).open()) {
            for (int round = 0; round < 5; round++) {
                Topic topic = store.createTopic("t", Stores.small());
                gate.shut();
                Stores.Task<Void> growing =
                        Stores.start(
                                () -> {
                                    topic.addPartitions(20_000);
                                    return null;
                                });
                Stores.await(
                        "the new topic file",
                        () -> gate.held() == 1 || !growing.thread().isAlive());
                if (gate.held() == 0) {
                    growing.result(); // says why
                }
                Stores.Task<Void> deleting =
                        Stores.start(
                                () -> {
                                    store.deleteTopic("t");
                                    return null;
                                });
                Stores.await(
                        "the deletion", () -> deleting.thread().getState() == Thread.State.BLOCKED);
                gate.open();
                growing.result();
                deleting.result();
                for (int p : new int[] {0, 1, topic.partitionCount() - 1}) {
                    assertThrows(
                            UnknownTopicException.class,
                            () -> topic.partition(p).openExclusiveAppender());
                    assertThrows(
                            UnknownTopicException.class, () -> topic.partition(p).openTailer());
                }
            }
        }
    }

    @Test
    void shouldForgetWhereACursorStood() {
        try (LogStore store = Stores.at(directory).open()) {
            Topic topic = store.createTopic("t", Stores.small().withPartitions(2));
            Cursor cursor = topic.cursor("c");
            cursor.commit(0, 0);
            cursor.commit(1, 0);
            cursor.clear(0);
            cursor.force();
        }
        try (LogStore store = Stores.at(directory).open()) {
            Cursor cursor = store.openTopic("t").cursor("c");
            assertEquals(-1, cursor.offset(0));
            assertEquals(0, cursor.offset(1));
        }
    }
}
