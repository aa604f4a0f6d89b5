package io.firn.kill;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.kill.Oracle.Violation;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Kills a JVM that appends, again and again, and compares what reopens with what was acknowledged.
 * As a test it is over in seconds; {@code bin/test-kill} runs it for as long as one likes.
 */
final class KillTest {
    private static final int DEFAULT_ROUNDS = 200;
    private static final int FEW_ROUNDS = 10;
    private static final String USAGE =
            "Usage: bin/test-kill [--rounds N] [--dir DIR] [--seed S]%n"
                    + "  --rounds  how many children are killed, default "
                    + DEFAULT_ROUNDS
                    + "%n  --dir     where the store lies, new or empty; default a temporary one%n"
                    + "  --seed    of contents and plans, default by the clock%n";

    @Test
    void shouldKeepEveryAckedRecordWhenKilledInMidAppend(@TempDir Path temporary) throws Exception {
        long seed = System.nanoTime();
        PrintStream silence =
                new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
        Kills kills = new Kills(temporary, seed, FEW_ROUNDS, silence);
        try {
            kills.run();
        } catch (Violation e) {
            throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
        }
        assertEquals(FEW_ROUNDS, kills.killed(), "seed " + seed);
        assertTrue(kills.ackedRecords() > 0, "seed " + seed);
    }

    /** See {@link #USAGE}; exits with 1 when something was lost or invented. */
    public static void main(String[] arguments) throws Exception {
        Path directory = null;
        int rounds = DEFAULT_ROUNDS;
        long seed = System.nanoTime() & 0xFFFF_FFFFL;
        try {
            for (int i = 0; i < arguments.length; i += 2) {
                switch (arguments[i]) {
                    case "--rounds" -> rounds = Integer.parseInt(arguments[i + 1]);
                    case "--dir" -> directory = Path.of(arguments[i + 1]);
                    case "--seed" -> seed = Long.parseLong(arguments[i + 1]);
                    default -> throw new IllegalArgumentException("unknown: " + arguments[i]);
                }
            }
        } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException e) {
            System.err.println(e.getMessage());
            System.err.printf(USAGE);
            System.exit(2);
        }
        boolean temporary = directory == null;
        Path place = temporary ? Files.createTempDirectory("firn-kill") : directory;
        System.out.printf("seed %d, %d kills, in %s%n", seed, rounds, place);
        Kills kills = new Kills(place, seed, rounds, System.out);
        try {
            kills.run();
            kills.summarize();
        } catch (Violation e) {
            kills.summarize();
            System.out.printf(
                    "VIOLATION: %s%nThe files are left in %s. The same plans again (moments"
                            + " differ): bin/test-kill --seed %d --rounds %d%n",
                    e.getMessage(), place, seed, rounds);
            System.exit(1);
        }
        if (temporary) {
            delete(place);
        }
    }

    private static void delete(Path directory) throws IOException {
        Files.walkFileTree(
                directory,
                new SimpleFileVisitor<>() {
                    @Override
                    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                            throws IOException {
                        Files.delete(file);
                        return FileVisitResult.CONTINUE;
                    }

                    @Override
                    public FileVisitResult postVisitDirectory(Path visited, IOException e)
                            throws IOException {
                        Files.delete(visited);
                        return FileVisitResult.CONTINUE;
                    }
                });
    }
}
