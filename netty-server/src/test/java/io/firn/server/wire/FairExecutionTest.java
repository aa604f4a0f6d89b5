package io.firn.server.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;

/** The order of the clients' background work. */
class FairExecutionTest {
    private final Deque<Runnable> submitted = new ArrayDeque<>();
    private final List<String> ran = new ArrayList<>();
    private final FairExecution turns = new FairExecution();

    @Test
    void shouldLetAClientWithOneTaskGoBeforeTheOtherTasksOfOneWithMany() {
        Executor executor = submitted::add;
        for (int i = 0; i < 1_000; i++) {
            int number = i;
            turns.execute(executor, "many", () -> ran.add("many " + number));
        }
        turns.execute(executor, "one", () -> ran.add("one"));
        submitted.forEach(Runnable::run);
        assertEquals(List.of("many 0", "one", "many 1"), ran.subList(0, 3));
        assertEquals("many 999", ran.get(1_000));
        assertEquals(1_001, ran.size());
    }

    @Test
    void shouldKeepTheThreadsOfDifferentExecutorsApart() {
        Deque<Runnable> others = new ArrayDeque<>();
        turns.execute(submitted::add, "a", () -> ran.add("here"));
        turns.execute(others::add, "a", () -> ran.add("there"));
        others.poll().run();
        assertEquals(List.of("there"), ran);
        submitted.poll().run();
        assertEquals(List.of("there", "here"), ran);
    }
}
