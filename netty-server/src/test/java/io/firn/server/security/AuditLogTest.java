package io.firn.server.security;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The lines of the audit log, and how many there are. */
class AuditLogTest {
    private static final Logger LOGGER = Logger.getLogger("io.firn.audit");

    private final AtomicLong nowNs = new AtomicLong(Long.MAX_VALUE - 10); // it may overflow
    private final AuditLog audit = new AuditLog(nowNs::get);
    private final List<String> lines = new ArrayList<>();
    private final Handler handler =
            new Handler() {
                private final SimpleFormatter form = new SimpleFormatter();

                @Override
                public void publish(LogRecord record) {
                    lines.add(record.getLevel() + " " + form.formatMessage(record));
                }

                @Override
                public void flush() {}

                @Override
                public void close() {}
            };

    @BeforeEach
    void listen() {
        LOGGER.addHandler(handler);
    }

    @AfterEach
    void listenNoMore() {
        LOGGER.removeHandler(handler);
    }

    @Test
    void shouldWriteTheFieldsOfEachKindInTheirOrder() {
        audit.signedIn(new AuditLog.Client("User:alice", "10.0.0.7", "SASL_SSL"), "PLAIN");
        audit.failed("alice", "10.0.0.7", "SASL_SSL", "PLAIN");
        audit.failed(null, "10.0.0.7", "SSL", "TLS");
        audit.denied(new AuditLog.Client("User:alice", "10.0.0.7", "SSL"), "Write", "Topic:orders");
        audit.changed(
                new AuditLog.Client("User:a", "10.0.0.7", "SSL"),
                "DELETE_TOPICS",
                "Topic:orders",
                "NONE");
        assertEquals(
                List.of(
                        "INFO sign-in principal=User:alice address=10.0.0.7 listener=SASL_SSL"
                                + " mechanism=PLAIN",
                        "WARNING sign-in-failed user=alice address=10.0.0.7 listener=SASL_SSL"
                                + " mechanism=PLAIN",
                        "WARNING sign-in-failed user=- address=10.0.0.7 listener=SSL mechanism=TLS",
                        "WARNING denied principal=User:alice address=10.0.0.7 listener=SSL"
                                + " operation=Write resource=Topic:orders",
                        "INFO change principal=User:a address=10.0.0.7 listener=SSL"
                                + " api=DELETE_TOPICS resource=Topic:orders result=NONE"),
                lines);
    }

    @Test
    void shouldLetNoValueLookLikeAnotherFieldOrLine() {
        audit.failed(
                "a\nsign-in principal=User:\\admin {0}\r\u2028\u202E\u00e9\0", "::1", "L", "P");
        assertEquals(
                List.of(
                        "WARNING sign-in-failed user=a\\u000Asign-in\\u0020principal\\u003DUser:"
                                + "\\u005Cadmin\\u0020{0}\\u000D\\u2028\\u202E\\u00E9\\u0000"
                                + " address=::1 listener=L mechanism=P"),
                lines);
        lines.clear();
        audit.failed("x".repeat(100_000), "::1", "L", "P");
        String most = "x".repeat(300) + "...";
        assertEquals(
                List.of(
                        "WARNING sign-in-failed user="
                                + most
                                + " address=::1 listener=L mechanism=P"),
                lines);
    }

    @Test
    void shouldLimitTheLinesOfAKindAndCountWhatIsLeftOut() {
        for (int i = 0; i < AuditLog.MOST_PER_SECOND + 7; i++) {
            audit.denied(new AuditLog.Client("p", "a", "l"), "Read", "Topic:t");
        }
        assertEquals(AuditLog.MOST_PER_SECOND, lines.size());
        audit.signedIn(new AuditLog.Client("p", "a", "l"), "m"); // of another kind
        assertEquals(AuditLog.MOST_PER_SECOND + 1, lines.size());
        nowNs.addAndGet(999_999_999);
        audit.denied(new AuditLog.Client("p", "a", "l"), "Read", "Topic:t");
        assertEquals(AuditLog.MOST_PER_SECOND + 1, lines.size());
        nowNs.addAndGet(1);
        lines.clear();
        audit.denied(new AuditLog.Client("p", "a", "l"), "Read", "Topic:t");
        audit.denied(new AuditLog.Client("p", "a", "l"), "Read", "Topic:t");
        String line =
                "WARNING denied principal=p address=a listener=l operation=Read resource=Topic:t";
        assertEquals(List.of(line + " omitted=8", line), lines);
    }

    @Test
    void shouldLeaveOutNoChangeBecauseOthersHaveFailed() {
        for (int i = 0; i < AuditLog.MOST_PER_SECOND + 7; i++) {
            audit.changed(
                    new AuditLog.Client("p", "a", "l"),
                    "DELETE_TOPICS",
                    "Topic:t",
                    "TOPIC_AUTHORIZATION_FAILED");
        }
        lines.clear();
        audit.changed(new AuditLog.Client("p", "a", "l"), "DELETE_TOPICS", "Topic:t", "NONE");
        assertEquals(
                List.of(
                        "INFO change principal=p address=a listener=l api=DELETE_TOPICS"
                                + " resource=Topic:t result=NONE"),
                lines);
    }

    @Test
    void shouldTellAtTheEndWhatWasLeftOutAndNotTold() {
        for (int i = 0; i < AuditLog.MOST_PER_SECOND + 3; i++) {
            audit.failed("u", "a", "l", "m");
        }
        lines.clear();
        audit.end();
        audit.end();
        assertEquals(List.of("WARNING sign-in-failed omitted=3"), lines);
    }
}
