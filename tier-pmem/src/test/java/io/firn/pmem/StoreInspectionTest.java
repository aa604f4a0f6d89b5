package io.firn.pmem;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.LogStore;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import io.firn.inspect.Report;
import io.firn.inspect.StoreInspection;
import io.firn.medium.FileMedium;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is shown of a store on two tiers, whole and with parts of it destroyed. */
class StoreInspectionTest {
    private static final int RECORDS = 600;
    private static final int BLOCKS = 4;
    private static final String WHOLE = "nothing is wrong";
    private static final Pattern SEGMENT =
            Pattern.compile(" *offsets \\[(\\d+), (\\d+)\\), \\d+ bytes, .*");

    @TempDir Path directory;
    private Path pmem;

    @BeforeEach
    void createWithALog() {
        pmem = directory.resolve("pmem");
        TopicOptions options =
                TopicOptions.defaults().withSegmentBytes(64 * 1024).withMaxRecordBytes(16 * 1024);
        try (LogStore store =
                LogStore.at(directory.resolve("store"))
                        .tier(Pools.withBlocks(BLOCKS, pmem))
                        .tier(FileTier.at(directory.resolve("files")))
                        .open()) {
            Topic topic = store.createTopic("orders", options);
            try (Appender appender = topic.partition(0).openExclusiveAppender()) {
                for (int i = 0; i < RECORDS; i++) {
                    byte[] value = Pools.value(i);
                    appender.append(value);
                }
            }
            topic.cursor("billing").commit(0, 17);
            topic.cursor("billing").force();
        }
    }

    /** Inspects, and makes sure that nothing was changed. */
    private List<String> inspect() throws IOException {
        Map<Path, byte[]> before = content();
        Report report = StoreInspection.of(FileMedium.real(), List.of(directory), true);
        Map<Path, byte[]> after = content();
        assertEquals(before.keySet(), after.keySet());
        before.forEach((file, bytes) -> assertArrayEquals(bytes, after.get(file), file.toString()));
        List<String> lines = report.lines();
        assertEquals(report.isSound(), lines.get(lines.size() - 1).equals(WHOLE));
        return lines;
    }

    private Map<Path, byte[]> content() throws IOException {
        Map<Path, byte[]> content = new TreeMap<>();
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path file : all.filter(Files::isRegularFile).toList()) {
                content.put(file, Files.readAllBytes(file));
            }
        }
        return content;
    }

    /** As a server does, which has a directory of this name for the settings of topics. */
    @Test
    void shouldNotTakeADirectoryOfAServerForAStore() throws IOException {
        Files.createDirectories(directory.resolve("store/server/topics"));
        Files.writeString(directory.resolve("store/server/topics/" + UUID.randomUUID()), "x");

        assertShows(inspect(), WHOLE);
    }

    private static void assertShows(List<String> shown, String... parts) {
        String all = String.join("\n", shown);
        for (String part : parts) {
            assertTrue(all.contains(part), "'" + part + "' in:\n" + all);
        }
    }

    private static List<String> segments(List<String> lines) {
        List<String> segments = new ArrayList<>();
        for (String line : lines) {
            if (SEGMENT.matcher(line).matches()) {
                segments.add(line.strip());
            }
        }
        return segments;
    }

    @Test
    void shouldShowTheWholeLogInOrderOverAllTiers() throws IOException {
        List<String> shown = inspect();

        assertShows(
                shown,
                "tier pool " + pmem.resolve(PoolFile.NAME),
                "tier file " + directory.resolve("files"),
                BLOCKS + " blocks of " + Pools.BLOCK_BYTES,
                "topic orders",
                "cursor-billing: {0=17}",
                "SEALED",
                "ACTIVE",
                WHOLE);
        long next = 0;
        boolean inPool = false;
        boolean inFiles = false;
        for (String segment : segments(shown)) {
            Matcher offsets = SEGMENT.matcher(segment);
            assertTrue(offsets.matches());
            assertEquals(next, Long.parseLong(offsets.group(1)), segment);
            next = Long.parseLong(offsets.group(2));
            inPool |= segment.contains(" block ");
            inFiles |= segment.contains(".log") || segment.contains(".active");
        }
        assertEquals(RECORDS, next);
        assertTrue(inPool && inFiles, String.join("\n", shown));
    }

    @Test
    void shouldShowTheSameSegmentsWhenBothSuperblocksAreDestroyed() throws IOException {
        List<String> whole = segments(inspect());
        PoolDamage.overwrite(pmem, 0, 2 * Superblock.BYTES);

        List<String> shown = inspect();

        assertShows(shown, "superblock 0: DAMAGED", "superblock 1: DAMAGED", "not verified");
        assertShows(shown, "NOT FOUND intact", "3 things are wrong");
        assertEquals(whole, segments(shown));
    }

    @Test
    void shouldShowWhatIsInABlockWhoseEntryIsDestroyed() throws IOException {
        String first = segments(inspect()).get(0);
        Matcher block = Pattern.compile("offsets (\\[0, \\d+\\)).* block (\\d)").matcher(first);
        assertTrue(block.matches(), first);
        for (int slot = 0; slot < 2; slot++) {
            long place = PoolDamage.slot(Integer.parseInt(block.group(2)), slot);
            PoolDamage.overwrite(pmem, place, BlockEntry.SLOT_BYTES);
        }

        assertShows(
                inspect(),
                "offsets " + block.group(1) + " are MISSING",
                "owner unknown: offsets " + block.group(1),
                "mark DESTROYED",
                "slot 0 and slot 1");
    }

    @Test
    void shouldNameTheOffsetsOfARottenBatch() throws IOException {
        Matcher sealed = SEGMENT.matcher(segments(inspect()).get(0));
        assertTrue(sealed.matches());
        int block = Integer.parseInt(sealed.group().replaceAll(".* block ", ""));
        long start = PoolFormat.forNewPool(Pools.BLOCK_BYTES, BLOCKS).blockPosition(block);
        PoolDamage.overwrite(pmem, start + 30_000, 1);

        List<String> shown = inspect();

        assertShows(shown, "DAMAGED: offsets [", "1 things are wrong");
        assertEquals(RECORDS, lastOffset(shown));
    }

    private static long lastOffset(List<String> shown) {
        List<String> segments = segments(shown);
        Matcher last = SEGMENT.matcher(segments.get(segments.size() - 1));
        assertTrue(last.matches());
        return Long.parseLong(last.group(2));
    }

    @Test
    void shouldShowATierOfFilesThatLostItsIdentity() throws IOException {
        List<String> whole = segments(inspect());
        Files.delete(directory.resolve("files").resolve("tier"));

        List<String> shown = inspect();

        assertShows(shown, "the file 'tier' is MISSING");
        assertEquals(whole, segments(shown));
    }

    @Test
    void shouldShowATopicThatLostItsName() throws IOException {
        List<String> whole = segments(inspect());
        try (Stream<Path> all = Files.walk(directory.resolve("store"))) {
            Files.delete(all.filter(file -> file.endsWith("topic")).findFirst().orElseThrow());
        }

        List<String> shown = inspect();

        assertShows(shown, "its topic file is MISSING");
        assertEquals(whole, segments(shown));
    }

    @Test
    void shouldShowWhichSegmentsAreGoneWithATier() throws IOException {
        Files.delete(pmem.resolve(PoolFile.NAME));

        List<String> shown = inspect();

        assertShows(shown, "NOT FOUND intact", "offsets [0, ", " are MISSING");
        assertEquals(RECORDS, lastOffset(shown));
    }

    @Test
    void shouldShowAFileThatIsNoPool() throws IOException {
        Files.write(pmem.resolve(PoolFile.NAME), new byte[100_000]);

        assertShows(inspect(), "superblock 0: DAMAGED", "no block table found");
    }

    @Test
    void shouldSayWhenThereIsNothing() throws IOException {
        Path empty = Files.createDirectory(directory.resolve("empty"));

        Report report = StoreInspection.of(FileMedium.real(), List.of(empty), true);

        assertShows(report.lines(), "no store and no tier");
        assertFalse(report.isSound());
    }
}
