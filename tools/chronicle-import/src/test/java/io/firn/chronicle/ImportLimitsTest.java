package io.firn.chronicle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.LogStore;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import net.openhft.chronicle.queue.ExcerptAppender;
import net.openhft.chronicle.queue.ExcerptTailer;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueue;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueueBuilder;
import net.openhft.chronicle.queue.rollcycles.TestRollCycles;
import net.openhft.chronicle.wire.DocumentContext;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Imports into topics with small segments, and arguments and names that cannot be used. */
class ImportLimitsTest {
    private static final String TOPIC = "orders";
    private static final int SMALL = 64 * 1024;

    @TempDir Path directory;
    private Path queue;
    private Path store;

    @BeforeEach
    void name() {
        queue = directory.resolve("queue");
        store = directory.resolve("store");
    }

    private ImportRun run(Object... more) {
        return ImportRun.of(queue, store, TOPIC, more);
    }

    private LogStore openStore() {
        return LogStore.at(store).tier(FileTier.at(store.resolve("segments"))).open();
    }

    private void write(int... lengths) {
        try (SingleChronicleQueue opened =
                        SingleChronicleQueueBuilder.single(queue.toString()).build();
                ExcerptAppender appender = opened.createAppender()) {
            for (int length : lengths) {
                try (DocumentContext document = appender.writingDocument()) {
                    document.wire().bytes().write(new byte[length]);
                }
            }
        }
    }

    @Test
    void shouldImportManySmallDocumentsIntoSmallSegments() {
        int[] lengths = new int[20_000];
        Arrays.fill(lengths, 100);
        write(lengths);

        ImportRun run = run("--segment-bytes", SMALL);

        assertEquals(0, run.exitCode(), run.toString());
        assertTrue(run.out().contains("Equal: 20,000 records"), run.out());
    }

    @Test
    void shouldImportIntoATopicThatHasSmallSegments() {
        int[] lengths = new int[2_000];
        for (int i = 0; i < lengths.length; i++) {
            lengths[i] = i % 50 == 0 ? 30_000 : i % 3_000;
        }
        write(lengths);
        try (LogStore opened = openStore()) {
            opened.createTopic(TOPIC, TopicOptions.defaults().withSegmentBytes(SMALL));
        }

        ImportRun run = run();

        assertEquals(0, run.exitCode(), run.toString());
        assertTrue(run.out().contains("Equal: 2,000 records"), run.out());
    }

    @Test
    void shouldImportWhatIsBeforeADocumentThatIsTooLargeAndNameIt() {
        write(100, 100, 40_000, 100);

        ImportRun run = run("--segment-bytes", SMALL);

        assertEquals(3, run.exitCode(), run.toString());
        assertTrue(run.err().contains("00002, 40,000 bytes: "), run.err());
        assertTrue(run.err().contains("--segment-bytes"), run.err());
        try (LogStore opened = openStore()) {
            assertEquals(2, opened.openTopic(TOPIC).partition(0).nextOffset());
        }
    }

    @Test
    void shouldPlaceTheOtherCursorsWhenTheNameOfATailerIsTooLong() {
        write(10, 10, 10, 10, 10);
        String longName = "m".repeat(130);
        try (SingleChronicleQueue opened =
                SingleChronicleQueueBuilder.single(queue.toString()).build()) {
            for (String name : List.of("audit", longName, "zones")) {
                try (ExcerptTailer tailer = opened.createTailer(name);
                        DocumentContext document = tailer.readingDocument()) {
                    assertTrue(document.isPresent());
                }
            }
        }

        ImportRun run = run();

        assertEquals(0, run.exitCode(), run.toString());
        assertTrue(run.out().contains(longName + ", at offset 1, "), run.out());
        assertTrue(run.out().contains("became cursors: 2."), run.out());
        try (LogStore opened = openStore()) {
            Topic topic = opened.openTopic(TOPIC);
            assertEquals(1, topic.cursor("audit").offset(0));
            assertEquals(1, topic.cursor("zones").offset(0));
        }
    }

    private void requireWrongArgument(String message, ImportRun run) {
        assertEquals(2, run.exitCode(), run.toString());
        assertTrue(run.err().contains(message), run.err());
        assertFalse(Files.exists(store), "nothing is created");
    }

    @Test
    void shouldReturnTwoAndCreateNothingWhenAnArgumentIsWrong() throws IOException {
        requireWrongArgument("there is no directory", run());
        Files.createDirectories(queue);
        requireWrongArgument("no directory of a queue", run());
        write(10);
        for (Object bytes : List.of(0, -5, Integer.MAX_VALUE)) {
            requireWrongArgument("segmentBytes", run("--segment-bytes", bytes));
        }
        requireWrongArgument("--tier", run("--tier", "foo:bar"));
        requireWrongArgument("--tier", run("--tier", "file:"));
        for (String name : List.of("bad/name", "", ".", "..", "x".repeat(250))) {
            requireWrongArgument("a topic's name", ImportRun.of(queue, store, name));
        }
    }

    @Test
    void shouldCreateNoStoreInTheDirectoryOfTheQueue() throws IOException {
        Queues.write(queue, TestRollCycles.TEST_SECONDLY, 1, 30, 3);
        Path link = Files.createSymbolicLink(directory.resolve("link"), queue);
        List<Path> before = content();

        for (Path inQueue :
                List.of(
                        queue,
                        queue.resolve("store"),
                        link,
                        link.resolve("new/store"),
                        directory.resolve("none/../queue/store"))) {
            ImportRun run = ImportRun.of(queue, inQueue, TOPIC);

            assertEquals(2, run.exitCode(), run.toString());
            assertTrue(run.err().contains("in the queue's directory"), run.err());
        }

        assertEquals(before, content());
        ImportRun beside = ImportRun.of(queue, directory.resolve("queue2"), TOPIC);
        assertEquals(0, beside.exitCode(), beside.toString());
    }

    private List<Path> content() throws IOException {
        try (Stream<Path> all = Files.walk(queue)) {
            return all.sorted().toList();
        }
    }
}
