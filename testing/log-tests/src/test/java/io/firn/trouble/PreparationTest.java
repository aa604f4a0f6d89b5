package io.firn.trouble;

import static io.firn.api.Waiting.HANGS_AFTER_S;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.Durability;
import io.firn.FirnException;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.PoisonedException;
import io.firn.StoreFullException;
import io.firn.TopicOptions;
import io.firn.api.Waiting;
import io.firn.file.FileTier;
import io.firn.medium.FileMedium;
import io.firn.medium.FilterFileMedium;
import io.firn.medium.FilterFileMedium.FilterMediumFile;
import io.firn.medium.MediumFile;
import io.firn.open.StoreBuilder;
import io.firn.sim.SimulatedFileMedium;
import io.firn.sim.Survival;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Something happens while the background prepares space for appends, between two of its writes. */
class PreparationTest {
    private static final Path STORE = Path.of("/sim/store");
    private static final Path SEGMENTS = Path.of("/sim/segments");
    private static final int MIB = 1 << 20;
    private static final int PREPARED = 6 * MIB;
    private static final byte[] VALUE = new byte[1_000];

    private final SimulatedFileMedium medium = new SimulatedFileMedium();
    private final Zeros zeros = new Zeros(medium);

    /** What the background prepares. */
    private enum Kind {
        /** What the topic's options want in a segment's file, before the writer gets it. */
        NEXT_BLOCK,
        /** What the writer wants in the segment that it appends to. */
        AHEAD
    }

    private LogStore open(FileMedium on) {
        return StoreBuilder.over(STORE, on).tier(FileTier.at(SEGMENTS).withMedium(on)).open();
    }

    private static TopicOptions options(Kind kind) {
        return TopicOptions.defaults()
                .withSegmentBytes(2 * PREPARED)
                .withDurability(Durability.WRITTEN)
                .withPreparedBytes(kind == Kind.NEXT_BLOCK ? PREPARED : 0);
    }

    /** Appends until the background is in the middle of a preparation. */
    private Partition hold(LogStore store, Kind kind) {
        Partition partition = store.createTopic("t", options(kind)).partition(0);
        zeros.holdAfter(kind == Kind.NEXT_BLOCK ? MIB : 64 * 1024);
        return partition;
    }

    /** Appends in a thread of its own, until it is refused. */
    private CompletableFuture<Throwable> appendUntilRefused(Partition partition) {
        return started(
                () -> {
                    try (Appender appender = partition.openExclusiveAppender()) {
                        while (true) {
                            appender.append(VALUE);
                        }
                    }
                });
    }

    private static CompletableFuture<Throwable> started(Runnable action) {
        CompletableFuture<Throwable> end = new CompletableFuture<>();
        Thread thread =
                new Thread(
                        () -> {
                            try {
                                action.run();
                                end.complete(null);
                            } catch (RuntimeException | Error e) {
                                end.complete(e);
                            }
                        });
        thread.setDaemon(true);
        thread.start();
        return end;
    }

    private static Throwable endOf(CompletableFuture<Throwable> action) {
        try {
            return action.get(HANGS_AFTER_S, TimeUnit.SECONDS);
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            throw new AssertionError(e);
        }
    }

    private static void await(BooleanSupplier condition) {
        Waiting.await("what has to come", condition);
    }

    @ParameterizedTest
    @EnumSource
    void shouldCloseWhileSpaceIsPrepared(Kind kind) throws Exception {
        closeInTheMiddle(kind);
    }

    @ParameterizedTest
    @EnumSource
    void shouldCloseWhileThePreparationOfSpaceFails(Kind kind) throws Exception {
        zeros.failAfterHold = true;
        closeInTheMiddle(kind);
    }

    private void closeInTheMiddle(Kind kind) throws Exception {
        long end;
        LogStore store = open(zeros);
        try {
            Partition partition = hold(store, kind);
            CompletableFuture<Throwable> appends = appendUntilRefused(partition);
            zeros.awaitHeld();
            CompletableFuture<Thread> closing = new CompletableFuture<>();
            CompletableFuture<Throwable> close =
                    started(
                            () -> {
                                closing.complete(Thread.currentThread());
                                store.close();
                            });
            Thread thread = closing.get();
            await(() -> thread.getState() == Thread.State.TIMED_WAITING); // for the background
            assertFalse(close.isDone());
            zeros.release();
            assertEquals(null, endOf(close));
            assertInstanceOf(FirnException.class, endOf(appends));
            end = partition.durableOffset();
        } finally {
            zeros.release();
            store.close();
        }
        assertEquals(0, medium.inUse());
        assertEquals(kind == Kind.AHEAD ? 1 : 0, activeFiles(), medium::toString);
        try (LogStore again = open(medium.crash(Survival.NONE))) {
            Partition partition = again.openTopic("t").partition(0);
            assertTrue(partition.nextOffset() >= end);
            Found found = Found.in(partition);
            found.assertReadable(0, end);
            assertTrue(found.lost().isEmpty());
        }
    }

    private long activeFiles() throws IOException {
        long count = 0;
        for (String topic : medium.list(SEGMENTS)) {
            Path partition = SEGMENTS.resolve(topic).resolve("0");
            if (medium.exists(partition)) {
                count += medium.list(partition).stream().filter(f -> f.endsWith(".active")).count();
            }
        }
        return count;
    }

    @ParameterizedTest
    @EnumSource
    void shouldDeleteATopicWhileSpaceIsPreparedForIt(Kind kind) throws Exception {
        try (LogStore store = open(zeros)) {
            Partition partition = hold(store, kind);
            CompletableFuture<Throwable> appends = appendUntilRefused(partition);
            zeros.awaitHeld();
            store.deleteTopic("t");
            assertInstanceOf(FirnException.class, endOf(appends));
            zeros.release();
            await(() -> isEmpty(STORE.resolve("topics")));
            assertEquals(0, activeFiles());
            // The name is free, and the thread goes on.
            Partition next = store.createTopic("t", options(kind)).partition(0);
            try (Appender appender = next.openExclusiveAppender()) {
                assertEquals(0, appender.append(VALUE));
            }
            assertEquals(0, store.metrics().backgroundErrors());
        } finally {
            zeros.release();
        }
        assertEquals(0, medium.inUse());
    }

    private boolean isEmpty(Path directory) {
        try {
            return medium.list(directory).isEmpty();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** The writer goes on by calls, as long as there is space for these, and then ends. */
    @Test
    void shouldKeepWhatIsAppendedWhenTheDiskBecomesFullWhileSpaceIsPrepared() throws Exception {
        long end;
        try (LogStore store = open(zeros)) {
            Partition partition = hold(store, Kind.AHEAD);
            CompletableFuture<Throwable> appends = appendUntilRefused(partition);
            zeros.awaitHeld();
            medium.faults().limitBytes(usedBytes() + 100 * 1024);
            zeros.release();
            assertInstanceOf(StoreFullException.class, endOf(appends));
            end = partition.nextOffset();
            Found.in(partition).assertReadable(0, end);
            medium.faults().none();
            try (Appender appender = partition.openExclusiveAppender()) {
                assertEquals(end, appender.append(VALUE));
            }
            assertFalse(partition.metrics().isPoisoned());
        } finally {
            zeros.release();
        }
        try (LogStore again = open(medium.crash(Survival.NONE))) {
            Found.in(again.openTopic("t").partition(0)).assertReadable(0, end + 1);
        }
    }

    private long usedBytes() throws IOException {
        medium.faults().limitBytes(Long.MAX_VALUE - 1);
        return Long.MAX_VALUE - 1 - medium.usableBytes(STORE);
    }

    /** The segment is not given to the writer, and its space is free again. */
    @Test
    void shouldRefuseAppendsWhileABlockCannotBePrepared() throws Exception {
        try (LogStore store = open(zeros)) {
            Partition partition = hold(store, Kind.NEXT_BLOCK);
            CompletableFuture<Throwable> appends = appendUntilRefused(partition);
            zeros.awaitHeld();
            zeros.failAfterHold = true;
            zeros.release();
            Throwable refusal = endOf(appends);
            assertInstanceOf(FirnException.class, refusal);
            assertTrue(
                    refusal.getMessage().contains("zeros cannot be written"), refusal::getMessage);
            try (Appender appender = partition.openExclusiveAppender()) {
                assertThrows(FirnException.class, () -> appender.append(VALUE));
            }
            await(() -> countActive() == 0);
            assertFalse(partition.metrics().isPoisoned());
            zeros.failAfterHold = false;
            zeros.fail = false;
            await(() -> isAppended(partition));
            Found.in(partition).assertReadable(0, 1);
        } finally {
            zeros.release();
        }
        assertEquals(0, medium.inUse());
    }

    private static boolean isAppended(Partition partition) {
        try (Appender appender = partition.openExclusiveAppender()) {
            return partition.nextOffset() > 0 || appender.append(VALUE) == 0;
        } catch (FirnException e) {
            return false; // the tier is asked again after a pause
        }
    }

    private long countActive() {
        try {
            return activeFiles();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** The error may be that of a batch's page, so nothing is acknowledged after it. */
    @Test
    void shouldPoisonThePartitionWhenSpaceAheadCannotBePrepared() throws Exception {
        long durable;
        try (LogStore store = open(zeros)) {
            Partition partition = hold(store, Kind.AHEAD);
            CompletableFuture<Throwable> appends = appendUntilRefused(partition);
            zeros.awaitHeld();
            zeros.failAfterHold = true;
            zeros.release();
            assertInstanceOf(PoisonedException.class, endOf(appends));
            assertTrue(partition.metrics().isPoisoned());
            durable = partition.durableOffset();
            Found.in(partition).assertReadable(0, partition.visibleOffset());
            // Other partitions go on.
            Partition other = store.createTopic("other", options(Kind.AHEAD)).partition(0);
            try (Appender appender = other.openExclusiveAppender()) {
                assertEquals(0, appender.append(VALUE));
            }
        } finally {
            zeros.release();
        }
        assertEquals(0, medium.inUse());
        try (LogStore again = open(medium.crash(Survival.NONE))) {
            Partition partition = again.openTopic("t").partition(0);
            assertTrue(partition.nextOffset() >= durable);
            Found.in(partition).assertReadable(0, partition.nextOffset());
        }
    }

    /** Holds the background between two writes of zeros, or fails them. */
    private static final class Zeros extends FilterFileMedium {
        private static final List<Integer> SIZES = List.of(16 * 1024);

        private final CountDownLatch held = new CountDownLatch(1);
        private final CountDownLatch released = new CountDownLatch(1);
        private volatile long holdAfter = Long.MAX_VALUE;
        private volatile boolean fail;
        private volatile boolean failAfterHold;
        private long written;

        Zeros(FileMedium in) {
            super(in);
        }

        void holdAfter(long bytes) {
            holdAfter = bytes;
        }

        void awaitHeld() throws InterruptedException {
            assertTrue(held.await(HANGS_AFTER_S, TimeUnit.SECONDS));
        }

        void release() {
            released.countDown();
        }

        @Override
        protected MediumFile wrap(Path path, MediumFile file) {
            return new FilterMediumFile(file) {
                @Override
                public void write(long position, ByteBuffer source) throws IOException {
                    if (path.toString().endsWith(".active") && isZeros(source)) {
                        onZeros(source.remaining());
                    }
                    super.write(position, source);
                }
            };
        }

        private void onZeros(int bytes) throws IOException {
            if (Thread.currentThread().getName().startsWith("firn-tidy")) {
                written += bytes;
                if (written > holdAfter) {
                    held.countDown();
                    awaitRelease();
                    fail |= failAfterHold;
                }
            }
            if (fail) {
                throw new IOException("zeros cannot be written");
            }
        }

        /** As a call of the system, which a close that takes long does not interrupt. */
        private void awaitRelease() {
            boolean interrupted = false;
            while (released.getCount() > 0) {
                try {
                    released.await();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }

        private static boolean isZeros(ByteBuffer source) {
            return SIZES.contains(source.remaining())
                    && source.equals(ByteBuffer.allocate(source.remaining()));
        }
    }
}
