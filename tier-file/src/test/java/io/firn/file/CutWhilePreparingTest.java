package io.firn.file;

import static io.firn.api.Waiting.HANGS_AFTER_S;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.api.Waiting;
import io.firn.medium.FilterFileMedium;
import io.firn.medium.MediumFile;
import io.firn.medium.MediumFile.Mapping;
import io.firn.sim.SimulatedFileMedium;
import io.firn.spi.Block;
import io.firn.spi.StorageTier.TierContext;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Space is prepared ahead of the writer when the segment ends, and another thread cuts its file.
 */
class CutWhilePreparingTest {
    private static final int SEGMENT_BYTES = 64 * 1024;

    private final List<String> steps = new CopyOnWriteArrayList<>();
    private volatile Runnable whilePagesAreTouched = () -> {};

    /** Says when pages are touched and when files are cut. */
    private final class Observed extends FilterFileMedium {
        Observed() {
            super(new SimulatedFileMedium());
        }

        @Override
        protected MediumFile wrap(Path path, MediumFile file) {
            return new FilterMediumFile(file) {
                @Override
                public void setSize(long size) throws IOException {
                    steps.add("sized " + size);
                    super.setSize(size);
                }

                @Override
                protected Mapping wrap(Mapping mapping) {
                    return new FilterMapping(mapping) {
                        @Override
                        public void prefault(int position, int length) throws IOException {
                            whilePagesAreTouched.run();
                            super.prefault(position, length);
                            steps.add("touched " + position);
                        }
                    };
                }
            };
        }
    }

    @Test
    void shouldCutAFileOnlyWhenNoPageOfItIsTouchedAnyMore() throws Exception {
        FileTier tier = FileTier.at(Path.of("/sim/segments")).withMedium(new Observed());
        tier.open(new TierContext(new UUID(1, 2), true, false));
        try (tier) {
            Block segment = tier.reserve(new UUID(3, 4), 0, SEGMENT_BYTES, 1);
            segment.write(0, ByteBuffer.wrap(new byte[] {1}));
            segment.force(0, 1);
            FutureTask<Void> finishing =
                    new FutureTask<>(
                            () -> {
                                segment.seal(
                                        segment.mark().active(1, 0, 1, 1).sealed(1, 0, 1, 1, 7));
                                segment.finishSeal(new byte[8], new byte[12]);
                                return null;
                            });
            Thread finisher = new Thread(finishing, "finisher");
            steps.clear();
            whilePagesAreTouched =
                    () -> {
                        finisher.start();
                        Waiting.await(
                                "the file is cut, or that waits",
                                () ->
                                        finisher.getState() == Thread.State.BLOCKED
                                                || finishing.isDone());
                    };

            segment.prepare(8_192, 32_768, false);
            finishing.get(HANGS_AFTER_S, TimeUnit.SECONDS);

            assertEquals(List.of("touched 8192", "sized 1"), steps);
            assertThrows(IllegalStateException.class, () -> segment.prepare(32_768, 40_960, false));
            assertTrue(segment.isFinished());
        }
    }
}
