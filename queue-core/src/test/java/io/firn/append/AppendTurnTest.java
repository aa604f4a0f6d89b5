package io.firn.append;

import static io.firn.api.Waiting.HANGS_AFTER_S;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class AppendTurnTest {
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void end() {
        threads.shutdownNow();
    }

    /** Counts without atomics, so that two threads inside at once lose counts. */
    private static final class Protected {
        final AppendTurn turn = new AppendTurn(thrown -> {});
        final AtomicInteger inside = new AtomicInteger();
        long counted;
        volatile boolean overlapped;

        void count() {
            if (inside.getPlain() != 0) {
                overlapped = true;
            }
            inside.setOpaque(1);
            counted++;
            inside.setOpaque(0);
        }

        long countWhenFree(int times) {
            long done = 0;
            for (int i = 0; i < times; i++) {
                if (turn.tryEnter(() -> false)) {
                    count();
                    turn.leave();
                    done++;
                }
            }
            return done;
        }

        long countWaiting(int times) {
            for (int i = 0; i < times; i++) {
                turn.enter();
                count();
                turn.leave();
                Thread.yield();
            }
            return times;
        }
    }

    @Test
    void shouldLetOneThreadInWhenManyTryAndOthersWait() throws Exception {
        for (int round = 0; round < 200; round++) {
            Protected shared = new Protected();
            CountDownLatch together = new CountDownLatch(3);
            List<Callable<Long>> tasks =
                    List.of(
                            () -> shared.countWhenFree(5_000),
                            () -> shared.countWhenFree(5_000),
                            () -> shared.countWaiting(20));
            List<Future<Long>> running = new ArrayList<>();
            for (Callable<Long> task : tasks) {
                running.add(
                        threads.submit(
                                () -> {
                                    together.countDown();
                                    together.await();
                                    return task.call();
                                }));
            }
            long done = 0;
            for (Future<Long> task : running) {
                done += task.get();
            }
            assertEquals(done, shared.counted);
            assertFalse(shared.overlapped, "two threads were inside at once");
        }
    }

    @Test
    void shouldRefuseOtherThreadsAndNestedCallsWhileOneIsInside() throws Exception {
        AppendTurn turn = new AppendTurn(thrown -> {});
        for (int way = 0; way < 20; way++) { // with a seat, and without any more
            assertTrue(turn.tryEnter(() -> false));
            assertFalse(turn.tryEnter(() -> false), "from inside");
            assertThrows(IllegalStateException.class, turn::enter);
            assertFalse(threads.submit(() -> turn.tryEnter(() -> false)).get(), "another thread");
            turn.leave();
            assertTrue(
                    threads.submit(
                                    () -> {
                                        boolean in = turn.tryEnter(() -> false);
                                        turn.leave();
                                        return in;
                                    })
                            .get(),
                    "handed over");
        }
    }

    @Test
    void shouldWaitForTheThreadThatIsInside() throws Exception {
        for (int seats = 0; seats < 2; seats++) {
            AppendTurn turn = new AppendTurn(thrown -> {});
            assertTrue(turn.tryEnter(() -> false));
            for (int i = 0; i < seats; i++) {
                turn.leave();
                assertTrue(turn.tryEnter(() -> false), "by its seat");
            }
            AtomicInteger entered = new AtomicInteger();
            Future<?> waiter =
                    threads.submit(
                            () -> {
                                turn.enter();
                                entered.incrementAndGet();
                                turn.leave();
                            });
            for (int i = 0; i < 50; i++) {
                Thread.sleep(1);
                assertEquals(0, entered.get());
            }
            turn.leave();
            waiter.get();
            assertTrue(turn.tryEnter(() -> false), "its seat is its own again");
        }
    }

    /** Whoever waits for the thread that is inside must not be waited for by it. */
    @Test
    void shouldRefuseNestedCallsWhileAnotherWaitsForTheThreadThatIsInside() throws Exception {
        AppendTurn turn = new AppendTurn(thrown -> {});
        for (int way = 0; way < 12; way++) { // with a seat, and without any more
            Future<?> nested =
                    threads.submit(
                            () -> {
                                assertTrue(turn.tryEnter(() -> false));
                                Future<?> waiter =
                                        threads.submit(
                                                () -> {
                                                    turn.enter();
                                                    turn.leave();
                                                });
                                Thread.sleep(20);
                                assertFalse(turn.tryEnter(() -> false), "from inside");
                                assertThrows(IllegalStateException.class, turn::enter);
                                turn.leave();
                                waiter.get();
                                return null;
                            });
            nested.get(HANGS_AFTER_S, TimeUnit.SECONDS);
        }
    }

    @Test
    void shouldNotWaitLongForTheThreadThatIsInsideWhenTheBackgroundAsks() throws Exception {
        AppendTurn turn = new AppendTurn(thrown -> {});
        for (int way = 0; way < 12; way++) { // with a seat, and without any more
            assertTrue(turn.tryEnter(() -> false));
            assertFalse(threads.submit(turn::enterSoon).get(HANGS_AFTER_S, TimeUnit.SECONDS));
            assertFalse(turn.tryEnter(() -> false), "still inside");
            turn.leave();
            Future<?> soon =
                    threads.submit(
                            () -> {
                                assertTrue(turn.enterSoon());
                                turn.leave();
                            });
            soon.get(HANGS_AFTER_S, TimeUnit.SECONDS);
        }
    }

    /** Not even for a moment, in which the next appender would be refused. */
    @Test
    void shouldNotBeTakenByAnAppenderThatWasClosed() {
        AppendTurn turn = new AppendTurn(thrown -> {});
        assertFalse(turn.tryEnter(() -> true));
        assertTrue(turn.tryEnter(() -> false));
        turn.leave();
    }
}
