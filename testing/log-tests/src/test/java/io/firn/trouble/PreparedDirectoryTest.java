package io.firn.trouble;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.LogReader;
import io.firn.LogStore;
import io.firn.RecordHandler.Action;
import io.firn.StoreOpenException;
import io.firn.Tailer;
import io.firn.file.FileTier;
import io.firn.inspect.Report;
import io.firn.inspect.StoreInspection;
import io.firn.medium.FileMedium;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Directories of a store that somebody else has prepared: what links in them lead to is not
 * changed, and FIFOs do not hang an open. Each refusal names its file.
 */
@Timeout(60) // an open of a FIFO waits for ever
class PreparedDirectoryTest {
    private static final String PRECIOUS = "precious, and longer than a published term is";

    @TempDir Path temporary;
    private Disk disk;
    private UUID id;
    private Path victim;

    @BeforeEach
    void fill() throws IOException {
        disk = new Disk(temporary);
        disk.fill();
        try (LogStore store = disk.open()) {
            id = store.openTopic(Disk.TOPIC).id();
        }
        victim = Files.writeString(temporary.resolve("victim"), PRECIOUS.repeat(200));
    }

    private Path store() {
        return temporary.resolve("store");
    }

    private static void replace(Path file, Path target) throws IOException {
        Files.deleteIfExists(file);
        Files.createSymbolicLink(file, target);
    }

    private static void fifo(Path file) throws Exception {
        Files.deleteIfExists(file);
        Process made = new ProcessBuilder("mkfifo", file.toString()).inheritIO().start();
        assertEquals(0, made.waitFor());
    }

    private void assertVictimIsAsBefore() throws IOException {
        assertEquals(PRECIOUS.repeat(200), Files.readString(victim));
    }

    private String refusal() {
        return assertThrows(StoreOpenException.class, () -> disk.open().close()).getMessage();
    }

    @Test
    void shouldNotTruncateAFileThroughALinkInPlaceOfTheLock() throws IOException {
        for (Path lock : List.of(store().resolve("lock"), disk.segments().resolve("lock"))) {
            byte[] before = Files.readAllBytes(lock);
            replace(lock, victim);
            String refusal = refusal();
            assertTrue(refusal.contains(lock + ": is a symbolic link"), refusal);
            assertVictimIsAsBefore();
            Files.delete(lock);
            Files.write(lock, before);
        }
        disk.open().close();
    }

    @Test
    void shouldNotCreateAFileThroughALinkInPlaceOfTheLock() throws IOException {
        Path elsewhere = temporary.resolve("elsewhere");
        replace(store().resolve("lock"), elsewhere);
        refusal();
        assertFalse(Files.exists(elsewhere));
    }

    @Test
    void shouldNotWriteThroughALinkInPlaceOfThePublishedEnds() throws IOException {
        Path ends = store().resolve("ends");
        replace(ends, victim);
        try (LogReader reader = disk.builder().openReadOnly()) {
            assertEquals(30, reader.openTopic(Disk.TOPIC).partition(0).nextOffset());
        }
        String refusal = refusal();
        assertTrue(refusal.contains(ends + ": is a symbolic link"), refusal);
        assertVictimIsAsBefore();
        Files.delete(ends);
        disk.open().close();
    }

    @Test
    void shouldDeleteNothingThroughALinkInPlaceOfATopic() throws IOException {
        Path foreign = Files.createDirectory(temporary.resolve("foreign"));
        Path hidden = Files.writeString(foreign.resolve(".profile"), PRECIOUS);
        Path link = store().resolve("topics").resolve(UUID.randomUUID().toString());
        Files.createSymbolicLink(link, foreign);

        try (LogStore store = disk.open()) {
            assertEquals(PRECIOUS, Files.readString(hidden));
            assertEquals(30, store.openTopic(Disk.TOPIC).partition(0).nextOffset());
            String unreadable = store.unreadableTopics().toString();
            assertTrue(unreadable.contains(link + ": is a symbolic link"), unreadable);
        }
        assertTrue(Files.isSymbolicLink(link));
        assertEquals(PRECIOUS, Files.readString(hidden));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "0"})
    void shouldNotWriteSegmentsThroughALink(String below) throws IOException {
        Path directory = disk.segments().resolve(id.toString()).resolve(below);
        Path moved = Files.move(directory, temporary.resolve("moved"));
        List<Path> before = filesIn(moved);
        Files.createSymbolicLink(directory, moved);

        String refusal = refusal();

        assertTrue(refusal.contains(directory + ": is a symbolic link"), refusal);
        assertTrue(refusal.contains("allowLinkedDirectories"), refusal);
        assertEquals(before, filesIn(moved));
        StoreOpenException read =
                assertThrows(StoreOpenException.class, () -> disk.builder().openReadOnly().close());
        assertTrue(read.getMessage().contains(directory.toString()), read.getMessage());
    }

    @Test
    void shouldFollowLinksToDirectoriesThatAreAllowed() throws IOException {
        Path moved = temporary.resolve("moved");
        Path topics = store().resolve("topics");
        Path segments = disk.segments().resolve(id.toString());
        Files.move(topics, moved);
        Files.createSymbolicLink(topics, moved);
        Files.move(segments, moved.resolve("segments"));
        Files.createSymbolicLink(segments, moved.resolve("segments"));
        for (int life = 0; life < 2; life++) {
            try (LogStore store =
                    LogStore.at(store())
                            .allowLinkedDirectories()
                            .tier(FileTier.at(disk.segments()).withLinkedDirectories())
                            .open()) {
                assertEquals(30 + 2 * life, Disk.partition(store).nextOffset());
                Disk.append(Disk.partition(store), 2);
            }
        }
    }

    /** A hard link cannot be told from a file, but its content can be from what Firn writes. */
    @Test
    void shouldNotChangeAFileOfAnotherContentInPlaceOfTheLockOrThePublishedEnds()
            throws IOException {
        for (String name : List.of("lock", "ends")) {
            Path file = store().resolve(name);
            Files.deleteIfExists(file);
            Files.createLink(file, victim);
            try {
                disk.open().close();
                assertEquals("ends", name);
            } catch (StoreOpenException e) {
                assertEquals("lock", name, e.toString());
                assertTrue(e.getMessage().contains(file.toString()), e.getMessage());
                Files.delete(file);
            }
            assertVictimIsAsBefore();
        }
    }

    private static List<Path> filesIn(Path directory) throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            return all.sorted().toList();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"store", "lock", "epochs", "ends", "topics/ID/topic", "topics/ID/start-0"})
    void shouldNotHangAtAFifoInPlaceOfASmallFile(String name) throws Exception {
        Path file = store().resolve(name.replace("ID", id.toString()));
        fifo(file);
        assertNamedOrReplaced(file);
    }

    @Test
    void shouldNotHangAtAFifoInPlaceOfAFileOfATier() throws Exception {
        Path tier = disk.segments().resolve("tier");
        byte[] before = Files.readAllBytes(tier);
        fifo(tier);
        assertNamedOrReplaced(tier);
        Files.delete(tier);
        Files.write(tier, before);
        for (String ending : List.of("mark", "log")) {
            Path file = disk.sealed(6, ending);
            before = Files.readAllBytes(file);
            fifo(file);
            assertNamedOrReplaced(file);
            Files.deleteIfExists(file);
            Files.write(file, before);
        }
    }

    /** The writer, a reader and a tool come to an end, and each refusal names the file. */
    private void assertNamedOrReplaced(Path file) throws IOException {
        Report report =
                StoreInspection.of(FileMedium.real(), List.of(store(), disk.segments()), true);
        assertFalse(report.lines().isEmpty());
        for (boolean readOnly : new boolean[] {true, false}) {
            try (LogReader store = readOnly ? disk.builder().openReadOnly() : disk.open()) {
                String told = store.findings() + " " + store.unreadableTopics();
                assertTrue(
                        told.contains(file.toString())
                                || readOnly
                                || Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS),
                        told);
            } catch (StoreOpenException e) {
                assertTrue(e.getMessage().contains(file.toString()), e.getMessage());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"index", "timeindex"})
    void shouldNotReadAnIndexThatIsLargerThanItsSegmentAllows(String ending) throws Exception {
        Path index = disk.sealed(6, ending);
        for (long bytes : new long[] {1L << 40, 400L << 20}) {
            try (RandomAccessFile sparse = new RandomAccessFile(index.toFile(), "rw")) {
                sparse.setLength(bytes);
            }
            assertIsMadeAgain(index);
        }
        fifo(index);
        assertIsMadeAgain(index);
    }

    private void assertIsMadeAgain(Path index) throws IOException {
        try (LogStore store = disk.open();
                Tailer tailer = Disk.partition(store).openTailer()) {
            tailer.seek(9);
            List<Long> offsets = new ArrayList<>();
            tailer.poll(
                    record -> {
                        offsets.add(record.offset());
                        return Action.STOP;
                    },
                    1);
            assertEquals(List.of(9L), offsets);
            String findings = store.findings().toString();
            assertTrue(findings.contains(index.toString()), findings);
        }
        assertTrue(Files.isRegularFile(index, LinkOption.NOFOLLOW_LINKS));
        assertTrue(Files.size(index) < 4096, index + " has " + Files.size(index) + " bytes");
    }

    @Test
    void shouldFollowALinkThatTheUserNames() throws IOException {
        Path data = Files.createDirectory(temporary.resolve("data"));
        for (String name : List.of("store", "segments")) {
            Files.move(temporary.resolve(name), data.resolve(name));
            Files.createSymbolicLink(temporary.resolve(name), data.resolve(name));
        }
        try (LogStore store = disk.open()) {
            Disk.append(Disk.partition(store), 2);
        }
        try (LogReader store = disk.builder().openReadOnly()) {
            assertEquals(32, store.openTopic(Disk.TOPIC).partition(0).nextOffset());
        }
    }
}
