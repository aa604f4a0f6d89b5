package io.firn.tools;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Locale;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** How a command answers: tables for people, or one object of JSON. */
public final class Output {
    @Option(names = "--json", description = "Answers in JSON")
    private boolean isJson;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    /** Creates it; picocli sets it. */
    public Output() {}

    /** Returns whether the answer is to be JSON. */
    public boolean isJson() {
        return isJson;
    }

    /** Prints the whole answer. */
    public void print(Table... tables) throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        if (isJson) {
            try (JsonGenerator json = new JsonFactory().createGenerator(out)) {
                json.disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET);
                json.writeStartObject();
                for (Table table : tables) {
                    table.write(json);
                }
                json.writeEndObject();
            }
            out.println();
        } else {
            int width = Terminal.isOne() ? spec.usageMessage().width() : Integer.MAX_VALUE;
            boolean isFirst = true;
            for (Table table : tables) {
                if (!isFirst) {
                    out.println();
                }
                isFirst = false;
                table.print(out, width, Ansi.AUTO);
            }
        }
        out.flush();
    }

    /** Says something to people; nothing where the answer is JSON. */
    public void say(String format, Object... arguments) {
        if (!isJson) {
            spec.commandLine().getOut().printf(Locale.ROOT, format + "%n", arguments);
            spec.commandLine().getOut().flush();
        }
    }

    /** Says on the standard error what the answer does not show. */
    public void warn(String format, Object... arguments) {
        spec.commandLine().getErr().printf(Locale.ROOT, format + "%n", arguments);
        spec.commandLine().getErr().flush();
    }
}
