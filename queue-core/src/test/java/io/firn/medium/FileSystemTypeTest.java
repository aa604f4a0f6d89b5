package io.firn.medium;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.firn.Survives;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is known of file systems by their types, as the JDK reports them. */
class FileSystemTypeTest {
    @TempDir private Path directory;

    @ParameterizedTest
    @ValueSource(strings = {"ext2", "ext3", "ext4", "xfs", "btrfs", "zfs", "f2fs", "NTFS", "apfs"})
    void shouldKnowThatForcesReachTheDeviceOfALocalFileSystem(String type) {
        assertEquals(Survives.POWER_LOSS, FileSystemType.of(type).survives());
    }

    @ParameterizedTest
    @ValueSource(strings = {"tmpfs", "ramfs", "devtmpfs"})
    void shouldKnowFileSystemsInMemory(String type) {
        assertEquals(Survives.PROCESS_CRASH, FileSystemType.of(type).survives());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "nfs",
                "nfs4",
                "cifs",
                "smb3",
                "9p",
                "virtiofs",
                "fuse",
                "fuse.sshfs",
                "fuseblk",
                "ceph",
                "lustre",
                "overlay",
                "something"
            })
    void shouldNotClaimToKnowOthers(String type) {
        assertNull(FileSystemType.of(type).survives());
    }

    @Test
    void shouldKnowAnOverlayByTheFileSystemOfItsUpperDirectory() throws IOException {
        Path upper = Files.createDirectory(directory.resolve("up per"));
        Path mounted = directory.toRealPath().resolve("mounted");
        String mounts =
                line("/", "lowerdir=/l,upperdir=/not/there,workdir=/w")
                        + line(
                                mounted.toString(),
                                "lowerdir=/l,upperdir="
                                        + upper.toString().replace(" ", "\\040")
                                        + ",workdir=/w");
        FileSystemType below = FileSystemType.of(upper);
        assertEquals(
                new FileSystemType("overlay over " + below.name(), below.survives()),
                FileSystemType.ofOverlay(mounted.resolve("store"), mounts));
        assertNull(
                FileSystemType.ofOverlay(Path.of("/elsewhere"), mounts).survives(),
                "a container does not see its upper directory");
        assertNull(
                FileSystemType.ofOverlay(
                                mounted,
                                line(mounted.toString(), "upperdir=" + directory + ",volatile"))
                        .survives(),
                "forces do nothing");
    }

    private static String line(String mounted, String options) {
        return "66 63 0:40 / " + mounted + " rw,relatime - overlay overlay rw," + options + "\n";
    }
}
