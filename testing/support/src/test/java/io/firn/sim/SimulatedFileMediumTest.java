package io.firn.sim;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.medium.FileMedium;
import io.firn.medium.MediumFile;
import io.firn.medium.MediumFile.Mapping;
import io.firn.spi.FileMediumContract;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** The simulated medium does what a real one does, and forgets what a real one may forget. */
class SimulatedFileMediumTest extends FileMediumContract {
    private static final Path ROOT = Path.of("/");
    private static final Path FILE = ROOT.resolve("file");
    private static final int PAGE = SimulatedFile.PAGE;

    private final SimulatedFileMedium medium = new SimulatedFileMedium();

    @Override
    protected FileMedium medium() {
        return medium;
    }

    @Override
    protected Path directory() {
        return ROOT;
    }

    private static byte[] bytes(int length, int value) {
        byte[] bytes = new byte[length];
        Arrays.fill(bytes, (byte) value);
        return bytes;
    }

    private static byte[] read(FileMedium medium, Path path) throws IOException {
        try (MediumFile file = medium.open(path, false)) {
            byte[] bytes = new byte[(int) file.size()];
            file.read(0, bytes, 0, bytes.length);
            return bytes;
        }
    }

    /** A durable file of two pages of ones. */
    private MediumFile durableFile() throws IOException {
        MediumFile file = medium.create(FILE);
        file.write(0, bytes(2 * PAGE, 1), 0, 2 * PAGE);
        file.force();
        medium.forceDirectory(ROOT);
        return file;
    }

    @Test
    void shouldForgetAnUnforcedName() throws IOException {
        try (MediumFile file = medium.create(FILE)) {
            file.write(0, bytes(10, 1), 0, 10);
            file.force();
        }
        assertFalse(medium.crash(Survival.NONE).exists(FILE));
        assertTrue(medium.crash(Survival.ALL).exists(FILE));
        medium.forceDirectory(ROOT);
        assertArrayEquals(bytes(10, 1), read(medium.crash(Survival.NONE), FILE));
    }

    @Test
    void shouldForgetUnforcedBytesBehindAName() throws IOException {
        try (MediumFile file = medium.create(FILE)) {
            file.write(0, bytes(10, 1), 0, 10);
        }
        medium.forceDirectory(ROOT);

        assertArrayEquals(new byte[0], read(medium.crash(Survival.NONE), FILE));
        assertArrayEquals(new byte[10], read(medium.crash(Survival.NAMES), FILE));
        assertArrayEquals(bytes(10, 1), read(medium.crash(Survival.ALL), FILE));
    }

    @Test
    void shouldBringBackADeletedNameAndTheOldSize() throws IOException {
        durableFile().setSize(5);
        assertEquals(2 * PAGE, read(medium.crash(Survival.NONE), FILE).length);
        medium.delete(FILE);

        assertFalse(medium.exists(FILE));
        assertArrayEquals(bytes(2 * PAGE, 1), read(medium.crash(Survival.NONE), FILE));
        medium.forceDirectory(ROOT);
        assertFalse(medium.crash(Survival.NONE).exists(FILE));
    }

    @Test
    void shouldLeaveARenamedFileWithOneName() throws IOException {
        durableFile();
        Path other = ROOT.resolve("other");
        Path third = ROOT.resolve("third");
        medium.rename(FILE, other);
        medium.rename(other, third);
        Set<String> found = new TreeSet<>();
        for (int seed = 0; seed < 100; seed++) {
            List<String> names = medium.crash(Survival.random(seed)).list(ROOT);
            assertEquals(1, names.size());
            found.add(names.get(0));
        }
        assertEquals(Set.of("file", "other", "third"), found);
    }

    @Test
    void shouldLeaveARenamedDirectoryWithOneNameAndItsContentAsDurableAsItWas() throws IOException {
        Path hidden = ROOT.resolve(".hidden");
        Path shown = ROOT.resolve("shown");
        medium.createDirectories(hidden);
        putForced(hidden.resolve("forced"));
        medium.forceDirectory(hidden);
        putForced(hidden.resolve("late"));
        int before = medium.operations();
        medium.rename(hidden, shown);
        assertEquals(before + 1, medium.operations(), "one operation");
        Set<String> found = new TreeSet<>();
        for (int seed = 0; seed < 100; seed++) {
            SimulatedFileMedium left = medium.crash(Survival.random(seed));
            List<String> names = left.list(ROOT);
            assertEquals(1, names.size());
            found.add(names.get(0) + left.list(ROOT.resolve(names.get(0))));
        }
        assertEquals(
                Set.of(
                        ".hidden[forced, late]",
                        ".hidden[forced]",
                        "shown[forced, late]",
                        "shown[forced]"),
                found);

        medium.forceDirectory(ROOT);

        SimulatedFileMedium left = medium.crash(Survival.NONE);
        assertEquals(List.of("shown"), left.list(ROOT));
        assertEquals(List.of("forced"), left.list(shown), "the parent's force is not its own");
        assertArrayEquals(bytes(10, 1), read(left, shown.resolve("forced")));
        medium.forceDirectory(shown);
        assertEquals(List.of("forced", "late"), medium.crash(Survival.NONE).list(shown));
    }

    @Test
    void shouldBringBackADirectoryWhoseRemovalWasNotForced() throws IOException {
        Path directory = ROOT.resolve("directory");
        medium.createDirectories(directory);
        putForced(directory.resolve("a"));
        medium.forceDirectory(directory);
        medium.delete(directory.resolve("a"));
        medium.delete(directory);

        assertEquals(List.of("a"), medium.crash(Survival.NONE).list(directory));
        medium.forceDirectory(ROOT);
        assertEquals(List.of(), medium.crash(Survival.NONE).list(ROOT));
    }

    private void putForced(Path path) throws IOException {
        try (MediumFile file = medium.create(path)) {
            file.write(0, bytes(10, 1), 0, 10);
            file.force();
        }
    }

    /** Each page had so many contents since it was forced, of which one survives. */
    private static Survival version(int expected, int surviving) {
        return new Survival() {
            @Override
            public boolean name() {
                return false;
            }

            @Override
            public boolean size() {
                return false;
            }

            @Override
            public Fate page() {
                return Fate.OLD;
            }

            @Override
            public boolean piece() {
                return false;
            }

            @Override
            public int pieceBytes() {
                return PAGE;
            }

            @Override
            public int line(int versions) {
                assertEquals(expected, versions);
                return surviving;
            }
        };
    }

    @Test
    void shouldLeaveAPageAsItWasBetweenTwoWrites() throws IOException {
        try (MediumFile file = durableFile()) {
            file.write(0, bytes(10, 2), 0, 10);
            file.write(0, bytes(10, 3), 0, 10);

            for (int surviving = 0; surviving <= 2; surviving++) {
                byte[] left = read(medium.crash(version(2, surviving)), FILE);
                assertEquals(surviving + 1, left[0]);
            }
            file.force();
            assertEquals(3, read(medium.crash(Survival.random(1)), FILE)[0]);
        }
    }

    @Test
    void shouldLeaveAMappedPageAsItWasAtAnEarlierOperation() throws IOException {
        medium.onOperation(number -> {});
        try (MediumFile file = durableFile()) {
            Mapping mapping = file.map(2 * PAGE, true);
            mapping.buffer().put(0, (byte) 2);
            mapping.force(PAGE, 1);
            mapping.buffer().put(0, (byte) 3);

            for (int surviving = 0; surviving <= 2; surviving++) {
                byte[] left = read(medium.kill().crash(version(2, surviving)), FILE);
                assertEquals(surviving + 1, left[0]);
            }
            mapping.force(0, 1);
            mapping.buffer().put(PAGE, (byte) 4);
            mapping.unmap();
            assertEquals(3, read(medium.crash(Survival.NONE), FILE)[0]);
        }
    }

    @Test
    void shouldForceARangeOfAMappingAndNoMore() throws IOException {
        try (MediumFile file = durableFile()) {
            Mapping mapping = file.map(2 * PAGE, true);
            mapping.buffer().put(0, (byte) 2).put(PAGE, (byte) 2);
            mapping.force(PAGE, 1);
        }
        byte[] left = read(medium.crash(Survival.NONE), FILE);
        assertEquals(1, left[0]);
        assertEquals(2, left[PAGE]);
        assertEquals(2, read(medium.crash(Survival.ALL), FILE)[0]);
    }

    @Test
    void shouldTearAPageBetweenSectors() throws IOException {
        durableFile().write(0, bytes(PAGE, 2), 0, PAGE);
        boolean torn = false;
        for (int seed = 0; seed < 100; seed++) {
            byte[] left = read(medium.crash(Survival.random(seed)), FILE);
            for (int sector = 0; sector < PAGE; sector += SimulatedFile.SECTOR) {
                for (int i = 0; i < SimulatedFile.SECTOR; i++) {
                    assertEquals(left[sector], left[sector + i]);
                }
                torn |= left[sector] != left[0];
            }
        }
        assertTrue(torn, "no page was torn in 100 crashes");
    }

    @Test
    void shouldLeaveTheSameFromTheSameSeed() throws IOException {
        durableFile().write(100, bytes(PAGE, 2), 0, PAGE);
        medium.create(ROOT.resolve("other")).write(0, bytes(9000, 3), 0, 9000);
        Set<String> found = new TreeSet<>();
        for (int seed = 0; seed < 20; seed++) {
            String left = medium.crash(Survival.random(seed)).toString();
            assertEquals(left, medium.crash(Survival.random(seed)).toString());
            found.add(left);
        }
        assertTrue(found.size() > 5, "only " + found.size() + " ways to crash");
    }

    @Test
    void shouldKeepEverythingWhenOnlyTheProcessDiesAndLoseItInTheNextPowerCut() throws IOException {
        durableFile().write(0, bytes(1, 2), 0, 1);

        SimulatedFileMedium killed = medium.kill();

        assertEquals(2, read(killed, FILE)[0]);
        assertEquals(1, read(killed.crash(Survival.NONE), FILE)[0]);
        killed.open(FILE, false).force();
        assertEquals(2, read(killed.crash(Survival.NONE), FILE)[0]);
        assertEquals(1, read(medium.crash(Survival.NONE), FILE)[0], "copies are independent");
    }

    @Test
    void shouldNotWriteAfterAFailedForceUnlessStoredAgain() throws IOException {
        MediumFile file = durableFile();
        file.write(0, bytes(1, 2), 0, 1);
        failNext();
        assertThrows(IOException.class, file::force);

        file.force();
        assertEquals(2, read(medium, FILE)[0]);
        assertEquals(1, read(medium.crash(Survival.NONE), FILE)[0]);
        assertEquals(2, read(medium.crash(Survival.ALL), FILE)[0]);

        file.write(0, bytes(1, 2), 0, 1);
        file.force();
        assertEquals(2, read(medium.crash(Survival.NONE), FILE)[0]);
    }

    @Test
    void shouldNoticeStoresOfTheSameBytesThroughAMappingAfterAFailedForce() throws IOException {
        MediumFile file = durableFile();
        file.map(PAGE, true).buffer().put(7, (byte) 2);
        failNext();
        assertThrows(IOException.class, file::force);
        SimulatedFileMedium next = medium.killAndDisguiseLostPages();
        assertEquals(2, read(next, FILE)[7]);

        Mapping mapping = next.open(FILE, true).map(PAGE, true);
        mapping.force(0, PAGE);
        assertEquals(1, read(next.crash(Survival.NONE), FILE)[7], "nothing was stored");

        mapping.buffer().put(7, (byte) 2);
        mapping.force(0, PAGE);
        assertEquals(2, read(next.crash(Survival.NONE), FILE)[7]);
        assertArrayEquals(read(medium, FILE), read(next, FILE));
        assertEquals(1, mapping.buffer().get(8), "shown as it is, once it is stored");
    }

    private void failNext() {
        int failing = medium.operations() + 1;
        medium.faults().failOperations(number -> number == failing);
    }

    /** Without space a store ends the process, or is lost. */
    @Test
    void shouldNoticeAStoreThroughAMappingIntoAPageThatWasNeverWritten() throws IOException {
        MediumFile file = durableFile();
        file.setSize(10 * PAGE);
        Mapping mapping = file.map(10 * PAGE, true);
        file.write(3 * PAGE, bytes(1, 0), 0, 1);

        mapping.buffer().put(3 * PAGE + 100, (byte) 1);
        mapping.force(0, 10 * PAGE);
        mapping.buffer().put(4 * PAGE, (byte) 1);

        assertThrows(AssertionError.class, () -> mapping.force(0, 10 * PAGE));
        assertThrows(AssertionError.class, medium::kill);
    }

    @Test
    void shouldCountTheSpaceOfWrittenPagesOnly() throws IOException {
        medium.faults().limitBytes(100 * PAGE);
        long before = medium.usableBytes(Path.of("/"));
        MediumFile file = medium.create(Path.of("/sparse"));
        file.setSize(10 * PAGE);
        file.write(9 * PAGE - 1, bytes(2, 1), 0, 2);

        assertEquals(before - 2 * PAGE, medium.usableBytes(Path.of("/")));
    }

    @Test
    void shouldRunOutOfSpaceInTheMiddleOfAWrite() throws IOException {
        MediumFile file = durableFile();
        medium.faults().limitBytes(2 * PAGE + 100);

        IOException full =
                assertThrows(IOException.class, () -> file.write(2 * PAGE, bytes(200, 2), 0, 200));

        assertTrue(full.getMessage().contains("No space left on device"), full.getMessage());
        assertEquals(2 * PAGE + 100, file.size());
        assertEquals(0, medium.usableBytes(ROOT));
        file.write(0, bytes(200, 2), 0, 200);
    }

    @Test
    void shouldWriteHalfWhenAWriteIsCutShort() throws IOException {
        MediumFile file = durableFile();
        medium.faults().shortenWrites(number -> true);

        assertThrows(IOException.class, () -> file.write(0, bytes(200, 2), 0, 200));

        assertEquals(2, read(medium, FILE)[99]);
        assertEquals(1, read(medium, FILE)[100]);
    }

    @Test
    void shouldSilentlyLoseStoresAfterANewEnd() throws IOException {
        MediumFile file = durableFile();
        Mapping mapping = file.map(2 * PAGE, true);
        file.setSize(PAGE);

        mapping.buffer().put(PAGE, (byte) 9);
        mapping.force(PAGE, 1);

        assertEquals(PAGE, read(medium.crash(Survival.ALL), FILE).length);
    }

    @Test
    void shouldShowTheMediumBeforeEachOperation() throws IOException {
        durableFile();
        StringBuilder seen = new StringBuilder();
        medium.onOperation(number -> seen.append(medium.toString().contains("/file ") ? "+" : "-"));

        medium.delete(FILE);
        medium.forceDirectory(ROOT);

        assertEquals("+-", seen.toString());
        assertEquals(List.of("delete /file", "force directory /"), lastTwo());
    }

    private List<String> lastTwo() {
        List<String> history = medium.history();
        return history.subList(history.size() - 2, history.size());
    }

    @Test
    void shouldRotOnTheMediumToo() throws IOException {
        durableFile();
        medium.rot(FILE, 5, 0x10);

        assertEquals(0x11, read(medium, FILE)[5]);
        assertEquals(0x11, read(medium.crash(Survival.NONE), FILE)[5]);
    }
}
