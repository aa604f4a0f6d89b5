package io.firn.server.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.firn.server.wire.SerialExecutor.Progress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

/** The order of a connection's background work. */
class SerialExecutorTest {
    private final Deque<Runnable> submitted = new ArrayDeque<>();
    private final List<String> ran = new ArrayList<>();
    private final Deque<Runnable> later = new ArrayDeque<>();
    private final List<Long> pausesMs = new ArrayList<>();
    private final SerialExecutor serial = new SerialExecutor(new Threads());

    private final class Threads implements SerialExecutor.Threads {
        @Override
        public void execute(Executor executor, Runnable step) {
            executor.execute(step);
        }

        @Override
        public void later(long ms, Runnable action) {
            pausesMs.add(ms);
            later.add(action);
        }
    }

    /** Has something run in one step. */
    private void run(Executor executor, Runnable task) {
        serial.run(
                executor,
                () -> {
                    task.run();
                    return Progress.DONE;
                });
    }

    @Test
    void shouldSubmitATaskOnlyWhenTheOneBeforeItHasEnded() {
        run(submitted::add, () -> ran.add("first"));
        run(submitted::add, () -> ran.add("second"));
        assertEquals(1, submitted.size());
        submitted.poll().run();
        assertEquals(List.of("first"), ran);
        submitted.poll().run();
        assertEquals(List.of("first", "second"), ran);
        run(submitted::add, () -> ran.add("third"));
        submitted.poll().run();
        assertEquals(List.of("first", "second", "third"), ran);
    }

    @Test
    void shouldLetOtherConnectionsTakeTurnsBetweenTheStepsOfATaskButNotItsOwnNextTask() {
        int[] steps = {0};
        serial.run(
                submitted::add,
                () -> {
                    ran.add("step");
                    return ++steps[0] == 2 ? Progress.DONE : Progress.GOES_ON;
                });
        run(submitted::add, () -> ran.add("next"));
        submitted.add(() -> ran.add("another connection's"));
        while (!submitted.isEmpty()) {
            submitted.poll().run();
        }
        assertEquals(List.of("step", "another connection's", "step", "next"), ran);
    }

    @Test
    void shouldTakeNoThreadWhileATaskWaitsAndPauseLongerEachTime() {
        int[] steps = {0};
        serial.run(submitted::add, () -> ++steps[0] <= 8 ? Progress.WAITS : Progress.DONE);
        run(submitted::add, () -> ran.add("next"));
        while (!submitted.isEmpty()) {
            submitted.poll().run();
            assertEquals(0, steps[0] <= 8 ? submitted.size() : 0, "steps before the pause");
            if (!later.isEmpty()) {
                later.poll().run();
            }
        }
        assertEquals(List.of(1L, 2L, 4L, 8L, 16L, 32L, 32L, 32L), pausesMs);
        assertEquals(List.of("next"), ran);
    }

    @Test
    void shouldContinueAfterATaskThatThrows() {
        run(
                submitted::add,
                () -> {
                    throw new IllegalStateException("on purpose");
                });
        run(submitted::add, () -> ran.add("second"));
        assertThrows(IllegalStateException.class, submitted.poll()::run);
        submitted.poll().run();
        assertEquals(List.of("second"), ran);
    }

    @Test
    void shouldDropTasksThatWaitWhenTheExecutorHasEnded() {
        run(this::submitOnce, () -> ran.add("first"));
        run(this::submitOnce, () -> ran.add("second"));
        submitted.poll().run();
        assertEquals(List.of("first"), ran);
        assertEquals(0, submitted.size());
    }

    private void submitOnce(Runnable task) {
        if (!ran.isEmpty()) {
            throw new RejectedExecutionException("closed");
        }
        submitted.add(task);
    }
}
