package io.firn.chronicle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.FirnException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import net.openhft.chronicle.queue.rollcycles.TestRollCycles;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Lists of files that change while a queue is opened. */
class QueueReaderTest {
    @TempDir Path directory;
    private int listings;

    @BeforeEach
    void write() throws IOException {
        Queues.write(directory, TestRollCycles.TEST_SECONDLY, 1, 30, 3);
    }

    /** A directory that has only the first files at first, as before a writer rolled. */
    private List<String> growing(Path from) throws IOException {
        List<String> names = QueueFiles.list(from);
        listings++;
        return listings <= 2 ? names.subList(0, 1) : names;
    }

    /** A directory in which Chronicle Queue does not list the last file at first. */
    private List<String> ahead(Path from) throws IOException {
        List<String> names = new ArrayList<>(QueueFiles.list(from));
        listings++;
        if (listings <= 3) {
            names.add("20991231-000000T.cq4");
        }
        return names;
    }

    @Test
    void shouldReadTheFilesThatAWriterCreatesWhileTheyAreListed() throws IOException {
        try (QueueReader reader = QueueReader.open(directory, this::growing)) {
            assertEquals(3, reader.files());
            assertEquals(30, reader.count());
            assertEquals(List.of(), reader.holes());
        }
    }

    @Test
    void shouldListAgainWhenChronicleQueueDoesNotListAFileYet() throws IOException {
        try (QueueReader reader = QueueReader.open(directory, this::ahead)) {
            assertEquals(3, reader.files());
            assertEquals(30, reader.count());
        }
    }

    @Test
    void shouldRefuseAFileThatChronicleQueueNeverLists() {
        listings = Integer.MIN_VALUE;

        FirnException refused =
                assertThrows(FirnException.class, () -> QueueReader.open(directory, this::ahead));

        assertTrue(refused.getMessage().contains("4 files are named"), refused.getMessage());
    }
}
