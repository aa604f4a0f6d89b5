package io.firn.medium;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.api.Waiting;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;

class MappingThreadTest {
    private final List<Thread> made = new ArrayList<>();
    private boolean hasThreads = true;
    private final MappingThread mapping =
            new MappingThread(
                    work -> {
                        if (!hasThreads) {
                            throw new OutOfMemoryError("unable to create native thread");
                        }
                        made.add(new Thread(work, "map"));
                        return made.get(made.size() - 1);
                    });

    @Test
    void shouldNeedNoNewThreadWhileItIsUsed() throws Exception {
        AutoCloseable use = mapping.use();
        hasThreads = false;
        for (int i = 0; i < 3; i++) {
            assertSame(made.get(0), mapping.<Thread>call(Thread::currentThread));
        }
        AutoCloseable another = mapping.use();
        another.close();
        assertEquals(1, mapping.<Integer>call(() -> 1));
        assertTrue(made.get(0).isAlive());
        use.close();
        use.close();
        assertEquals(1, made.size());
        assertFalse(made.get(0).isAlive(), "no thread after the last use");
    }

    @Test
    void shouldSayWhatToDoWhenThereIsNoThreadAndWorkWhenThereIsOne() throws Exception {
        hasThreads = false;
        IOException none = assertThrows(IOException.class, () -> mapping.call(() -> 1));
        assertTrue(none.getMessage().contains("ulimit -u"), none.getMessage());
        assertThrows(IOException.class, mapping::use);
        hasThreads = true;
        assertEquals(2, mapping.<Integer>call(() -> 2));
        assertFalse(made.get(0).isAlive());
    }

    @Test
    void shouldPassOnWhatACallThrowsAndGoOn() throws Exception {
        AutoCloseable use = mapping.use();
        StackOverflowError error = new StackOverflowError();
        MappingThread.Task<Integer> failing =
                () -> {
                    throw error;
                };
        assertSame(error, assertThrows(Error.class, () -> mapping.call(failing)));
        assertEquals(3, mapping.<Integer>call(() -> 3));
        use.close();
    }

    private FutureTask<Integer> hanging(CountDownLatch end) throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        FutureTask<Integer> call =
                new FutureTask<>(
                        () ->
                                mapping.<Integer>call(
                                        () -> {
                                            begun.countDown();
                                            awaitEnd(end);
                                            return 1;
                                        }));
        new Thread(call, "caller").start();
        begun.await();
        return call;
    }

    private static void awaitEnd(CountDownLatch end) {
        while (end.getCount() > 0) {
            Thread.onSpinWait();
            Thread.yield();
        }
    }

    /** The file system of one store may hang. */
    @Test
    void shouldMapForOthersWhileACallHangs() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        AutoCloseable use = mapping.use();
        FutureTask<Integer> hangs = hanging(end);
        FutureTask<Integer> other = new FutureTask<>(() -> mapping.<Integer>call(() -> 2));
        new Thread(other, "other").start();
        try {
            assertEquals(2, Waiting.get(other));
            assertFalse(made.get(1).isAlive(), "its thread ends with the call");
        } finally {
            end.countDown();
        }
        assertEquals(1, Waiting.get(hangs));
        assertEquals(3, mapping.<Integer>call(() -> 3));
        assertEquals(2, made.size(), "no thread while the first one has nothing to do");
        use.close();
        assertFalse(made.get(0).isAlive());
    }

    @Test
    void shouldWaitForAnotherCallWhenThereIsNoThread() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        AutoCloseable use = mapping.use();
        FutureTask<Integer> first = hanging(end);
        hasThreads = false;
        FutureTask<Integer> second = new FutureTask<>(() -> mapping.<Integer>call(() -> 2));
        Thread caller = new Thread(second, "second");
        caller.start();
        Waiting.await("a wait", () -> caller.getState() == Thread.State.WAITING);
        end.countDown();
        assertEquals(1, Waiting.get(first));
        assertEquals(2, Waiting.get(second));
        use.close();
    }

    @Test
    void shouldCompleteACallDespiteAnInterruptAndKeepIt() throws Exception {
        Thread.currentThread().interrupt();
        assertEquals(4, mapping.<Integer>call(() -> 4));
        assertTrue(Thread.interrupted());
    }
}
