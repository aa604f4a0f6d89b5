package io.firn.background;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.findings.FindingKey;
import io.firn.findings.Subject;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;

/** When steps that failed are tried again. */
class AttemptsTest {
    private static final int FAILURES = 10;
    private static final long SECOND_NS = 1_000_000_000;

    private final Attempts attempts = new Attempts(() -> 0);
    private final BackOff backOff = new BackOff(attempts.clock());

    private void fail(String why) {
        for (int i = 0; i < FAILURES; i++) {
            assertEquals(
                    Attempts.FAILED,
                    attempts.run(
                            FindingKey.job(Subject.named("a test"), "a step"),
                            () -> {
                                throw new IOException(why);
                            },
                            backOff));
        }
    }

    /** The disk that fails is that of the application's log, too. */
    @Test
    void shouldGoOnWhenTheLogThrows() {
        Logger log = Logger.getLogger("io.firn");
        Level before = log.getLevel();
        AtomicInteger thrown = new AtomicInteger();
        Handler throwing =
                new Handler() {
                    @Override
                    public void publish(LogRecord record) {
                        thrown.incrementAndGet();
                        throw new IllegalStateException("on purpose");
                    }

                    @Override
                    public void flush() {}

                    @Override
                    public void close() {}
                };
        log.setLevel(Level.ALL);
        log.addHandler(throwing);
        try {
            fail("on purpose");
        } finally {
            log.removeHandler(throwing);
            log.setLevel(before);
        }
        assertEquals(1, thrown.get(), "it is logged once");
        assertTrue(backOff.isFailing());
    }

    /** Another process may write the store then. */
    @Test
    void shouldRunOnlyStepsThatChangeNothingWhenTheStoreIsLost() {
        AtomicInteger changes = new AtomicInteger();
        AtomicInteger looks = new AtomicInteger();
        attempts.stopIf(() -> changes.get() == 1);
        FindingKey job = FindingKey.job(Subject.named("a test"), "a step");
        for (int i = 0; i < 3; i++) {
            attempts.run(job, changes::incrementAndGet, null);
            attempts.run(
                    job,
                    new Attempts.Step() {
                        @Override
                        public int run() {
                            return looks.incrementAndGet();
                        }

                        @Override
                        public boolean isForLost() {
                            return true;
                        }
                    },
                    null);
        }
        assertEquals(1, changes.get());
        assertEquals(3, looks.get());
    }

    @Test
    void shouldTryAgainSoonHoweverLongALackHasLasted() {
        attempts.shortageIs(e -> "a lack".equals(e.getMessage()));
        fail("on purpose");
        assertEquals(64 * SECOND_NS, backOff.leftNs());
        fail("a lack");
        assertTrue(backOff.leftNs() < SECOND_NS, backOff.leftNs() + "");
        assertTrue(backOff.isFailing());
        assertEquals(2 * FAILURES, attempts.errors());
    }
}
