package io.firn;

import io.firn.RecordHandler.Action;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.IdleStrategy;

/**
 * Hands out the records of a tailer as they come, until it is stopped. One object is for one run.
 *
 * <pre>{@code
 * Tailer tailer = topic.openTailer(TailerOptions.at("billing")); // begins there, and commits
 * TailerLoop loop = TailerLoop.of(tailer)
 *         .onError(error -> Action.RETRY);         // tries again, after a pause
 * new Thread(() -> loop.run(this::bill)).start();
 * // ...
 * loop.stop();                                      // after the record in hand
 * loop.awaitEnd(Duration.ofSeconds(10));
 * }</pre>
 *
 * <p>A tailer that commits a cursor by itself also does so when the run ends, durably.
 *
 * <p>What the handler returns means: {@link Action#CONTINUE} goes on, {@link Action#STOP} ends the
 * run after this record, {@link Action#RETRY} hands the record out again after a pause, of 10 ms at
 * first and twice as long each time, up to 1 s.
 *
 * <p>{@link #stop}, {@link #isRunning} and {@link #awaitEnd} may be called by any thread; the
 * others before the run.
 */
public final class TailerLoop {
    private static final Duration WAIT = Duration.ofMillis(100);
    private static final int RECORDS_AT_ONCE = 1_000;
    private static final long FIRST_PAUSE_MS = 10;
    private static final long LONGEST_PAUSE_MS = 1_000;

    private final Tailer tailer;
    private final CountDownLatch stop = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);
    private ErrorHandler errors = error -> Action.STOP;
    private IdleStrategy idle;
    private boolean started;
    private volatile boolean running;

    private TailerLoop(Tailer tailer) {
        this.tailer = tailer;
    }

    /** Returns a loop over a tailer, which ends at the first error. */
    public static TailerLoop of(Tailer tailer) {
        return new TailerLoop(Objects.requireNonNull(tailer, "tailer"));
    }

    /** Decides how a run goes on after an error. */
    @FunctionalInterface
    public interface ErrorHandler {

        /**
         * Called on the thread of the run. What it throws ends the run.
         *
         * @param error what the handler threw; or a {@link DamagedRangeException}, an {@link
         *     OffsetOutOfRangeException} when retention has overtaken the tailer, a {@link
         *     TruncatedException}, a {@link BatchTooLargeException} or a {@link BusyException}
         * @return {@link Action#STOP}: the run ends and throws the error. {@link Action#RETRY}: the
         *     same again, after a pause. {@link Action#CONTINUE}: goes on after the record that was
         *     not handled, after the damaged range or the batch that is too large, at the start of
         *     the log, or at the offset to which it was truncated; where memory was short, at the
         *     same record
         */
        Action onError(RuntimeException error);
    }

    /** Sets what happens after an error; by default the run ends and throws it. */
    public TailerLoop onError(ErrorHandler value) {
        errors = Objects.requireNonNull(value, "onError");
        return this;
    }

    /**
     * Sets how the run waits for records: it calls the strategy instead of waiting in {@link
     * Tailer#poll(RecordHandler, int, Duration)}. One that spins sees a record sooner and occupies
     * a core.
     */
    public TailerLoop idleStrategy(IdleStrategy value) {
        idle = Objects.requireNonNull(value, "idleStrategy");
        return this;
    }

    /** Ends the run after the record in hand, or before it begins. Does not wait. Idempotent. */
    public void stop() {
        stop.countDown();
    }

    /** Returns whether the run has begun and has not ended. */
    public boolean isRunning() {
        return running;
    }

    /**
     * Waits for the end of the run, which may not have begun.
     *
     * @return false when the time is up
     * @throws InterruptedException when this thread is interrupted
     */
    public boolean awaitEnd(Duration timeout) throws InterruptedException {
        return ended.await(OptionValues.millis("timeout", timeout), TimeUnit.MILLISECONDS);
    }

    private boolean isStopping() {
        return stop.getCount() == 0;
    }

    /**
     * Hands out records as they come, on this thread, until {@link #stop} is called, the handler
     * ends it, the thread is interrupted (its status stays set), or an error ends it, which is
     * thrown.
     *
     * @throws ClosedException when the tailer or the store was closed meanwhile
     * @throws UnknownTopicException when the topic was deleted
     * @throws IllegalStateException when it is running or has run before
     */
    public void run(RecordHandler handler) {
        Objects.requireNonNull(handler, "handler");
        begin();
        try {
            Run run = new Run(handler);
            while (!isStopping() && !Thread.currentThread().isInterrupted()) {
                run.poll();
            }
            if (tailer.isCommitting()) {
                tailer.commit();
            }
        } catch (RuntimeException e) {
            if (tailer.isCommitting()) {
                commitAfter(e);
            }
            throw e;
        } finally {
            running = false;
            ended.countDown();
        }
    }

    /** What ended the run is what its caller has to know, also when the cursor is refused. */
    private void commitAfter(RuntimeException e) {
        try {
            tailer.commit();
        } catch (FirnException | IllegalArgumentException refused) {
            if (refused != e) {
                e.addSuppressed(refused);
            }
        }
    }

    private synchronized void begin() {
        if (started) {
            throw new IllegalStateException("a loop is for one run: create another one");
        }
        started = true;
        running = true;
    }

    /** Hands records on, and remembers which one is being handled. */
    private final class Run implements RecordHandler {
        private final RecordHandler handler;
        private boolean handling;
        private boolean isAgain;
        private int partition = -1;
        private long offset;
        private long pauseMs = FIRST_PAUSE_MS;

        Run(RecordHandler handler) {
            this.handler = handler;
        }

        void poll() {
            isAgain = false;
            try {
                if (idle == null) {
                    tailer.poll(this, RECORDS_AT_ONCE, WAIT);
                } else {
                    idle.idle(tailer.poll(this, RECORDS_AT_ONCE));
                }
            } catch (DamagedRangeException e) {
                onError(e, () -> tailer.seek(e.partition(), e.toOffset()));
            } catch (BatchTooLargeException e) {
                onError(e, () -> tailer.seek(e.partition(), e.toOffset()));
            } catch (BusyException e) {
                onError(e, () -> {}); // at the same record
            } catch (TruncatedException e) {
                onError(e, () -> tailer.seek(e.partition(), e.truncatedTo()));
            } catch (OffsetOutOfRangeException e) {
                long start = e.logStartOffset();
                long to = e.offset() < start ? start : e.nextOffset();
                onError(e, () -> tailer.seek(e.partition(), to));
            } catch (RuntimeException e) {
                onError(e, null);
            }
            if (isAgain) {
                pause();
            }
        }

        @Override
        public Action onRecord(LogRecord record) {
            if (isStopping()) {
                return Action.RETRY; // it is left to the next poll
            }
            partition = record.partition();
            offset = record.offset();
            handling = true;
            Action action = handler.onRecord(record);
            handling = false;
            if (action == Action.RETRY) {
                isAgain = true;
            } else if (action != null) {
                pauseMs = FIRST_PAUSE_MS;
                if (action == Action.STOP) {
                    stop();
                }
            }
            return action;
        }

        /**
         * Asks what to do, and does it.
         *
         * @param pass moves past what cannot be read; null when it is not known how
         */
        private void onError(RuntimeException error, Runnable pass) {
            boolean isHandlers = handling;
            handling = false;
            if (!isHandlers && pass == null) {
                throw error; // of the store, and no place to go on
            }
            Action action = errors.onError(error);
            if (action == Action.RETRY) {
                isAgain = true;
            } else if (action != Action.CONTINUE) {
                throw error;
            } else if (isHandlers) {
                pauseMs = FIRST_PAUSE_MS;
                tailer.seek(partition, offset + 1);
            } else {
                pass.run();
            }
        }

        private void pause() {
            try {
                if (!stop.await(pauseMs, TimeUnit.MILLISECONDS)) {
                    pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
