package io.firn.chronicle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.LogStore;
import io.firn.file.FileTier;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import net.openhft.chronicle.queue.RollCycles;
import net.openhft.chronicle.queue.rollcycles.TestRollCycles;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Imports of queues in whose files a document can no longer be read. */
class DamagedQueueTest {
    private static final String TOPIC = "orders";
    private static final int IN_FILE = 100;
    private static final int HEADER_BYTES = 4;

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

    private void write() throws IOException {
        Queues.write(queue, TestRollCycles.TEST_SECONDLY, 4711, 3 * IN_FILE, 3);
    }

    private Path file(int number) throws IOException {
        return Queues.files(queue).get(number);
    }

    private long records() {
        try (LogStore opened =
                LogStore.at(store).tier(FileTier.at(store.resolve("segments"))).open()) {
            return opened.openTopic(TOPIC).partition(0).nextOffset();
        }
    }

    /** Zeroes the header of a document in the middle of a file; returns its number there. */
    private int damage(int number) throws IOException {
        return damage(number, IN_FILE / 2, 0);
    }

    /** Replaces the header of a document in a file, or of one soon after; returns its number. */
    private int damage(int number, int from, int header) throws IOException {
        List<byte[]> documents = Queues.read(queue);
        int document = from;
        while (documents.get(number * IN_FILE + document).length < 50) {
            document++; // one that is found by its bytes
        }
        byte[] part = documents.get(number * IN_FILE + document);
        byte[] bytes = Files.readAllBytes(file(number));
        int at = 0;
        while (!Arrays.equals(bytes, at, at + part.length, part, 0, part.length)) {
            at++;
        }
        ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putInt(at - HEADER_BYTES, header);
        Files.write(file(number), bytes);
        return document;
    }

    private void requireNamed(String text, int number, int document) throws IOException {
        String name = file(number).getFileName().toString();
        assertTrue(
                text.contains(
                        "%s has %d documents, of which %d cannot be read, numbers %d to %d "
                                .formatted(
                                        name, IN_FILE, IN_FILE - document, document, IN_FILE - 1)),
                text);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void shouldEndBeforeDocumentsThatCannotBeReadAndNameThem(int number) throws IOException {
        write();
        byte[] whole = Files.readAllBytes(file(number));
        int document = damage(number);

        for (int i = 0; i < 2; i++) {
            ImportRun run = run();

            assertEquals(3, run.exitCode(), run.toString());
            requireNamed(run.err(), number, document);
            assertTrue(run.err().contains("--accept-holes"), run.err());
            assertFalse(run.out().contains("Equal"), run.out());
            assertFalse(run.out().contains("Note"), run.out());
            assertEquals(number * IN_FILE + document, records());
        }
        Files.write(file(number), whole);
        ImportRun run = run();

        assertEquals(0, run.exitCode(), run.toString());
        assertEquals(3 * IN_FILE, records());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void shouldLeaveOutDocumentsThatCannotBeReadOnRequestAndNameThem(int number)
            throws IOException {
        write();
        int document = damage(number);

        for (int i = 0; i < 2; i++) {
            ImportRun run = run("--accept-holes");

            assertEquals(0, run.exitCode(), run.toString());
            requireNamed(run.out(), number, document);
            assertFalse(run.out().contains("did not finish"), run.out());
            assertEquals(2 * IN_FILE + document, records());
        }
        ImportRun refused = run();

        assertEquals(3, refused.exitCode(), refused.toString());
        requireNamed(refused.err(), number, document);
    }

    @Test
    void shouldNameTheDocumentsOfAFileThatWasDamagedAfterItsImport() throws IOException {
        write();
        run();
        int document = damage(1);

        ImportRun run = run();

        assertEquals(3, run.exitCode(), run.toString());
        requireNamed(run.err(), 1, document);
        assertFalse(run.out().contains("Equal"), run.out());
        assertEquals(3 * IN_FILE, records());
    }

    @Test
    void shouldNameDocumentsThatCannotBeReadInFilesOfOtherRollCycles() throws IOException {
        Queues.write(queue, RollCycles.FAST_HOURLY, 1, 3 * IN_FILE, 3);
        int document = damage(2);

        ImportRun run = run();

        assertEquals(3, run.exitCode(), run.toString());
        requireNamed(run.err(), 2, document);
    }

    @ParameterizedTest
    @ValueSource(ints = {0x00200000, 0x00010000})
    void shouldEndBeforeADocumentThatIsLongerThanWhatFollows(int length) throws IOException {
        write();
        int document = damage(1, IN_FILE / 2, length);

        ImportRun run = run();

        assertEquals(3, run.exitCode(), run.toString());
        requireNamed(run.err(), 1, document);
        assertEquals(IN_FILE + document, records());
    }

    /** Chronicle Queue would meet any header then, and could follow it out of the file. */
    @ParameterizedTest
    @ValueSource(ints = {0x30000000, 20, 1, 0x40000010})
    void shouldSayThatAFileIsDamagedWhateverALengthIs(int header) throws IOException {
        write();
        int document = damage(1, IN_FILE / 2, header);

        ImportRun run = run();

        assertEquals(3, run.exitCode(), run.toString());
        assertTrue(run.err().contains("cannot be read"), run.err());
        assertFalse(run.err().contains("\tat "), run.err());
        assertTrue(records() <= IN_FILE + document + 1, "all before, and perhaps this one");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void shouldNoticeThatTheLastDocumentOfAFileIsZeroed(int number) throws IOException {
        Queues.write(queue, TestRollCycles.TEST_SECONDLY, 4713, 3 * IN_FILE, 3);
        int document = damage(number, IN_FILE - 1, 0);

        ImportRun run = run();

        assertEquals(3, run.exitCode(), run.toString());
        requireNamed(run.err(), number, document);
        assertEquals(number * IN_FILE + document, records());

        ImportRun accepted = run("--accept-holes");

        assertEquals(0, accepted.exitCode(), accepted.toString());
        requireNamed(accepted.out(), number, document);
        assertEquals(3 * IN_FILE - 1, records());
    }

    @ParameterizedTest
    @ValueSource(ints = {0x30000000, 20})
    void shouldSayThatAFileIsDamagedWhenTheLengthOfItsLastDocumentIs(int header)
            throws IOException {
        Queues.write(queue, TestRollCycles.TEST_SECONDLY, 4713, 3 * IN_FILE, 3);
        damage(1, IN_FILE - 1, header);

        ImportRun run = run();

        assertEquals(3, run.exitCode(), run.toString());
        assertTrue(run.err().contains("is damaged"), run.err());
        assertFalse(run.err().contains("\tat "), run.err());
    }
}
