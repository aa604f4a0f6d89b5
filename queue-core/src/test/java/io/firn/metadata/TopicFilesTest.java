package io.firn.metadata;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.TopicOptions;
import io.firn.UnknownTopicException;
import io.firn.background.Attempts;
import io.firn.background.DutyScheduler;
import io.firn.findings.Findings;
import io.firn.producer.ProducerFiles;
import io.firn.sim.SimulatedFileMedium;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.UUID;
import org.agrona.concurrent.SystemNanoClock;
import org.junit.jupiter.api.Test;

/** A topic's small files, while the topic goes. */
class TopicFilesTest {
    private static final Path DIRECTORY = Path.of("/sim/store");

    private final SimulatedFileMedium medium = new SimulatedFileMedium();
    private final UUID id = UUID.randomUUID();
    private final Path topic = StoreFiles.topicsIn(DIRECTORY).resolve(id.toString());

    private TopicFiles files() {
        DutyScheduler duties =
                DutyScheduler.invoked(() -> 0, new Attempts(SystemNanoClock.INSTANCE));
        SpareSpace spare = new SpareSpace(duties, medium, DIRECTORY, new Findings());
        return new TopicFiles(new StoreFiles(medium, DIRECTORY, spare, new Findings()), id);
    }

    private static void write(TopicFiles files, String cursor) throws IOException {
        files.directory().write("cursor-" + cursor, "cursor", 1, Map.of("0", "1"));
    }

    /**
     * A cursor that is written while its topic goes: a crash must not leave it without the topic
     * file, as if that one were lost.
     */
    @Test
    void shouldWriteNothingOfATopicThatGoes() throws IOException {
        TopicFiles files = files();
        files.create("t", TopicOptions.defaults());
        write(files, "c");
        boolean[] writing = new boolean[1];
        int[] late = new int[1];
        medium.onOperation(
                number -> {
                    if (!writing[0]) {
                        writing[0] = true;
                        try {
                            write(files, "late");
                            late[0]++;
                        } catch (IOException | UnknownTopicException e) {
                            // As it should be.
                        }
                        try {
                            assertTrue(
                                    medium.exists(topic.resolve("topic"))
                                            || medium.list(topic).isEmpty(),
                                    () -> "operation " + number);
                        } catch (IOException e) {
                            throw new AssertionError(e);
                        }
                        writing[0] = false;
                    }
                });
        files.delete();
        medium.ignoreOperations();
        assertFalse(medium.exists(topic));
        assertThrows(UnknownTopicException.class, () -> write(files, "c"));
        assertThrows(UnknownTopicException.class, () -> files.writeLogStart(0, 5));
        assertThrows(
                UnknownTopicException.class,
                () -> new ProducerFiles(files.directory()).write(0, Map.of()));
        assertTrue(late[0] == 0, "written late: " + late[0]);
    }
}
