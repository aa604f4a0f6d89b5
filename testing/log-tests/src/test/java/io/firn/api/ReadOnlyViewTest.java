package io.firn.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.Cursor;
import io.firn.CursorReader;
import io.firn.InvalidOptionException;
import io.firn.LogReader;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.PartitionReader;
import io.firn.Tailer;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.TopicReader;
import io.firn.host.BatchRun;
import io.firn.host.HostedCursor;
import io.firn.host.HostedPartition;
import io.firn.host.HostedStore;
import java.nio.file.Path;
import java.util.OptionalLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a program that opened a store read-only has of it. */
class ReadOnlyViewTest {
    @TempDir private Path directory;
    private LogReader reader;

    @BeforeEach
    void open() {
        try (LogStore store = Stores.at(directory).open()) {
            Topic topic = store.createTopic("t", TopicOptions.defaults());
            store.createTopic("other", TopicOptions.defaults());
            try (Appender appender = topic.partition(0).openAppender()) {
                for (int i = 0; i < 10; i++) {
                    appender.append(new byte[] {(byte) i});
                }
            }
            topic.cursor("c").commit(0, 7);
        }
        reader = Stores.at(directory).openReadOnly();
    }

    @AfterEach
    void close() {
        reader.close();
    }

    @Test
    void shouldHaveNoObjectThatCanBeCastToOneThatWrites() {
        TopicReader topic = reader.openTopic("t");
        PartitionReader partition = topic.partition(0);
        CursorReader cursor = topic.cursor("c");
        assertFalse(reader instanceof LogStore);
        assertFalse(topic instanceof Topic);
        assertFalse(partition instanceof Partition);
        assertFalse(partition.topic() instanceof Topic);
        assertFalse(cursor instanceof Cursor);
        try (Tailer tailer = topic.openTailer()) {
            assertEquals(null, tailer.cursor());
        }
    }

    @Test
    void shouldShowAllThatCanBeRead() {
        TopicReader topic = reader.openTopic("t");
        assertEquals(topic, reader.openTopic("t"));
        assertEquals(topic, topic.partition(0).topic());
        assertEquals(7, topic.cursor("c").offset(0));
        assertEquals(10, topic.partition(0).visibleOffset());
        assertEquals(3, topic.cursorMetrics().get(0).lagRecords());
        assertTrue(reader.cursorMetrics().containsKey("t"));
        assertEquals("store " + reader.directory() + ", read-only", reader.toString());
        try (Tailer tailer = topic.partition(0).openTailer()) {
            tailer.seekTo(topic.cursor("c"));
            assertEquals(7, tailer.iterator().next().offset());
            CursorReader others = reader.openTopic("other").cursor("c");
            assertThrows(InvalidOptionException.class, () -> tailer.seekTo(others));
        }
    }

    @Test
    void shouldBeSeenThroughByPrograms() {
        TopicReader topic = reader.openTopic("t");
        HostedPartition partition = HostedPartition.of(topic.partition(0));
        try (BatchRun run = partition.openBatchReader().read(0, 1 << 20, true)) {
            assertEquals(0, run.baseOffset());
        }
        assertEquals(OptionalLong.of(7), HostedCursor.of(topic.cursor("c")).committed(0));
        HostedStore store = HostedStore.of(reader);
        assertTrue(store.isReadOnly());
        assertThrows(InvalidOptionException.class, store::newProducerId);
    }
}
