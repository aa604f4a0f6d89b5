package io.firn.store;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Whom of the partitions an agent serves when: at once those that call, and all of them in rounds,
 * for what nobody calls for. A round over thousands of idle partitions takes a good part of a
 * millisecond, so after one that found nothing to do comes a rest, in proportion.
 *
 * <p>The calls are a stack through the duties themselves, pushed by compare-and-set and taken as a
 * whole (R. K. Treiber, "Systems Programming: Coping with Parallelism", 1986): a call allocates
 * nothing. {@link #call} and {@link #hurry} are for any thread, the rest for the agent's.
 */
final class Rounds {
    private static final int REST_PER_WORK = 20;
    private static final long LONGEST_REST_NS = 10_000_000;

    private final Retries retries;
    private final Round round;
    private final boolean rests;
    private final AtomicReference<Duty> calls = new AtomicReference<>();
    private volatile boolean hurried;
    private long nextRoundNs = System.nanoTime();

    Rounds(Retries retries, Round round, boolean rests) {
        this.retries = retries;
        this.round = round;
        this.rests = rests;
    }

    /** What an agent does for a partition. */
    abstract static class Duty implements Retries.Step {
        private final Object partition;
        private final AtomicBoolean called = new AtomicBoolean();
        private Duty next;

        Duty(Object partition) {
            this.partition = partition;
        }
    }

    /** What is done for all; returns how much that was. */
    @FunctionalInterface
    interface Round {
        int run();
    }

    /** Has a duty done soon. The caller wakes the agent. */
    void call(Duty duty) {
        if (duty.called.get() || duty.called.getAndSet(true)) {
            return;
        }
        Duty first;
        do {
            first = calls.get();
            duty.next = first;
        } while (!calls.compareAndSet(first, duty));
    }

    /** Ends the rest. */
    void hurry() {
        hurried = true;
    }

    /** Serves who called, then makes the round when it is time. */
    int run() {
        int work = calls.get() == null ? 0 : serve(calls.getAndSet(null));
        long start = System.nanoTime();
        if (rests && !hurried && start - nextRoundNs < 0) {
            return work;
        }
        hurried = false;
        int done = round.run();
        long end = System.nanoTime();
        long rest = Math.min(LONGEST_REST_NS, REST_PER_WORK * (end - start));
        nextRoundNs = done > 0 ? end : end + rest;
        return work + done;
    }

    private int serve(Duty first) {
        int work = 0;
        for (Duty duty = first; duty != null; ) {
            Duty following = duty.next;
            duty.next = null;
            duty.called.set(false); // first: who calls from now on wants another one
            work += serveOne(duty);
            duty = following;
        }
        return work;
    }

    /** Does a duty, unless it failed just now. */
    int serveOne(Duty duty) {
        return retries.run(duty.partition, duty);
    }
}
