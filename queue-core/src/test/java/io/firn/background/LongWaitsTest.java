package io.firn.background;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.api.Waiting;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Waits that end because another thread looks; the test's thread is the one that looks. */
class LongWaitsTest {
    private final LongWaits waits = new LongWaits();

    /** A tailer that waits until it has news, or no more waits begin. */
    private final class Tailer {
        private final AtomicBoolean hasNews = new AtomicBoolean();
        private final AtomicBoolean isTold = new AtomicBoolean();
        private final Thread thread;
        private volatile RuntimeException failure;
        private volatile Runnable whileLookedFor = () -> {};

        Tailer() {
            LongWaits.Place place = new LongWaits.Place(this::isNewsThere);
            thread =
                    new Thread(
                            () -> {
                                waits.await(place, Long.MAX_VALUE);
                                isTold.set(true);
                            });
            thread.setDaemon(true);
            thread.start();
            LongWaitsTest.await(() -> LockSupport.getBlocker(thread) == waits);
        }

        private boolean isNewsThere() {
            if (Thread.currentThread() != thread) {
                whileLookedFor.run();
            }
            if (failure != null && Thread.currentThread() != thread) {
                throw failure;
            }
            return hasNews.get();
        }
    }

    @AfterEach
    void end() {
        waits.close();
    }

    private static void await(BooleanSupplier condition) {
        Waiting.await("what has to come", condition);
    }

    private void lookUntil(BooleanSupplier condition) {
        await(
                () -> {
                    waits.look();
                    return condition.getAsBoolean();
                });
    }

    @Test
    void shouldWakeThoseThatHaveNewsAndNoOthers() {
        Tailer one = new Tailer();
        Tailer other = new Tailer();
        Tailer last = new Tailer();

        other.hasNews.set(true);
        lookUntil(other.isTold::get);

        assertFalse(one.isTold.get());
        assertFalse(last.isTold.get());
        assertFalse(waits.isEmpty());

        last.hasNews.set(true);
        lookUntil(last.isTold::get);
        one.hasNews.set(true);
        lookUntil(one.isTold::get);

        await(waits::isEmpty);
    }

    @Test
    void shouldNotBeginToWaitWhenThereIsNews() {
        waits.await(new LongWaits.Place(() -> true), Long.MAX_VALUE);

        assertTrue(waits.isEmpty());
    }

    @Test
    void shouldWakeATailerOfWhichALookFails() {
        Tailer failing = new Tailer();
        Tailer other = new Tailer();

        failing.failure = new IllegalStateException("of the test");
        other.hasNews.set(true);
        lookUntil(() -> failing.isTold.get() && other.isTold.get());
    }

    /** A look may tell listeners, and those may wait for whom they like. */
    @Test
    void shouldLetTailersComeAndGoWhileItLooksForAnother() {
        Tailer slow = new Tailer();
        AtomicBoolean looks = new AtomicBoolean();
        AtomicBoolean goesOn = new AtomicBoolean();
        slow.whileLookedFor =
                () -> {
                    looks.set(true);
                    while (!goesOn.get()) { // without an end: otherwise the others would go on
                        LockSupport.parkNanos(1_000_000);
                    }
                };
        Thread looker = new Thread(() -> lookUntil(slow.isTold::get));
        looker.setDaemon(true);
        looker.start();
        await(looks::get);

        Tailer other = new Tailer();
        LockSupport.unpark(other.thread); // its time is over
        await(other.isTold::get);

        slow.hasNews.set(true);
        goesOn.set(true);
        await(slow.isTold::get);
    }

    @Test
    void shouldWakeTheThreadThatLooksWhenTheFirstTailerBeginsToWait() {
        AtomicBoolean isAwake = new AtomicBoolean();
        Thread looker =
                new Thread(
                        () -> {
                            waits.look();
                            while (waits.isEmpty()) {
                                LockSupport.park(this);
                            }
                            isAwake.set(true);
                        });
        looker.setDaemon(true);
        looker.start();
        await(() -> LockSupport.getBlocker(looker) == this);

        new Tailer();

        await(isAwake::get);
    }

    @Test
    void shouldEndAllWaitsAtTheEnd() {
        Tailer one = new Tailer();
        Tailer other = new Tailer();

        waits.close();
        await(() -> one.isTold.get() && other.isTold.get());

        waits.await(new LongWaits.Place(() -> false), Long.MAX_VALUE); // returns
        assertTrue(waits.isEmpty());
    }
}
