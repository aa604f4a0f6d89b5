package io.firn.tools;

import java.io.PrintWriter;
import java.io.StringWriter;

/**
 * One run of a program.
 *
 * @param exitCode what the process would end with
 */
record Run(int exitCode, String out, String err) {

    static Run of(Object command, Object... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        String[] words = new String[arguments.length];
        for (int i = 0; i < words.length; i++) {
            words[i] = arguments[i].toString();
        }
        int exitCode = Programs.run(command, new PrintWriter(out), new PrintWriter(err), words);
        return new Run(exitCode, out.toString(), err.toString());
    }
}
