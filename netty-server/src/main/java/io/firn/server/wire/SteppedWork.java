package io.firn.server.wire;

import io.firn.server.wire.SerialExecutor.Progress;
import java.util.Iterator;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A request's work on many items, in steps of some ms, so that a request that names very many takes
 * turns with others. Waits while answers use too much memory. For one thread at a time.
 */
final class SteppedWork<T> {
    private static final long STEP_NS = TimeUnit.MILLISECONDS.toNanos(5);

    private final Request request;
    private final Iterator<T> items;
    private final Consumer<T> each;
    private final Runnable end;

    /** What the work has to know of its request. */
    interface Request {

        /** Returns whether somebody waits for the answer. Thread-safe. */
        boolean isOpen();

        /** Returns whether answers use too much memory to make more of this one. Thread-safe. */
        boolean isAnswerMemoryExceeded();
    }

    /** Returns the same request, as one for whose end somebody always waits. */
    static Request toTheEnd(Request request) {
        return new Request() {
            @Override
            public boolean isOpen() {
                return true;
            }

            @Override
            public boolean isAnswerMemoryExceeded() {
                return request.isOpen() && request.isAnswerMemoryExceeded();
            }
        };
    }

    SteppedWork(Request request, Iterator<T> items, Consumer<T> each, Runnable end) {
        this.request = request;
        this.items = items;
        this.each = each;
        this.end = end;
    }

    /** Does a step. */
    Progress run() {
        long start = System.nanoTime();
        while (items.hasNext()) {
            if (!request.isOpen()) {
                break; // nobody waits for the answer, but what was done is observed
            }
            if (request.isAnswerMemoryExceeded()) {
                return Progress.WAITS;
            }
            each.accept(items.next());
            if (System.nanoTime() - start > STEP_NS && items.hasNext()) {
                return Progress.GOES_ON;
            }
        }
        end.run();
        return Progress.DONE;
    }
}
