package io.firn.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Instant;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.Test;

class JsonLinesTest {
    @Test
    void shouldWriteARecordAsOneObjectInOneLine() {
        LogRecord record = new LogRecord(Level.FINE, "moved {0} to \"cold\"\n\u00e9");
        record.setParameters(new Object[] {"a\\b"});
        record.setLoggerName("io.firn");
        record.setInstant(Instant.ofEpochMilli(0));
        assertEquals(
                "{\"time\":\"1970-01-01T00:00:00Z\",\"level\":\"DEBUG\",\"logger\":\"io.firn\","
                        + "\"message\":\"moved a\\\\b to \\\"cold\\\"\\u000a\\u00e9\"}\n",
                new JsonLines().format(record));
    }

    @Test
    void shouldWriteAnErrorWithItsStackTraceInTheSameLine() {
        LogRecord record = new LogRecord(Level.SEVERE, "failed");
        record.setThrown(new IllegalStateException("why"));
        String line = new JsonLines().format(record);
        assertEquals(1, line.lines().count(), line);
        assertTrue(line.contains("\"error\":\"java.lang.IllegalStateException: why\\u000a"), line);
    }
}
