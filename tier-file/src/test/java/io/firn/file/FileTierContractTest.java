package io.firn.file;

import io.firn.medium.FileMedium;
import io.firn.sim.SimulatedFileMedium;
import io.firn.sim.WindowsMedium;
import io.firn.spi.StorageTier;
import io.firn.spi.StorageTierContract;
import java.nio.file.Path;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.io.TempDir;

/** The file tier keeps the contract of tiers, on real files and on simulated ones. */
class FileTierContractTest {

    @Nested
    class OnThisMachine extends StorageTierContract {
        @TempDir Path directory;

        @Override
        protected boolean deletesWhatIsRead() {
            return FileMedium.real().canChangeFilesInUse();
        }

        @Override
        protected StorageTier newTier() {
            return FileTier.at(directory.resolve("roomy/tier"));
        }

        @Override
        protected StorageTier newTierWithRoomFor(int segments) {
            return small(directory.resolve("small"), FileMedium.real(), segments);
        }
    }

    @Nested
    class Simulated extends StorageTierContract {
        private final SimulatedFileMedium medium = new SimulatedFileMedium();

        @Override
        protected StorageTier newTier() {
            return FileTier.at(Path.of("/roomy/tier")).withMedium(medium);
        }

        @Override
        protected StorageTier newTierWithRoomFor(int segments) {
            return small(Path.of("/small"), medium, segments);
        }
    }

    /** Files in use cannot be changed, and directories not be forced. */
    @Nested
    class LikeWindows extends StorageTierContract {
        private final FileMedium medium = new WindowsMedium(new SimulatedFileMedium());

        @Override
        protected boolean deletesWhatIsRead() {
            return false;
        }

        @Override
        protected StorageTier newTier() {
            return FileTier.at(Path.of("/roomy/tier")).withMedium(medium);
        }

        @Override
        protected StorageTier newTierWithRoomFor(int segments) {
            return small(Path.of("/small"), medium, segments);
        }
    }

    private static StorageTier small(Path directory, FileMedium medium, int segments) {
        long bytes = segments * MarkPages.fileBytes(64 * 1024);
        return FileTier.at(directory).withMedium(medium).withCapacityBytes(bytes);
    }
}
