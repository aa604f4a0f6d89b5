package io.firn.bytes;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WithoutFlagsTest {
    @TempDir private Path directory;

    /** On a newer JVM a warning of its own would be among the errors. */
    @Test
    void shouldRunWithoutOptionsAndPrintNoWarning() throws Exception {
        Path logging = directory.resolve("logging.properties");
        Files.writeString(logging, ".level=OFF\n");
        Path out = directory.resolve("out");
        Path err = directory.resolve("err");
        Process process =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-cp",
                                System.getProperty("java.class.path"),
                                WithoutFlags.class.getName(),
                                directory.resolve("log").toString(),
                                logging.toString())
                        .redirectOutput(out.toFile())
                        .redirectError(err.toFile())
                        .start();
        assertEquals(0, process.waitFor(), () -> text(err));
        assertEquals("", text(err));
        assertEquals(List.of("true 1.5", "Fram 3 7"), Files.readAllLines(out));
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
