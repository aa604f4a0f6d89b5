package io.firn.kill;

import io.firn.kill.Oracle.Violation;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;

/** The kill run as a command, as long as one likes. */
public final class KillCommand {
    private static final int DEFAULT_ROUNDS = 200;
    private static final String USAGE =
            "Usage: bin/check kill [--pmem] [--readers] [--rounds N] [--dir DIR] [--seed S]%n"
                    + "  --pmem    emulated persistent memory above files, in /dev/shm%n"
                    + "  --readers kills a writer and three readers in other processes in turn%n"
                    + "  --rounds  number of kills, default "
                    + DEFAULT_ROUNDS
                    + "%n  --dir     directory of the store, new or empty; default a temporary one%n"
                    + "  --seed    seed of contents and plans, default from the clock%n";

    private KillCommand() {}

    /** See {@link #USAGE}; exits with 1 when something was lost, invented or leaked. */
    public static void run(Ground ground, String[] arguments) throws Exception {
        Path directory = null;
        int rounds = DEFAULT_ROUNDS;
        long seed = System.nanoTime() & 0xFFFF_FFFFL;
        boolean withReaders = false;
        try {
            for (int i = 0; i < arguments.length; i++) {
                switch (arguments[i]) {
                    case "--readers" -> withReaders = true;
                    case "--rounds" -> rounds = Integer.parseInt(arguments[++i]);
                    case "--dir" -> directory = Path.of(arguments[++i]);
                    case "--seed" -> seed = Long.parseLong(arguments[++i]);
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
        KillRun kills =
                withReaders
                        ? new ReaderKills(ground, place, seed, rounds, System.out)
                        : new Kills(ground, place, seed, rounds, System.out);
        try {
            kills.run();
            kills.summarize();
        } catch (Violation e) {
            kills.summarize();
            System.out.printf(
                    "VIOLATION: %s%nThe files are kept in %s. For the same plans (at other moments)"
                            + " run with --seed %d --rounds %d%n",
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
