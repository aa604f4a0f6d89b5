package io.firn.management.console;

import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import javax.annotation.concurrent.GuardedBy;

/** A value that is made anew when it is a second old. Those that ask meanwhile wait. */
final class Fresh<T> implements Supplier<T> {
    private static final long FRESH_NS = TimeUnit.SECONDS.toNanos(1);

    private final Supplier<T> source;

    @GuardedBy("this")
    private T value;

    @GuardedBy("this")
    private long madeNs;

    Fresh(Supplier<T> source) {
        this.source = source;
    }

    @Override
    public synchronized T get() {
        if (value == null || System.nanoTime() - madeNs > FRESH_NS) {
            value = source.get();
            madeNs = System.nanoTime();
        }
        return value;
    }
}
