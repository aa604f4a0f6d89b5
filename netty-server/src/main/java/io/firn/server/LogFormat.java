package io.firn.server;

import java.time.Instant;
import java.util.logging.Formatter;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.Logger;
import picocli.CommandLine;
import picocli.CommandLine.ITypeConverter;

/**
 * How a process that runs the server writes its log, and what it says besides, to standard error.
 */
enum LogFormat {
    /** A line for each record, for people. */
    TEXT {
        @Override
        void setUp() {
            if (System.getProperty(LINE) == null) {
                System.setProperty(LINE, "%1$tF %1$tT %4$s %5$s%6$s%n");
            }
        }

        @Override
        void say(Level level, String text) {
            System.err.println(text);
        }
    },

    /** An object of JSON for each record, in a line, for programs that collect them. */
    JSON {
        @Override
        void setUp() {
            Formatter lines = new JsonLines();
            for (Handler each : Logger.getLogger("").getHandlers()) {
                each.setFormatter(lines);
            }
        }

        @Override
        void say(Level level, String text) {
            System.err.print(JsonLines.line(Instant.now(), level, "io.firn.server", text, null));
        }
    };

    private static final String LINE = "java.util.logging.SimpleFormatter.format";

    /** Sets up the JDK's logging; has no effect on another binding of System.Logger. */
    abstract void setUp();

    /** Writes a line that is not of the log. */
    abstract void say(Level level, String text);

    /** Reads the option. */
    static final class Converter implements ITypeConverter<LogFormat> {
        @Override
        public LogFormat convert(String value) {
            return switch (value) {
                case "text" -> TEXT;
                case "json" -> JSON;
                default ->
                        throw new CommandLine.TypeConversionException(
                                "expected text or json, found '" + value + "'");
            };
        }
    }
}
