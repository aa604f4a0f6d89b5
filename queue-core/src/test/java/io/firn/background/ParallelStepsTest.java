package io.firn.background;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Steps that run several at once, on threads that exist only for them. */
class ParallelStepsTest {
    private final List<Thread> made = new CopyOnWriteArrayList<>();
    private final ThreadFactory factory =
            work -> {
                Thread thread = new Thread(work);
                thread.setDaemon(true);
                made.add(thread);
                return thread;
            };

    /** Steps of which so many wait for each other. */
    private static List<Runnable> meeting(int steps, int together) {
        CyclicBarrier barrier = new CyclicBarrier(together);
        return Collections.nCopies(
                steps,
                () -> {
                    try {
                        barrier.await();
                    } catch (InterruptedException | BrokenBarrierException e) {
                        throw new IllegalStateException(e);
                    }
                });
    }

    @Test
    void shouldRunSeveralAtOnceAndEndTheThreads() {
        new ParallelSteps(factory, 3).run(meeting(12, 3));
        assertEquals(2, made.size());
        assertTrue(made.stream().noneMatch(Thread::isAlive));
    }

    @Test
    void shouldCreateNoThreadForAFewSteps() {
        List<Integer> done = new ArrayList<>();
        List<Runnable> steps = new ArrayList<>();
        for (int i = 0; i < 7; i++) {
            int number = i;
            steps.add(() -> done.add(number));
        }
        new ParallelSteps(factory, 8).run(steps);
        assertEquals(List.of(0, 1, 2, 3, 4, 5, 6), done);
        assertEquals(List.of(), made);
    }

    @Test
    void shouldHaveNoMoreThreadsThanTheLimitWhenStepsAreNested() {
        ParallelSteps sideBySide = new ParallelSteps(factory, 4);
        AtomicInteger running = new AtomicInteger();
        AtomicInteger highest = new AtomicInteger();
        Runnable inner =
                () -> {
                    highest.accumulateAndGet(running.incrementAndGet(), Math::max);
                    running.decrementAndGet();
                };
        List<Runnable> outer =
                Collections.nCopies(16, () -> sideBySide.run(Collections.nCopies(16, inner)));
        sideBySide.run(outer);
        assertTrue(highest.get() <= 4, "at once: " + highest);
        assertTrue(made.stream().noneMatch(Thread::isAlive));
    }

    @Test
    void shouldRunTheOthersWhenOneFails() {
        AtomicInteger done = new AtomicInteger();
        AssertionError failure = new AssertionError("on purpose");
        List<Runnable> steps = new ArrayList<>(Collections.nCopies(15, done::incrementAndGet));
        steps.add(
                3,
                () -> {
                    throw failure;
                });
        ParallelSteps sideBySide = new ParallelSteps(factory, 4);
        assertSame(failure, assertThrows(AssertionError.class, () -> sideBySide.run(steps)));
        assertEquals(15, done.get());
        assertTrue(made.stream().noneMatch(Thread::isAlive));
        assertFalse(made.isEmpty());
        int before = made.size();
        sideBySide.run(meeting(16, 4)); // all threads are free again
        assertEquals(before + 3, made.size());
    }

    @Test
    void shouldGoOnWithoutThreadsThatAreRefused() {
        AtomicInteger done = new AtomicInteger();
        ThreadFactory refusing =
                work -> {
                    throw new IllegalStateException("no more, on purpose");
                };
        for (ThreadFactory each : List.of(refusing, (ThreadFactory) work -> null)) {
            new ParallelSteps(each, 4).run(Collections.nCopies(16, done::incrementAndGet));
        }
        assertEquals(32, done.get());
    }

    @Test
    void shouldKeepAnInterruptForTheCaller() {
        ParallelSteps sideBySide = new ParallelSteps(factory, 3);
        Thread.currentThread().interrupt();
        AtomicInteger done = new AtomicInteger();
        sideBySide.run(Collections.nCopies(12, done::incrementAndGet));
        assertTrue(Thread.interrupted());
        assertEquals(12, done.get());
    }
}
