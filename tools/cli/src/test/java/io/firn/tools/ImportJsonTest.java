package io.firn.tools;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.LogStore;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Records that were exported and are imported again. */
class ImportJsonTest {
    @TempDir Path directory;

    /** Two partitions with keys, headers, timestamps, and what is null, empty or not text. */
    private Path fill() {
        Path store = directory.resolve("source");
        try (LogStore log = LogStore.at(store).tier(FileTier.at(store.resolve("segments"))).open();
                Appender first =
                        log.createTopic("orders", TopicOptions.defaults().withPartitions(2))
                                .partition(0)
                                .openExclusiveAppender();
                Appender second = log.openTopic("orders").partition(1).openExclusiveAppender()) {
            var batch = first.newBatch();
            batch.key(new byte[] {-1, 0, 10}).value(new byte[] {0, -128, 127}).timestamp(1).add();
            batch.key("ä\u2028".getBytes(UTF_8)).value((byte[]) null).timestamp(2_000).add();
            batch.header("a", "1".getBytes(UTF_8)).header("a", null).header("", new byte[0]);
            batch.value(new byte[0]).timestamp(3_000).add();
            first.append(batch);
            second.append(second.newBatch().value(new byte[200_000]).timestamp(4_000).add());
        }
        return store;
    }

    private static String export(List<String> place) {
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        List<Object> words = new ArrayList<>(List.of("orders"));
        words.addAll(place);
        Run run = Run.of(new ExportCommand(written), words.toArray());
        assertEquals(new Run(0, "", ""), run);
        return written.toString(UTF_8);
    }

    private static Run importJson(List<String> place, String lines, Object... more) {
        List<Object> words = new ArrayList<>(List.of("orders"));
        words.addAll(place);
        words.addAll(List.of(more));
        var in = new ByteArrayInputStream(lines.getBytes(UTF_8));
        return Run.of(new ImportJsonCommand(in), words.toArray());
    }

    private static void createTopic(List<String> place, int partitions) {
        List<Object> words =
                new ArrayList<>(List.of("topics", "create", "orders", "--partitions", partitions));
        words.addAll(place);
        assertEquals(Exit.FINE, Run.firn(words.toArray()).exitCode());
    }

    @Test
    void shouldImportWhatWasExported() throws IOException {
        String exported = export(List.of("--store", fill().toString()));
        Served.both(
                directory,
                place -> {
                    createTopic(place, 2);
                    Run run = importJson(place, exported, "--json");
                    assertEquals(Exit.FINE, run.exitCode(), run.toString());
                    assertEquals(
                            "{\"appended\":[{\"partition\":0,\"records\":3},"
                                    + "{\"partition\":1,\"records\":1}]}\n",
                            run.out());
                    assertEquals(exported, export(place));
                });
    }

    @Test
    void shouldChooseThePartitionByTheKeyOnRequest() throws IOException {
        Path store = directory.resolve("store");
        Files.createDirectory(store);
        LogStore.at(store).tier(FileTier.at(store.resolve("segments"))).open().close();
        List<String> place = List.of("--store", store.toString());
        createTopic(place, 1);
        String line = "{\"partition\":7,\"key\":\"a\",\"value\":\"b\"}\n";

        Run refused = importJson(place, line, "--text");
        assertEquals(Exit.MISUSED, refused.exitCode(), refused.toString());
        assertEquals("there is no partition 7: the topic has 1\n", refused.err());

        assertEquals(Exit.FINE, importJson(place, line, "--text", "--by-key").exitCode());
        assertTrue(export(place).contains("\"partition\":0,\"offset\":0"), export(place));
    }

    @Test
    void shouldNameTheLineThatIsWrongAndKeepThoseBeforeIt() throws IOException {
        Path store = directory.resolve("store");
        LogStore.at(store).tier(FileTier.at(store.resolve("segments"))).open().close();
        List<String> place = List.of("--store", store.toString());
        createTopic(place, 1);
        String good = "{\"value\":\"Zml2ZQ==\"}\n\n";
        for (String[] each :
                new String[][] {
                    {"x", "an object of JSON as firn export writes it is expected: Unrecognized"},
                    {"[]", "is expected, found START_ARRAY"},
                    {"{\"value\":\"plain text\"}", "value: Base64 is expected, and text only"},
                    {"{\"value\":5}", "value: a text or null is expected, found VALUE_NUMBER_INT"},
                    {"{\"vaule\":null}", "found 'vaule'"},
                    {"{\"partition\":\"0\"}", "partition: a number is expected"},
                    {"{\"partition\":3000000000}", "partition: at most 2147483647 is expected"},
                    {"{\"headers\":[{\"value\":null}]}", "headers: each has a key"},
                    {"{} {}", "found more after it"},
                    {"{\"value\":null", "Unexpected end-of-input"}
                }) {
            Run run = importJson(place, good + each[0] + "\n" + good);
            assertEquals(Exit.MISUSED, run.exitCode(), run.toString());
            assertTrue(run.err().startsWith("the standard input, line 3: "), run.err());
            assertTrue(run.err().contains(each[1]), run.err());
        }
        assertEquals(10, export(place).lines().count());
    }
}
