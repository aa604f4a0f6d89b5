package io.firn.store;

import java.util.List;
import java.util.function.Consumer;

/**
 * The steps of an end. Each is tried whatever became of the others, since a lock or a mapping that
 * one of them gives back would be held until the process ends. Java 17 may tell of a page of a
 * mapping that is gone in any code, also between two steps: then the next one follows. Not
 * thread-safe.
 */
final class CloseSteps {
    private Throwable first;

    /** Runs steps in their order; what they throw is kept. */
    void run(List<Runnable> steps) {
        each(steps, Runnable::run);
    }

    /** Runs a step for each of some subjects. */
    <T> void each(List<T> subjects, Consumer<? super T> step) {
        List<T> fixed = List.copyOf(subjects);
        int next = 0;
        while (next < fixed.size()) {
            try {
                while (next < fixed.size()) {
                    step.accept(fixed.get(next++));
                }
            } catch (Throwable e) {
                keep(e);
            }
        }
    }

    private void keep(Throwable e) {
        if (first == null) {
            first = e;
        } else if (first != e) {
            first.addSuppressed(e);
        }
    }

    /**
     * Throws what the first step that failed threw, with that of others as suppressed.
     *
     * @throws RuntimeException or Error
     */
    void throwFirst() {
        if (first instanceof Error error) {
            throw error;
        }
        if (first != null) {
            throw (RuntimeException) first; // a Runnable throws nothing else
        }
    }
}
