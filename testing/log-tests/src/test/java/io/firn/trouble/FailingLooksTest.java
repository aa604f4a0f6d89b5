package io.firn.trouble;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Cursor;
import io.firn.FirnException;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.StoreOpenException;
import io.firn.Topic;
import io.firn.UnreadableTopicException;
import io.firn.medium.FileMedium;
import io.firn.medium.FilterFileMedium;
import io.firn.medium.MediumFile;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/** A look at a file that fails with an error is not the answer that there is no file. */
class FailingLooksTest {
    private static final String CURSOR = "reader";

    @TempDir Path temporary;
    private final Failing medium = new Failing();
    private Disk disk;
    private Path directory;

    @BeforeEach
    void fill() {
        disk = new Disk(temporary, medium);
        disk.fill();
        try (LogStore store = disk.open()) {
            Partition partition = Disk.partition(store);
            partition.deleteRecordsBefore(9);
            Cursor cursor = store.openTopic(Disk.TOPIC).cursor(CURSOR);
            cursor.commit(0, 12);
            cursor.force();
            directory =
                    temporary
                            .resolve("store/topics")
                            .resolve(store.openTopic(Disk.TOPIC).id().toString());
        }
    }

    /** Fails whatever is asked of one file. */
    private static final class Failing extends FilterFileMedium {
        private volatile Path file;

        Failing() {
            super(FileMedium.real());
        }

        private void look(Path path) throws IOException {
            if (path.toAbsolutePath().equals(file)) {
                throw new FileSystemException(path.toString(), null, "Input/output error");
            }
        }

        @Override
        public boolean exists(Path path) throws IOException {
            look(path);
            return super.exists(path);
        }

        @Override
        public boolean isLink(Path path) throws IOException {
            look(path);
            return super.isLink(path);
        }

        @Override
        public MediumFile open(Path path, boolean writable) throws IOException {
            look(path);
            return super.open(path, writable);
        }
    }

    /** Looks at the file fail while this runs. */
    private void whileLooksFail(Path file, Executable action) throws Throwable {
        medium.file = file.toAbsolutePath();
        try {
            action.execute();
        } finally {
            medium.file = null;
        }
    }

    private void assertRefused(Path file) throws Throwable {
        whileLooksFail(
                file,
                () -> {
                    StoreOpenException refusal =
                            assertThrows(StoreOpenException.class, () -> disk.open().close());
                    assertNamesWithoutAdvice(file, refusal.getMessage());
                });
    }

    private static void assertNamesWithoutAdvice(Path file, String message) {
        assertTrue(message.contains(file.toString()), message);
        for (String wrong : List.of("estore", "missing", "is a file", "no file", "damaged")) {
            assertFalse(message.contains(wrong), message);
        }
    }

    @Test
    void shouldKeepTheLogStartWhenALookAtItFails() throws Throwable {
        Path start = directory.resolve("start-0");
        assertRefused(start);
        try (LogStore store = disk.open()) {
            assertEquals(9, Disk.partition(store).logStartOffset());
            assertEquals(List.of(), Disk.partition(store).damage());
            assertEquals("[]", store.findings().toString());
        }
    }

    @Test
    void shouldKeepACursorWhenALookAtItFails() throws Throwable {
        Path file = directory.resolve("cursor-" + CURSOR);
        whileLooksFail(
                file,
                () -> {
                    try (LogStore store = disk.open()) {
                        Topic topic = store.openTopic(Disk.TOPIC);
                        FirnException refusal =
                                assertThrows(
                                        FirnException.class, () -> topic.cursor(CURSOR).offset(0));
                        assertNamesWithoutAdvice(file, refusal.getMessage());
                    }
                });
        try (LogStore store = disk.open()) {
            assertEquals(12, store.openTopic(Disk.TOPIC).cursor(CURSOR).offset(0));
        }
    }

    @Test
    void shouldNotCallATopicDamagedWhenALookAtItFails() throws Throwable {
        Path file = directory.resolve("topic");
        whileLooksFail(
                file,
                () -> {
                    try (LogStore store = disk.open()) {
                        UnreadableTopicException refusal =
                                assertThrows(
                                        UnreadableTopicException.class,
                                        () -> store.openTopic(Disk.TOPIC));
                        assertNamesWithoutAdvice(file, refusal.getMessage());
                        String message = refusal.getMessage();
                        assertTrue(message.contains("may be whole"), message);
                    }
                });
        try (LogStore store = disk.open()) {
            assertEquals(9, Disk.partition(store).logStartOffset());
        }
    }

    @Test
    void shouldRefuseAStoreWhoseOwnFilesCannotBeLookedAt() throws Throwable {
        for (String name : List.of("store", "epochs", "producer-ids")) {
            Path file = temporary.resolve("store").resolve(name);
            if (!Files.exists(file)) {
                Files.writeString(file, "");
            }
            assertRefused(file);
            if (Files.size(file) == 0) {
                Files.delete(file);
            }
        }
        try (LogStore store = disk.open()) {
            assertEquals(9, Disk.partition(store).logStartOffset());
        }
    }

    @Test
    void shouldRefuseATierWhoseFileCannotBeLookedAt() throws Throwable {
        Path file = disk.segments().resolve("tier");
        assertRefused(file);
    }

    @Test
    void shouldNameAMissingLogStart() throws IOException {
        Path start = directory.resolve("start-0");
        Files.delete(start);
        try (LogStore store = disk.open()) {
            String findings = store.findings().toString();
            assertTrue(findings.contains(start + " is missing"), findings);
        }
    }

    @Test
    void shouldNameACursorThatIsAheadOfItsLog() throws IOException {
        Path file = directory.resolve("cursor-" + CURSOR);
        Path other;
        try (LogStore store = disk.open()) {
            Topic topic = store.createTopic("other", Disk.SMALL);
            other = directory.resolveSibling(topic.id().toString());
        }
        Path copy = other.resolve(file.getFileName());
        Files.copy(file, copy);
        try (LogStore store = disk.open()) {
            store.openTopic("other").cursor(CURSOR);
            String findings = store.findings().toString();
            assertTrue(findings.contains(copy + " has the offset 12"), findings);
        }
    }

    @Test
    void shouldNameATopicFileThatIsOlderThanItsPartitions() throws IOException {
        Path topicFile = directory.resolve("topic");
        byte[] before = Files.readAllBytes(topicFile);
        try (LogStore store = disk.open()) {
            Topic topic = store.openTopic(Disk.TOPIC);
            topic.addPartitions(2);
            Disk.append(topic.partition(1), 2);
            topic.cursor(CURSOR).commit(1, 2);
            topic.cursor(CURSOR).force();
        }
        Files.write(topicFile, before);
        try (LogStore store = disk.open()) {
            store.openTopic(Disk.TOPIC).cursor(CURSOR);
            String findings = store.findings().toString();
            assertTrue(findings.contains(topicFile + " is from before that"), findings);
            assertTrue(findings.contains(topicFile + " is older"), findings);
        }
    }
}
