package io.firn.chronicle;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.LogStore;
import io.firn.StoredRecord;
import io.firn.Tailer;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import io.firn.tools.Firn;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import net.openhft.chronicle.queue.ExcerptAppender;
import net.openhft.chronicle.queue.ExcerptTailer;
import net.openhft.chronicle.queue.RollCycles;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueue;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueueBuilder;
import net.openhft.chronicle.queue.rollcycles.TestRollCycles;
import net.openhft.chronicle.wire.DocumentContext;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Imports of queues that Chronicle Queue itself wrote. */
class ImportChronicleTest {
    private static final String TOPIC = "orders";

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

    private void requireRun(Object... more) {
        ImportRun run = run(more);
        assertEquals(0, run.exitCode(), run.toString());
        assertTrue(run.out().contains("Equal: "), run.toString());
    }

    private LogStore openStore() {
        return LogStore.at(store).tier(FileTier.at(store.resolve("segments"))).open();
    }

    private List<StoredRecord> records() {
        try (LogStore opened = openStore();
                Tailer tailer = opened.openTopic(TOPIC).openTailer()) {
            return tailer.stream().toList();
        }
    }

    private void requireEqualToQueue() {
        try (LogStore opened = openStore()) {
            Queues.requireEqual(queue, opened.openTopic(TOPIC));
        }
    }

    private void write(int documents, int cycles) throws IOException {
        Queues.write(queue, TestRollCycles.TEST_SECONDLY, 4711, documents, cycles);
    }

    @Test
    void shouldImportDocumentsOfMixedSizesFromSeveralRollCyclesInOrder() throws IOException {
        write(5_000, 5);

        requireRun();

        List<byte[]> documents = Queues.read(queue);
        List<StoredRecord> records = records();
        assertEquals(5_000, records.size());
        assertEquals(5, Queues.files(queue).size());
        for (int i = 0; i < documents.size(); i++) {
            assertArrayEquals(documents.get(i), records.get(i).value(), "offset " + i);
        }
        assertEquals(1_700_000_000_000L, records.get(0).timestamp());
        assertEquals(1_700_000_004_000L, records.get(4_999).timestamp());
    }

    @Test
    void shouldImportOtherRollCyclesAndKeepEveryIndexOnRequest() throws IOException {
        Queues.write(queue, RollCycles.FAST_HOURLY, 1, 30, 3);

        requireRun("--every-index");

        List<StoredRecord> records = records();
        assertEquals(30, records.size());
        for (StoredRecord record : records) {
            long cycle = 1_700_000_000L / 3_600 + record.offset() / 10;
            long index = RollCycles.FAST_HOURLY.toIndex((int) cycle, record.offset() % 10);
            assertEquals(index, ImportedTopic.indexOf(record), "offset " + record.offset());
        }
    }

    @Test
    void shouldGoOnWhereItWasKilledAndImportEachDocumentOnce() throws Exception {
        ImportKills kills = new ImportKills();
        kills.parent = directory;
        kills.documents = 60_000;
        kills.cycles = 4;
        kills.kills = 2;
        try (PrintStream out = new PrintStream(directory.resolve("out").toFile())) {
            kills.out = out;

            // Fails at the first record that is not equal, missing or doubled.
            int exitCode = kills.call();

            assertTrue(exitCode == 0 || exitCode == 1, "1: an import was over before its kill");
        }
    }

    @Test
    void shouldAppendOnlyWhatTheQueueHasReceivedSince() throws IOException {
        write(300, 3);
        requireRun();

        requireRun();
        assertEquals(300, records().size());
        Queues.append(queue, 7, 0);
        requireRun();
        assertEquals(307, records().size());
        Queues.append(queue, 5, 1);
        requireRun();

        assertEquals(312, records().size());
        requireEqualToQueue();
    }

    @Test
    void shouldCompareWhatIsLeftWhenOldFilesWereDeletedSince() throws IOException {
        write(300, 3);
        requireRun();
        Files.delete(Queues.files(queue).get(0));
        Queues.append(queue, 7, 0);

        ImportRun run = run("--accept-holes");

        assertEquals(0, run.exitCode(), run.toString());
        assertTrue(run.out().contains("Equal: 207 records"), run.out());
        assertTrue(run.out().contains("Not compared: 100 records"), run.out());
    }

    @Test
    void shouldNameEachHoleAndImportOnlyOnRequest() throws IOException {
        write(500, 5);
        List<Path> files = Queues.files(queue);
        for (int deleted = 0; deleted < 5; deleted += 2) {
            Path aside = directory.resolve("aside");
            Files.move(files.get(deleted), aside);

            ImportRun run = run();

            assertEquals(3, run.exitCode(), run.toString());
            assertTrue(run.err().contains("--accept-holes"), run.err());
            String neighbour = files.get(deleted == 0 ? 1 : deleted - 1).getFileName().toString();
            assertTrue(run.err().contains(neighbour), run.err());
            assertFalse(Files.exists(store), "nothing is created");
            Files.move(aside, files.get(deleted));
        }
        Files.delete(files.get(2));

        ImportRun run = run("--accept-holes");

        assertEquals(0, run.exitCode(), run.toString());
        assertTrue(run.out().contains("1 roll cycle without a file between"), run.out());
        assertEquals(400, records().size());
        requireEqualToQueue();
    }

    @Test
    void shouldRefuseToGoOnWhenTheFileWhereItStoodWasDeleted() throws IOException {
        write(300, 3);
        requireRun();
        Queues.append(queue, 5, 1);
        Files.delete(Queues.files(queue).get(2));

        ImportRun refused = run();
        assertEquals(3, refused.exitCode(), refused.toString());
        assertEquals(300, records().size());

        ImportRun run = run("--accept-holes");
        assertEquals(0, run.exitCode(), run.toString());
        assertTrue(run.out().contains("no longer has index"), run.out());
        assertTrue(run.out().contains("Not compared: 100 records"), run.out());
        assertEquals(305, records().size());
    }

    @Test
    void shouldRefuseATopicThatWasImportedFromAnotherQueue() throws IOException {
        write(300, 3);
        requireRun();
        queue = directory.resolve("other");
        Queues.write(queue, TestRollCycles.TEST_SECONDLY, 4712, 400, 3);

        ImportRun run = run();

        assertEquals(3, run.exitCode(), run.toString());
        assertTrue(run.err().contains("was imported from another queue"), run.err());
        assertEquals(300, records().size());
    }

    @Test
    void shouldRefuseATopicWithRecordsOfOthers() throws IOException {
        write(10, 1);
        try (LogStore opened = openStore();
                Appender appender =
                        opened.createTopic(TOPIC, TopicOptions.defaults())
                                .partition(0)
                                .openExclusiveAppender()) {
            appender.append(new byte[1]);
        }

        ImportRun run = run();

        assertEquals(3, run.exitCode(), run.toString());
        assertTrue(run.err().contains("a record that no import has written"), run.err());
        assertEquals(1, records().size());
    }

    @Test
    void shouldFindAByteThatDiffers() throws IOException {
        write(300, 3);
        requireRun();
        Path file = Queues.files(queue).get(1);
        byte[] document = Queues.read(queue).get(150);
        byte[] bytes = Files.readAllBytes(file);
        int at = indexOf(bytes, document);
        bytes[at] ^= 1;
        Files.write(file, bytes);

        ImportRun run = run();

        assertEquals(3, run.exitCode(), run.toString());
        assertTrue(run.err().contains("NOT EQUAL: topic orders, offset 150 "), run.err());
    }

    private static int indexOf(byte[] bytes, byte[] part) {
        int at = 0;
        while (!Arrays.equals(bytes, at, at + part.length, part, 0, part.length)) {
            at++;
        }
        return at;
    }

    @Test
    void shouldFindADocumentThatTheTopicLacks() throws IOException {
        write(300, 3);
        Path aside = directory.resolve("aside");
        Path second = Queues.files(queue).get(1);
        Files.move(second, aside);
        run("--accept-holes");
        Files.move(aside, second);

        ImportRun run = run();

        assertEquals(3, run.exitCode(), run.toString());
        assertTrue(run.err().contains("NOT EQUAL: topic orders, offset 100 "), run.err());
    }

    @Test
    void shouldCompareWhatTheTopicHasWhenItsFirstRecordsWereDeleted() throws IOException {
        write(300, 3);
        requireRun();
        try (LogStore opened = openStore()) {
            opened.openTopic(TOPIC).partition(0).deleteRecordsBefore(110);
        }

        ImportRun run = run();

        assertEquals(0, run.exitCode(), run.toString());
        assertTrue(run.out().contains("Equal: 101 records"), run.out());
    }

    @Test
    void shouldReadAQueueWithoutMetadataAndOneWithAnEmptyFile() throws IOException {
        write(300, 3);
        Queues.append(queue, 0, 1);
        Files.delete(queue.resolve("metadata.cq4t"));

        requireRun();

        assertEquals(4, Queues.files(queue).size());
        assertEquals(300, records().size());
    }

    @Test
    void shouldTurnNamedTailersIntoCursorsThatWereNeverAdvanced() throws IOException {
        write(300, 3);
        try (SingleChronicleQueue opened =
                        SingleChronicleQueueBuilder.single(queue.toString()).build();
                ExcerptTailer billing = opened.createTailer("billing");
                ExcerptTailer audit = opened.createTailer("audit")) {
            readDocuments(billing, 123);
            readDocuments(audit, 300);
        }
        requireRun();

        try (LogStore opened = openStore()) {
            Topic topic = opened.openTopic(TOPIC);
            assertEquals(123, topic.cursor("billing").offset(0));
            assertEquals(300, topic.cursor("audit").offset(0));
            topic.cursor("billing").commit(0, 200);
        }
        requireRun();
        try (LogStore opened = openStore()) {
            assertEquals(200, opened.openTopic(TOPIC).cursor("billing").offset(0));
        }
    }

    private static void readDocuments(ExcerptTailer tailer, int count) {
        for (int i = 0; i < count; i++) {
            try (DocumentContext document = tailer.readingDocument()) {
                assertTrue(document.isPresent());
            }
        }
    }

    @Test
    void shouldRefuseAQueueThatAnotherProcessCanWriteTo() throws Exception {
        write(30, 3);
        Process writer = ImportChildWriter.start(queue);
        try {
            ImportRun run = run();
            assertEquals(3, run.exitCode(), run.toString());
            assertTrue(run.err().contains("process " + writer.pid()), run.err());
            assertFalse(Files.exists(store), "nothing is created");

            ImportRun forced = run("--in-use", "--accept-holes");
            assertEquals(0, forced.exitCode(), forced.toString());
            assertTrue(forced.out().contains("process " + writer.pid()), forced.out());
        } finally {
            writer.destroyForcibly().waitFor();
        }
    }

    @Test
    void shouldImportWhatCanBeReadWhenAWriterDiedInADocument() throws IOException {
        write(30, 3);
        Path last = Queues.files(queue).get(2);
        byte[] beforeDocument = Files.readAllBytes(last);
        Queues.append(queue, 1, 0);
        byte[] withDocument = Files.readAllBytes(last);
        int at = Arrays.mismatch(beforeDocument, withDocument);
        assertTrue(at >= 0);
        // As while a document is written: the highest bit of its length, a word before it, is set.
        int header = indexOf(withDocument, new byte[] {4, 0, 0, 0, 0, 1, 2, 3});
        withDocument[header + 3] = (byte) 0x80;
        Files.write(last, withDocument);

        requireRun();

        assertEquals(30, records().size());
    }

    @Test
    void shouldSayWhenADirectoryIsNoQueue() throws IOException {
        ImportRun missing = run();
        assertEquals(2, missing.exitCode(), missing.toString());
        assertTrue(missing.err().contains("there is no directory"), missing.err());

        Files.createDirectories(queue);
        ImportRun empty = run();
        assertEquals(2, empty.exitCode(), empty.toString());
        assertTrue(empty.err().contains("no directory of a queue"), empty.err());

        Files.write(queue.resolve("20231114-221320T.cq4"), new byte[100]);
        ImportRun broken = run();
        assertEquals(3, broken.exitCode(), broken.toString());
        assertTrue(broken.err().contains(queue.toString()), broken.err());
        assertFalse(Files.exists(store), "nothing is created");
    }

    @Test
    void shouldExplainItself() {
        StringWriter out = new StringWriter();
        int exitCode =
                Firn.run(
                        new PrintWriter(out),
                        new PrintWriter(out),
                        "import",
                        "chronicle",
                        "--help");
        assertEquals(0, exitCode);
        assertTrue(
                out.toString().replaceAll("\\s+", " ").contains("Usage: firn import chronicle"),
                out.toString());
    }

    /** A process that has a queue open and has appended to it. */
    static final class ImportChildWriter {
        private ImportChildWriter() {}

        static Process start(Path queue) throws IOException {
            Process process =
                    ImportChild.java(ImportChildWriter.class.getName(), queue.toString()).start();
            process.getInputStream().read(); // it is open
            return process;
        }

        public static void main(String[] arguments) throws Exception {
            try (SingleChronicleQueue opened =
                            SingleChronicleQueueBuilder.single(arguments[0]).build();
                    ExcerptAppender appender = opened.createAppender()) {
                appender.writeText("a new file, now");
                System.out.write(1);
                System.out.flush();
                Thread.sleep(Long.MAX_VALUE);
            }
        }
    }
}
