package io.firn.examples;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.firn.FirnException;
import io.firn.InvalidOptionException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import picocli.CommandLine;

/** Functions that the examples share. */
final class Examples {
    /**
     * Kept in a field, because the JDK forgets a logger's level when the logger is garbage
     * collected.
     */
    private static final Logger LOGGER = Logger.getLogger("io.firn");

    private Examples() {}

    /** Returns the named directory, or a new one below the system's temporary directory. */
    static Path directory(String[] args) {
        quiet();
        try {
            Path dir =
                    args.length > 0 ? Path.of(args[0]) : Files.createTempDirectory("firn-example-");
            System.out.println("The store is in " + dir + ".");
            return dir;
        } catch (IOException e) {
            throw new UncheckedIOException("no temporary directory", e);
        }
    }

    /** Silences the log's messages below warnings. */
    static void quiet() {
        LOGGER.setLevel(Level.WARNING);
    }

    /** Runs a command and exits with what it returns. */
    static void exit(Object command, String[] args) {
        PrintWriter out = new PrintWriter(System.out, true, UTF_8);
        PrintWriter err = new PrintWriter(System.err, true, UTF_8);
        System.exit(run(command, args, out, err));
    }

    /**
     * Runs a command. Returns 0 if it succeeded, 1 after a message if something failed, and 2 after
     * a message and a hint if an argument is wrong.
     */
    static int run(Object command, String[] args, PrintWriter out, PrintWriter err) {
        quiet();
        return new CommandLine(command)
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setOut(out)
                .setErr(err)
                .setParameterExceptionHandler(Examples::explain)
                .setExecutionExceptionHandler(
                        (failure, line, parsed) -> {
                            if (!(failure instanceof FirnException)
                                    && !(failure instanceof InvalidOptionException)
                                    && !(failure instanceof IOException)) {
                                throw failure;
                            }
                            line.getErr().println(message(failure));
                            return CommandLine.ExitCode.SOFTWARE;
                        })
                .execute(args);
    }

    private static int explain(CommandLine.ParameterException wrong, String[] args) {
        CommandLine line = wrong.getCommandLine();
        line.getErr().println(wrong.getMessage());
        CommandLine.UnmatchedArgumentException.printSuggestions(wrong, line.getErr());
        line.getErr().println("Try --help.");
        return CommandLine.ExitCode.USAGE;
    }

    private static String message(Exception failure) {
        boolean isExplained =
                failure instanceof FirnException
                        || failure instanceof InvalidOptionException
                        || failure.getClass() == IOException.class;
        // The messages of other exceptions often consist of a file name only.
        return isExplained ? failure.getMessage() : failure.toString();
    }

    /** Deletes a directory and everything in it. */
    static void delete(Path directory) throws IOException {
        List<Path> all;
        try (Stream<Path> walk = Files.walk(directory)) {
            all = walk.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path path : all) {
            Files.delete(path);
        }
    }

    /** Formats a number of bytes for people. */
    static String size(long bytes) {
        if (bytes < 10_000) {
            return String.format(Locale.ROOT, "%,d B", bytes);
        }
        if (bytes < 1_000_000) {
            return String.format(Locale.ROOT, "%,.1f KB", bytes / 1e3);
        }
        return String.format(Locale.ROOT, "%,.1f MB", bytes / 1e6);
    }

    /** Formats a time for people. */
    static String time(long ns) {
        if (ns < 1_000_000) {
            return String.format(Locale.ROOT, "%.1f µs", ns / 1e3);
        }
        if (ns < 10_000_000_000L) {
            return String.format(Locale.ROOT, "%,.1f ms", ns / 1e6);
        }
        return String.format(Locale.ROOT, "%,.1f s", ns / 1e9);
    }
}
