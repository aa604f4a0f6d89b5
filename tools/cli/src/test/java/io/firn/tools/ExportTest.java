package io.firn.tools;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.Compression;
import io.firn.LogStore;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import io.firn.kafka.CompactedFiles;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is written for which records, and what is refused. */
class ExportTest {
    @TempDir Path directory;

    private final ByteArrayOutputStream written = new ByteArrayOutputStream();

    private Run export(Object... more) {
        written.reset();
        Object[] words =
                Stream.concat(
                                Stream.of("orders", "--store", directory.resolve("store")),
                                Stream.of(more))
                        .toArray();
        return Run.of(new ExportCommand(written), words);
    }

    private List<String> lines(Object... more) {
        Run run = export(more);
        assertEquals(new Run(0, "", ""), run);
        return written.toString(UTF_8).lines().toList();
    }

    private LogStore open() {
        Path store = directory.resolve("store");
        return LogStore.at(store).tier(FileTier.at(store.resolve("segments"))).open();
    }

    private static byte[] utf8(String text) {
        return text.getBytes(UTF_8);
    }

    /** Two partitions; in the first one five records that are not compressed. */
    private Topic fill(LogStore store) {
        Topic topic = store.createTopic("orders", TopicOptions.defaults().withPartitions(2));
        try (Appender first = topic.partition(0).openExclusiveAppender();
                Appender second = topic.partition(1).openExclusiveAppender()) {
            var batch = first.newBatch();
            batch.key(utf8("k\"1")).value(utf8("a\n\u00e4\u20ac\ud83d\ude00"));
            batch.header("trace", utf8("x")).header("none", null).timestamp(1_000).add();
            batch.value((byte[]) null).timestamp(2_000).add();
            batch.value(new byte[0]).timestamp(3_000).add();
            first.append(batch);
            first.append(batch.clear().value(utf8("four")).timestamp(4_000).add());
            first.append(batch.clear().value(utf8("five")).timestamp(5_000).add());
            second.append(second.newBatch().value(utf8("other")).timestamp(6_000).add());
        }
        return topic;
    }

    @Test
    void shouldRefuseALinkBelowTheStoreUnlessItIsAllowed() throws IOException {
        String topic;
        try (LogStore store = open()) {
            topic = fill(store).id().toString();
        }
        Path segments = directory.resolve("store/segments");
        for (Path link :
                List.of(segments, segments.resolve(topic), directory.resolve("store/topics"))) {
            Path elsewhere = Files.move(link, directory.resolve("elsewhere"));
            Files.createSymbolicLink(link, elsewhere);
            Run refused = export();
            assertEquals(3, refused.exitCode());
            assertTrue(refused.err().contains(link + ": is a symbolic link"), refused.err());
            assertEquals(6, lines("--allow-linked-directories").size());
            Files.delete(link);
            Files.move(elsewhere, link);
        }
    }

    @Test
    void shouldWriteALineOfJsonForEachRecordBesideTheWriter() {
        try (LogStore store = open()) {
            fill(store);

            assertEquals(
                    List.of(
                            "{\"partition\":0,\"offset\":0,\"timestamp\":1000,\"key\":\"k\\\"1\","
                                    + "\"value\":\"a\\n\u00e4\u20ac\ud83d\ude00\",\"headers\":["
                                    + "{\"key\":\"trace\",\"value\":\"x\"},"
                                    + "{\"key\":\"none\",\"value\":null}]}",
                            "{\"partition\":0,\"offset\":1,\"timestamp\":2000,\"key\":null,"
                                    + "\"value\":null,\"headers\":[]}",
                            "{\"partition\":0,\"offset\":2,\"timestamp\":3000,\"key\":null,"
                                    + "\"value\":\"\",\"headers\":[]}"),
                    lines("--text", "--to", 3, "--partition", 0));
            assertEquals(
                    List.of(
                            "{\"partition\":0,\"offset\":4,\"timestamp\":5000,\"key\":null,"
                                    + "\"value\":\"Zml2ZQ==\",\"headers\":[]}",
                            "{\"partition\":1,\"offset\":0,\"timestamp\":6000,\"key\":null,"
                                    + "\"value\":\"b3RoZXI=\",\"headers\":[]}"),
                    Stream.concat(
                                    lines("--from", 4, "--partition", "0").stream(),
                                    lines("--partition", "1").stream())
                            .toList());
        }
    }

    @Test
    void shouldEndEachPartitionWhereItEndedAtTheStart() {
        try (LogStore store = open();
                Appender other = fill(store).partition(1).openExclusiveAppender()) {
            OutputStream out =
                    new OutputStream() {
                        @Override
                        public void write(int oneByte) {
                            written.write(oneByte);
                        }

                        @Override
                        public void write(byte[] bytes, int from, int length) {
                            other.append(utf8("later")); // as if the first partition took long
                            written.write(bytes, from, length);
                        }
                    };
            try (Appender first = store.openTopic("orders").partition(0).openExclusiveAppender()) {
                first.append(new byte[100_000]); // more than is buffered
            }
            Object[] words = {"orders", "--store", directory.resolve("store"), "--format", "LINES"};

            assertEquals(new Run(0, "", ""), Run.of(new ExportCommand(out), words));
            assertTrue(written.toString(UTF_8).endsWith("other\n"));
        }
    }

    @Test
    void shouldWriteAndInspectWhatCompactionHasLeft() throws IOException {
        try (LogStore store = open()) {
            Topic topic = store.createTopic("orders", TopicOptions.defaults());
            try (Appender appender = topic.partition(0).openExclusiveAppender()) {
                for (int i = 0; i < 10; i++) {
                    appender.append(appender.newBatch().add(utf8("a" + i)).add(utf8("b" + i)));
                }
            }
        }
        Path segments = directory.resolve("store").resolve("segments");
        for (Path each : CompactedFiles.partitionsOf(segments)) {
            CompactedFiles.rewrite(each, r -> r.offset() == 7 || r.offset() == 12);
        }

        assertEquals(List.of("b3", "a6"), lines("--format", "LINES"));
        assertEquals(List.of("b3"), lines("--format", "LINES", "--to", "12"));
        assertEquals(List.of("b3"), lines("--format", "LINES", "--from", "2", "--to", "10"));
        assertEquals(List.of("a6"), lines("--format", "LINES", "--from", "8"));
        assertEquals(List.of(), lines("--format", "LINES", "--from", "13"));
        Run run = Run.of(new VerifyCommand(), directory.resolve("store"), "--deep");
        assertTrue(run.out().contains("offsets [0, 20)"), run.out());
        assertTrue(run.out().contains("nothing is wrong"), run.out());
    }

    @Test
    void shouldWriteValuesAloneAsLinesOrWithTheirLengths() {
        try (LogStore store = open()) {
            fill(store);
        }

        assertEquals(
                List.of("four", "five"),
                lines("--format", "LINES", "--from", "3", "--partition", 0));
        export("--format", "RAW", "--from", "1", "--to", "4", "--partition", "0");

        ByteBuffer expected = ByteBuffer.allocate(16);
        expected.putInt(-1).putInt(0).putInt(4).put(utf8("four"));
        assertArrayEquals(expected.array(), written.toByteArray());
    }

    @Test
    void shouldExportCompressedBatchesOfSeveralSegments() {
        TopicOptions options =
                TopicOptions.defaults()
                        .withSegmentBytes(64 * 1024)
                        .withCompression(Compression.ZSTD);
        byte[] value = new byte[20_000];
        new java.util.Random(1).nextBytes(value);
        try (LogStore store = open();
                Appender appender =
                        store.createTopic("orders", options).partition(0).openExclusiveAppender()) {
            for (int i = 0; i < 20; i++) {
                value[0] = (byte) i;
                appender.append(appender.newBatch().add(value));
            }
        }

        export("--format", "RAW", "--from", "5", "--to", "15");

        ByteBuffer found = ByteBuffer.wrap(written.toByteArray());
        assertEquals(10 * (4 + value.length), found.remaining());
        for (int i = 5; i < 15; i++) {
            value[0] = (byte) i;
            assertEquals(value.length, found.getInt());
            byte[] each = new byte[value.length];
            found.get(each);
            assertArrayEquals(value, each, "offset " + i);
        }
    }

    @Test
    void shouldRefuseTextThatIsNotUtf8() {
        try (LogStore store = open();
                Appender appender =
                        store.createTopic("orders", TopicOptions.defaults())
                                .partition(0)
                                .openExclusiveAppender()) {
            appender.append(appender.newBatch().value(utf8("good")).timestamp(1_000).add());
            appender.append(new byte[] {(byte) 0xc3, 0x28});
        }

        Run run = export("--text");

        assertEquals(3, run.exitCode(), run.toString());
        assertTrue(
                run.err().contains("partition 0, offset 1: the value is not text in UTF-8"),
                run.err());
        assertEquals(
                List.of(
                        "{\"partition\":0,\"offset\":0,\"timestamp\":1000,\"key\":null,"
                                + "\"value\":\"good\",\"headers\":[]}"),
                written.toString(UTF_8).lines().toList());
        assertTrue(written.toString(UTF_8).endsWith("\n"), "the line is whole");
        assertEquals(2, lines().size());
    }

    @Test
    void shouldSayWhatWasDeletedAndWriteTheRest() {
        try (LogStore store = open()) {
            fill(store).partition(0).deleteRecordsBefore(3);

            Run run = export("--format", "LINES", "--from", "1", "--partition", "0");

            assertEquals(0, run.exitCode(), run.toString());
            assertEquals(
                    String.format("partition 0: the records before offset 3 were deleted%n"),
                    run.err());
            assertEquals("four\nfive\n", written.toString(UTF_8));
        }
    }

    @Test
    void shouldRefuseToBeginBeyondTheEndOfEachPartition() {
        try (LogStore store = open()) {
            fill(store).partition(0).deleteRecordsBefore(3);
        }

        Run run = export("--from", "6");

        assertEquals(2, run.exitCode(), run.toString());
        assertEquals(
                String.format(
                        "--from 6 is beyond the end: partition 0 has the offsets [3, 5), partition 1"
                                + " has the offsets [0, 1)%n"),
                run.err());
        assertEquals(0, written.size());
        assertEquals(2, export("--from", "2", "--partition", "1").exitCode());
        Path file = directory.resolve("orders.json");
        assertEquals(2, export("--from", "6", "--output", file).exitCode());
        assertFalse(Files.exists(file));
        assertEquals(List.of(), lines("--from", "5", "--partition", "0")); // none yet
    }

    @Test
    void shouldSayWhichPartitionEndsBeforeTheFirstOffset() {
        try (LogStore store = open()) {
            fill(store);
        }

        Run run = export("--format", "LINES", "--from", "3");

        assertEquals(0, run.exitCode(), run.toString());
        assertEquals(
                String.format(
                        "partition 1: --from 3 is beyond its end; it has the offsets [0, 1)%n"),
                run.err());
        assertEquals("four\nfive\n", written.toString(UTF_8));
    }

    @Test
    void shouldEndAtADamagedRangeOrLeaveItOutOnRequest() throws IOException {
        TopicOptions options = TopicOptions.defaults().withSegmentBytes(64 * 1024);
        try (LogStore store = open();
                Appender appender =
                        store.createTopic("orders", options).partition(0).openExclusiveAppender()) {
            for (int i = 0; i < 10; i++) {
                appender.append(utf8("record " + i));
                appender.append(new byte[30_000]); // rolls now and then
            }
        }
        Path segment;
        try (Stream<Path> all = Files.walk(directory)) {
            segment = all.filter(path -> path.toString().endsWith(".log")).sorted().toList().get(1);
        }
        byte[] bytes = Files.readAllBytes(segment);
        bytes[bytes.length - 100] ^= 1;
        Files.write(segment, bytes);

        Run run = export("--format", "LINES");
        assertEquals(3, run.exitCode(), run.toString());
        long before = written.toString(UTF_8).lines().count();

        Run skipping = export("--format", "LINES", "--skip-damaged");
        assertEquals(1, skipping.exitCode(), skipping.toString());
        assertTrue(skipping.err().contains("offsets [7, 8) are damaged"), skipping.err());
        long all = written.toString(UTF_8).lines().count();
        assertTrue(all > before && all < 20, before + " and " + all);
        assertTrue(written.toString(UTF_8).contains("record 9"), "the end is there");
    }

    @Test
    void shouldWriteWholeRecordsBeforeItFails() throws IOException {
        TopicOptions options = TopicOptions.defaults().withSegmentBytes(64 * 1024);
        try (LogStore store = open();
                Appender appender =
                        store.createTopic("orders", options).partition(0).openExclusiveAppender()) {
            for (int i = 0; i < 10; i++) {
                appender.append(new byte[30_000]); // two fill a segment
            }
        }
        Path third;
        try (Stream<Path> all = Files.walk(directory)) {
            third = all.filter(path -> path.toString().endsWith(".log")).sorted().toList().get(2);
        }
        byte[] bytes = Files.readAllBytes(third);
        bytes[200] ^= 1;
        Files.write(third, bytes);

        Run json = export();
        assertEquals(3, json.exitCode(), json.toString());
        String text = written.toString(UTF_8);
        assertEquals(4, text.lines().count());
        assertTrue(text.endsWith("}\n"), "the last line is whole");

        Run raw = export("--format", "RAW");
        assertEquals(3, raw.exitCode(), raw.toString());
        assertEquals(4 * (4 + 30_000), written.size());

        Path file = directory.resolve("orders.json");
        assertEquals(3, export("--output", file).exitCode());
        assertEquals(text, Files.readString(file));
    }

    @Test
    void shouldCreateAFileAndNeverOverwriteOne() throws IOException {
        try (LogStore store = open()) {
            fill(store);
        }
        Path file = directory.resolve("orders.json");

        assertEquals(new Run(0, "", ""), export("--output", file));
        assertEquals(6, Files.readAllLines(file).size());

        Run again = export("--output", file, "--to", "1");
        assertEquals(2, again.exitCode(), again.toString());
        assertTrue(again.err().contains("exists already"), again.err());
        assertEquals(6, Files.readAllLines(file).size());
    }

    @Test
    void shouldEndWhenNobodyReadsTheOutputAnyMore() {
        try (LogStore store = open()) {
            fill(store);
        }
        OutputStream closed =
                new OutputStream() {
                    @Override
                    public void write(int b) throws IOException {
                        throw new IOException("Broken pipe");
                    }
                };

        Run run =
                Run.of(new ExportCommand(closed), "orders", "--store", directory.resolve("store"));

        assertEquals(3, run.exitCode(), run.toString());
        assertTrue(run.err().contains("Broken pipe"), run.err());
    }

    @Test
    void shouldSayWhatIsMissingOrWrong() {
        Run noStore = export();
        assertEquals(2, noStore.exitCode(), noStore.toString());
        assertTrue(noStore.err().contains("there is no directory"), noStore.err());
        try (LogStore store = open()) {
            fill(store);
        }

        Run noTopic =
                Run.of(new ExportCommand(written), "ordres", "--store", directory.resolve("store"));
        assertEquals(2, noTopic.exitCode(), noTopic.toString());
        assertTrue(noTopic.err().contains("ordres"), noTopic.err());
        assertEquals(2, export("--partition", "2").exitCode());
        assertEquals(2, export("--tier", "ssd:x").exitCode());
        assertEquals(2, export("--tier", "pmem:" + directory.resolve("none")).exitCode());
        assertEquals(2, export("--text", "--format", "RAW").exitCode());
        assertEquals(2, export("--partition", "0,1,0").exitCode());
        assertEquals(2, export("--from", "-5").exitCode());
        assertEquals(2, export("--to", "-1").exitCode());
        assertEquals(2, export("--from", "4", "--to", "3").exitCode());
        assertEquals(2, export("--output", directory.resolve("none/x")).exitCode());
        assertEquals(0, written.size());
        assertEquals(2, export("--format", "XML").exitCode());
        assertEquals(2, export("--verbose").exitCode());
    }
}
