package io.firn.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.medium.FilterFileMedium;
import io.firn.medium.MediumFile;
import io.firn.sim.SimulatedFileMedium;
import io.firn.spi.Block;
import io.firn.spi.StorageTier.TierContext;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The space of a seal, when its segment ends while the next one is reserved by another thread. */
class ReservedSealTest {
    private static final UUID TOPIC = new UUID(3, 4);
    private static final int SEGMENT_BYTES = 20_000;
    private static final Path ROOT = Path.of("/sim/segments");

    private final SimulatedFileMedium simulated = new SimulatedFileMedium();
    private final Interrupted medium = new Interrupted();

    /** Lets something happen at the moment at which the space of a seal is reserved. */
    private final class Interrupted extends FilterFileMedium {
        private Step beforeSeal;
        private Step afterSeal;
        private boolean failingRename;
        private int opened;
        private int listed;

        Interrupted() {
            super(simulated);
        }

        @Override
        public MediumFile open(Path file, boolean writable) throws IOException {
            opened++;
            return super.open(file, writable);
        }

        @Override
        public List<String> list(Path directory) throws IOException {
            listed += directory.equals(partition()) ? 1 : 0;
            return super.list(directory);
        }

        @Override
        public void rename(Path from, Path to) throws IOException {
            if (failingRename) {
                throw new IOException("on purpose");
            }
            super.rename(from, to);
        }

        @Override
        public MediumFile create(Path file) throws IOException {
            if (file.getFileName().toString().endsWith(".seal")) {
                Step before = beforeSeal;
                Step after = afterSeal;
                beforeSeal = null;
                afterSeal = null;
                if (before != null) {
                    before.run();
                }
                MediumFile created = super.create(file);
                if (after != null) {
                    after.run();
                }
                return created;
            }
            return super.create(file);
        }
    }

    @FunctionalInterface
    private interface Step {
        void run() throws IOException;
    }

    private enum End {
        FINISHED,
        DELETED,
        DELETED_UNSEALED
    }

    private static void end(Block segment, End how) throws IOException {
        if (how == End.FINISHED) {
            segment.finishSeal(new byte[] {1}, new byte[] {2});
        } else {
            segment.delete();
        }
    }

    private static Path partition() {
        return ROOT.resolve(FileNames.topic(TOPIC)).resolve("0");
    }

    private List<String> reservedSeals() throws IOException {
        return simulated.list(partition()).stream().filter(name -> name.endsWith(".seal")).toList();
    }

    private Block unsealed(FileTier tier) throws IOException {
        Block segment = tier.reserve(TOPIC, 0, SEGMENT_BYTES, 1);
        segment.write(0, ByteBuffer.wrap(new byte[] {1}));
        segment.force(0, 1);
        segment.writeMark(segment.mark().active(1, 0, 1, 1));
        return segment;
    }

    private FileTier open() throws IOException {
        FileTier tier = FileTier.at(ROOT).withMedium(medium);
        tier.open(new TierContext(new UUID(1, 2), true, false));
        return tier;
    }

    private void check(End how, boolean before) throws IOException {
        try (FileTier tier = open()) {
            Block segment = unsealed(tier);
            if (how == End.DELETED_UNSEALED) {
                simulated.delete(
                        ROOT.resolve(FileNames.topic(TOPIC))
                                .resolve("0")
                                .resolve(FileNames.reservedSeal(1)));
            } else {
                segment.seal(segment.mark().sealed(1, 0, 1, 1, 77));
            }
            assertEquals(List.of(), reservedSeals());
        }
        try (FileTier tier = open()) { // which does not know which seals have space
            Block first = tier.list().get(0);
            if (before) {
                medium.beforeSeal = () -> end(first, how);
            } else {
                medium.afterSeal = () -> end(first, how);
            }
            Block second = tier.reserve(TOPIC, 0, SEGMENT_BYTES, 2);
            assertEquals(List.of(FileNames.reservedSeal(2)), reservedSeals());
            second.delete();
            assertEquals(List.of(), reservedSeals());
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldLeaveNoneWhenTheSegmentEndsBeforeItIsReserved(End how) throws IOException {
        check(how, true);
    }

    @ParameterizedTest
    @EnumSource
    void shouldLeaveNoneWhenTheSegmentEndsWhileItIsReserved(End how) throws IOException {
        check(how, false);
    }

    @Test
    void shouldReserveOneAgainForASegmentWhoseSealFailed() throws IOException {
        try (FileTier tier = open()) {
            Block first = unsealed(tier);
            medium.failingRename = true;
            assertThrows(IOException.class, () -> first.seal(first.mark().sealed(1, 0, 1, 1, 77)));
            medium.failingRename = false;
            for (String each : reservedSeals()) {
                simulated.delete(partition().resolve(each));
            }
            Block second = tier.reserve(TOPIC, 0, SEGMENT_BYTES, 2);
            assertEquals(
                    List.of(FileNames.reservedSeal(1), FileNames.reservedSeal(2)), reservedSeals());
            second.delete();
        }
    }

    /** A partition may have ten thousand segments, and a new one many times a second. */
    @Test
    void shouldNotLookAtTheSealsOfAllOtherSegments() throws IOException {
        try (FileTier tier = open()) {
            int most = 0;
            int listed = 0;
            for (int i = 1; i <= 40; i++) {
                int before = medium.opened;
                Block segment = tier.reserve(TOPIC, 0, SEGMENT_BYTES, i);
                most = Math.max(most, medium.opened - before);
                listed = i == 1 ? medium.listed : listed;
                segment.write(0, ByteBuffer.wrap(new byte[] {1}));
                segment.force(0, 1);
                segment.writeMark(segment.mark().active(i, i, 1, i + 1));
                segment.seal(segment.mark().sealed(i, i, 1, i + 1, 77));
                segment.finishSeal(new byte[] {1}, new byte[] {2});
            }
            assertTrue(most <= 3, most + " files were opened for one segment");
            assertEquals(listed, medium.listed);
        }
    }

    /** Readers in other processes would take it for one that is not sealed. */
    @Test
    void shouldReserveNoneForASegmentThatIsSealed() throws IOException {
        try (FileTier tier = open()) {
            Block first = unsealed(tier);
            first.seal(first.mark().sealed(1, 0, 1, 1, 77));
            Block second = tier.reserve(TOPIC, 0, SEGMENT_BYTES, 2);
            assertEquals(List.of(FileNames.reservedSeal(2)), reservedSeals());
            first.delete();
            assertEquals(List.of(FileNames.reservedSeal(2)), reservedSeals());
            second.delete();
        }
    }
}
