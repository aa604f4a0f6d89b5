package io.firn.file;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.medium.FileErrors.UnsupportedVersionException;
import io.firn.medium.FileMedium;
import io.firn.medium.SmallFile;
import io.firn.sim.SimulatedFileMedium;
import io.firn.spi.Block;
import io.firn.spi.Block.Sidecar;
import io.firn.spi.BlockCopy;
import io.firn.spi.Mark;
import io.firn.spi.Mark.SegmentState;
import io.firn.spi.MarkFormat;
import io.firn.spi.StorageTier;
import io.firn.spi.StorageTier.TierContext;
import io.firn.spi.View;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files that are missing, damaged, foreign or in the way: nothing is lost that need not be. */
class FileTierBadDaysTest {
    private static final UUID STORE = new UUID(1, 2);
    private static final UUID TOPIC = new UUID(3, 4);
    private static final int LENGTH = 9000;

    /** In a mark file: a limit of the timestamps, and a checksum. */
    private static final int TIMESTAMP_BYTES = 12;

    /** At its end: the checksums of the sidecars, and another one. */
    private static final int SUMS_BYTES = 12;

    private static final TierContext CREATE = new TierContext(STORE, true, false);
    private static final TierContext READ_ONLY = new TierContext(STORE, false, true);

    @TempDir Path temporary;
    private final List<FileTier> opened = new ArrayList<>();

    private Path root() {
        return temporary.resolve("tier");
    }

    private Path partition() {
        return root().resolve(FileNames.topic(TOPIC)).resolve("0");
    }

    private FileTier open(TierContext context) throws IOException {
        FileTier tier = FileTier.at(root());
        tier.open(context);
        opened.add(tier);
        return tier;
    }

    @AfterEach
    void closeTiers() throws IOException {
        for (FileTier tier : opened) {
            tier.close();
        }
    }

    private static Block active(FileTier tier, long epoch, long base) throws IOException {
        Block segment = tier.reserve(TOPIC, 0, 20_000, epoch);
        byte[] bytes = new byte[LENGTH];
        Arrays.fill(bytes, (byte) epoch);
        segment.memory().put(0, bytes);
        segment.force(0, LENGTH);
        segment.writeMark(segment.mark().active(epoch, base, LENGTH, base + 9));
        return segment;
    }

    private static Block finished(FileTier tier, long epoch, long base) throws IOException {
        Block segment = active(tier, epoch, base);
        segment.seal(segment.mark().sealed(epoch, base, LENGTH, base + 9, 77));
        segment.finishSeal(new byte[] {1}, new byte[] {2});
        return segment;
    }

    /** A tier with an active segment of epoch 1, and finished ones of epochs 2, 3 … */
    private void tierWith(int finished) throws IOException {
        try (FileTier tier = open(CREATE)) {
            active(tier, 1, 9000);
            for (int i = 0; i < finished; i++) {
                finished(tier, 2 + i, 1000L * (i + 1));
            }
        }
    }

    private static Block withEpoch(StorageTier tier, long epoch) throws IOException {
        for (Block segment : tier.list()) {
            if (segment.mark() != null && segment.mark().epoch() == epoch) {
                return segment;
            }
        }
        throw new AssertionError("no segment of epoch " + epoch + " in " + tier.list());
    }

    private static void assertOneStranger(FileTier tier, Object... parts) {
        assertEquals(1, tier.strangers().size(), () -> tier.strangers().toString());
        for (Object part : parts) {
            String line = tier.strangers().get(0);
            assertTrue(line.contains(part.toString()), () -> part + " in " + line);
        }
    }

    /** Every file below the root but the lock, with its content and the time it was changed. */
    private Map<String, String> snapshot() throws IOException {
        Map<String, String> all = new TreeMap<>();
        try (Stream<Path> paths = Files.walk(root())) {
            Path lock = root().resolve(FileNames.LOCK);
            for (Path path : (Iterable<Path>) paths.filter(p -> !p.equals(lock))::iterator) {
                CRC32C crc = new CRC32C();
                crc.update(Files.isDirectory(path) ? new byte[0] : Files.readAllBytes(path));
                all.put(path.toString(), crc.getValue() + " " + Files.getLastModifiedTime(path));
            }
        }
        return all;
    }

    @Test
    void shouldReportASegmentWhoseFileIsGone() throws IOException {
        tierWith(1);
        Files.delete(partition().resolve(FileNames.log(1000)));
        Files.delete(partition().resolve("00000000000000001000.index"));
        Files.delete(partition().resolve("00000000000000001000.timeindex"));

        FileTier tier = open(CREATE);

        assertEquals(1, tier.list().size());
        assertOneStranger(tier, FileNames.mark(1000), "from 1000 to below 1009", LENGTH);
    }

    @Test
    void shouldListASegmentThatIsTooShortAndSaySo() throws IOException {
        tierWith(1);
        Path log = partition().resolve(FileNames.log(1000));
        Files.write(log, Arrays.copyOf(Files.readAllBytes(log), 5000));

        FileTier tier = open(CREATE);
        Block segment = withEpoch(tier, 2);

        assertEquals(5000, segment.capacity());
        assertEquals(LENGTH, segment.mark().position());
        assertEquals(5000, segment.view().buffer().capacity());
        assertOneStranger(tier, log, 5000, LENGTH);
    }

    @Test
    void shouldListASegmentOfNoBytesAndSaySo() throws IOException {
        tierWith(1);
        Path log = partition().resolve(FileNames.log(1000));
        Files.write(log, new byte[0]);

        FileTier tier = open(CREATE);

        assertEquals(0, withEpoch(tier, 2).capacity());
        assertEquals(0, withEpoch(tier, 2).view().buffer().capacity());
        assertOneStranger(tier, log);
    }

    @Test
    void shouldNotReadBytesAfterTheSealedEnd() throws IOException {
        tierWith(1);
        Path log = partition().resolve(FileNames.log(1000));
        Files.write(log, Arrays.copyOf(Files.readAllBytes(log), LENGTH + 100));

        FileTier tier = open(CREATE);

        assertEquals(LENGTH, withEpoch(tier, 2).capacity());
        assertEquals(LENGTH, withEpoch(tier, 2).view().buffer().capacity());
        assertEquals(0, withEpoch(tier, 2).read(LENGTH, new byte[10], 0, 10));
        assertOneStranger(tier, log, LENGTH + 100);
        assertEquals(LENGTH + 100, Files.size(log));
    }

    @Test
    void shouldMakeUpALostMarkFromTheFile() throws IOException {
        tierWith(1);
        Files.delete(partition().resolve(FileNames.mark(1000)));
        long modifiedMs =
                Files.getLastModifiedTime(partition().resolve(FileNames.log(1000))).toMillis();

        FileTier tier = open(CREATE);
        Block segment = withEpoch(tier, -1);

        assertEquals(
                new Mark(SegmentState.SEALED, TOPIC, 0, -1, 1000, LENGTH, -1, modifiedMs, 0),
                segment.mark());
        assertTrue(segment.isFinished());
        assertEquals(List.of(), tier.strangers());

        segment.rewriteMark(new Mark(SegmentState.SEALED, TOPIC, 0, 2, 1000, LENGTH, 1009, 77, 1));
        tier.close();
        assertEquals(1009, withEpoch(open(CREATE), 2).mark().offset());
    }

    @Test
    void shouldMakeUpADamagedMarkFromTheFileAndSaySo() throws IOException {
        tierWith(1);
        Path mark = partition().resolve(FileNames.mark(1000));
        byte[] whole = Files.readAllBytes(mark);
        for (int at = 0; at < whole.length - SUMS_BYTES - TIMESTAMP_BYTES; at++) {
            byte[] damaged = whole.clone();
            damaged[at] ^= 1;
            Files.write(mark, damaged);

            try (FileTier tier = open(CREATE)) {
                assertEquals(LENGTH, withEpoch(tier, -1).mark().position());
                assertOneStranger(tier, mark, "damaged");
            }
        }
    }

    @Test
    void shouldKnowNoTimestampsWhereTheyAreDamagedOrWereNotWritten() throws IOException {
        try (FileTier tier = open(CREATE)) {
            Block segment = active(tier, 2, 1000);
            Mark mark = segment.mark().sealed(2, 1000, LENGTH, 1009, 77).withMaxTimestamp(5_000);
            segment.seal(mark);
            segment.finishSeal(new byte[] {1}, new byte[] {2});
        }
        Path file = partition().resolve(FileNames.mark(1000));
        byte[] whole = Files.readAllBytes(file);
        assertEquals(5_000, maxTimestamp());
        int end = whole.length - SUMS_BYTES;
        for (int at = end - TIMESTAMP_BYTES; at < end; at++) {
            byte[] damaged = whole.clone();
            damaged[at] ^= 1;
            Files.write(file, damaged);
            assertEquals(Mark.UNKNOWN_TIMESTAMP, maxTimestamp());
        }
        Files.write(file, Arrays.copyOf(whole, end - TIMESTAMP_BYTES));
        assertEquals(Mark.UNKNOWN_TIMESTAMP, maxTimestamp());
        Files.write(file, Arrays.copyOf(whole, end));
        assertEquals(5_000, maxTimestamp());
    }

    /** They are not forced, so a power cut may leave any part of them. */
    @Test
    void shouldTakeNoSidecarOfWhichABitIsWrongOrAByteIsMissing() throws IOException {
        FileTier tier = open(CREATE);
        Block segment = finished(tier, 2, 1000);
        byte[] index = new byte[3 * Sidecar.INDEX.entryBytes()];
        Arrays.fill(index, (byte) 7);
        segment.rewriteSidecar(Sidecar.INDEX, index); // the mark file gets its checksum
        assertWhole(segment, Sidecar.INDEX, index);
        tier.close();
        segment = withEpoch(open(CREATE), 2);
        assertWhole(segment, Sidecar.INDEX, index);
        assertArrayEquals(new byte[] {2}, segment.readSidecar(Sidecar.TIMEINDEX));
    }

    private void assertWhole(Block segment, Sidecar kind, byte[] whole) throws IOException {
        Path file = partition().resolve(FileNames.sidecar(1000, kind));
        assertArrayEquals(whole, Files.readAllBytes(file));
        assertArrayEquals(whole, segment.readSidecar(kind));
        for (int bit = 0; bit < 8 * whole.length; bit++) {
            byte[] wrong = whole.clone();
            wrong[bit / 8] ^= (byte) (1 << bit % 8);
            Files.write(file, wrong);
            assertNull(segment.readSidecar(kind), "bit " + bit);
        }
        for (int length = 0; length < whole.length; length++) {
            Files.write(file, Arrays.copyOf(whole, length));
            assertNull(segment.readSidecar(kind), length + " bytes");
        }
        Files.write(file, whole);
    }

    @Test
    void shouldTakeSidecarsAsTheyAreWhereAnOlderMarkFileDoesNotKnowThem() throws IOException {
        tierWith(1);
        Path file = partition().resolve(FileNames.mark(1000));
        byte[] whole = Files.readAllBytes(file);
        Files.write(file, Arrays.copyOf(whole, whole.length - SUMS_BYTES));
        Files.write(partition().resolve(FileNames.sidecar(1000, Sidecar.INDEX)), new byte[8]);

        Block segment = withEpoch(open(CREATE), 2);

        assertArrayEquals(new byte[8], segment.readSidecar(Sidecar.INDEX));
        segment.rewriteSidecar(Sidecar.INDEX, new byte[16]);
        assertArrayEquals(new byte[16], segment.readSidecar(Sidecar.INDEX));
        assertEquals(whole.length - SUMS_BYTES, Files.size(file));
    }

    /** An older Firn wrote the mark file to seal it, and had no seal in the mark pages. */
    @Test
    void shouldFinishWhatAnOlderVersionSealedAndCut() throws IOException {
        for (boolean isCut : new boolean[] {false, true}) {
            try (FileTier tier = open(CREATE)) {
                finished(tier, 2, 1000);
            }
            Path log = partition().resolve(FileNames.log(1000));
            Path mark = partition().resolve(FileNames.mark(1000));
            byte[] bytes = Files.readAllBytes(log);
            byte[] seal = Files.readAllBytes(mark);
            int uncut = (int) MarkPages.fileBytes(20_000);
            Files.write(
                    partition().resolve(FileNames.active(2)),
                    isCut ? bytes : Arrays.copyOf(bytes, uncut));
            Files.delete(log);
            Files.write(mark, Arrays.copyOf(seal, seal.length - SUMS_BYTES));
            Files.write(partition().resolve(FileNames.reservedSeal(2)), new byte[108]);

            try (FileTier tier = open(CREATE)) {
                Block segment = withEpoch(tier, 2);
                assertEquals(List.of(), tier.strangers());
                assertFalse(segment.isFinished());
                assertEquals(LENGTH, segment.capacity());
                segment.finishSeal(new byte[] {1}, new byte[] {2});
                assertArrayEquals(bytes, Files.readAllBytes(log));
                assertArrayEquals(seal, Files.readAllBytes(mark));
                assertFalse(Files.exists(partition().resolve(FileNames.reservedSeal(2))));
                segment.delete();
            }
        }
    }

    private long maxTimestamp() throws IOException {
        try (FileTier tier = open(CREATE)) {
            assertEquals(List.of(), tier.strangers());
            return withEpoch(tier, 2).mark().maxTimestamp();
        }
    }

    @Test
    void shouldTakeARenamedSegmentForWhatItsNameSaysAndReportTheOldMark() throws IOException {
        tierWith(1);
        Files.move(
                partition().resolve(FileNames.log(1000)), partition().resolve(FileNames.log(1500)));

        FileTier tier = open(CREATE);

        assertEquals(1500, withEpoch(tier, -1).mark().baseOffset());
        assertEquals(3, tier.strangers().size(), () -> tier.strangers().toString());
        assertTrue(tier.strangers().get(0).contains(FileNames.mark(1000)));
    }

    @Test
    void shouldListAnActiveSegmentWithoutMarksAsDamaged() throws IOException {
        tierWith(0);
        Path file = partition().resolve(FileNames.active(1));
        byte[] bytes = Files.readAllBytes(file);
        Arrays.fill(bytes, bytes.length - MarkPages.BYTES, bytes.length, (byte) 9);
        Files.write(file, bytes);

        FileTier tier = open(CREATE);
        Block segment = tier.list().get(0);

        assertNull(segment.mark());
        assertThrows(IllegalStateException.class, segment::memory);
        assertThrows(IllegalStateException.class, () -> segment.force(0, 1));
        byte[] read = new byte[LENGTH];
        assertEquals(LENGTH, segment.read(0, read, 0, LENGTH));
        assertArrayEquals(Arrays.copyOf(bytes, LENGTH), read);
        segment.delete();
        assertFalse(Files.exists(file));
    }

    @Test
    void shouldListAnActiveSegmentThatWasCutAsDamaged() throws IOException {
        for (int size : new int[] {0, 100, 4096, 12288}) {
            tierWith(0);
            Path file = partition().resolve(FileNames.active(1));
            Files.write(file, Arrays.copyOf(Files.readAllBytes(file), size));

            try (FileTier tier = open(CREATE)) {
                Block segment = tier.list().get(0);
                assertNull(segment.mark());
                segment.view();
                segment.delete();
            }
        }
    }

    @Test
    void shouldLeaveASegmentOfAnotherTopicAlone() throws IOException {
        tierWith(0);
        Path other = root().resolve(FileNames.topic(new UUID(3, 5))).resolve("0");
        Files.createDirectories(other.getParent());
        Files.move(partition(), other);

        FileTier tier = open(CREATE);

        assertEquals(List.of(), tier.list());
        assertOneStranger(tier, other, TOPIC);
        tier.close();
        assertTrue(Files.exists(other.resolve(FileNames.active(1))));
    }

    @Test
    void shouldReportWhatIsNotItsOwnAndLeaveItAlone() throws IOException {
        tierWith(1);
        String[] names = {
            "notes.txt",
            "0123",
            FileNames.topic(TOPIC).toUpperCase(Locale.ROOT) + "0",
            FileNames.topic(TOPIC) + "/00",
            FileNames.topic(TOPIC) + "/4294967296",
            FileNames.topic(TOPIC) + "/0/1000.log",
            FileNames.topic(TOPIC) + "/0/99999999999999999999.log",
            FileNames.topic(TOPIC) + "/0/00000000000000001000.log~",
            FileNames.topic(TOPIC) + "/0/00000000000000005000.index",
            FileNames.topic(TOPIC) + "/1",
        };
        for (String name : names) {
            Files.writeString(root().resolve(name), "not ours");
        }

        FileTier tier = open(CREATE);

        assertEquals(2, tier.list().size());
        assertEquals(names.length, tier.strangers().size(), () -> tier.strangers().toString());
        for (String name : names) {
            assertTrue(
                    tier.strangers().stream()
                            .anyMatch(s -> s.startsWith(root().resolve(name) + ":")),
                    () -> name + " in " + tier.strangers());
            assertEquals("not ours", Files.readString(root().resolve(name)));
        }
    }

    @Test
    void shouldTellATierFromItsNeighbourWithALongerName() throws IOException {
        FileTier one = open(CREATE);
        FileTier ten = FileTier.at(temporary.resolve("tier0"));
        ten.open(CREATE);
        opened.add(ten);
        finished(one, 1, 1000);
        finished(ten, 2, 1000);

        one.list().get(0).delete();

        assertEquals(0, one.usedBytes());
        assertEquals(LENGTH, ten.usedBytes());
    }

    @Test
    void shouldClearAwayWhatAReservationLeftHalfMade() throws IOException {
        tierWith(0);
        Path half = partition().resolve(FileNames.temporaryActive(5));
        Files.write(half, new byte[100]);

        try (FileTier reading = open(READ_ONLY)) {
            assertEquals(1, reading.list().size());
            assertTrue(Files.exists(half));
        }
        FileTier tier = open(CREATE);

        assertFalse(Files.exists(half));
        assertEquals(List.of(), tier.strangers());
    }

    @Test
    void shouldChangeNothingWhenOpenReadOnly() throws IOException {
        tierWith(2);
        Files.delete(partition().resolve(FileNames.mark(1000)));
        Files.write(partition().resolve(FileNames.deleted(7)), new byte[3]);
        Files.write(root().resolve("stranger"), new byte[3]);
        Map<String, String> before = snapshot();

        FileTier tier = open(READ_ONLY);
        for (Block segment : tier.list()) {
            segment.view().buffer().get(0);
            segment.read(0, new byte[10], 0, 10);
            segment.refreshMark();
            segment.detachView();
        }
        tier.list();
        tier.close();

        assertEquals(before, snapshot());
    }

    @Test
    void shouldNotTouchATierOfANewerVersion() throws IOException {
        tierWith(1);
        Map<String, String> values = Map.of("tier", "?", "store", STORE.toString());
        SmallFile.write(FileMedium.real(), root().resolve("tier"), "file-tier", 3, values);
        Map<String, String> before = snapshot();

        UnsupportedVersionException refused =
                assertThrows(UnsupportedVersionException.class, () -> open(CREATE));

        assertTrue(refused.getMessage().contains(root() + "/tier"), refused.getMessage());
        assertTrue(refused.getMessage().contains("version 3"), refused.getMessage());
        assertEquals(before, snapshot());
    }

    @Test
    void shouldNotTouchATierWithASegmentOfANewerVersion() throws IOException {
        tierWith(1);
        Path file = partition().resolve(FileNames.active(1));
        byte[] bytes = Files.readAllBytes(file);
        ByteBuffer slot = ByteBuffer.wrap(bytes, bytes.length - 4096, 84).slice();
        slot.putInt(8, MarkFormat.VERSION + 1);
        CRC32C crc = new CRC32C();
        crc.update(bytes, bytes.length - 4096, 80);
        slot.putInt(80, (int) crc.getValue());
        Files.write(file, bytes);
        Files.write(partition().resolve(FileNames.deleted(7)), new byte[3]);
        Map<String, String> before = snapshot();

        assertThrows(UnsupportedVersionException.class, () -> open(CREATE));

        assertEquals(before, snapshot());
    }

    /** It knows no directories of segments, and would take their offsets for lost. */
    @Test
    void shouldBeRefusedByAnEarlierVersionFromTheFirstRewrittenSegmentOn() throws IOException {
        tierWith(1);
        Path file = root().resolve(FileNames.TIER);
        assertTrue(Files.readString(file).startsWith("firn file-tier 1\n"));
        try (FileTier tier = open(CREATE)) {
            Mark mark = withEpoch(tier, 2).mark();
            tier.beginCopy(mark.sealed(2, 1000, 10, 1009, 77).inGeneration(1, 5), 50).abandon();
        }
        String found = Files.readString(file);
        assertTrue(found.startsWith("firn file-tier 2\n"), found);
        open(CREATE).close();
        assertEquals(found, Files.readString(file));
    }

    @Test
    void shouldShowARewrittenSegmentWhoseMarkIsLostOrDamaged() throws IOException {
        tierWith(1);
        try (FileTier tier = open(CREATE)) {
            Mark mark = withEpoch(tier, 2).mark().sealed(2, 1000, 100, 1009, 77).inGeneration(3, 5);
            BlockCopy copy = tier.beginCopy(mark, 50);
            copy.write(0, new byte[100], 0, 100);
            copy.force();
            copy.publish(mark, new byte[] {1}, new byte[] {2});
        }
        Path file = partition().resolve("00000000000000001000.3/00000000000000001000.mark");
        byte[] bytes = Files.readAllBytes(file);
        bytes[60]++;
        for (boolean isLost : new boolean[] {false, true}) {
            Files.write(file, bytes);
            if (isLost) {
                Files.delete(file);
            }
            try (FileTier tier = open(CREATE)) {
                Block segment = withEpoch(tier, -1);
                assertEquals(3, segment.mark().generation());
                assertEquals(-1, segment.mark().compactedTo());
                assertEquals(1000, segment.mark().baseOffset());
                assertEquals(100, segment.mark().position());
                assertEquals(-1, segment.mark().offset());
                assertEquals(3, tier.list().size());
                assertEquals(isLost ? 0 : 1, tier.strangers().size());
            }
        }
    }

    @Test
    void shouldNameWhatDoesNotBelongIntoADirectoryOfARewrittenSegment() throws IOException {
        tierWith(0);
        Path directory = Files.createDirectory(partition().resolve("00000000000000001000.3"));
        Path mark = Files.write(directory.resolve("00000000000000001000.mark"), new byte[5]);
        assertOneStranger(open(CREATE), "00000000000000001000.3", "has no segment in it");
        opened.get(opened.size() - 1).close();
        Files.delete(mark);
        Files.delete(directory);

        Files.write(partition().resolve("00000000000000001000.3"), new byte[5]);
        assertOneStranger(open(CREATE), "00000000000000001000.3", "a file, where a directory");
        opened.get(opened.size() - 1).close();
        Files.delete(partition().resolve("00000000000000001000.3"));

        Path hidden = Files.createDirectory(partition().resolve(".00000000000000001000.3.copy"));
        Files.write(hidden.resolve("anything"), new byte[5]);
        assertEquals(List.of(), open(CREATE).strangers());
        assertFalse(Files.exists(hidden));
    }

    @Test
    void shouldNotTouchATierOfAnotherStore() throws IOException {
        tierWith(1);
        Map<String, String> before = snapshot();
        TierContext other = new TierContext(new UUID(9, 9), true, false);

        assertThrows(IOException.class, () -> open(other));

        assertEquals(before, snapshot());
    }

    @Test
    void shouldSayWhatIsWrongWithADamagedTierFile() throws IOException {
        tierWith(1);
        Files.writeString(root().resolve("tier"), "firn file-tier 1\nstore=x\n");

        IOException refused = assertThrows(IOException.class, () -> open(CREATE));

        assertTrue(refused.getMessage().contains(root() + "/tier is damaged"));
    }

    @Test
    void shouldNotMakeATierOfADirectoryThatHoldsOtherThings() throws IOException {
        tierWith(1);
        Files.delete(root().resolve("tier"));
        Map<String, String> before = snapshot();

        IOException refused = assertThrows(IOException.class, () -> open(CREATE));

        assertTrue(refused.getMessage().contains("should be empty"), refused.getMessage());
        assertEquals(before, snapshot());
    }

    @Test
    void shouldMakeATierOfTheRootOfAFileSystem() throws IOException {
        Files.createDirectories(root().resolve("lost+found"));

        assertEquals(List.of(), open(CREATE).strangers());
    }

    @Test
    void shouldSayThatAFileIsInTheWay() throws IOException {
        Files.writeString(root(), "a file");

        IOException refused = assertThrows(IOException.class, () -> open(CREATE));

        assertTrue(refused.getMessage().contains("should be a directory"), refused.getMessage());
    }

    @Test
    void shouldSayThatAFileIsInTheWayFurtherUp() throws IOException {
        Files.writeString(temporary.resolve("up"), "a file");
        FileTier tier = FileTier.at(temporary.resolve("up/tier"));

        IOException refused = assertThrows(IOException.class, () -> tier.open(CREATE));

        assertTrue(refused.getMessage().contains("should be a directory"), refused.getMessage());
    }

    @Test
    void shouldSayThatItsDirectoryIsNotWritableAndOpenReadOnly() throws IOException {
        SimulatedFileMedium medium = new SimulatedFileMedium();
        Path path = Path.of("/data");
        FileTier.at(path).withMedium(medium).open(CREATE);
        SimulatedFileMedium later = medium.kill();
        later.faults().refuseChanges(changed -> true);

        FileTier tier = FileTier.at(path).withMedium(later);
        IOException refused = assertThrows(IOException.class, () -> tier.open(CREATE));
        assertTrue(refused.getMessage().contains("/data"), refused.getMessage());
        assertTrue(refused.getMessage().contains("open read-only"), refused.getMessage());
        tier.open(READ_ONLY);
    }

    @Test
    void shouldRefuseToSealASecondSegmentWithTheSameBaseOffset() throws IOException {
        FileTier tier = open(CREATE);
        finished(tier, 1, 1000);
        Block second = active(tier, 2, 1000);
        Mark sealed = second.mark().sealed(2, 1000, LENGTH, 1009, 78);
        Map<String, String> before = snapshot();

        IOException refused = assertThrows(IOException.class, () -> second.seal(sealed));

        assertTrue(refused.getMessage().contains("base offset 1000"), refused.getMessage());
        assertEquals(before, snapshot());
        assertEquals(SegmentState.ACTIVE, second.mark().state());
    }

    @Test
    void shouldRefuseAnEpochThatIsTaken() throws IOException {
        FileTier tier = open(CREATE);
        active(tier, 1, 1000);

        assertThrows(IOException.class, () -> tier.reserve(TOPIC, 0, 20_000, 1));

        assertEquals(1, tier.list().size());
    }

    @Test
    void shouldNoticeThatSomebodyElseCutAnActiveFile() throws IOException {
        FileTier tier = open(CREATE);
        Block segment = active(tier, 1, 1000);
        try (RandomAccessFile other = new RandomAccessFile(segment.name(), "rw")) {
            other.setLength(12288);
        }

        IOException cut = assertThrows(IOException.class, () -> segment.force(0, 64));

        assertTrue(cut.getMessage().contains("12288 bytes"), cut.getMessage());
    }

    @Test
    void shouldUnmapADeletedSegmentWhenItsLastReaderHasGone() throws IOException {
        FileTier tier = open(CREATE);
        Block segment = finished(tier, 1, 1000);
        View view = segment.view();
        assertTrue(view.pin());

        segment.delete();

        assertFalse(view.tryRelease());
        assertEquals((byte) 1, view.buffer().get(0));
        view.unpin();
        tier.reserve(TOPIC, 0, 20_000, 2);
        assertFalse(view.isPinned());
        assertFalse(view.pin());
        assertThrows(IOException.class, segment::view);
    }

    @Test
    void shouldMoveAsideNothingThatAReaderHolds() throws IOException {
        tierWith(1);
        FileTier reading = open(READ_ONLY);
        Block seen = withEpoch(reading, 2);
        View view = seen.view();
        assertTrue(view.pin());

        Path log = partition().resolve(FileNames.log(1000));
        Files.move(log, temporary.resolve("elsewhere"), StandardCopyOption.ATOMIC_MOVE);

        assertEquals(1, reading.list().size());
        assertEquals((byte) 2, view.buffer().get(0));
        view.unpin();
        assertThrows(IllegalStateException.class, reading.list().get(0)::memory);
    }
}
