package io.firn.junit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TemporaryDirectoryTest {
    @TempDir private Path parent;

    /** Another process, which keeps a directory until it is killed. */
    public static void main(String[] arguments) throws IOException {
        TemporaryDirectory directory = TemporaryDirectory.create(Path.of(arguments[0]));
        Files.writeString(directory.path().resolve("segment"), "records");
        System.out.println(directory.path());
        System.in.read();
    }

    @Test
    void shouldDeleteTheDirectoryOfAProcessThatWasKilledButOfNoneThatRuns() throws Exception {
        Process other =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-XX:TieredStopAtLevel=1",
                                "-cp",
                                System.getProperty("java.class.path"),
                                TemporaryDirectoryTest.class.getName(),
                                parent.toString())
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        try (BufferedReader out =
                new BufferedReader(
                        new InputStreamReader(other.getInputStream(), StandardCharsets.UTF_8))) {
            Path ofOther = Path.of(out.readLine());
            try (TemporaryDirectory ours = TemporaryDirectory.create(parent);
                    TemporaryDirectory second = TemporaryDirectory.create(parent)) {
                assertTrue(Files.exists(ours.path()));
                assertTrue(Files.exists(second.path()));
                assertTrue(Files.exists(ofOther.resolve("segment")));
            }
            other.destroyForcibly().waitFor();
            assertTrue(Files.exists(ofOther.resolve("segment")));
            try (TemporaryDirectory ours = TemporaryDirectory.create(parent)) {
                assertFalse(Files.exists(ofOther));
                assertTrue(Files.exists(ours.path()));
            }
        } finally {
            other.destroyForcibly();
        }
        assertEquals(0, parent.toFile().list().length);
    }
}
