package io.firn.help;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A file below {@code bin/lib/help}, with which a script answers {@code --help} before the program
 * is built. With {@code -Dfirn.help.write=true}, the tests write the files.
 */
public final class HelpFile {
    private static final Path DIRECTORY = Path.of("bin", "lib", "help");

    private HelpFile() {}

    /** Checks that a file has what its program prints. */
    public static void check(String name, String usage) throws IOException {
        Path file = root().resolve(DIRECTORY).resolve(name);
        if (Boolean.getBoolean("firn.help.write")) {
            Files.createDirectories(file.getParent());
            Files.writeString(file, usage);
        }
        assertEquals(
                usage,
                Files.readString(file),
                file
                        + " is not what the program prints: run this test with -Dfirn.help.write=true");
    }

    /** Checks that a directory of help has no files but some. */
    public static void checkNoOthers(String directory, Set<String> names) throws IOException {
        try (Stream<Path> files = Files.list(root().resolve(DIRECTORY).resolve(directory))) {
            for (Path each : files.toList()) {
                if (!names.contains(each.getFileName().toString())) {
                    fail(each + " is of no command: delete it");
                }
            }
        }
    }

    /** The directory of the sources, in which or below which the tests run. */
    static Path root() {
        Path at = Path.of("").toAbsolutePath();
        while (!Files.isDirectory(at.resolve(DIRECTORY))) {
            at = at.getParent();
        }
        return at;
    }
}
