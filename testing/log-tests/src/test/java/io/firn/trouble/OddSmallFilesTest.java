package io.firn.trouble;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Cursor;
import io.firn.FirnException;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.StoreOpenException;
import io.firn.Topic;
import io.firn.Transaction;
import io.firn.medium.FileMedium;
import io.firn.medium.SmallFile;
import io.firn.sim.FirstRunOnly;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Small files with a right checksum and a content that Firn has not written: opening is refused, or
 * what is wrong is a finding, and both name the file; whatever else is in the store is served.
 */
@FirstRunOnly
class OddSmallFilesTest {
    private static final String OTHER = "other";
    private static final String CURSOR = "reader";
    private static final String NONE = "(none)";

    @TempDir Path temporary;
    private Disk disk;
    private Path directory;

    @BeforeEach
    void fill() throws IOException {
        disk = new Disk(temporary);
        disk.fill();
        try (LogStore store = disk.open()) {
            Topic topic = store.openTopic(Disk.TOPIC);
            Disk.partition(store).deleteRecordsBefore(9);
            Cursor cursor = topic.cursor(CURSOR);
            cursor.commit(0, 12);
            cursor.force();
            Disk.append(store.createTopic(OTHER, Disk.SMALL).partition(0), 2);
            directory = temporary.resolve("store/topics").resolve(topic.id().toString());
            abort(store, topic);
        }
        joinCheckpoints();
    }

    /** Only the later one of two checkpoints of a partition is looked into. */
    private void joinCheckpoints() throws IOException {
        Path own = directory.resolve("producers-0");
        Path all = directory.resolve("producers");
        if (!Files.exists(own)) {
            return; // none was due before the close
        }
        Map<String, String> values = new TreeMap<>();
        SmallFile.read(FileMedium.real(), own, "producers", 1)
                .forEach((key, value) -> values.put("0." + key, value));
        SmallFile.write(FileMedium.real(), all, "producers", 1, values);
        Files.delete(own);
    }

    /** So that the checkpoint of the close has a producer and an aborted transaction. */
    private static void abort(LogStore store, Topic topic) {
        try (Transaction transaction = store.beginTransaction()) {
            transaction.append(topic.partition(0), new byte[] {1}, new byte[] {2});
            transaction.abort();
        }
    }

    private Path file(String name) {
        return switch (name) {
            case "tier" -> disk.segments().resolve(name);
            case "store", "epochs", "producer-ids" -> temporary.resolve("store").resolve(name);
            default -> directory.resolve(name);
        };
    }

    private static void change(Path file, String key, String value) throws IOException {
        String[] header = Files.readString(file).lines().findFirst().orElseThrow().split(" ");
        int version = Integer.parseInt(header[2]);
        Map<String, String> values =
                new TreeMap<>(SmallFile.read(FileMedium.real(), file, header[1], version));
        if (value.equals(NONE)) {
            values.remove(key);
        } else {
            values.put(key, value);
        }
        SmallFile.write(FileMedium.real(), file, header[1], version, values);
    }

    /** Refused, or a finding; the message names the file. */
    private String told() {
        try (LogStore store = disk.open()) {
            Topic other = store.openTopic(OTHER);
            Disk.append(other.partition(0), 2);
            use(store);
            return store.findings().toString();
        } catch (StoreOpenException e) {
            return e.getMessage();
        }
    }

    private static void use(LogStore store) {
        try {
            Topic topic = store.openTopic(Disk.TOPIC);
            Partition partition = topic.partition(0);
            Found.in(partition);
            topic.cursor(CURSOR).offset(0);
            Disk.append(partition, 2);
        } catch (FirnException e) {
            return; // typed; the findings say the same
        }
    }

    @ParameterizedTest
    @CsvSource({
        "store, id, (none)",
        "store, id, x",
        "store, id, 1-1-1-1-1",
        "store, tiers, (none)",
        "store, tiers, x",
        "epochs, leasedBelow, (none)",
        "epochs, leasedBelow, many",
        "epochs, leasedBelow, -1",
        "epochs, leasedBelow, 9223372036854775807",
        "producer-ids, leasedBelow, ''",
        "tier, tier, (none)",
        "tier, store, x",
        "tier, rewritten, perhaps",
        "topic, name, (none)",
        "topic, name, ../../x",
        "topic, minimumClass, (none)",
        "topic, minimumClass, ''",
        "topic, minimumClass, EVERYTHING",
        "topic, partitions, (none)",
        "topic, partitions, 0",
        "topic, partitions, 2147483647",
        "topic, partitions, x",
        "topic, deleted, perhaps",
        "topic, retainUntilRead, '%zz'",
        "topic, unknown, 1",
        "start-0, offset, (none)",
        "start-0, offset, x",
        "start-0, offset, -5",
        "start-0, offset, 9223372036854775807",
        "cursor-reader, 0, x",
        "cursor-reader, 0, -7",
        "cursor-reader, x, 1",
        "cursor-reader, decision-0, x",
        "cursor-reader, outside-, 1",
        "producers, 0.nextOffset, (none)",
        "producers, 0.nextOffset, x",
        "producers, 0.nextOffset, -1",
        "producers, x, 1",
        "producers, 0.5, 1",
        "producers, 0.5, 0 0 1 2 x",
        "producers, 0.x, 0 0 1 2 3",
        "producers, 0.tx.77, 5 1",
        "producers, 0.aborted.x, 1 2 3",
        "producers, 0.aborted.5, 1 2",
        "producers, 0.abortedTo, x",
        "producers, 0.epoch.x, 1",
        "producers, 0.epoch.1, x",
    })
    void shouldNameAFileWithOddContent(String name, String key, String value) throws IOException {
        Path file = file(name);
        assertTrue(Files.exists(file), "the store has a file " + file);
        byte[] before = Files.readAllBytes(file);
        change(file, key, value);
        String told = told();
        assertTrue(told.contains(file.toString()), told);
        Files.write(file, before);
        try (LogStore store = disk.open()) {
            assertTrue(store.openTopic(Disk.TOPIC).partition(0).nextOffset() >= 30);
        }
    }

    @Test
    void shouldShowNoControlCharactersOfATopicsName() throws IOException {
        change(file("topic"), "name", "a\u001b[31m\r\nb");
        String told = told();
        assertTrue(told.contains("a\\u001b[31m\\u000d\\u000ab"), told);
        assertFalse(told.contains("\u001b"), told);
    }

    @Test
    void shouldServeOtherTopicsWhenOneFileHasNoClass() throws IOException {
        change(file("topic"), "minimumClass", NONE);
        try (LogStore store = disk.open()) {
            assertEquals(1, store.unreadableTopics().size());
            assertEquals(2, store.openTopic(OTHER).partition(0).nextOffset());
        }
    }
}
