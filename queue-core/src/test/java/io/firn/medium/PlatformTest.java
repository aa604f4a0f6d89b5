package io.firn.medium;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.firn.Survives;
import io.firn.medium.MediumFile.Mapping;
import io.firn.sim.SimulatedFileMedium;
import io.firn.sim.WindowsMedium;
import io.firn.spi.FileMediumContract;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The media of platforms other than that of this machine. */
class PlatformTest {
    @TempDir Path directory;

    /** Through the calls that reach the drive on macOS; names are those of this machine. */
    @Nested
    class LikeMacos extends FileMediumContract {
        private final FileMedium medium =
                new FilterFileMedium(new RealFileMedium(Platform.MACOS)) {
                    @Override
                    public boolean hasExactNames() {
                        return true;
                    }
                };

        @Override
        protected FileMedium medium() {
            return medium;
        }

        @Override
        protected Path directory() {
            return directory;
        }
    }

    @Nested
    class LikeWindows extends FileMediumContract {
        private final FileMedium medium = new WindowsMedium(new RealFileMedium(Platform.WINDOWS));

        @Override
        protected FileMedium medium() {
            return medium;
        }

        @Override
        protected Path directory() {
            return directory;
        }
    }

    @Nested
    class SimulatedLikeWindows extends FileMediumContract {
        private final FileMedium medium = new WindowsMedium(new SimulatedFileMedium());

        @Override
        protected FileMedium medium() {
            return medium;
        }

        @Override
        protected Path directory() {
            return Path.of("/");
        }
    }

    @Test
    void shouldKnowThePlatformsByTheNamesThatTheJdkGivesThem() {
        assertEquals(Platform.WINDOWS, Platform.named("Windows Server 2022"));
        assertEquals(Platform.MACOS, Platform.named("Mac OS X"));
        assertEquals(Platform.LINUX, Platform.named("Linux"));
    }

    @Test
    void shouldForceNoDirectoryOnWindowsAndSayThatPowerLossIsThenNotSurvived() throws IOException {
        FileMedium medium = new RealFileMedium(Platform.WINDOWS);
        Path missing = directory.resolve("missing");

        medium.forceDirectory(directory);
        assertThrows(NoSuchFileException.class, () -> medium.forceDirectory(missing));
        assertEquals(Survives.PROCESS_CRASH, medium.survives(directory));
        if (FileMedium.real().survives(directory) == Survives.POWER_LOSS) {
            assertTrue(medium.unknownFileSystem(directory).contains("no directory can be forced"));
        }
        FileMedium macos = new RealFileMedium(Platform.MACOS);
        assertEquals(FileMedium.real().survives(directory), macos.survives(directory));
    }

    @Test
    void shouldForceAMappingThroughAnOpenFileAsWellWhereThatAloneReachesTheDrive()
            throws IOException {
        assumeTrue(Files.exists(Path.of("/proc/self/fd")));
        Path path = directory.resolve("mapped");
        Files.write(path, new byte[4096]);
        try (MediumFile file = new RealFileMedium(Platform.MACOS).open(path, true)) {
            Mapping mapping = file.map(4096, true);
            assertEquals(2, descriptorsOf(path));
            mapping.buffer().put(0, (byte) 1);
            Thread.currentThread().interrupt();
            mapping.force(0, 1);
            assertTrue(Thread.interrupted(), "the force must keep the interrupt status");
            mapping.force(0, 1);
            mapping.unmap();
            assertEquals(1, descriptorsOf(path));

            Mapping read = file.map(4096, false);
            assertEquals(1, descriptorsOf(path));
            read.unmap();
        }
        assertEquals(0, descriptorsOf(path));
    }

    private static long descriptorsOf(Path path) throws IOException {
        try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
            return all.filter(each -> leadsTo(each, path)).count();
        }
    }

    private static boolean leadsTo(Path descriptor, Path path) {
        try {
            return Files.readSymbolicLink(descriptor).equals(path);
        } catch (IOException e) {
            return false; // that of the listing, closed by now
        }
    }

    @Test
    void shouldFindFilesWithSmallOrLargeLettersWhereTheyAreNotKeptApart() throws IOException {
        FileMedium medium = new WindowsMedium(new SimulatedFileMedium());
        medium.create(Path.of("/File")).close();

        assertTrue(medium.exists(Path.of("/fILE.")));
        medium.delete(Path.of("/file"));
        assertNull(WholeFile.read(medium, Path.of("/File"), 1));
    }
}
