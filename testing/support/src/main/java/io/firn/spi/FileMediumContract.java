package io.firn.spi;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.firn.StoreLockedException;
import io.firn.medium.FileMedium;
import io.firn.medium.FileMedium.MediumLock;
import io.firn.medium.MediumFile;
import io.firn.medium.MediumFile.Mapping;
import io.firn.medium.SmallFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What every {@link FileMedium} does, so that a simulated one stands for a real one. */
public abstract class FileMediumContract {
    private static final byte[] HELLO = {'h', 'e', 'l', 'l', 'o'};

    /** The medium. */
    protected abstract FileMedium medium();

    /** A directory that is there and empty. */
    protected abstract Path directory();

    private Path path(String name) {
        return directory().resolve(name);
    }

    private void put(String name, byte[] bytes) throws IOException {
        try (MediumFile file = medium().create(path(name))) {
            file.write(0, bytes, 0, bytes.length);
        }
    }

    private byte[] get(String name) throws IOException {
        try (MediumFile file = medium().open(path(name), false)) {
            byte[] bytes = new byte[(int) file.size()];
            assertEquals(bytes.length, file.read(0, bytes, 0, bytes.length));
            return bytes;
        }
    }

    @Test
    void shouldListNamesInOrder() throws IOException {
        put("b", HELLO);
        put("a", HELLO);
        medium().createDirectories(path("c/d"));

        assertEquals(List.of("a", "b", "c"), medium().list(directory()));
        assertEquals(List.of(), medium().list(path("missing")));
        assertThrows(NotDirectoryException.class, () -> medium().list(path("a")));
    }

    @Test
    void shouldCreateDirectoriesThatAreThereAlready() throws IOException {
        medium().createDirectories(path("c/d"));
        medium().createDirectories(path("c/d"));
        put("file", HELLO);

        assertTrue(medium().exists(path("c/d")));
        assertThrows(IOException.class, () -> medium().createDirectories(path("file")));
        assertThrows(IOException.class, () -> medium().createDirectories(path("file/below")));
    }

    @Test
    void shouldCreateADirectoryWhereItsParentIs() throws IOException {
        medium().createDirectories(path("c"));
        medium().createDirectory(path("c/d"));
        medium().createDirectory(path("c/d"));
        put("file", HELLO);

        assertEquals(List.of("d"), medium().list(path("c")));
        assertThrows(NoSuchFileException.class, () -> medium().createDirectory(path("e/f")));
        assertThrows(IOException.class, () -> medium().createDirectory(path("file")));
        assertThrows(IOException.class, () -> medium().createDirectory(path("file/below")));
    }

    @Test
    void shouldCreateOnlyWhatIsNew() throws IOException {
        put("a", HELLO);

        assertThrows(FileAlreadyExistsException.class, () -> medium().create(path("a")));
        assertThrows(NoSuchFileException.class, () -> medium().create(path("missing/a")));
        assertArrayEquals(HELLO, get("a"));
    }

    @Test
    void shouldOpenOnlyWhatIsThere() throws IOException {
        medium().createDirectories(path("c"));

        assertThrows(NoSuchFileException.class, () -> medium().open(path("a"), false));
        assertThrows(NoSuchFileException.class, () -> medium().open(path("a"), true));
        assertThrows(IOException.class, () -> medium().open(path("c"), false));
        assertFalse(medium().exists(path("a")));
    }

    @Test
    void shouldNotWriteToWhatIsOpenForReading() throws IOException {
        put("a", HELLO);

        try (MediumFile file = medium().open(path("a"), false)) {
            assertThrows(IOException.class, () -> file.write(0, HELLO, 0, 1));
            assertThrows(IOException.class, () -> file.setSize(0));
        }
        assertArrayEquals(HELLO, get("a"));
    }

    @Test
    void shouldReadAndWriteAtAnyPlace() throws IOException {
        try (MediumFile file = medium().create(path("a"))) {
            file.write(3, HELLO, 1, 3);
            assertEquals(6, file.size());
            byte[] target = new byte[10];
            assertEquals(4, file.read(2, target, 1, 9));
            assertArrayEquals(new byte[] {0, 0, 'e', 'l', 'l', 0, 0, 0, 0, 0}, target);
            assertEquals(2, file.read(3, target, 0, 2));
            assertEquals(0, file.read(6, target, 0, 2));
            assertEquals(0, file.read(600, target, 0, 2));
        }
    }

    @Test
    void shouldCutAndExtendWithZeros() throws IOException {
        try (MediumFile file = medium().create(path("a"))) {
            file.write(0, HELLO, 0, 5);
            file.setSize(2);
            file.setSize(4);
            file.force();
        }
        assertArrayEquals(new byte[] {'h', 'e', 0, 0}, get("a"));
    }

    @Test
    void shouldRenameOverWhateverIsThere() throws IOException {
        put("a", HELLO);
        put("b", new byte[] {1});
        try (MediumFile file = medium().open(path("a"), true)) {
            medium().rename(path("a"), path("b"));
            file.write(0, new byte[] {'H'}, 0, 1);
        }

        assertFalse(medium().exists(path("a")));
        assertArrayEquals(new byte[] {'H', 'e', 'l', 'l', 'o'}, get("b"));
        assertThrows(NoSuchFileException.class, () -> medium().rename(path("a"), path("c")));
    }

    @Test
    void shouldRenameIntoAnotherDirectory() throws IOException {
        put("a", HELLO);
        medium().createDirectories(path("c"));
        put("c/b", new byte[] {1});

        medium().rename(path("a"), path("c/b"));

        assertArrayEquals(HELLO, get("c/b"));
        assertEquals(List.of("c"), medium().list(directory()));
        assertEquals(List.of("b"), medium().list(path("c")));
    }

    @Test
    void shouldRenameADirectoryWithWhatIsInItBelowThoseWhoHoldIt() throws IOException {
        assumeTrue(medium().canChangeFilesInUse());
        medium().createDirectories(path("c"));
        put("c/a", HELLO);
        medium().createDirectories(path("empty"));
        try (MediumFile file = medium().open(path("c/a"), true)) {
            Mapping mapping = file.map(HELLO.length, false);

            medium().rename(path("c"), path("empty"));
            medium().forceDirectory(directory());

            file.write(0, new byte[] {'H'}, 0, 1);
            file.force();
            assertEquals('H', mapping.buffer().get(0));
            mapping.unmap();
        }
        assertEquals(List.of("empty"), medium().list(directory()));
        assertEquals(List.of("a"), medium().list(path("empty")));
        assertArrayEquals(new byte[] {'H', 'e', 'l', 'l', 'o'}, get("empty/a"));
        medium().forceDirectory(path("empty"));
        assertThrows(NoSuchFileException.class, () -> medium().rename(path("c"), path("d")));
    }

    @Test
    void shouldNotReplaceADirectoryThatIsNotEmptyOrSomethingOfAnotherKind() throws IOException {
        medium().createDirectories(path("c"));
        medium().createDirectories(path("full"));
        put("full/a", HELLO);
        put("b", HELLO);

        assertThrows(IOException.class, () -> medium().rename(path("c"), path("full")));
        assertThrows(IOException.class, () -> medium().rename(path("c"), path("b")));
        assertThrows(IOException.class, () -> medium().rename(path("b"), path("c")));

        assertEquals(List.of("b", "c", "full"), medium().list(directory()));
        assertArrayEquals(HELLO, get("full/a"));
        assertArrayEquals(HELLO, get("b"));
    }

    @Test
    void shouldGiveAFileASecondNameButNotAThird() throws IOException {
        assumeTrue(medium().canChangeFilesInUse());
        put("a", HELLO);
        medium().createDirectories(path("c"));

        medium().link(path("a"), path("c/b"));
        assertThrows(IOException.class, () -> medium().link(path("a"), path("third")));
        assertFalse(medium().exists(path("third")));
        assertThrows(FileAlreadyExistsException.class, () -> linkToExisting());
        assertThrows(NoSuchFileException.class, () -> medium().link(path("x"), path("third")));

        put("new", new byte[] {1});
        medium().rename(path("new"), path("a"));
        assertArrayEquals(new byte[] {1}, get("a"));
        assertArrayEquals(HELLO, get("c/b"));
        medium().link(path("c/b"), path("again"));
        medium().delete(path("c/b"));
        assertArrayEquals(HELLO, get("again"));
    }

    private void linkToExisting() throws IOException {
        put("other", HELLO);
        medium().link(path("other"), path("c/b"));
    }

    @Test
    void shouldDeleteWhatIsThereAndNotMindWhatIsNot() throws IOException {
        put("a", HELLO);
        medium().createDirectories(path("c/d"));

        medium().delete(path("a"));
        medium().delete(path("a"));
        assertThrows(DirectoryNotEmptyException.class, () -> medium().delete(path("c")));
        medium().delete(path("c/d"));
        medium().delete(path("c"));

        assertEquals(List.of(), medium().list(directory()));
    }

    @Test
    void shouldLeaveADeletedFileToThoseWhoHoldIt() throws IOException {
        assumeTrue(medium().canChangeFilesInUse());
        put("a", HELLO);
        try (MediumFile file = medium().open(path("a"), false)) {
            Mapping mapping = file.map(5, false);
            medium().delete(path("a"));

            byte[] read = new byte[5];
            assertEquals(5, file.read(0, read, 0, 5));
            assertArrayEquals(HELLO, read);
            mapping.buffer().get(0, read);
            assertArrayEquals(HELLO, read);
            mapping.unmap();
        }
    }

    @Test
    void shouldChangeAFileInUseLaterWhereItCannotAtOnce() throws IOException {
        assumeFalse(medium().canChangeFilesInUse());
        put("a", HELLO);
        put("b", HELLO);
        try (MediumFile file = medium().open(path("a"), true)) {
            Mapping mapping = file.map(5, true);

            assertThrows(IOException.class, () -> file.setSize(2));
            assertThrows(IOException.class, () -> medium().delete(path("a")));
            assertThrows(IOException.class, () -> medium().rename(path("b"), path("a")));
            assertEquals(List.of("a", "b"), medium().list(directory()));
            assertEquals('h', mapping.buffer().get(0));

            mapping.unmap();
            file.setSize(2);
        }
        medium().rename(path("b"), path("a"));
        assertArrayEquals(HELLO, get("a"));
        medium().delete(path("a"));
        assertEquals(List.of(), medium().list(directory()));
    }

    @Test
    void shouldTellWhetherItKeepsNamesApart() throws IOException {
        put("name", HELLO);

        assertEquals(!medium().hasExactNames(), medium().exists(path("NAME")));
    }

    @Test
    void shouldShareAMappingWithTheFile() throws IOException {
        try (MediumFile file = medium().create(path("a"))) {
            file.write(0, new byte[8192], 0, 8192);
            Mapping writer = file.map(8192, true);
            Mapping reader = file.map(8192, false);
            writer.prefault(0, 8192);
            reader.prefault(0, 8192);

            assertEquals(ByteOrder.BIG_ENDIAN, writer.buffer().order());
            writer.buffer().putInt(5000, 0x0102_0304);
            writer.force(5000, 4);
            byte[] read = new byte[4];
            assertEquals(4, file.read(5000, read, 0, 4));
            assertArrayEquals(new byte[] {1, 2, 3, 4}, read);
            file.write(5000, HELLO, 0, 4);
            assertEquals('h', reader.buffer().get(5000));
            assertTrue(reader.buffer().isReadOnly());
            writer.unmap();
            reader.unmap();
        }
    }

    @Test
    void shouldWriteABufferAtAPositionWhereAMappingShowsIt() throws IOException {
        MediumFile file = medium().create(path("a"));
        file.write(0, new byte[8192], 0, 8192);
        Mapping reader = file.map(8192, false);
        ByteBuffer direct = ByteBuffer.allocateDirect(9).put(2, HELLO).position(2).limit(7);

        file.write(4094, direct);
        file.write(8187, ByteBuffer.wrap(HELLO));

        assertEquals(7, direct.position());
        byte[] seen = new byte[6];
        reader.buffer().get(4094, seen);
        assertArrayEquals(new byte[] {'h', 'e', 'l', 'l', 'o', 0}, seen);
        assertEquals('o', reader.buffer().get(8191));
        reader.unmap();
        file.close();
        assertThrows(IOException.class, () -> file.write(0, ByteBuffer.wrap(HELLO)));
    }

    @Test
    void shouldKeepAMappingWhenItsFileIsClosed() throws IOException {
        MediumFile file = medium().create(path("a"));
        file.write(0, HELLO, 0, 5);
        Mapping mapping = file.map(5, true);
        file.close();
        file.close();

        mapping.buffer().put(0, (byte) 'H');
        mapping.force(0, 5);
        mapping.unmap();
        mapping.unmap();

        assertEquals('H', get("a")[0]);
        assertThrows(IllegalStateException.class, mapping::buffer);
        assertThrows(IllegalStateException.class, () -> mapping.force(0, 1));
        assertThrows(IOException.class, file::size);
    }

    @Test
    void shouldNotMapMoreThanThereIs() throws IOException {
        put("a", HELLO);
        put("empty", new byte[0]);
        try (MediumFile file = medium().open(path("a"), true);
                MediumFile empty = medium().open(path("empty"), false)) {
            assertThrows(IOException.class, () -> file.map(6, true));
            Mapping nothing = empty.map(0, false);
            assertEquals(0, nothing.buffer().capacity());
            nothing.unmap();
        }
        assertEquals(5, get("a").length);
    }

    @Test
    void shouldLockOnceAndAgainWhenReleased() throws Exception {
        Path file = path("lock");
        AutoCloseable lock = medium().lock(file);

        StoreLockedException locked =
                assertThrows(StoreLockedException.class, () -> medium().lock(file));
        assertTrue(locked.getMessage().contains(file.toString()), locked.getMessage());
        assertTrue(locked.getMessage().contains("by this process"), locked.getMessage());

        lock.close();
        lock.close();
        AutoCloseable again = medium().lock(file);
        lock.close();
        assertThrows(StoreLockedException.class, () -> medium().lock(file));
        again.close();
    }

    @Test
    void shouldTellThatALockIsLostWhenItsFileWasDeletedReplacedOrMoved() throws Exception {
        assumeTrue(medium().canChangeFilesInUse());
        Path home = path("home");
        medium().createDirectories(home);
        Path file = home.resolve("lock");
        try (MediumLock lock = medium().lock(file)) {
            assertTrue(lock.isNew());
            assertNull(lock.lost());
            medium().rename(home, path("away"));
            String moved = lock.lost();
            assertTrue(moved.contains(file.toString()) && moved.contains("no file"), moved);
            medium().createDirectories(home);
            medium().create(file).close();
            String replaced = lock.lost();
            assertTrue(replaced.contains("another file"), replaced);
            medium().delete(file);
            medium().rename(path("away").resolve("lock"), file);
            assertNull(lock.lost(), "it is the locked file again");
            medium().delete(file);
            assertTrue(lock.lost().contains("no file"), lock.lost());
        }
        try (MediumLock next = medium().lock(file)) {
            assertTrue(next.isNew());
        }
        try (MediumLock again = medium().lock(file)) {
            assertFalse(again.isNew());
        }
    }

    @Test
    void shouldReplaceASmallFile() throws IOException {
        put(".config.tmp", HELLO);

        SmallFile.write(medium(), path("config"), "config", 1, Map.of("a", "1"));
        SmallFile.write(medium(), path("config"), "config", 1, Map.of("a", "2"));

        assertEquals(Map.of("a", "2"), SmallFile.read(medium(), path("config"), "config", 1));
        assertEquals(List.of("config"), medium().list(directory()));
    }
}
