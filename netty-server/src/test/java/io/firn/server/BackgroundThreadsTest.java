package io.firn.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Timers of a server's background threads, which groups set for up to hours. */
class BackgroundThreadsTest {
    private final ScheduledThreadPoolExecutor background = BackgroundThreads.scheduled(1);

    @AfterEach
    void stop() {
        background.shutdownNow();
    }

    @Test
    void shouldEndWithoutWaitingForTimers() throws InterruptedException {
        var unused = background.schedule(() -> {}, 1, TimeUnit.HOURS);
        background.shutdown();
        assertTrue(background.awaitTermination(Running.HANGS_AFTER_S, TimeUnit.SECONDS));
    }

    @Test
    void shouldKeepNothingOfATimerThatIsNotWantedAnyMore() {
        assertTrue(background.schedule(() -> {}, 1, TimeUnit.HOURS).cancel(false));
        assertEquals(0, background.getQueue().size());
    }
}
