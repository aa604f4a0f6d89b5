package io.firn.chronicle;

import io.firn.tools.Firn;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * One run of the program.
 *
 * @param exitCode what the process would end with
 */
record ImportRun(int exitCode, String out, String err) {

    static ImportRun of(Path queue, Path store, String topic, Object... more) {
        List<String> words =
                new ArrayList<>(
                        List.of("import", "chronicle", queue.toString(), store.toString(), topic));
        Stream.of(more).map(Object::toString).forEach(words::add);
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int exitCode =
                Firn.run(new PrintWriter(out), new PrintWriter(err), words.toArray(String[]::new));
        return new ImportRun(exitCode, out.toString(), err.toString());
    }
}
