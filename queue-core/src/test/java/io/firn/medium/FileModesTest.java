package io.firn.medium;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.io.IOException;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Who may use what the medium of this machine creates. */
class FileModesTest {
    private static final FileMedium MEDIUM = FileMedium.real();

    @TempDir Path directory;

    private static String rightsOf(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    /** The umask of whoever runs the test may take rights. */
    private Path given(String name, String permissions) throws IOException {
        return Files.createDirectory(
                directory.resolve(name),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions)));
    }

    @Test
    @EnabledOnOs({OS.LINUX, OS.MAC})
    void shouldCreateEverythingForItsOwnerWhenItsDirectoryIsOpenToAll() throws Exception {
        Path open = Files.createDirectory(directory.resolve("open"));
        Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));
        MEDIUM.createDirectories(open.resolve("a/b"));
        assertEquals("rwx------", rightsOf(open.resolve("a")));
        assertEquals("rwx------", rightsOf(open.resolve("a/b")));
        MEDIUM.create(open.resolve("file")).close();
        assertEquals("rw-------", rightsOf(open.resolve("file")));
        MEDIUM.lock(open.resolve("lock")).close();
        assertEquals("rw-------", rightsOf(open.resolve("lock")));
        WholeFile.write(MEDIUM, open.resolve("whole"), new byte[1]);
        assertEquals("rw-------", rightsOf(open.resolve("whole")));
        assertEquals("rwxrwxrwx", rightsOf(open)); // of an existing one nothing is changed
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void shouldLetAGroupReadWhenTheDirectoryIsPreparedForIt() throws Exception {
        Path shared = directory.resolve("shared");
        Files.createDirectory(shared);
        Files.setAttribute(shared, "unix:mode", 02770);
        MEDIUM.createDirectories(shared.resolve("a/b"));
        String ofDirectories = rightsOf(given("as-directory", "rwxr-x---"));
        assertEquals(ofDirectories, rightsOf(shared.resolve("a")));
        assertEquals(ofDirectories, rightsOf(shared.resolve("a/b"))); // the bit is inherited
        MEDIUM.create(shared.resolve("a/file")).close();
        assertEquals(
                ofDirectories.charAt(3) == 'r' ? "rw-r-----" : "rw-------",
                rightsOf(shared.resolve("a/file")));
    }

    @Test
    @EnabledOnOs({OS.LINUX, OS.MAC})
    void shouldTellWhatOthersMayWriteTo() throws Exception {
        Path file = Files.createFile(directory.resolve("file"));
        for (String closed : new String[] {"rw-------", "rw-r--r--", "rwxr-xr-x"}) {
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(closed));
            assertNull(MEDIUM.writableByOthers(file), closed);
        }
        for (String open : new String[] {"rw-rw----", "rw-r--rw-"}) {
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(open));
            assertEquals(open, MEDIUM.writableByOthers(file));
        }
        assertNull(MEDIUM.writableByOthers(directory.resolve("missing")));
    }

    @Test
    void shouldSetNothingOnAFileSystemWithoutSuchRights() throws Exception {
        URI archive = URI.create("jar:" + directory.resolve("archive.zip").toUri());
        try (FileSystem other = FileSystems.newFileSystem(archive, Map.of("create", "true"))) {
            Path path = other.getPath("/file");
            assertEquals(0, FileModes.ofFile(path).length);
            assertEquals(0, FileModes.ofDirectory(path).length);
            Files.createFile(path, FileModes.ofFile(path));
            assertNull(FileModes.writableByOthers(path));
        }
    }
}
