package io.firn.trouble;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.DamagedRangeException;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.PartitionReader.DamagedRange;
import io.firn.RecordHandler.Action;
import io.firn.StoreOpenException;
import io.firn.Tailer;
import io.firn.UnreadableTopicException;
import io.firn.api.ObservedMedium;
import io.firn.medium.FileMedium;
import io.firn.medium.SmallFile;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Files that are missing, cut, empty, renamed or not ours: what is there is served, what is not is
 * named, and no offset is given twice.
 */
class DamagedFilesTest {
    private static final long END = 30;

    @TempDir Path temporary;
    private Disk disk;
    private Map<Long, byte[]> expected;

    @BeforeEach
    void fill() {
        disk = new Disk(temporary, new ObservedMedium());
        expected = disk.fill();
    }

    /** Opens, checks that only offsets of the range are gone, and goes on. */
    private void check(long lostFrom, long lostTo) {
        try (LogStore store = disk.open()) {
            Partition partition = Disk.partition(store);
            Found found = Found.in(partition);
            found.assertRightOrNamed(expected);
            found.assertReadable(partition.logStartOffset(), lostFrom);
            found.assertReadable(lostTo, END);
            assertEquals(lostFrom == lostTo, found.lost().isEmpty(), () -> "" + found.lost());
            assertEquals(lostFrom == lostTo, partition.damage().isEmpty());
            assertTrue(partition.nextOffset() >= END, "no offset is given again");
            long next = partition.nextOffset();
            Disk.append(partition, 2);
            assertEquals(next + 2, partition.nextOffset());
            expected.put(next, Disk.value(next));
            expected.put(next + 1, Disk.value(next + 1));
        }
        // Named again, and what came later is there.
        try (LogStore store = disk.open()) {
            Found found = Found.in(Disk.partition(store));
            assertEquals(lostFrom == lostTo, found.lost().isEmpty());
            found.assertReadable(lostTo, Disk.partition(store).nextOffset());
        }
    }

    private String findings() {
        try (LogStore store = disk.open()) {
            return store.findings().toString();
        }
    }

    // ---- segments

    @Test
    void shouldServeAllWhenNothingIsDamaged() {
        check(END, END);
        assertEquals("[]", findings());
    }

    @Test
    void shouldNameAMissingFirstSegment() throws IOException {
        Files.delete(disk.sealed(0, "log"));
        check(0, 6);
        assertTrue(findings().contains("00000000000000000000.mark"), "its mark is still there");
    }

    @Test
    void shouldNameAMissingSegmentInTheMiddle() throws IOException {
        Files.delete(disk.sealed(12, "log"));
        check(12, 18);
    }

    /** Found at open, and again by those who read, who see other signs of it. */
    @Test
    void shouldListEachDamagedRangeOnce() throws IOException {
        Files.delete(disk.sealed(0, "log"));
        Files.delete(disk.sealed(12, "log"));
        Path log = disk.sealed(18, "log");
        cut(log, Files.size(log) / 2);
        try (LogStore store = disk.open()) {
            Partition partition = Disk.partition(store);
            try (Tailer tailer = partition.openTailer()) {
                for (long offset : new long[] {14, 12, 3, 0, 23, 1}) {
                    tailer.seek(offset);
                    assertThrows(
                            DamagedRangeException.class,
                            () -> tailer.poll(record -> Action.CONTINUE, 1),
                            () -> "offset " + offset);
                }
            }
            Found.in(partition);
            List<Long> ends = new ArrayList<>();
            for (DamagedRange range : partition.damage()) {
                ends.add(range.fromOffset());
                ends.add(range.toOffset());
            }
            assertEquals(List.of(0L, 6L, 12L, 18L, 20L, 24L), ends, partition.damage()::toString);
        }
    }

    @Test
    void shouldNotGiveOffsetsAgainWhenTheLastSegmentIsMissing() throws IOException {
        Files.delete(disk.active());
        check(24, END);
    }

    @Test
    void shouldNotGiveOffsetsAgainWhenAllSegmentsAreMissing() throws IOException {
        try (Stream<Path> files = Files.walk(disk.segments())) {
            for (Path file : files.filter(f -> f.toString().matches(".*/0/[^/]+")).toList()) {
                Files.delete(file);
            }
        }
        check(0, END);
    }

    @Test
    void shouldNameWhatATruncatedSegmentLost() throws IOException {
        Path log = disk.sealed(12, "log");
        cut(log, Files.size(log) - 1);
        check(16, 18);
        cut(log, Files.size(log) / 2);
        check(14, 18);
        cut(log, 30);
        check(12, 18);
        assertTrue(findings().contains(log.getFileName().toString()));
    }

    @Test
    void shouldNameWhatASegmentOfLengthZeroLost() throws IOException {
        cut(disk.sealed(12, "log"), 0);
        check(12, 18);
    }

    @Test
    void shouldRefuseAnUnsealedSegmentWithoutMarksAndChangeNothing() throws IOException {
        Path active = disk.active();
        byte[] whole = Files.readAllBytes(active);
        for (long length : new long[] {0, 5, 4096, whole.length - 2 * 4096}) {
            cut(active, length);
            StoreOpenException refusal =
                    assertThrows(StoreOpenException.class, () -> disk.open().close());
            assertTrue(refusal.getMessage().contains(active.toString()), refusal.getMessage());
            assertEquals(length, Files.size(active));
            Files.write(active, whole);
        }
        check(END, END);
    }

    @Test
    void shouldNotServeASegmentUnderAWrongName() throws IOException {
        Path log = disk.sealed(12, "log");
        Path wrong = log.resolveSibling("00000000000000000013.log");
        Files.move(log, wrong);
        check(12, 18);
        assertTrue(Files.exists(wrong));
        Files.move(wrong, log, StandardCopyOption.REPLACE_EXISTING);
        try (LogStore store = disk.open()) {
            Found.in(Disk.partition(store)).assertReadable(12, 18);
        }
    }

    @Test
    void shouldNotServeASegmentOfAnotherPlaceUnderARightName() throws IOException {
        Files.copy(
                disk.sealed(6, "log"), disk.sealed(12, "log"), StandardCopyOption.REPLACE_EXISTING);
        check(12, 18);
    }

    @Test
    void shouldServeASegmentWhoseMarkIsMissing() throws IOException {
        Files.delete(disk.sealed(12, "mark"));
        check(END, END);
    }

    @Test
    void shouldReportAndKeepFilesThatAreNotOurs() throws IOException {
        Path partition = disk.active().getParent();
        Path note = partition.resolve("note.txt");
        Path log = partition.resolve("1.log");
        Path directory = Files.createDirectories(disk.segments().resolve("photographs"));
        Files.writeString(note, "to do");
        Files.writeString(log, "2026-01-01 all is well");
        check(END, END);
        String findings = findings();
        assertTrue(findings.contains("note.txt"), findings);
        assertTrue(findings.contains("1.log"), findings);
        assertTrue(findings.contains("photographs"), findings);
        assertEquals("to do", Files.readString(note));
        assertTrue(Files.exists(log) && Files.exists(directory));
    }

    // ---- sidecars

    /** What may become of an index. */
    private enum Harm {
        DELETED,
        EMPTY,
        CUT,
        ZEROS,
        NOISE,
        ANOTHER_SEGMENTS,
        POINTS_ELSEWHERE;

        void doTo(Path file, Path another) throws IOException {
            byte[] bytes = Files.readAllBytes(file);
            switch (this) {
                case DELETED -> Files.delete(file);
                case EMPTY -> Files.write(file, new byte[0]);
                case CUT -> Files.write(file, Arrays.copyOf(bytes, bytes.length - 3));
                case ZEROS -> Files.write(file, new byte[bytes.length]);
                case NOISE -> {
                    new SplittableRandom(bytes.length).nextBytes(bytes);
                    Files.write(file, bytes);
                }
                case ANOTHER_SEGMENTS ->
                        Files.copy(another, file, StandardCopyOption.REPLACE_EXISTING);
                case POINTS_ELSEWHERE -> {
                    bytes[bytes.length - 1] ^= 16;
                    Files.write(file, bytes);
                }
                default -> throw new AssertionError(this);
            }
        }
    }

    @ParameterizedTest(name = "shouldFindEveryOffsetWhenTheIndexIs {0}")
    @EnumSource(Harm.class)
    void shouldFindEveryOffsetWhenTheIndexIs(Harm harm) throws IOException {
        harm.doTo(disk.sealed(6, "index"), disk.sealed(12, "index"));
        checkSeeks();
    }

    @ParameterizedTest(name = "shouldFindEveryTimestampWhenTheTimeIndexIs {0}")
    @EnumSource(Harm.class)
    void shouldFindEveryTimestampWhenTheTimeIndexIs(Harm harm) throws IOException {
        harm.doTo(disk.sealed(6, "timeindex"), disk.sealed(12, "timeindex"));
        checkSeeks();
    }

    private void checkSeeks() {
        for (int life = 0; life < 2; life++) {
            try (LogStore store = disk.open()) {
                Partition partition = Disk.partition(store);
                try (Tailer tailer = partition.openTailer()) {
                    for (long offset = END - 1; offset >= 0; offset--) {
                        tailer.seek(offset);
                        long at = offset;
                        tailer.poll(
                                record -> {
                                    assertEquals(at, record.offset());
                                    assertEquals(at, record.timestamp());
                                    return Action.STOP;
                                },
                                1);
                        assertEquals(offset, partition.findTimestamp(offset).offset());
                    }
                }
                assertEquals("[]", partition.damage().toString());
            }
        }
    }

    // ---- what the store knows

    @Test
    void shouldRefuseWhenTheStoreFileIsMissing() throws IOException {
        Path file = temporary.resolve("store/store");
        Path aside = temporary.resolve("aside");
        Files.move(file, aside);
        StoreOpenException refusal =
                assertThrows(StoreOpenException.class, () -> disk.open().close());
        assertTrue(refusal.getMessage().contains(file.toString()), refusal.getMessage());
        assertFalse(Files.exists(file));
        Files.move(aside, file);
        check(END, END);
    }

    @Test
    void shouldKeepTheSegmentsOfATopicWhoseFileIsMissing() throws IOException {
        Path file = topicFile("topic");
        Path aside = temporary.resolve("aside");
        Files.move(file, aside);
        try (LogStore store = disk.open()) {
            assertThrows(UnreadableTopicException.class, () -> store.openTopic(Disk.TOPIC));
            String findings = store.findings().toString();
            assertTrue(findings.contains("topic file is missing"), findings);
            assertTrue(findings.contains(disk.active().toString()), findings);
        }
        Files.move(aside, file);
        check(END, END);
    }

    @Test
    void shouldNotServeATopicWhoseFileIsDamagedAndKeepIt() throws IOException {
        Path file = topicFile("topic");
        byte[] whole = Files.readAllBytes(file);
        cut(file, whole.length / 2);
        try (LogStore store = disk.open()) {
            assertThrows(UnreadableTopicException.class, () -> store.openTopic(Disk.TOPIC));
            assertTrue(store.findings().toString().contains(file.toString()));
        }
        Files.write(file, whole);
        check(END, END);
    }

    @Test
    void shouldFindProducersAgainWithoutTheirCheckpoint() throws IOException {
        Files.deleteIfExists(topicFile("producers-0"));
        Files.deleteIfExists(topicFile("producers"));
        check(END, END);
    }

    @Test
    void shouldFindProducersAgainWhenTheCheckpointsOfTheLastCloseAreDamaged() throws IOException {
        cut(topicFile("producers"), 10);
        check(END, END);
    }

    @Test
    void shouldRefuseDamagedCountersRatherThanRepeatThemselves() throws IOException {
        Path epochs = temporary.resolve("store/epochs");
        Map<String, String> values = Map.of("leasedBelow", "1000");
        SmallFile.write(FileMedium.real(), epochs, "counter", 1, values);
        byte[] whole = Files.readAllBytes(epochs);
        cut(epochs, 10);
        StoreOpenException refusal =
                assertThrows(StoreOpenException.class, () -> disk.open().close());
        assertTrue(refusal.getMessage().contains(epochs.toString()), refusal.getMessage());
        Files.write(epochs, whole);
        check(END, END);
    }

    @Test
    void shouldGoOnAboveEveryEpochFoundWhenTheCounterIsMissing() throws IOException {
        Files.deleteIfExists(temporary.resolve("store/epochs"));
        check(END, END);
    }

    private Path topicFile(String name) throws IOException {
        try (Stream<Path> topics = Files.list(temporary.resolve("store/topics"))) {
            return topics.findFirst().orElseThrow().resolve(name);
        }
    }

    private static void cut(Path file, long length) throws IOException {
        try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
            open.setLength(length);
        }
    }
}
