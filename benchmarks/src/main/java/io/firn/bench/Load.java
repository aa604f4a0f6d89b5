package io.firn.bench;

import io.firn.Batch;
import io.firn.ExclusiveAppender;
import io.firn.OffsetOutOfRangeException;
import io.firn.Partition;
import io.firn.RecordHandler.Action;
import io.firn.Tailer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * A load of one producer, which appends durable batches at a rate that can be changed at any time,
 * and one consumer, which reads continuously.
 */
final class Load implements AutoCloseable {
    /** The rate of a producer that is not limited. */
    static final double FLAT_OUT = Double.POSITIVE_INFINITY;

    static final int RECORD_BYTES = 1024;
    private static final int BATCH = 64;

    /** A producer that lags by more than this does not catch up. */
    private static final long MOST_DEBT_NS = 20_000_000;

    private final Partition partition;
    private final List<Thread> threads = new ArrayList<>();
    private volatile double bytesPerSecond;
    private volatile long appended;
    private volatile long consumed;
    private volatile boolean over;
    private volatile Throwable failure;

    Load(Partition partition) {
        this.partition = partition;
        start(this::produce);
        start(this::consume);
    }

    private void start(Runnable body) {
        Thread thread =
                new Thread(
                        () -> {
                            try {
                                body.run();
                            } catch (RuntimeException | Error e) {
                                failure = e;
                            }
                        },
                        "load");
        threads.add(thread);
        thread.start();
    }

    void rate(double newBytesPerSecond) {
        bytesPerSecond = newBytesPerSecond;
    }

    /** Returns the number of bytes in the values appended so far, all of which are durable. */
    long appended() {
        if (failure != null) {
            throw new IllegalStateException("the load failed", failure);
        }
        return appended;
    }

    long consumed() {
        return consumed;
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // one thread writes it
    private void produce() {
        byte[] value = Values.ofLength(RECORD_BYTES);
        long due = System.nanoTime();
        try (ExclusiveAppender appender = partition.openExclusiveAppender()) {
            Batch batch = appender.newBatch();
            for (int i = 0; i < BATCH; i++) {
                batch.add(value);
            }
            while (!over) {
                double rate = bytesPerSecond;
                long now = System.nanoTime();
                if (rate != FLAT_OUT && due - now > 0) {
                    LockSupport.parkNanos(Math.min(due - now, 1_000_000));
                    continue;
                }
                appender.append(batch);
                appended += BATCH * RECORD_BYTES;
                due =
                        rate == FLAT_OUT || rate <= 0
                                ? now
                                : Math.max(due, now - MOST_DEBT_NS)
                                        + (long) (BATCH * RECORD_BYTES * 1e9 / rate);
            }
        }
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // one thread writes it
    private void consume() {
        try (Tailer tailer = partition.openTailer()) {
            while (!over) {
                consumed += RECORD_BYTES * (long) poll(tailer);
            }
        }
    }

    private int poll(Tailer tailer) {
        try {
            return tailer.poll(record -> Action.CONTINUE, 1024, Duration.ofMillis(10));
        } catch (OffsetOutOfRangeException e) {
            tailer.seek(partition.logStartOffset()); // retention has deleted what was next
            return 0;
        }
    }

    @Override
    public void close() {
        over = true;
        for (Thread thread : threads) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                throw new IllegalStateException("nobody interrupts a benchmark", e);
            }
        }
    }
}
