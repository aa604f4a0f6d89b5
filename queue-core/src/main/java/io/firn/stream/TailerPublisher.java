package io.firn.stream;

import io.firn.ClosedException;
import io.firn.Cursor;
import io.firn.LogRecord;
import io.firn.RecordHandler;
import io.firn.RecordHandler.Action;
import io.firn.StoredRecord;
import io.firn.Tailer;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Flow;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * Publishes copies of records to subscribers, each of which gets a tailer and a thread of its own:
 * as many records as it has requested, in the order of {@link Tailer#poll}. Immutable and
 * thread-safe; each {@code with…} returns a changed copy.
 *
 * <pre>{@code
 * TailerPublisher.of(() -> topic.openTailer(TailerOptions.at("billing"))).subscribe(subscriber);
 * }</pre>
 *
 * <p>All signals come from the subscriber's thread, which parks while nothing is requested and
 * waits in the tailer while nothing is there. A cancellation is noticed within about 100 ms, or
 * before the next record. What {@code poll} throws is passed to {@code onError}, such as a {@link
 * ClosedException} within a second after the store was closed, requested or not, and an interrupt
 * of the thread as an {@link InterruptedException}. What a subscriber throws, which it must not,
 * ends its thread and its subscription. The tailer is closed before the last signal.
 *
 * <p>With a tailer at a cursor, a record counts as handled when {@code onNext} has returned. A
 * subscriber that passes records on to other threads lets it commit by hand instead, and advances
 * the {@link Cursor} itself.
 */
public final class TailerPublisher implements Flow.Publisher<StoredRecord> {
    private static final Duration WAIT = Duration.ofMillis(100);
    private static final int RECORDS_AT_ONCE = 256;
    private static final long LOOK_NS = 1_000_000_000;

    private final Supplier<? extends Tailer> tailers;
    private final ThreadFactory threads;
    private final boolean isUntilEnd;

    /**
     * Returns a publisher without an end, with daemon threads.
     *
     * @param tailers opens a tailer for each subscriber, on that subscriber's thread; it is closed
     *     at the end of the subscription
     */
    public static TailerPublisher of(Supplier<? extends Tailer> tailers) {
        return new TailerPublisher(
                Objects.requireNonNull(tailers, "tailers"), TailerPublisher::daemon, false);
    }

    private TailerPublisher(
            Supplier<? extends Tailer> tailers, ThreadFactory threads, boolean isUntilEnd) {
        this.tailers = tailers;
        this.threads = threads;
        this.isUntilEnd = isUntilEnd;
    }

    private static Thread daemon(Runnable work) {
        Thread thread = new Thread(work, "firn-publish");
        thread.setDaemon(true);
        return thread;
    }

    /** Sets what makes the subscribers' threads. */
    public TailerPublisher withThreadFactory(ThreadFactory value) {
        return new TailerPublisher(
                tailers, Objects.requireNonNull(value, "threadFactory"), isUntilEnd);
    }

    /** Completes a subscription when records are requested and no more are visible. */
    public TailerPublisher withEndAtVisibleEnd() {
        return new TailerPublisher(tailers, threads, true);
    }

    @Override
    public void subscribe(Flow.Subscriber<? super StoredRecord> subscriber) {
        Delivery delivery = new Delivery(Objects.requireNonNull(subscriber, "subscriber"));
        Thread thread = null;
        RuntimeException failure = null;
        try {
            thread = threads.newThread(delivery);
        } catch (RuntimeException e) {
            failure = e;
        }
        if (thread == null) {
            delivery.refuse(new IllegalStateException("there is no thread for it", failure));
            return;
        }
        delivery.thread = thread;
        thread.start();
    }

    /** One subscription. */
    private final class Delivery implements Flow.Subscription, Runnable, RecordHandler {
        private final AtomicLong requested = new AtomicLong();
        private Flow.Subscriber<? super StoredRecord> subscriber;
        private Thread thread;
        private volatile boolean isOver;
        private volatile IllegalArgumentException wrongRequest;
        private boolean isInSubscriber;

        Delivery(Flow.Subscriber<? super StoredRecord> subscriber) {
            this.subscriber = subscriber;
        }

        // ---- the subscriber's side, any thread

        @Override
        public void request(long n) {
            if (n <= 0) {
                wrongRequest =
                        new IllegalArgumentException(
                                "at least one record must be requested (rule 3.9), not " + n);
            } else {
                requested.accumulateAndGet(
                        n, (before, more) -> before + more < 0 ? Long.MAX_VALUE : before + more);
            }
            LockSupport.unpark(thread);
        }

        @Override
        public void cancel() {
            isOver = true;
            LockSupport.unpark(thread);
        }

        // ---- its thread

        void refuse(RuntimeException why) {
            subscriber.onSubscribe(this);
            end(why);
        }

        @Override
        public void run() {
            Throwable why;
            subscriber.onSubscribe(this);
            try (Tailer tailer = tailers.get()) {
                why = deliver(tailer);
            } catch (RuntimeException | Error e) {
                if (isInSubscriber) {
                    isOver = true;
                    throw e;
                }
                why = e;
            }
            end(why);
        }

        /** Returns why it ended; null when there are no more records, or it was cancelled. */
        private Exception deliver(Tailer tailer) {
            while (!isOver) {
                if (wrongRequest != null) {
                    return wrongRequest;
                }
                if (Thread.interrupted()) {
                    return new InterruptedException("the subscriber's thread was interrupted");
                }
                long most = Math.min(requested.get(), RECORDS_AT_ONCE);
                if (most == 0) {
                    LockSupport.parkNanos(this, LOOK_NS);
                    tailer.poll(record -> Action.RETRY, 1); // throws if the store was closed
                } else if (isUntilEnd) {
                    if (tailer.poll(this, (int) most) == 0 && !isOver) {
                        return null;
                    }
                } else {
                    tailer.poll(this, (int) most, WAIT);
                }
            }
            return null;
        }

        @Override
        public Action onRecord(LogRecord record) {
            if (isOver) {
                return Action.RETRY;
            }
            if (requested.get() != Long.MAX_VALUE) { // which is no bound (rule 3.17)
                requested.decrementAndGet();
            }
            StoredRecord copy = record.copy();
            isInSubscriber = true;
            subscriber.onNext(copy);
            isInSubscriber = false;
            return isOver ? Action.STOP : Action.CONTINUE;
        }

        private void end(Throwable why) {
            Flow.Subscriber<? super StoredRecord> last = subscriber;
            subscriber = null; // rule 3.13
            if (!isOver) {
                isOver = true;
                if (why == null) {
                    last.onComplete();
                } else {
                    last.onError(why);
                }
            }
        }
    }
}
