package io.firn.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.StoreFullException;
import io.firn.medium.FileMedium;
import io.firn.medium.FilterFileMedium;
import io.firn.sim.SimulatedFileMedium;
import io.firn.sim.Survival;
import io.firn.spi.Block;
import io.firn.spi.StorageTier.TierContext;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** When a file system has no space for what is written to a segment. */
class FileTierSpaceTest {
    private static final UUID TOPIC = new UUID(3, 4);
    private static final int SEGMENT_BYTES = 1 << 20;
    private static final Path ROOT = Path.of("/sim/segments");
    private static final TierContext CREATE = new TierContext(new UUID(1, 2), true, false);

    private final SimulatedFileMedium medium = new SimulatedFileMedium();

    private static FileTier open(FileMedium on) throws IOException {
        FileTier tier = FileTier.at(ROOT).withMedium(on);
        tier.open(CREATE);
        return tier;
    }

    private static ByteBuffer bytes(int length) {
        byte[] bytes = new byte[length];
        Arrays.fill(bytes, (byte) 7);
        return ByteBuffer.wrap(bytes);
    }

    /** Leaves so many bytes. */
    private void leave(long bytes) throws IOException {
        medium.faults().limitBytes(Long.MAX_VALUE / 2);
        long used = Long.MAX_VALUE / 2 - medium.usableBytes(ROOT);
        medium.faults().limitBytes(used + bytes);
    }

    /** Shows more usable bytes than it gives, as a file system with a quota. */
    private static final class WithQuota extends FilterFileMedium {
        private static final long KEPT_BACK = 1L << 30;

        WithQuota(FileMedium in) {
            super(in);
        }

        @Override
        public long usableBytes(Path path) throws IOException {
            long usable = super.usableBytes(path);
            return usable == Long.MAX_VALUE ? usable : usable + KEPT_BACK;
        }
    }

    /** Otherwise it could not be deleted; its mark pages say what its mark file would. */
    @Test
    void shouldFinishASegmentWithoutWhatFindsNoSpaceAndKnowItAgain() throws IOException {
        int without = 0;
        for (int k = 1; k < 30; k++) {
            try (Life life = Life.after(Life.Step.SEAL)) {
                int failing = life.medium.operations() + k;
                life.medium.faults().refuseSpace(number -> number == failing);
                try {
                    life.take(Life.Step.FINISH);
                } catch (IOException e) { // not by what needs space
                    life.medium.faults().none();
                    life.take(Life.Step.FINISH);
                }
                assertTrue(life.segment().isFinished());
                life.medium.faults().none();
                Path mark = Life.DIRECTORY.resolve(FileNames.mark(Life.BASE));
                without += life.medium.exists(mark) ? 0 : 1;
                for (Survival survival : List.of(Survival.NONE, Survival.ALL)) {
                    try (Life found = Life.reopened(life.medium.crash(survival))) {
                        assertEquals(Life.Step.FINISH, found.step(), "operation " + k);
                        assertTrue(found.medium.exists(mark));
                    }
                }
                life.take(Life.Step.DELETE);
                assertEquals(List.of(), life.medium.list(Life.DIRECTORY));
            }
        }
        assertTrue(without > 0);
    }

    /**
     * The segment for whose first batch there was no space is deleted. What it gives back must not
     * look like news: another segment would be begun, and another, for ever.
     */
    @Test
    void shouldStayFullWhenTheSegmentThatFoundNoSpaceIsDeleted() throws IOException {
        try (FileTier tier = open(new WithQuota(medium))) {
            Block block = tier.reserve(TOPIC, 0, SEGMENT_BYTES, 1);
            leave(400_000);
            block.write(0, bytes(300_000));
            StoreFullException full =
                    assertThrows(
                            StoreFullException.class, () -> block.write(300_000, bytes(200_000)));
            assertTrue(full.getMessage().contains(ROOT.toString()), full.getMessage());
            block.delete();
            assertThrows(StoreFullException.class, () -> tier.reserve(TOPIC, 0, SEGMENT_BYTES, 2));
            leave(2L * SEGMENT_BYTES);
            Block next = tier.reserve(TOPIC, 0, SEGMENT_BYTES, 3);
            next.write(0, bytes(SEGMENT_BYTES));
            next.delete();
        }
        assertEquals(0, medium.inUse());
    }
}
