package io.firn.api;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.firn.Appender;
import io.firn.Cursor;
import io.firn.LogStore;
import io.firn.Topic;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A cursor whose file is newer than the records, as in a copy of a store that was being written.
 */
class CursorBeyondTheEndTest {
    @TempDir private Path directory;

    private static void append(Topic topic, int count) {
        try (Appender appender = topic.partition(0).openExclusiveAppender()) {
            Stores.fill(appender, count, 100);
        }
    }

    @Test
    void shouldPersistACursorAndCloseWhenOneOfItsPositionsIsAboveTheEnd() throws IOException {
        Path file;
        byte[] newer;
        try (LogStore store = Stores.at(directory.resolve("newer")).open()) {
            Topic topic = store.createTopic("t", Stores.small().withPartitions(2));
            append(topic, 20);
            topic.cursor("reader").commit(0, 20);
            topic.cursor("reader").force();
            file = found(directory.resolve("newer"));
            newer = Files.readAllBytes(file);
        }
        try (LogStore store = Stores.at(directory).open()) {
            Topic topic = store.createTopic("t", Stores.small().withPartitions(2));
            append(topic, 10);
            topic.cursor("reader").commit(0, 10);
        }
        Files.write(found(directory.resolve("store")), newer);
        try (LogStore store = Stores.at(directory).open()) {
            Topic topic = store.openTopic("t");
            Cursor cursor = topic.cursor("reader");
            assertEquals(20, cursor.offset(0));
            cursor.commit(1, 0);
            cursor.force();
        }
        try (LogStore store = Stores.at(directory).open()) {
            Cursor cursor = store.openTopic("t").cursor("reader");
            assertEquals(10, cursor.offset(0));
            assertEquals(0, cursor.offset(1));
        }
    }

    private static Path found(Path store) {
        return Stores.filesIn(store).stream()
                .filter(each -> each.toString().contains("reader"))
                .findFirst()
                .orElseThrow();
    }
}
