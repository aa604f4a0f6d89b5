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
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the program prints where, and its exit code. */
class VerifyTest {
    @TempDir Path directory;

    private static Run verify(Object... directories) {
        return Run.of(new VerifyCommand(), directories);
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

        Run run = verify(directory.resolve("store"), directory.resolve("files"));

        assertEquals(0, run.exitCode(), run.toString());
        assertTrue(run.out().contains("topic orders"), run.out());
        assertTrue(run.out().endsWith(String.format("nothing is wrong%n")), run.out());
        assertEquals("", run.err());
    }

    @Test
    void shouldShowATierOnceThatIsNamedAndBelowANamedDirectory() {
        createStore();

        Run run = verify(directory, directory.resolve("files"));

        assertEquals(0, run.exitCode(), run.toString());
    }

    @Test
    void shouldEndWith1WhenSomethingIsWrong() throws IOException {
        createStore();
        Files.delete(directory.resolve("files").resolve("tier"));

        Run run = verify(directory);

        assertEquals(1, run.exitCode(), run.toString());
        assertTrue(run.out().contains("the file 'tier' is MISSING"), run.out());
        assertEquals("", run.err());
    }

    @Test
    void shouldEndWith2WhenADirectoryDoesNotExist() {
        Path missing = directory.resolve("missing");

        Run run = verify(directory, missing);

        assertEquals(2, run.exitCode(), run.toString());
        assertTrue(run.err().contains("there is no directory " + missing), run.err());
        assertEquals("", run.out());
    }

    @Test
    void shouldExplainItself() {
        assertTrue(
                verify("--help")
                        .out()
                        .startsWith("Usage: verify [--deep] [--json] [--help] DIRECTORY..."));
        assertEquals(2, verify().exitCode());
        assertEquals(2, verify("--verbose").exitCode());
    }

    @Test
    void shouldReadSealedSegmentsOnlyWhenItIsDeep() throws IOException {
        Path files = directory.resolve("files");
        TopicOptions options = TopicOptions.defaults().withSegmentBytes(64 * 1024);
        try (LogStore log =
                        LogStore.at(directory.resolve("store")).tier(FileTier.at(files)).open();
                Appender appender =
                        log.createTopic("orders", options).partition(0).openExclusiveAppender()) {
            for (int i = 0; i < 10; i++) {
                appender.append(new byte[30_000]); // two fill a segment
            }
        }
        Path sealed;
        try (Stream<Path> all = Files.walk(files)) {
            sealed = all.filter(path -> path.toString().endsWith(".log")).findFirst().orElseThrow();
        }
        byte[] bytes = Files.readAllBytes(sealed);
        bytes[200] ^= 1;
        Files.write(sealed, bytes);

        assertEquals(Exit.FINE, verify(directory).exitCode());
        Run deep = verify(directory, "--deep", "--json");

        assertEquals(Exit.FOUND, deep.exitCode(), deep.toString());
        assertTrue(deep.out().contains("{\"line\":\"1 things are wrong\"}"), deep.out());
    }
}
