package io.firn.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Timers of a server's background threads, which groups set for up to hours. */
class BackgroundThreadsTest {
    private final AtomicReference<Error> told = new AtomicReference<>();
    private final BackgroundThreads threads =
            new BackgroundThreads(1, NamedThreadFactory::daemon, told::set);
    private final ScheduledThreadPoolExecutor background =
            (ScheduledThreadPoolExecutor) threads.groups();

    @AfterEach
    void stop() {
        threads.close();
    }

    @Test
    void shouldEndWithoutWaitingForTimers() throws InterruptedException {
        var unused = background.schedule(() -> {}, 1, TimeUnit.HOURS);
        background.shutdown();
        assertTrue(background.awaitTermination(Running.HANGS_AFTER_S, TimeUnit.SECONDS));
    }

    @Test
    void shouldTellOfAnErrorThatEndsATaskOfAnyKind() {
        for (Executor each :
                List.of(
                        threads.groups(),
                        threads.admin(),
                        threads.timestamps(),
                        threads.reads(),
                        threads.decompression())) {
            Error error = new OutOfMemoryError("by test");
            each.execute(
                    () -> {
                        throw error;
                    });
            Running.await("the error to be told", () -> told.get() == error);
        }
    }

    @Test
    void shouldKeepNothingOfATimerThatIsNotWantedAnyMore() {
        assertTrue(background.schedule(() -> {}, 1, TimeUnit.HOURS).cancel(false));
        assertEquals(0, background.getQueue().size());
    }
}
