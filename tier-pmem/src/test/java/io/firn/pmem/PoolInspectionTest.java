package io.firn.pmem;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.LogStore;
import io.firn.TopicOptions;
import io.firn.spi.FileMedium;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is shown of a pool that cannot be opened any more. */
class PoolInspectionTest {
    @TempDir Path directory;

    @BeforeEach
    void createWithALog() {
        TopicOptions options =
                TopicOptions.defaults().withSegmentBytes(64 * 1024).withMaxRecordBytes(16 * 1024);
        PmemTier tier = Pools.withBlocks(6, directory).build();
        try (LogStore store = LogStore.in(directory.resolve("store")).tier(tier).open();
                Appender appender = store.createTopic("t", options).partition(0).openAppender()) {
            for (int i = 0; i < 150; i++) {
                byte[] value = Pools.value(i);
                appender.append(value, 0, value.length);
            }
        }
    }

    private String inspect() throws IOException {
        Path pool = directory.resolve(PoolFile.NAME);
        byte[] before = Files.readAllBytes(pool);
        List<String> lines = PoolInspection.of(FileMedium.real(), directory);
        assertArrayEquals(before, Files.readAllBytes(pool));
        return String.join("\n", lines);
    }

    private static void assertShows(String shown, String... parts) {
        for (String part : parts) {
            assertTrue(shown.contains(part), "'" + part + "' in:\n" + shown);
        }
    }

    @Test
    void shouldShowSegmentsMarksAndRanges() throws IOException {
        assertShows(
                inspect(),
                "layout: 6 blocks of 2097152 bytes",
                "SEALED topic",
                "ACTIVE topic",
                "offsets 0 to ",
                " to 149 in ");
    }

    @Test
    void shouldShowTheSameWhenBothSuperblocksAreDestroyed() throws IOException {
        String[] whole = inspect().split("\n");
        PoolDamage.overwrite(directory, 0, 2 * Superblock.BYTES);

        String shown = inspect();

        assertShows(shown, "superblock 0: DAMAGED", "superblock 1: DAMAGED", "not verified");
        for (String line : whole) {
            assertEquals(line.contains("superblock"), !shown.contains(line), line);
        }
    }

    @Test
    void shouldShowWhatIsInABlockWhoseEntryIsDestroyed() throws IOException {
        for (int slot = 0; slot < 2; slot++) {
            PoolDamage.overwrite(directory, PoolDamage.slot(0, slot), BlockEntry.SLOT_BYTES);
        }

        assertShows(
                inspect(), "block 0, slot 0 DAMAGED, slot 1 DAMAGED; batches with offsets 0 to");
    }

    @Test
    void shouldShowAFileThatIsNoPool() throws IOException {
        Files.write(directory.resolve(PoolFile.NAME), new byte[100_000]);

        assertShows(inspect(), "DAMAGED", "no block table found");
    }
}
