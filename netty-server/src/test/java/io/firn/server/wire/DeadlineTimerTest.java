package io.firn.server.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.concurrent.MockTicker;
import io.netty.util.concurrent.Ticker;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** When a deadline timer runs, by a clock that the test sets. */
class DeadlineTimerTest {
    private final MockTicker clock = Ticker.newMockTicker();
    private final EmbeddedChannel channel = EmbeddedChannel.builder().ticker(clock).build();
    private final List<Long> runs = new ArrayList<>();
    private final DeadlineTimer timer =
            new DeadlineTimer(channel.eventLoop(), clock::nanoTime, runs::add);

    private void pass(long ms) {
        clock.advanceMillis(ms);
        channel.runScheduledPendingTasks();
    }

    private long after(long ms) {
        return clock.nanoTime() + TimeUnit.MILLISECONDS.toNanos(ms);
    }

    @Test
    void shouldRunOnceAtTheEarliestDeadline() {
        timer.runBy(after(1_000));
        timer.runBy(after(300));
        timer.runBy(after(2_000));
        pass(299);
        assertEquals(0, runs.size());
        pass(2);
        assertEquals(1, runs.size());
        assertTrue(timer.accept(runs.get(0)));
        pass(5_000);
        assertEquals(1, runs.size(), "later deadlines are the action's to set again");
    }

    @Test
    void shouldNotAcceptARunWhenAnotherDeadlineWasSetBeforeIt() {
        timer.runBy(after(300));
        pass(301);
        timer.runBy(after(-100));
        assertFalse(timer.accept(runs.get(0)));
        pass(100);
        assertEquals(2, runs.size());
        assertTrue(timer.accept(runs.get(1)));
    }

    @Test
    void shouldNotRunAfterItWasCancelled() {
        timer.runBy(after(300));
        timer.cancel();
        pass(1_000);
        assertEquals(0, runs.size());
        timer.runBy(after(300));
        pass(301);
        timer.cancel();
        assertFalse(timer.accept(runs.get(0)));
    }
}
