package io.firn.examples;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;

/** What a command did: its exit code and what it wrote. */
record Ran(int status, String out, String err) {

    static Ran command(Object command, Object... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        String[] args = List.of(arguments).stream().map(Object::toString).toArray(String[]::new);
        int status =
                Examples.run(command, args, new PrintWriter(out, true), new PrintWriter(err, true));
        return new Ran(status, out.toString(), err.toString());
    }
}
