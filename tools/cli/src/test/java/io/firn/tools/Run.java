package io.firn.tools;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.stream.Stream;
import picocli.CommandLine;

/**
 * One run of the command.
 *
 * @param exitCode what the process would end with
 */
record Run(int exitCode, String out, String err) {

    /** Runs {@code firn}. */
    static Run firn(Object... arguments) {
        return of(Firn.commandLine(), arguments);
    }

    /** Runs one of its commands by itself. */
    static Run of(Object command, Object... arguments) {
        return of(Firn.configured(new CommandLine(command)), arguments);
    }

    private static Run of(CommandLine line, Object... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        String[] words = Stream.of(arguments).map(Object::toString).toArray(String[]::new);
        int exitCode = Firn.run(line, new PrintWriter(out), new PrintWriter(err), words);
        return new Run(exitCode, out.toString(), err.toString());
    }
}
