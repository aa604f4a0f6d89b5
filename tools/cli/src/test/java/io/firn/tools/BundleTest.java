package io.firn.tools;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.LogStore;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The archive for a bug report. */
class BundleTest {
    @TempDir Path directory;

    private static Map<String, String> read(Path file) throws IOException {
        Map<String, String> all = new TreeMap<>();
        try (InputStream in = Files.newInputStream(file);
                ZipInputStream zip = new ZipInputStream(in)) {
            for (ZipEntry each = zip.getNextEntry(); each != null; each = zip.getNextEntry()) {
                all.put(
                        each.getName().replace("firn-bundle/", ""),
                        new String(zip.readAllBytes(), UTF_8));
            }
        }
        return all;
    }

    @Test
    void shouldCollectWhatABugReportNeedsWithoutSecretsAndRecords() throws IOException {
        Path store = directory.resolve("store");
        Path config = directory.resolve("server.properties");
        Files.writeString(
                config,
                "log.dir=data\nssl.keystore.password=hush-1\nmanagement.password=hush-2\n"
                        + "unknown.key=hush-3\nsasl.enabled.mechanisms=SCRAM-SHA-512\n");
        Path log = directory.resolve("firn.log");
        Files.writeString(log, "first\nsecond password=hush-4, and more\nthird\n");
        Path zip = directory.resolve("bundle.zip");
        List<Object> words = new ArrayList<>(List.of("bundle", store));
        words.addAll(List.of("--config", config, "--log", log, "--lines=2"));
        try (LogStore open =
                        LogStore.at(store).tier(FileTier.at(store.resolve("segments"))).open();
                Appender appender =
                        open.createTopic("orders", TopicOptions.defaults())
                                .partition(0)
                                .openAppender()) {
            appender.append("hush-5".getBytes(UTF_8));

            Run listed = Run.firn(words.toArray());
            assertEquals(Exit.FINE, listed.exitCode(), listed.toString());
            assertTrue(listed.out().contains("Nothing was written"), listed.out());
            assertFalse(Files.exists(zip));

            words.addAll(List.of("--output", zip));
            Run written = Run.firn(words.toArray());
            assertEquals(Exit.FINE, written.exitCode(), written.toString());
        }
        Map<String, String> all = read(zip);
        assertEquals(
                List.of(
                        "doctor.txt",
                        "files.txt",
                        "health-live.txt",
                        "health-ready.txt",
                        "log.txt",
                        "metrics.txt",
                        "server.properties",
                        "stat.txt",
                        "threads.txt",
                        "topics.txt",
                        "verify.txt",
                        "versions.txt"),
                List.copyOf(all.keySet()));
        all.forEach((name, text) -> assertFalse(text.contains("hush"), name + ": " + text));
        assertEquals(
                "log.dir=data\nmanagement.password=[hidden]\n"
                        + "sasl.enabled.mechanisms=SCRAM-SHA-512\nssl.keystore.password=[hidden]\n"
                        + "unknown.key=[hidden]\n",
                all.get("server.properties"));
        assertEquals("second password=[hidden], and more\nthird\n", all.get("log.txt"));
        assertTrue(all.get("stat.txt").contains("orders"), all.get("stat.txt"));
        assertTrue(all.get("threads.txt").contains("firn-tidy"), all.get("threads.txt"));
        assertEquals(
                "rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(zip)));

        Run again = Run.firn(words.toArray());
        assertEquals(Exit.MISUSED, again.exitCode(), again.toString());
        assertTrue(again.err().contains("exists already"), again.err());
    }
}
