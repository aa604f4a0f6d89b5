package io.firn.tools;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.LogStore;
import io.firn.StoreOpenException;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Small files that are made again. */
class RepairFilesTest {
    @TempDir Path directory;
    private Path store;
    private Path topic;

    private LogStore open() {
        return LogStore.at(store)
                .tier(FileTier.at(directory.resolve("fast")))
                .tier(FileTier.at(directory.resolve("slow")))
                .open();
    }

    @BeforeEach
    void fill() throws IOException {
        store = directory.resolve("store");
        TopicOptions options = TopicOptions.defaults().withPartitions(3).withSegmentBytes(1 << 20);
        try (LogStore log = open();
                Appender first = log.createTopic("orders", options).partition(0).openAppender();
                Appender last = log.openTopic("orders").partition(2).openAppender()) {
            first.append(new byte[100]);
            last.append(new byte[100]);
            last.append(new byte[100]);
            topic = store.resolve("topics").resolve(log.openTopic("orders").id().toString());
        }
    }

    private Run repair(Object... more) {
        List<Object> words = new ArrayList<>(List.of("repair", "files", store));
        words.add("--tier=file:" + directory.resolve("fast"));
        words.add("--tier=file:" + directory.resolve("slow"));
        words.addAll(List.of(more));
        return Run.firn(words.toArray());
    }

    /** Damages a line of it, so that the checksum is wrong. */
    private static byte[] damage(Path file, String before, String after) throws IOException {
        Files.writeString(file, Files.readString(file).replace(before, after));
        return Files.readAllBytes(file);
    }

    private void assertNothingIsChanged(Run run, byte[] damaged, Path file) throws IOException {
        assertEquals(Exit.FOUND, run.exitCode(), run.toString());
        assertTrue(run.out().endsWith("Nothing was changed: --execute does it.\n"), run.out());
        if (damaged != null) {
            assertArrayEquals(damaged, Files.readAllBytes(file));
        }
        if (!file.startsWith(store.resolve("topics"))) { // without a topic, it can be opened
            assertThrows(StoreOpenException.class, this::open);
        }
    }

    private void execute(Object... more) {
        List<Object> words = new ArrayList<>(List.of(more));
        words.add("--execute");
        Run run = repair(words.toArray());
        assertEquals(Exit.FINE, run.exitCode(), run.toString());
        Run again = repair();
        assertEquals(new Run(Exit.FINE, "no files\n", ""), again);
    }

    private void assertHasEverything(String name) {
        try (LogStore log = open()) {
            assertEquals(List.of(name), log.topicNames());
            var found = log.openTopic(name);
            assertEquals(3, found.partitionCount());
            assertEquals(1, found.partition(0).nextOffset());
            assertEquals(2, found.partition(2).nextOffset());
            try (Appender appender = found.partition(2).openAppender()) {
                assertEquals(2, appender.append(new byte[1]));
            }
        }
    }

    private Path copyOf(Path file) throws IOException {
        String name = file.getParent().getFileName() + "-" + file.getFileName();
        try (Stream<Path> all = Files.walk(store.resolve("replaced"))) {
            return all.filter(each -> each.getFileName().toString().equals(name))
                    .findFirst()
                    .orElseThrow();
        }
    }

    @Test
    void shouldDoNothingWhereNothingIsDamaged() {
        assertEquals(new Run(Exit.FINE, "no files\n", ""), repair());
        assertEquals(new Run(Exit.FINE, "no files\n", ""), repair("--execute"));
        assertFalse(Files.exists(store.resolve("replaced")));
    }

    @Test
    void shouldMakeTheCountersAgainAboveWhatWasUsed() throws IOException {
        Path epochs = store.resolve("epochs");
        byte[] damaged = damage(epochs, "leasedBelow=1", "leasedBelow=2");
        Run shown = repair();
        assertNothingIsChanged(shown, damaged, epochs);
        assertTrue(shown.out().contains("epochs"), shown.out());
        execute();
        assertArrayEquals(damaged, Files.readAllBytes(copyOf(epochs)));
        assertHasEverything("orders");
    }

    @Test
    void shouldMakeTheFileOfATierAgain() throws IOException {
        Path tier = directory.resolve("fast/tier");
        byte[] damaged = damage(tier, "store=", "store=0");
        assertNothingIsChanged(repair(), damaged, tier);
        execute();
        assertArrayEquals(damaged, Files.readAllBytes(copyOf(tier)));
        assertHasEverything("orders");

        Files.delete(tier);
        assertNothingIsChanged(repair(), null, tier);
        execute();
        try (LogStore log = open()) {
            assertEquals(3, log.openTopic("orders").partition(2).nextOffset());
        }
    }

    @Test
    void shouldNotGuessWhichOfTwoTiersIsWhich() throws IOException {
        damage(directory.resolve("fast/tier"), "store=", "store=0");
        damage(directory.resolve("slow/tier"), "store=", "store=0");
        Run run = repair("--execute");
        assertEquals(Exit.FAILED, run.exitCode(), run.toString());
        assertTrue(run.err().contains("it is not known which tiers these are"), run.err());
    }

    @Test
    void shouldMakeATopicFileAgainOfWhatIsLegible() throws IOException {
        Path file = topic.resolve("topic");
        byte[] damaged = damage(file, "durability=DURABLE", "durability=DURABLX");
        Run shown = repair();
        assertNothingIsChanged(shown, damaged, file);
        assertTrue(shown.out().contains("its name is orders, from the damaged file"), shown.out());
        assertTrue(shown.out().contains("segmentBytes is 1048576"), shown.out());
        execute();
        assertArrayEquals(damaged, Files.readAllBytes(copyOf(file)));
        assertHasEverything("orders");
    }

    @Test
    void shouldMakeATopicFileAgainOfTheSegments() throws IOException {
        String id = topic.getFileName().toString();
        Files.delete(topic.resolve("topic"));
        Run shown = repair();
        assertEquals(Exit.FOUND, shown.exitCode(), shown.toString());
        assertTrue(shown.out().contains("its name is not known: recovered-" + id), shown.out());
        assertTrue(shown.out().contains("it has 3 partitions"), shown.out());
        execute("--name=" + id + "=trades");
        assertHasEverything("trades");
    }

    @Test
    void shouldRefuseAStoreThatIsOpen() throws IOException {
        LogStore used = open();
        damage(topic.resolve("topic"), "durability=DURABLE", "durability=DURABLX");
        Run run = repair("--execute");
        assertEquals(Exit.FAILED, run.exitCode(), run.toString());
        assertTrue(run.err().contains("lock is locked by this process"), run.err());
        used.close();
    }
}
