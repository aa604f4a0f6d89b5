package io.firn.api;

import static io.firn.api.Stores.bytes;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.LogStore;
import io.firn.Partition;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a flight recording shows. */
class JfrTest {
    @TempDir private Path directory;

    @Test
    void shouldRecordRollsForcesStallsAndRecoveries() throws IOException {
        Path dump = directory.resolve("firn.jfr");
        try (Recording recording = new Recording()) {
            for (String name : List.of("Roll", "Force", "Stall", "Recovery")) {
                recording.enable("io.firn." + name).withoutThreshold();
            }
            recording.start();
            useAStoreTwice();
            recording.stop();
            recording.dump(dump);
        }
        List<RecordedEvent> rolls = events(dump, "Roll");
        assertEquals(1, rolls.size());
        assertEquals("t-0", rolls.get(0).getString("partition"));
        assertEquals(0, rolls.get(0).getLong("baseOffset"));
        assertEquals(3, rolls.get(0).getLong("endOffset"));

        List<RecordedEvent> forces = events(dump, "Force");
        assertEquals(5, forces.size());
        for (RecordedEvent force : forces) {
            assertEquals("t-0", force.getString("partition"));
            assertEquals(20_072, force.getInt("bytes"));
            assertTrue(force.getDuration().toNanos() > 0);
        }

        List<RecordedEvent> stalls = events(dump, "Stall");
        assertEquals("t-0", stalls.get(0).getString("partition"));
        assertTrue(stalls.get(0).getDuration().toNanos() > 0);

        List<RecordedEvent> recoveries = events(dump, "Recovery");
        assertEquals(1, recoveries.size());
        assertEquals("t-0", recoveries.get(0).getString("partition"));
        assertEquals(5, recoveries.get(0).getLong("nextOffset"));
        assertEquals(0, recoveries.get(0).getLong("unprovenBytes"));
    }

    private void useAStoreTwice() {
        try (LogStore store = Stores.at(directory).invokerMode().open()) {
            Partition partition = store.createTopic("t", Stores.small()).partition(0);
            try (Appender appender = partition.openExclusiveAppender()) {
                for (int i = 0; i < 5; i++) {
                    appender.append(new byte[20_000]);
                }
            }
        }
        try (LogStore store = Stores.at(directory).invokerMode().open()) {
            assertEquals(5, store.openTopic("t").partition(0).nextOffset());
        }
    }

    private static List<RecordedEvent> events(Path dump, String name) throws IOException {
        return RecordingFile.readAllEvents(dump).stream()
                .filter(event -> event.getEventType().getName().equals("io.firn." + name))
                .toList();
    }

    @Test
    void shouldWorkTheSameWhileNobodyRecords() {
        try (LogStore store = Stores.at(directory).open();
                Appender appender =
                        store.createTopic("t", Stores.small())
                                .partition(0)
                                .openExclusiveAppender()) {
            assertEquals(0, appender.append(bytes("a")));
        }
    }
}
