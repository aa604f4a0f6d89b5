package io.firn.tools;

import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;

/** What the libraries log, of which an answer has what matters. */
final class Logs {
    /** Kept in a field, because the JDK forgets a logger that nobody refers to. */
    private static final List<Logger> LOGGERS =
            List.of(Logger.getLogger("io.firn"), Logger.getLogger("org.apache.kafka"));

    private static final String FORMAT = "java.util.logging.SimpleFormatter.format";

    private Logs() {}

    /** Prints each record of the log as one line, as a message of a command is. */
    static void onOneLine() {
        if (System.getProperty(FORMAT) == null) {
            System.setProperty(FORMAT, "%4$s: %5$s%6$s%n");
        }
    }

    /** Leaves out what is no warning, and what Kafka's clients log: they throw it as well. */
    static void quiet() {
        LOGGERS.get(0).setLevel(Level.WARNING);
        LOGGERS.get(1).setLevel(Level.OFF);
    }
}
