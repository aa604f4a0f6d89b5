package io.firn.file;

import static io.firn.api.Waiting.HANGS_AFTER_S;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.StoreFullException;
import io.firn.StoreLockedException;
import io.firn.Survives;
import io.firn.medium.FileMedium;
import io.firn.sim.SimulatedFileMedium;
import io.firn.spi.Block;
import io.firn.spi.Mark.SegmentState;
import io.firn.spi.StorageTier.TierContext;
import io.firn.spi.View;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What only real files, processes and file systems can show. */
class FileTierMachineTest {
    private static final UUID STORE = new UUID(1, 2);
    private static final UUID TOPIC = new UUID(3, 4);
    private static final TierContext CREATE = new TierContext(STORE, true, false);
    private static final TierContext READ_ONLY = new TierContext(STORE, false, true);

    @TempDir Path temporary;

    private FileTier open(Path directory) throws IOException {
        FileTier tier = FileTier.at(directory);
        tier.open(CREATE);
        return tier;
    }

    private static void finish(Block segment, long base, int length) throws IOException {
        segment.seal(segment.mark().active(1, base, 0, base).sealed(1, base, length, base + 1, 7));
        segment.finishSeal(new byte[8], new byte[12]);
    }

    private boolean isMapped() throws IOException {
        return Files.readString(Path.of("/proc/self/maps")).contains(temporary.toString());
    }

    @Test
    void shouldUnmapEveryFileItHasNoUseFor() throws IOException {
        FileTier tier = open(temporary.resolve("tier"));
        Block reserved = tier.reserve(TOPIC, 0, 100_000, 1);
        assertTrue(isMapped());
        reserved.delete();
        assertFalse(isMapped(), "a reserved segment, deleted");

        Block segment = tier.reserve(TOPIC, 0, 100_000, 2);
        finish(segment, 0, 50_000);
        assertTrue(segment.detachView().tryRelease());
        assertFalse(isMapped(), "a finished segment that nobody reads");

        segment.view();
        assertTrue(isMapped());
        assertTrue(segment.detachView().tryRelease());
        assertFalse(isMapped(), "a cold segment that nobody reads any more");

        segment.view();
        tier.reserve(TOPIC, 0, 100_000, 3);
        tier.close();
        assertFalse(isMapped(), "a tier that is closed");
    }

    @Test
    void shouldAllocateNothingWhenForcing() throws IOException {
        try (FileTier tier = open(temporary.resolve("tier"))) {
            Block segment = tier.reserve(TOPIC, 0, 100_000, 1);
            com.sun.management.ThreadMXBean threads =
                    (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
            long me = Thread.currentThread().getId();
            long allocated = 0;
            for (int round = 0; round < 20; round++) {
                long before = threads.getThreadAllocatedBytes(me);
                for (int i = 0; i < 100; i++) {
                    segment.force(i * 64, i * 64 + 64);
                }
                allocated = threads.getThreadAllocatedBytes(me) - before;
            }
            // The query itself may allocate a little; one object per force would be 1600 bytes.
            assertTrue(allocated < 500, allocated + " bytes for 100 forces");
        }
    }

    @Test
    void shouldNameTheOtherProcessThatHoldsTheTier() throws Exception {
        Path directory = temporary.resolve("tier");
        Process other = startOther(directory);
        try {
            assertEquals("open", readLine(other.getInputStream()));

            FileTier tier = FileTier.at(directory);
            StoreLockedException locked =
                    assertThrows(StoreLockedException.class, () -> tier.open(CREATE));
            assertTrue(locked.getMessage().contains("pid " + other.pid()), locked.getMessage());
            assertTrue(locked.getMessage().contains(directory + "/lock"), locked.getMessage());

            try (FileTier reading = FileTier.at(directory)) {
                reading.open(READ_ONLY);
                assertEquals(1, reading.list().size());
            }
            other.destroyForcibly().waitFor(HANGS_AFTER_S, TimeUnit.SECONDS);
            tier.open(CREATE);
            assertEquals(SegmentState.RESERVED, tier.list().get(0).mark().state());
            tier.close();
        } finally {
            other.destroyForcibly();
        }
    }

    private static Process startOther(Path directory) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        classPath(Holder.class, FileTier.class, FileMedium.class),
                        Holder.class.getName(),
                        directory.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    private static String classPath(Class<?>... classes) {
        return Stream.of(classes)
                .map(type -> type.getProtectionDomain().getCodeSource().getLocation().getPath())
                .collect(Collectors.joining(File.pathSeparator));
    }

    private static String readLine(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = in.read(); c >= 0 && c != '\n'; c = in.read()) {
            line.append((char) c);
        }
        return line.toString();
    }

    /** The other process: holds a tier until it is killed. */
    static final class Holder {
        private Holder() {}

        /** Opens the tier in the directory named, and waits. */
        public static void main(String[] args) throws Exception {
            FileTier tier = FileTier.at(Path.of(args[0]));
            tier.open(CREATE);
            tier.reserve(TOPIC, 0, 100_000, 1);
            System.out.println("open");
            Thread.sleep(TimeUnit.MINUTES.toMillis(2));
            tier.close();
        }
    }

    @Test
    void shouldRefuseWhenTheFileSystemIsFullAndLeaveNothingBehind() throws Exception {
        Path mount = Files.createDirectory(temporary.resolve("mount"));
        Assumptions.assumeTrue(
                run("mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", mount.toString()),
                "a small file system cannot be mounted here: not root?");
        try (FileTier tier = open(mount)) {
            assertEquals(Survives.PROCESS_CRASH, tier.survives());
            Block first = tier.reserve(TOPIC, 0, 2 << 20, 1);
            first.write(0, ByteBuffer.allocate(2 << 20));
            long used = tier.usedBytes();

            StoreFullException full =
                    assertThrows(
                            StoreFullException.class, () -> tier.reserve(TOPIC, 0, 3 << 20, 2));

            assertTrue(full.getMessage().contains(mount.toString()), full.getMessage());
            assertTrue(full.getMessage().contains("3153920 bytes wanted"), full.getMessage());
            assertTrue(full.getMessage().matches(".* \\d+ usable.*"), full.getMessage());
            assertEquals(used, tier.usedBytes());
            assertEquals(List.of(first), tier.list());
            first.memory().putLong(0, 42);
            first.force(0, 8);
            tier.reserve(TOPIC, 0, 1 << 20, 3);
        } finally {
            run("umount", mount.toString());
        }
    }

    @Test
    void shouldRefuseWhereverTheMediumGetsFullAndTakeBackWhatItWrote() throws IOException {
        for (long room = 0; room < 40_000; room += 1_111) {
            SimulatedFileMedium medium = new SimulatedFileMedium();
            try (FileTier tier = FileTier.at(Path.of("/tier")).withMedium(medium)) {
                tier.open(CREATE);
                long used = Long.MAX_VALUE / 2;
                medium.faults().limitBytes(used);
                used -= medium.usableBytes(Path.of("/"));
                medium.faults().limitBytes(used + room);

                if (room < MarkPages.fileBytes(30_000)) {
                    StoreFullException full =
                            assertThrows(
                                    StoreFullException.class,
                                    () -> tier.reserve(TOPIC, 0, 30_000, 1));
                    assertTrue(full.getMessage().contains(room + " usable"), full.getMessage());
                    assertEquals(0, tier.usedBytes());
                    assertEquals(room, medium.usableBytes(Path.of("/")));
                } else {
                    tier.reserve(TOPIC, 0, 30_000, 1);
                }
            }
        }
    }

    private static boolean run(String... command) throws InterruptedException {
        try {
            return new ProcessBuilder(command).redirectErrorStream(true).start().waitFor() == 0;
        } catch (IOException e) {
            return false;
        }
    }

    @Test
    void shouldLetReadersReadWhileSegmentsAreSealedUnmappedAndDeleted() throws Exception {
        AtomicReference<Block> current = new AtomicReference<>();
        AtomicBoolean done = new AtomicBoolean();
        AtomicReference<Throwable> failure = new AtomicReference<>();
        try (FileTier tier = open(temporary.resolve("tier"))) {
            Thread[] readers = new Thread[2];
            for (int i = 0; i < readers.length; i++) {
                readers[i] = new Thread(() -> readAll(current, done, failure));
                readers[i].start();
            }
            for (int i = 1; i <= 25; i++) {
                live(tier, i, current);
            }
            done.set(true);
            for (Thread reader : readers) {
                reader.join();
            }
            assertEquals(0, tier.usedBytes());
        }
        assertEquals(null, failure.get());
        assertFalse(isMapped());
    }

    private static void live(FileTier tier, int epoch, AtomicReference<Block> current)
            throws IOException {
        Block segment = tier.reserve(TOPIC, 0, 100_000, epoch);
        for (int at = 0; at < 50_000; at += 8) {
            segment.memory().putLong(at, epoch);
        }
        segment.force(0, 50_000);
        current.set(segment);
        finish(segment, epoch, 50_000);
        release(segment.detachView());
        Thread.yield();
        current.set(null);
        View last = segment.detachView();
        if (last != null) {
            release(last);
        }
        segment.delete();
    }

    private static void release(View view) {
        while (!view.tryRelease()) {
            Thread.onSpinWait();
        }
    }

    private static void readAll(
            AtomicReference<Block> current,
            AtomicBoolean done,
            AtomicReference<Throwable> failure) {
        try {
            while (!done.get()) {
                Block segment = current.get();
                if (segment == null) {
                    Thread.sleep(1);
                } else {
                    read(segment, current);
                }
            }
        } catch (Throwable e) {
            failure.set(e);
        }
    }

    private static void read(Block segment, AtomicReference<Block> current) throws IOException {
        try {
            View view = segment.view();
            if (view.pin()) {
                long epoch = view.buffer().getLong(0);
                for (int at = 0; at < 50_000; at += 8) {
                    assertEquals(epoch, view.buffer().getLong(at));
                }
                view.unpin();
            }
        } catch (IOException e) {
            // It was deleted after we asked for it.
            if (current.get() == segment) {
                throw e;
            }
        }
    }

    @Test
    void shouldLetAReadOnlyTierFollowWhateverTheOwnerDoes() throws Exception {
        AtomicBoolean done = new AtomicBoolean();
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Path directory = temporary.resolve("tier");
        try (FileTier tier = open(directory);
                FileTier reading = FileTier.at(directory)) {
            reading.open(READ_ONLY);
            Thread follower = new Thread(() -> follow(reading, done, failure));
            follower.start();
            for (int epoch = 1; epoch <= 60; epoch++) {
                Block segment = tier.reserve(TOPIC, 0, 30_000, epoch);
                segment.memory().putLong(0, epoch);
                segment.force(0, 8);
                segment.writeMark(segment.mark().active(epoch, epoch, 8, epoch + 1));
                finish(segment, epoch, 8);
                if (epoch > 3) {
                    tier.list().get(0).delete();
                }
            }
            done.set(true);
            follower.join();
        }
        assertEquals(null, failure.get());
    }

    private static void follow(
            FileTier reading, AtomicBoolean done, AtomicReference<Throwable> failure) {
        try {
            while (!done.get()) {
                for (Block segment : reading.list()) {
                    look(segment);
                }
            }
            for (Block segment : reading.list()) {
                assertTrue(segment.isFinished());
            }
            assertEquals(List.of(), reading.strangers());
        } catch (Throwable e) {
            failure.set(e);
        }
    }

    private static void look(Block segment) throws IOException {
        try {
            if (segment.refreshMark() != null && segment.mark().position() > 0) {
                View view = segment.view();
                assertTrue(view.pin());
                assertEquals(segment.mark().baseOffset(), view.buffer().getLong(0));
                view.unpin();
            }
        } catch (NoSuchFileException e) {
            // Deleted by its owner since it was listed.
            assertFalse(Files.exists(Path.of(segment.name())));
        }
    }
}
