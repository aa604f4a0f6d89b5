package io.firn.shadow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.firn.sim.FirstRunOnly;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A shadow whose disk is really full: a file system of 40 MiB, in a mount namespace of a process of
 * its own ({@link FullDiskChild}). As root it is ext4 in a file, otherwise a tmpfs in a user
 * namespace.
 */
@FirstRunOnly
class FullDiskTest {
    private static final String AS_ROOT =
            "truncate -s 40M \"$1/image\" && mkfs.ext4 -q -m 0 \"$1/image\""
                    + " && mount -o loop \"$1/image\" \"$1/disk\"";
    private static final String AS_USER = "mount -t tmpfs -o size=40m none \"$1/disk\"";

    @TempDir private Path directory;

    private Process run(String command) throws IOException {
        boolean isRoot = System.getProperty("user.name").equals("root");
        List<String> all =
                List.of(
                        "unshare",
                        isRoot ? "--propagation=private" : "--map-root-user",
                        "--mount",
                        "sh",
                        "-c",
                        (isRoot ? AS_ROOT : AS_USER) + " && " + command,
                        "sh",
                        directory.toString());
        return new ProcessBuilder(all)
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("output").toFile())
                .start();
    }

    private String output() throws IOException {
        return Files.readString(directory.resolve("output"));
    }

    @Test
    void shouldSayThatTheDiskIsFullAndGoOnWhenThereIsRoomAgain() throws Exception {
        Files.createDirectory(directory.resolve("disk"));
        boolean canMount;
        try {
            canMount = run("true").waitFor() == 0;
        } catch (IOException e) {
            canMount = false; // there is no such program
        }
        assumeTrue(canMount, "no file system can be mounted here, not even in a namespace");
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        String path = System.getProperty("java.class.path");
        String child =
                "exec "
                        + java
                        + " -Xmx256m -cp '"
                        + path
                        + "' "
                        + FullDiskChild.class.getName()
                        + " \"$1\"";
        Process process = run(child);
        try {
            assertEquals(0, process.waitFor(), this::outputOrNothing);
            assertEquals(FullDiskChild.DONE, output().lines().reduce((a, b) -> b).orElse(""));
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    private String outputOrNothing() {
        try {
            return output();
        } catch (IOException e) {
            return e.toString();
        }
    }
}
