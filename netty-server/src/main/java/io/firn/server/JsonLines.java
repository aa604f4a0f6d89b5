package io.firn.server;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.logging.Formatter;
import java.util.logging.Level;
import java.util.logging.LogRecord;

/**
 * Writes each record of the log as an object of JSON in one line: {@code time} (UTC), {@code level}
 * as in System.Logger, {@code logger}, {@code message}, and {@code error} with its stack trace if
 * there is one. Thread-safe.
 */
final class JsonLines extends Formatter {

    @Override
    public String format(LogRecord record) {
        return line(
                record.getInstant(),
                record.getLevel(),
                record.getLoggerName(),
                formatMessage(record),
                record.getThrown());
    }

    static String line(Instant time, Level level, String logger, String message, Throwable error) {
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put("time", time.toString());
        fields.put("level", nameOf(level));
        fields.put("logger", logger);
        fields.put("message", message);
        if (error != null) {
            StringWriter trace = new StringWriter();
            error.printStackTrace(new PrintWriter(trace));
            fields.put("error", trace.toString());
        }
        StringBuilder line = new StringBuilder(256);
        fields.forEach(
                (name, value) -> {
                    line.append(line.length() == 0 ? "{" : ",");
                    quote(line, name);
                    quote(line.append(':'), value == null ? "" : value);
                });
        return line.append("}\n").toString();
    }

    private static String nameOf(Level level) {
        int value = level.intValue();
        if (value >= Level.SEVERE.intValue()) {
            return "ERROR";
        }
        if (value >= Level.WARNING.intValue()) {
            return "WARNING";
        }
        return value >= Level.INFO.intValue() ? "INFO" : "DEBUG";
    }

    /** All but ASCII that can be printed is escaped, so that any reader has the same line. */
    private static void quote(StringBuilder line, String text) {
        line.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                line.append('\\').append(c);
            } else if (c >= ' ' && c < 0x7F) {
                line.append(c);
            } else {
                line.append(String.format("\\u%04x", (int) c));
            }
        }
        line.append('"');
    }
}
