package io.firn.golden;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.StoreOpenException;
import io.firn.medium.FileMedium;
import io.firn.medium.SmallFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A store that a version of the future has written is refused by name, and stays as it is. */
class NewerStoreTest {
    private static final int FUTURE = 99;
    private static final FileMedium MEDIUM = FileMedium.real();

    @TempDir private Path directory;

    @BeforeEach
    void createStore() {
        try (FileStore files = new FileStore(directory)) {
            files.topic("orders");
            files.topic("prices");
        }
    }

    @Test
    void shouldRefuseAStoreWithAFeatureThatItDoesNotKnow() throws IOException {
        Path file = directory.resolve("store");
        Map<String, String> values = read(file, "store");
        values.put("features", "time-travel");
        SmallFile.write(MEDIUM, file, "store", 2, values);

        assertRefused("'time-travel'", "open it with a newer version of Firn");
    }

    @Test
    void shouldRefuseAStoreWhoseFileHasALaterVersion() throws IOException {
        Path file = directory.resolve("store");
        SmallFile.write(MEDIUM, file, "store", FUTURE, read(file, "store"));

        assertRefused("format version 99", "open it with the Firn that wrote it or a newer one");
    }

    @Test
    void shouldRefuseAStoreWithATopicWhoseFileHasALaterVersion() throws IOException {
        Path file = topicFile("prices");
        SmallFile.write(MEDIUM, file, "topic", FUTURE, read(file, "topic"));

        assertRefused("topic has format version 99", "the Firn that wrote it or a newer one");
    }

    private void assertRefused(String... parts) throws IOException {
        Map<Path, String> before = contents();
        StoreOpenException e =
                assertThrows(StoreOpenException.class, () -> new FileStore(directory).close());
        for (String part : parts) {
            assertTrue(e.getMessage().contains(part), e::getMessage);
        }
        assertEquals(before, contents());
    }

    private static Map<String, String> read(Path file, String magic) throws IOException {
        return new TreeMap<>(SmallFile.read(MEDIUM, file, magic, FUTURE));
    }

    private Path topicFile(String name) throws IOException {
        for (Path each : GoldenZip.files(directory)) {
            if (each.endsWith("topic") && name.equals(read(each, "topic").get("name"))) {
                return each;
            }
        }
        throw new AssertionError("no file of topic " + name);
    }

    /** Without what holds no data: the mark of a clean close, and space for deletions. */
    private Map<Path, String> contents() throws IOException {
        Map<Path, String> contents = new TreeMap<>();
        for (Path each : GoldenZip.files(directory)) {
            if (each.endsWith("clean") || each.endsWith("spare")) {
                continue;
            }
            contents.put(each, HexFormat.of().formatHex(Files.readAllBytes(each)));
        }
        return contents;
    }
}
