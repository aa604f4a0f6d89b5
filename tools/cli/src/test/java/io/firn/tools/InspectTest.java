package io.firn.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.LogStore;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the program prints where, and its exit code. */
class InspectTest {
    @TempDir Path directory;

    private static Run inspect(Object... directories) {
        return Run.of(new InspectCommand(), directories);
    }

    private void createStore() {
        Path store = directory.resolve("store");
        Path files = directory.resolve("files");
        TopicOptions options = TopicOptions.defaults().withSegmentBytes(64 * 1024);
        try (LogStore log = LogStore.at(store).tier(FileTier.at(files)).open();
                Appender appender =
                        log.createTopic("orders", options).partition(0).openExclusiveAppender()) {
            appender.append(new byte[100]);
        }
    }

    @Test
    void shouldEndWith0WhenNothingIsWrong() {
        createStore();

        Run run = inspect(directory.resolve("store"), directory.resolve("files"));

        assertEquals(0, run.exitCode(), run.toString());
        assertTrue(run.out().contains("topic orders"), run.out());
        assertTrue(run.out().endsWith(String.format("nothing is wrong%n")), run.out());
        assertEquals("", run.err());
    }

    @Test
    void shouldShowATierOnceThatIsNamedAndBelowANamedDirectory() {
        createStore();

        Run run = inspect(directory, directory.resolve("files"));

        assertEquals(0, run.exitCode(), run.toString());
    }

    @Test
    void shouldEndWith1WhenSomethingIsWrong() throws IOException {
        createStore();
        Files.delete(directory.resolve("files").resolve("tier"));

        Run run = inspect(directory);

        assertEquals(1, run.exitCode(), run.toString());
        assertTrue(run.out().contains("the file 'tier' is MISSING"), run.out());
        assertEquals("", run.err());
    }

    @Test
    void shouldEndWith2WhenADirectoryDoesNotExist() {
        Path missing = directory.resolve("missing");

        Run run = inspect(directory, missing);

        assertEquals(2, run.exitCode(), run.toString());
        assertTrue(run.err().contains("there is no directory " + missing), run.err());
        assertEquals("", run.out());
    }

    @Test
    void shouldExplainItself() {
        assertTrue(inspect("--help").out().startsWith("Usage: inspect [--help] DIRECTORY..."));
        assertEquals(2, inspect().exitCode());
        assertEquals(2, inspect("--verbose").exitCode());
    }
}
