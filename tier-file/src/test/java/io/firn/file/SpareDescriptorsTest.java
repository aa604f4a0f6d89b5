package io.firn.file;

import static io.firn.api.Waiting.HANGS_AFTER_S;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.api.Waiting;
import io.firn.medium.FileErrors.OutOfDescriptorsException;
import io.firn.medium.FilterFileMedium;
import io.firn.medium.FilterFileMedium.FilterMediumFile;
import io.firn.medium.MediumFile;
import io.firn.sim.SimulatedFileMedium;
import io.firn.spi.Block;
import io.firn.spi.StorageTier.TierContext;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** Sealing when the process has no descriptor left. */
class SpareDescriptorsTest {
    private static final int SPARES = 3;
    private static final int SEGMENT_BYTES = 20_000;
    private static final UUID TOPIC = new UUID(3, 4);
    private static final Path ROOT = Path.of("/sim/segments");

    private final Limited medium = new Limited();

    /** A file system that has only so many descriptors, and tells what is opened. */
    private static final class Limited extends FilterFileMedium {
        private final AtomicInteger free = new AtomicInteger(1_000);
        private final AtomicInteger spares = new AtomicInteger();
        private volatile boolean othersTakeSpares;
        private volatile Runnable beforeSegment = () -> {};
        private volatile Runnable beforeMark = () -> {};

        Limited() {
            super(new SimulatedFileMedium());
        }

        private static boolean isSpare(Path path) {
            return path.endsWith(FileNames.TIER);
        }

        private void take(Path path) throws IOException {
            String name = path.getFileName().toString();
            if (name.endsWith(".active.tmp")) {
                beforeSegment.run();
            } else if (name.contains(".mark")) {
                beforeMark.run();
            }
            if (free.getAndUpdate(n -> Math.max(0, n - 1)) == 0) {
                throw new OutOfDescriptorsException(path, new IOException("Too many open files"));
            }
            spares.addAndGet(isSpare(path) ? 1 : 0);
        }

        @Override
        public MediumFile create(Path file) throws IOException {
            take(file);
            return super.create(file);
        }

        @Override
        public MediumFile open(Path file, boolean writable) throws IOException {
            if (!exists(file)) {
                return super.open(file, writable); // fails
            }
            take(file);
            return super.open(file, writable);
        }

        @Override
        protected MediumFile wrap(Path path, MediumFile file) {
            return new FilterMediumFile(file) {
                private boolean isClosed;

                @Override
                public void close() throws IOException {
                    super.close();
                    if (!isClosed) {
                        isClosed = true;
                        spares.addAndGet(isSpare(path) ? -1 : 0);
                        free.addAndGet(isSpare(path) && othersTakeSpares ? 0 : 1);
                    }
                }
            };
        }
    }

    private FileTier open() throws IOException {
        FileTier tier = FileTier.at(ROOT).withMedium(medium);
        tier.open(new TierContext(new UUID(1, 2), true, false));
        return tier;
    }

    private static Block written(FileTier tier) throws IOException {
        Block segment = tier.reserve(TOPIC, 0, SEGMENT_BYTES, 1);
        segment.write(0, ByteBuffer.wrap(new byte[] {1}));
        segment.force(0, 1);
        segment.writeMark(segment.mark().active(1, 0, 1, 1));
        return segment;
    }

    private static void seal(Block segment) throws IOException {
        segment.seal(segment.mark().sealed(1, 0, 1, 1, 77));
    }

    private static void await(BooleanSupplier condition) {
        Waiting.await("what has to come", condition);
    }

    @Test
    void shouldFinishASegmentWithItsOwnDescriptorWhenAllSparesAreLost() throws IOException {
        try (FileTier tier = open()) {
            Block segment = written(tier);
            seal(segment);
            medium.othersTakeSpares = true;
            medium.free.set(0);
            segment.finishSeal(new byte[] {1}, new byte[] {2});
            assertTrue(segment.isFinished());
            medium.free.set(100);
        }
    }

    /** It would keep the descriptor, and after three of them nothing would be sealed any more. */
    @Test
    void shouldLendNoSpareWhileASegmentIsBeingMade() throws Exception {
        try (FileTier tier = open()) {
            Block segment = written(tier);
            CountDownLatch making = new CountDownLatch(1);
            seal(segment);
            segment.finishSeal(new byte[] {1}, new byte[] {2});
            FutureTask<Void> deleting =
                    new FutureTask<>(
                            () -> {
                                segment.delete();
                                return null;
                            });
            Thread deleter = new Thread(deleting, "deleter");
            FutureTask<Block> reserving =
                    new FutureTask<>(() -> tier.reserve(TOPIC, 0, SEGMENT_BYTES, 2));
            medium.beforeSegment =
                    () -> {
                        making.countDown();
                        await(
                                () ->
                                        deleter.getState() == Thread.State.WAITING
                                                || medium.spares.get() < SPARES);
                    };
            medium.beforeMark =
                    () -> {
                        if (medium.spares.get() < SPARES) {
                            await(reserving::isDone);
                        }
                    };
            medium.free.set(0);
            new Thread(reserving, "reserver").start();
            assertTrue(making.await(HANGS_AFTER_S, TimeUnit.SECONDS));
            deleter.start();
            deleting.get(HANGS_AFTER_S, TimeUnit.SECONDS);
            assertThrows(Exception.class, () -> reserving.get(HANGS_AFTER_S, TimeUnit.SECONDS));
            assertEquals(SPARES, medium.spares.get());
            medium.free.set(100);
        }
    }
}
