package io.firn.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** What a terminal shows, with a clock that the test sets. */
class ProgressLineTest {
    private static final int SECOND = 1_000_000_000;
    private static final String REMOVED = "\r\u001b[K";

    private final AtomicLong clockNs = new AtomicLong();
    private final StringWriter out = new StringWriter();

    private ProgressLine line(Long rate, boolean isShown) {
        return new ProgressLine(new PrintWriter(out), "read", rate, isShown, clockNs::get);
    }

    @Test
    void shouldShowWhatTakesLongerThanASecond() {
        try (ProgressLine line = line(null, true)) {
            assertEquals(0, line.pauseNs(0, 2048, 1024));
            assertEquals("", out.toString());
            clockNs.addAndGet(SECOND);
            assertEquals(0, line.pauseNs(1024, 2048, 1024));
            line.pauseNs(1100, 2048, 1);
        }
        assertEquals(
                "\r[###############...............]  50 %  1 KiB of 2 KiB read\u001b[K" + REMOVED,
                out.toString());
    }

    @Test
    void shouldShowNothingWhereThereIsNoTerminal() {
        try (ProgressLine line = line(null, false)) {
            clockNs.addAndGet(5L * SECOND);
            line.pauseNs(1024, 2048, 1024);
        }
        assertEquals("", out.toString());
    }

    @Test
    void shouldWaitForTheRate() {
        ProgressLine line = line(1_000L, false);
        assertEquals(SECOND / 2, line.pauseNs(0, 5_000, 500));
        clockNs.addAndGet(SECOND / 2);
        assertEquals(SECOND, line.pauseNs(500, 5_000, 1_000));
        clockNs.addAndGet(4L * SECOND);
        assertEquals(0, line.pauseNs(1_500, 5_000, 1_000));
    }
}
