package io.firn.tools;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.firn.FirnException;
import io.firn.InvalidOptionException;
import java.io.IOException;
import java.io.PrintWriter;
import picocli.CommandLine;

/** How the programs are run: what they print where, and their exit codes. */
public final class Programs {
    private Programs() {}

    /** Runs a command on the standard streams, and exits with what it returns. */
    public static void exit(Object command, String[] arguments) {
        PrintWriter out = new PrintWriter(System.out, true, UTF_8);
        PrintWriter err = new PrintWriter(System.err, true, UTF_8);
        System.exit(run(command, out, err, arguments));
    }

    /**
     * Runs a command. Returns what the command returns; 1 with a message when it fails; 2 with a
     * message when an argument is wrong, and with the usage when it cannot be parsed.
     */
    public static int run(Object command, PrintWriter out, PrintWriter err, String... arguments) {
        return new CommandLine(command)
                .setOut(out)
                .setErr(err)
                .setExecutionExceptionHandler(
                        (failure, line, parsed) -> {
                            if (failure instanceof IOException
                                    || failure instanceof FirnException
                                    || failure instanceof InvalidOptionException) {
                                line.getErr().println(failure.getMessage());
                                return failure instanceof InvalidOptionException
                                        ? CommandLine.ExitCode.USAGE
                                        : CommandLine.ExitCode.SOFTWARE;
                            }
                            throw failure;
                        })
                .execute(arguments);
    }
}
