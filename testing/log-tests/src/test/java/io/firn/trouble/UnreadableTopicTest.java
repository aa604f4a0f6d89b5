package io.firn.trouble;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.LogReader;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.StoreOpenException;
import io.firn.Topic;
import io.firn.UnknownTopicException;
import io.firn.UnreadableTopicException;
import io.firn.api.ObservedMedium;
import io.firn.medium.FileMedium;
import io.firn.medium.SmallFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Topics that cannot be read: no other topic takes their place in silence, nothing of them is lost,
 * and whoever asks is told what to do.
 */
class UnreadableTopicTest {
    private static final String OTHER = "other";

    @TempDir Path temporary;
    private Disk disk;
    private Map<Long, byte[]> expected;
    private UUID id;
    private Path file;

    @BeforeEach
    void fill() {
        disk = new Disk(temporary, new ObservedMedium());
        expected = disk.fill();
        try (LogStore store = disk.open()) {
            store.createTopic(OTHER, Disk.SMALL);
            id = store.openTopic(Disk.TOPIC).id();
        }
        file = directory(id).resolve("topic");
    }

    private Path topics() {
        return temporary.resolve("store").resolve("topics");
    }

    private Path directory(UUID topic) {
        return topics().resolve(topic.toString());
    }

    private List<String> directories() throws IOException {
        try (Stream<Path> all = Files.list(topics())) {
            return all.map(each -> each.getFileName().toString()).sorted().toList();
        }
    }

    private static void flipABit(Path file) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        bytes[bytes.length / 2] ^= 4;
        Files.write(file, bytes);
    }

    /** No topic is created, the message says why, nothing is changed, and others are served. */
    private void assertNothingIsCreated(Path named) throws IOException {
        List<String> before = directories();
        for (int life = 0; life < 2; life++) {
            try (LogStore store = disk.open()) {
                for (UnreadableTopicException refusal :
                        List.of(
                                assertThrows(
                                        UnreadableTopicException.class,
                                        () -> store.ensureTopic(Disk.TOPIC, Disk.SMALL)),
                                assertThrows(
                                        UnreadableTopicException.class,
                                        () -> store.createTopic("new", Disk.SMALL)),
                                assertThrows(
                                        UnreadableTopicException.class,
                                        () -> store.openTopic(Disk.TOPIC)),
                                assertThrows(
                                        UnreadableTopicException.class,
                                        () -> store.deleteTopic(Disk.TOPIC)))) {
                    String message = refusal.getMessage();
                    assertTrue(message.contains(named.toString()), message);
                    assertTrue(message.contains(id.toString()), message);
                    assertTrue(message.contains("createTopicsBesideUnreadableOnes"), message);
                }
                assertEquals(List.of(OTHER), store.topicNames());
                assertEquals(Set.of(id), store.unreadableTopics().keySet());
                assertTrue(store.findings().toString().contains(id.toString()));
                Disk.append(store.openTopic(OTHER).partition(0), 2);
                assertEquals(OTHER, store.ensureTopic(OTHER, Disk.SMALL).name(), "it is there");
            }
            assertEquals(before, directories());
        }
    }

    private void assertAllIsThere() {
        try (LogStore store = disk.open()) {
            assertEquals(Map.of(), store.unreadableTopics());
            assertEquals("[]", store.findings().toString());
            Partition partition = store.openTopic(Disk.TOPIC).partition(0);
            Found found = Found.in(partition);
            found.assertRightOrNamed(expected);
            found.assertReadable(0, 30);
            assertEquals(List.of(), partition.damage());
            store.createTopic("new", Disk.SMALL);
        }
    }

    @Test
    void shouldCreateNoTopicWhenATopicFileHasAFlippedBit() throws IOException {
        byte[] whole = Files.readAllBytes(file);
        flipABit(file);
        assertNothingIsCreated(file);
        Files.write(file, whole);
        assertAllIsThere();
    }

    @Test
    void shouldCreateNoTopicWhenATopicFileIsMissing() throws IOException {
        Path aside = temporary.resolve("aside");
        Files.move(file, aside);
        assertNothingIsCreated(file);
        Files.move(aside, file);
        assertAllIsThere();
    }

    @Test
    void shouldCreateNoTopicWhenATopicsDirectoryIsMissing() throws IOException {
        Path aside = temporary.resolve("aside");
        Files.move(directory(id), aside);
        assertNothingIsCreated(file);
        Files.move(aside, directory(id));
        assertAllIsThere();
    }

    @Test
    void shouldCreateNoTopicWhenATopicHasAnOptionOfANewerVersion() throws IOException {
        byte[] whole = Files.readAllBytes(file);
        writeWith("compaction", "true");
        assertNothingIsCreated(file);
        assertTrue(messageOfOpen(Disk.TOPIC).contains("compaction"));
        assertTrue(messageOfOpen(Disk.TOPIC).contains("newer"));
        Files.write(file, whole);
        assertAllIsThere();
    }

    @Test
    void shouldCreateNoTopicWhenATopicFileNamesNoTopic() throws IOException {
        byte[] whole = Files.readAllBytes(file);
        Map<String, String> values = new HashMap<>(readFile());
        values.remove("name");
        SmallFile.write(FileMedium.real(), file, "topic", 1, values);
        assertNothingIsCreated(file);
        Files.write(file, whole);
        assertAllIsThere();
    }

    private Map<String, String> readFile() throws IOException {
        return SmallFile.read(FileMedium.real(), file, "topic", 1);
    }

    private void writeWith(String key, String value) throws IOException {
        Map<String, String> values = new HashMap<>(readFile());
        values.put(key, value);
        SmallFile.write(FileMedium.real(), file, "topic", 1, values);
    }

    private String messageOfOpen(String topic) {
        try (LogStore store = disk.open()) {
            return assertThrows(UnreadableTopicException.class, () -> store.openTopic(topic))
                    .getMessage();
        }
    }

    /** Nothing lies in the tiers, but the cursor says that the topic was more than begun. */
    @Test
    void shouldCreateNoTopicWhenATopicWithoutSegmentsHasLostItsFile() throws IOException {
        Path lost;
        try (LogStore store = disk.open()) {
            Topic topic = store.createTopic("empty", Disk.SMALL);
            topic.cursor("c").commit(0, 0);
            topic.cursor("c").force();
            lost = directory(topic.id());
        }
        Files.delete(lost.resolve("topic"));
        try (LogStore store = disk.open()) {
            UnreadableTopicException refusal =
                    assertThrows(
                            UnreadableTopicException.class,
                            () -> store.ensureTopic("empty", Disk.SMALL));
            assertTrue(refusal.getMessage().contains(lost.toString()), refusal.getMessage());
        }
        assertTrue(Files.exists(lost.resolve("cursor-c")));
    }

    /**
     * All segments are deleted, so the log start alone says where the offsets go on: without it the
     * partition would begin again at 0.
     */
    @Test
    void shouldNotServeATopicThatCannotTellWhereItsOffsetsGoOn() throws IOException {
        try (Stream<Path> files = Files.walk(disk.segments())) {
            for (Path each : files.filter(f -> f.toString().contains(id.toString())).toList()) {
                if (Files.isRegularFile(each)) {
                    Files.delete(each);
                }
            }
        }
        Files.deleteIfExists(directory(id).resolve("producers-0"));
        Files.deleteIfExists(directory(id).resolve("producers"));
        Path start = directory(id).resolve("start-0");
        SmallFile.write(FileMedium.real(), start, "start", 1, Map.of("offset", "30"));
        byte[] whole = Files.readAllBytes(start);
        flipABit(start);
        assertNothingIsCreated(start);
        Files.write(start, whole);
        try (LogStore store = disk.open()) {
            assertEquals(30, store.openTopic(Disk.TOPIC).partition(0).nextOffset());
        }
    }

    @Test
    void shouldNameEachTopicThatCannotBeRead() throws IOException {
        UUID other;
        try (LogStore store = disk.open()) {
            other = store.openTopic(OTHER).id();
        }
        flipABit(file);
        flipABit(directory(other).resolve("topic"));
        try (LogStore store = disk.open()) {
            assertEquals(Set.of(id, other), store.unreadableTopics().keySet());
            String message =
                    assertThrows(
                                    UnreadableTopicException.class,
                                    () -> store.createTopic("new", Disk.SMALL))
                            .getMessage();
            assertTrue(message.contains(file.toString()), message);
            assertTrue(message.contains(directory(other).toString()), message);
        }
    }

    /** A crash between the making of the directory and the writing of its file leaves these. */
    @Test
    void shouldOpenAndCreateTopicsWhenACreationWasCutShort() throws IOException {
        Files.createDirectory(directory(UUID.randomUUID()));
        Path begun = Files.createDirectory(directory(UUID.randomUUID()));
        Files.writeString(begun.resolve(".topic.tmp"), "firn topic 1\nna");
        assertAllIsThere();
        assertEquals(3, directories().size());
    }

    // ---- asked for

    @Test
    void shouldCreateTopicsBesideAnUnreadableOneWhenAskedFor() throws IOException {
        byte[] whole = Files.readAllBytes(file);
        flipABit(file);
        try (LogStore store = disk.builder().createTopicsBesideUnreadableOnes().open()) {
            store.createTopic("new", Disk.SMALL);
            assertThrows(UnreadableTopicException.class, () -> store.openTopic(Disk.TOPIC));
        }
        Files.write(file, whole);
        try (LogStore store = disk.open()) {
            assertEquals(List.of("new", OTHER, Disk.TOPIC), store.topicNames());
            Found.in(store.openTopic(Disk.TOPIC).partition(0)).assertReadable(0, 30);
        }
    }

    @Test
    void shouldNotCreateASecondTopicOfAKnownNameEvenWhenAskedFor() throws IOException {
        writeWith("compaction", "true");
        try (LogStore store = disk.builder().createTopicsBesideUnreadableOnes().open()) {
            assertThrows(
                    UnreadableTopicException.class,
                    () -> store.ensureTopic(Disk.TOPIC, Disk.SMALL));
            store.createTopic("new", Disk.SMALL);
            assertThrows(UnknownTopicException.class, () -> store.openTopic("newer"));
        }
    }

    // ---- two of one name

    /** As an older version left it: a second topic was created while the file was damaged. */
    private UUID makeSecondOfOneName() throws IOException {
        byte[] whole = Files.readAllBytes(file);
        flipABit(file);
        UUID second;
        try (LogStore store = disk.builder().createTopicsBesideUnreadableOnes().open()) {
            Topic topic = store.createTopic(Disk.TOPIC, Disk.SMALL);
            Disk.append(topic.partition(0), 4);
            second = topic.id();
        }
        Files.write(file, whole);
        return second;
    }

    @Test
    void shouldRefuseToOpenTwoTopicsOfOneName() throws IOException {
        UUID second = makeSecondOfOneName();
        List<String> before = directories();
        StoreOpenException refusal =
                assertThrows(StoreOpenException.class, () -> disk.open().close());
        String message = refusal.getMessage();
        for (String part :
                List.of(
                        "'t'",
                        directory(id).toString(),
                        directory(second).toString(),
                        "[0, 30)",
                        "[0, 4)")) {
            assertTrue(message.contains(part), message);
        }
        assertEquals(before, directories());
        // As the message says.
        Path aside = Files.createDirectory(temporary.resolve("aside"));
        Files.move(directory(second), aside.resolve("topic"));
        Files.move(disk.segments().resolve(second.toString()), aside.resolve("segments"));
        assertAllIsThere();
    }

    @Test
    void shouldServeTheOtherTopicsReadOnlyWhenTwoHaveOneName() throws IOException {
        makeSecondOfOneName();
        try (LogReader store = disk.builder().openReadOnly()) {
            assertEquals(List.of(OTHER), store.topicNames());
            assertEquals(2, store.unreadableTopics().size());
            assertThrows(UnreadableTopicException.class, () -> store.openTopic(Disk.TOPIC));
        }
    }

    // ---- read-only

    @Test
    void shouldReadOtherTopicsReadOnlyWhenOneCannotBeRead() throws IOException {
        byte[] whole = Files.readAllBytes(file);
        flipABit(file);
        try (LogReader store = disk.builder().openReadOnly()) {
            String message =
                    assertThrows(UnreadableTopicException.class, () -> store.openTopic(Disk.TOPIC))
                            .getMessage();
            assertTrue(message.contains(file.toString()), message);
            assertEquals(0, store.openTopic(OTHER).partition(0).nextOffset());
            Files.write(file, whole);
            Found.in(store.openTopic(Disk.TOPIC).partition(0)).assertReadable(0, 30);
            assertEquals(Map.of(), store.unreadableTopics());
        }
        Files.delete(file);
        try (LogReader store = disk.builder().openReadOnly()) {
            assertThrows(UnreadableTopicException.class, () -> store.openTopic(Disk.TOPIC));
            assertFalse(store.unreadableTopics().isEmpty());
        }
    }
}
