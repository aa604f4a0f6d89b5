package io.firn.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.LogStore;
import io.firn.StoreOpenException;
import io.firn.file.FileTier;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is said of a store that cannot be opened: all of it, and once. */
class StoreOpenTextTest {
    @TempDir private Path directory;
    private Path store;
    private Path tier;

    @BeforeEach
    void create() {
        store = directory.resolve("store");
        tier = directory.resolve("tier");
        open(store, tier).close();
    }

    private static LogStore open(Path store, Path tier) {
        return LogStore.at(store).tier(FileTier.at(tier)).open();
    }

    private static StoreOpenException refused(Path store, Path tier) {
        return assertThrows(StoreOpenException.class, () -> open(store, tier).close());
    }

    private void check(StoreOpenException refused, String part) {
        String message = refused.getMessage();
        assertTrue(message.startsWith("the store " + directory), message);
        assertTrue(message.contains(part), message);
        for (Throwable e = refused.getCause(); e != null; e = e.getCause()) {
            String words = String.valueOf(e.getMessage()).replaceAll("/\\S*", "").strip();
            assertFalse(
                    words.length() > 20 && message.contains(words),
                    "said again by its cause: " + words);
        }
    }

    @Test
    void shouldSayWhatIsWrongWithAStoreOnce() throws IOException {
        Path identity = store.resolve("store");
        byte[] whole = Files.readAllBytes(identity);
        Files.writeString(identity, "bla");
        StoreOpenException damaged = refused(store, tier);
        check(damaged, "is damaged");
        assertTrue(
                List.of(damaged.getStackTrace()).toString().contains("StoreIdentity"),
                "where it was found");
        Files.write(identity, whole);
        Files.move(tier, directory.resolve("elsewhere"));
        check(refused(store, tier), "is the right file system mounted there?");
        check(refused(directory.resolve("other"), directory.resolve("elsewhere")), "belongs to");
    }

    @Test
    void shouldSayWhatAnErrorOfTheFileSystemMeans() {
        StoreOpenException refused = refused(directory.resolve("tier/tier"), tier);
        check(refused, "is a file, should be a directory");
        Path nowhere = Path.of("/proc/firn");
        String message = refused(nowhere, tier).getMessage();
        assertEquals("the store /proc/firn cannot be opened: /proc/firn does not exist", message);
    }
}
