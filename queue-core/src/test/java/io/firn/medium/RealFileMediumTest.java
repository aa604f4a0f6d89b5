package io.firn.medium;

import static io.firn.api.Waiting.HANGS_AFTER_S;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.StoreLockedException;
import io.firn.Survives;
import io.firn.medium.FileErrors.UnexpectedFileException;
import io.firn.medium.MediumFile.Mapping;
import io.firn.spi.FileMediumContract;
import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/** The medium of this machine. */
class RealFileMediumTest extends FileMediumContract {
    @TempDir Path directory;

    @Override
    protected FileMedium medium() {
        return FileMedium.real();
    }

    @Override
    protected Path directory() {
        return directory;
    }

    private boolean isMapped(Path file) throws IOException {
        return Files.readString(Path.of("/proc/self/maps")).contains(file.toString());
    }

    /** The system's errors do not; here, "No space left on device". */
    @Test
    void shouldNameTheFileWhoseWriteFails() throws IOException {
        Path full = Path.of("/dev/full");
        Assumptions.assumeTrue(Files.exists(full));
        // The medium opens no device.
        try (MediumFile file = new RealFile(full, new RandomAccessFile(full.toFile(), "rw"))) {
            for (Executable write :
                    List.<Executable>of(
                            () -> file.write(0, new byte[10], 0, 10),
                            () -> file.setSize(10),
                            file::force)) {
                String message = assertThrows(IOException.class, write).getMessage();
                assertTrue(message.startsWith(full + " could not be "), message);
                assertTrue(message.length() > (full + " could not be written: ").length(), message);
            }
        }
    }

    /** Not that there is no file: a caller would create another one in its place. */
    @Test
    @DisabledOnOs(OS.WINDOWS)
    void shouldFailWhenTheSystemCannotTellWhetherAFileExists() throws IOException {
        Path loop = directory.resolve("loop");
        Files.createSymbolicLink(loop, loop.getFileName());
        Path below = loop.resolve("file");
        for (Executable look :
                List.<Executable>of(
                        () -> medium().exists(loop),
                        () -> medium().exists(below),
                        () -> medium().open(below, false),
                        () -> medium().open(loop, true),
                        () -> medium().createDirectories(below),
                        () -> medium().createDirectory(loop),
                        () -> medium().isUnlocked(loop),
                        () -> medium().holder(loop),
                        () -> medium().lock(loop),
                        () -> medium().usableBytes(below),
                        () -> WholeFile.read(medium(), loop, 100),
                        () -> SmallFile.read(medium(), below, "x", 1))) {
            IOException failure = assertThrows(IOException.class, look);
            assertFalse(failure instanceof NoSuchFileException, failure.toString());
            assertTrue(failure.getMessage().contains("loop"), failure.toString());
            assertFalse(failure.getMessage().contains("is a file"), failure.toString());
            assertFalse(failure.getMessage().contains("is not a file"), failure.toString());
        }
        assertFalse(medium().exists(directory.resolve("absent")));
        assertFalse(medium().exists(directory.resolve("absent/file")));
    }

    @Test
    @DisabledOnOs(OS.WINDOWS)
    @Timeout(60) // an open of a FIFO waits for ever
    void shouldOpenRegularFilesOnly() throws Exception {
        Path target = Files.writeString(directory.resolve("target"), "precious");
        Path link = Files.createSymbolicLink(directory.resolve("link"), target);
        Path fifo = directory.resolve("fifo");
        assertEquals(0, new ProcessBuilder("mkfifo", fifo.toString()).start().waitFor());
        Path device = Path.of("/dev/null");
        for (Path path : List.of(link, fifo, device, directory)) {
            for (Executable use :
                    List.<Executable>of(
                            () -> medium().open(path, false),
                            () -> medium().open(path, true),
                            () -> medium().openToSend(path),
                            () -> medium().lock(path),
                            () -> medium().isUnlocked(path),
                            () -> medium().holder(path))) {
                String message = assertThrows(UnexpectedFileException.class, use).getMessage();
                assertTrue(message.startsWith(path + ": is a "), message);
            }
        }
        assertThrows(IOException.class, () -> medium().create(link));
        assertThrows(IOException.class, () -> medium().forceDirectory(fifo));
        assertEquals("precious", Files.readString(target));
    }

    @Test
    @DisabledOnOs(OS.WINDOWS)
    void shouldNotLeaveADirectoryThroughLinksBelowIt() throws IOException {
        Path root = Files.createDirectory(directory.resolve("root"));
        Path outside = Files.createDirectory(directory.resolve("outside"));
        Path kept = Files.writeString(outside.resolve("kept"), "precious");
        Path link = Files.createSymbolicLink(root.resolve("link"), outside);
        FileMedium within = WithoutLinks.below(List.of(root), medium());
        for (Executable use :
                List.<Executable>of(
                        () -> within.list(link),
                        () -> within.createDirectories(link.resolve("new")),
                        () -> within.createDirectory(link.resolve("new")),
                        () -> within.create(link.resolve("new")),
                        () -> within.open(link.resolve("kept"), false),
                        () -> within.openToSend(link.resolve("kept")),
                        () -> within.rename(link.resolve("kept"), root.resolve("kept")),
                        () -> within.rename(root.resolve("kept"), link.resolve("kept")),
                        () -> within.link(link.resolve("kept"), root.resolve("kept")),
                        () -> within.delete(link.resolve("kept")),
                        () -> within.lock(link.resolve("lock")),
                        () -> within.forceDirectory(link))) {
            String message = assertThrows(UnexpectedFileException.class, use).getMessage();
            assertTrue(message.startsWith(link + ": is a symbolic link"), message);
        }
        assertEquals(List.of("kept"), medium().list(outside));
        assertEquals("precious", Files.readString(kept));
        FileMedium named = WithoutLinks.below(List.of(root, link), medium());
        assertEquals(List.of("kept"), named.list(link));
        named.delete(link);
        assertTrue(Files.exists(kept));
    }

    @Test
    @DisabledOnOs(OS.WINDOWS)
    void shouldUnmapAtOnce() throws IOException {
        Path path = directory.resolve("file");
        try (MediumFile file = medium().create(path)) {
            file.write(0, new byte[100_000], 0, 100_000);
            Mapping writer = file.map(100_000, true);
            Mapping reader = file.map(50_000, false);
            assertTrue(isMapped(path));
            writer.unmap();
            reader.unmap();
            assertFalse(isMapped(path));
        }
    }

    @Test
    void shouldDoEverythingInAnInterruptedThread() throws Exception {
        Path path = directory.resolve("a/b/file");
        Thread.currentThread().interrupt();
        try {
            medium().createDirectories(path.getParent());
            try (MediumFile file = medium().create(path)) {
                file.write(0, new byte[8192], 0, 8192);
                file.force();
                Mapping mapping = file.map(8192, true);
                mapping.buffer().putInt(0, 42);
                mapping.force(0, 4);
                file.write(4, ByteBuffer.wrap(new byte[] {1, 2, 3, 4}));
                assertEquals(0x0102_0304, mapping.buffer().getInt(4));
                mapping.unmap();
                medium().forceDirectory(path.getParent());
                assertEquals(8192, file.read(0, new byte[8192], 0, 8192));
            }
            medium().rename(path, path.resolveSibling("other"));
            medium().lock(path.resolveSibling("lock")).close();
            assertTrue(Thread.currentThread().isInterrupted());
        } finally {
            assertTrue(Thread.interrupted());
        }
    }

    @Test
    void shouldNotBeHitByInterruptsThatComeAtAnyMoment() throws Exception {
        AtomicBoolean done = new AtomicBoolean();
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Path path = directory.resolve("file");
        Thread worker =
                new Thread(
                        () -> {
                            try (MediumFile file = medium().create(path)) {
                                file.write(0, new byte[65_536], 0, 65_536);
                                ByteBuffer bytes = ByteBuffer.allocateDirect(32_768);
                                for (int i = 0; i < 40; i++) {
                                    Mapping mapping = file.map(65_536, true);
                                    bytes.put(0, (byte) i).position(0);
                                    file.write(i, bytes);
                                    assertEquals((byte) i, mapping.buffer().get(i));
                                    mapping.unmap();
                                    medium().forceDirectory(directory);
                                    medium().lock(directory.resolve("lock")).close();
                                }
                            } catch (Throwable e) {
                                failure.set(e);
                            }
                            done.set(true);
                        });
        worker.start();
        while (!done.get()) {
            worker.interrupt();
            Thread.onSpinWait();
        }
        worker.join();
        assertNull(failure.get());
        assertFalse(isMapped(path));
    }

    @Test
    @DisabledOnOs(OS.WINDOWS)
    void shouldSayThatAFileInMemoryDoesNotSurviveAPowerCut() throws IOException {
        Path memory = Path.of("/dev/shm");
        Assumptions.assumeTrue(
                Files.isDirectory(memory) && Files.getFileStore(memory).type().equals("tmpfs"),
                "/dev/shm is not a tmpfs here");

        assertEquals(Survives.PROCESS_CRASH, medium().survives(memory.resolve("not/there/yet")));
    }

    @Test
    @DisabledOnOs(OS.WINDOWS)
    void shouldFindALockedFileByAnyPathThatLeadsToIt() throws Exception {
        Path real = Files.createDirectory(directory.resolve("real"));
        Path link = Files.createSymbolicLink(directory.resolve("link"), real);
        AutoCloseable lock = medium().lock(real.resolve("lock"));

        assertThrows(StoreLockedException.class, () -> medium().lock(link.resolve("lock")));
        Files.createLink(real.resolve("twin"), real.resolve("lock"));
        StoreLockedException locked =
                assertThrows(StoreLockedException.class, () -> medium().lock(real.resolve("twin")));
        assertTrue(locked.getMessage().contains("pid"), locked.getMessage());
        lock.close();
    }

    @Test
    @DisabledOnOs(OS.WINDOWS)
    void shouldStayLockedWhenSomebodyDeletesTheFile() throws Exception {
        Path file = directory.resolve("lock");
        AutoCloseable lock = medium().lock(file);
        Files.delete(file);

        assertThrows(StoreLockedException.class, () -> medium().lock(file));
        lock.close();
        medium().lock(file).close();
    }

    @Test
    void shouldKeepTheLockWhenASecondTryInThisProcessFails() throws Exception {
        Path file = directory.resolve("lock");
        AutoCloseable lock = medium().lock(file);
        assertThrows(StoreLockedException.class, () -> medium().lock(file));

        Process other = tryToLock(file);
        String answer = new String(other.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertTrue(answer.contains("another process"), answer);
        assertTrue(answer.contains("pid " + ProcessHandle.current().pid()), answer);
        assertTrue(answer.contains("user " + System.getProperty("user.name")), answer);
        lock.close();
        other = tryToLock(file);
        answer = new String(other.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertTrue(answer.endsWith("locked" + System.lineSeparator()), answer);
        assertTrue(other.waitFor(HANGS_AFTER_S, TimeUnit.SECONDS));
    }

    private static Process tryToLock(Path file) throws IOException {
        String main =
                FileMedium.class.getProtectionDomain().getCodeSource().getLocation().getPath();
        String test = Other.class.getProtectionDomain().getCodeSource().getLocation().getPath();
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        main + File.pathSeparator + test,
                        Other.class.getName(),
                        file.toString())
                .redirectErrorStream(true)
                .start();
    }

    /** The other process. */
    static final class Other {
        private Other() {}

        /** Locks the file named, or says why not. */
        public static void main(String[] args) throws Exception {
            try (AutoCloseable lock = FileMedium.real().lock(Path.of(args[0]))) {
                System.out.println(lock == null ? "?" : "locked");
            } catch (StoreLockedException e) {
                System.out.println(e.getMessage());
            }
        }
    }

    @Test
    void shouldLockWhereThereIsNoSpaceToSayByWhom() throws Exception {
        Path mount = Files.createDirectory(directory.resolve("small"));
        Assumptions.assumeTrue(
                run("mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", mount.toString()));
        try {
            Path lock = Files.createFile(mount.resolve("lock"));
            assertThrows(
                    IOException.class,
                    () -> Files.write(mount.resolve("ballast"), new byte[1 << 20]));
            try (AutoCloseable held = FileMedium.real().lock(lock)) {
                String holder = FileMedium.real().holder(lock);
                assertTrue(holder.startsWith("pid "), () -> held + " says " + holder);
                assertEquals(0, Files.size(lock));
            }
            assertTrue(FileMedium.real().isUnlocked(lock));
        } finally {
            assertTrue(run("umount", mount.toString()));
        }
    }

    private static boolean run(String... command) throws IOException, InterruptedException {
        try {
            return new ProcessBuilder(command).inheritIO().start().waitFor() == 0;
        } catch (IOException e) {
            return false; // no such command here
        }
    }
}
