package io.firn.server.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

/** The order of a connection's background work. */
class SerialExecutorTest {
    private final Deque<Runnable> submitted = new ArrayDeque<>();
    private final List<String> ran = new ArrayList<>();
    private final SerialExecutor serial = new SerialExecutor();

    @Test
    void shouldSubmitATaskOnlyWhenTheOneBeforeItHasEnded() {
        serial.run(submitted::add, () -> ran.add("first"));
        serial.run(submitted::add, () -> ran.add("second"));
        assertEquals(1, submitted.size());
        submitted.poll().run();
        assertEquals(List.of("first"), ran);
        submitted.poll().run();
        assertEquals(List.of("first", "second"), ran);
        serial.run(submitted::add, () -> ran.add("third"));
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
                    return ++steps[0] == 2;
                });
        serial.run(submitted::add, () -> ran.add("next"));
        submitted.add(() -> ran.add("another connection's"));
        while (!submitted.isEmpty()) {
            submitted.poll().run();
        }
        assertEquals(List.of("step", "another connection's", "step", "next"), ran);
    }

    @Test
    void shouldContinueAfterATaskThatThrows() {
        serial.run(
                submitted::add,
                () -> {
                    throw new IllegalStateException("on purpose");
                });
        serial.run(submitted::add, () -> ran.add("second"));
        assertThrows(IllegalStateException.class, submitted.poll()::run);
        submitted.poll().run();
        assertEquals(List.of("second"), ran);
    }

    @Test
    void shouldDropTasksThatWaitWhenTheExecutorHasEnded() {
        serial.run(this::submitOnce, () -> ran.add("first"));
        serial.run(this::submitOnce, () -> ran.add("second"));
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
