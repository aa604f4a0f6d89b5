package io.firn.spring;

import io.firn.BatchTooLargeException;
import io.firn.BusyException;
import io.firn.ClosedException;
import io.firn.DamagedRangeException;
import io.firn.OffsetOutOfRangeException;
import io.firn.RecordHandler.Action;
import io.firn.RecordId;
import io.firn.Tailer;
import io.firn.TailerLoop;
import io.firn.spring.FirnProperties.ListenerProperties;
import io.firn.spring.FirnProperties.LostRecords;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.springframework.util.backoff.BackOffExecution;
import org.springframework.util.backoff.ExponentialBackOff;

/**
 * Calls a listener for the records of some partitions, on one thread.
 *
 * <p>The order for a record that fails: attempts, with pauses between polls, so that nothing of the
 * log is held meanwhile; then the dead letter, durable; only then the tailer goes on, and the
 * cursor with it. A crash before the cursor is durable repeats the record: at least once.
 */
final class ListenerThread implements Runnable {
    private static final System.Logger LOG = System.getLogger("io.firn.spring");

    private final ListenerMethod method;
    private final RecordCodec codec;
    private final ListenerProperties properties;
    private final DeadLetters deadLetters;
    private final Tailer tailer;
    private final TailerLoop loop;
    private final ExponentialBackOff backOff;
    private final CountDownLatch stop = new CountDownLatch(1);
    private final CompletableFuture<Void> ended = new CompletableFuture<>();

    /**
     * By partition: a poll may bring a record of another one before the same record comes again.
     */
    private final Map<Integer, Attempts> failing = new HashMap<>();

    private volatile String failure;

    /** What was tried with a record. */
    private static final class Attempts {
        final long offset;
        final BackOffExecution pauses;
        int count;
        boolean isGivenUp;

        Attempts(long offset, BackOffExecution pauses) {
            this.offset = offset;
            this.pauses = pauses;
        }
    }

    ListenerThread(
            ListenerMethod method,
            RecordCodec codec,
            ListenerProperties properties,
            DeadLetters deadLetters,
            Tailer tailer) {
        this.method = method;
        this.codec = codec;
        this.properties = properties;
        this.deadLetters = deadLetters;
        this.tailer = tailer;
        this.loop = TailerLoop.of(tailer).onError(this::onError);
        this.backOff =
                new ExponentialBackOff(
                        properties.firstBackOff().toMillis(), properties.backOffMultiplier());
        backOff.setMaxInterval(properties.longestBackOff().toMillis());
    }

    @Override
    public void run() {
        try (tailer) { // which commits the cursor, on this thread
            loop.run(
                    record -> {
                        method.call(record, codec);
                        failing.remove(record.partition());
                        return Action.CONTINUE;
                    });
        } catch (ClosedException e) {
            if (stop.getCount() > 0) { // else it took longer to stop than the store waited
                end(e);
            }
        } catch (RuntimeException | Error e) {
            end(e);
        } finally {
            ended.complete(null);
        }
    }

    private void end(Throwable cause) {
        failure = cause.toString();
        LOG.log(
                System.Logger.Level.ERROR,
                "the listener "
                        + method
                        + " has ended: its partitions are read again after a restart of the"
                        + " application. Remove the cause first; firn.listener.lost-records=skip"
                        + " goes on after records that are gone or damaged",
                cause);
    }

    private Action onError(RuntimeException error) {
        if (error instanceof ListenerFailure failed) {
            return onFailure(failed);
        } else if (error instanceof BusyException) {
            return Action.RETRY;
        }
        boolean isLoss =
                error instanceof OffsetOutOfRangeException
                        || error instanceof DamagedRangeException
                        || error instanceof BatchTooLargeException;
        if (isLoss && properties.lostRecords() == LostRecords.SKIP) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "the listener {0} skips records: {1}",
                    method,
                    error.getMessage());
            return Action.CONTINUE;
        }
        return Action.STOP;
    }

    private Action onFailure(ListenerFailure failed) {
        int partition = failed.record().partition();
        long offset = failed.record().offset();
        Attempts attempts = failing.get(partition);
        if (attempts == null || attempts.offset != offset) {
            attempts = new Attempts(offset, backOff.start());
            failing.put(partition, attempts);
        }
        attempts.count++;
        boolean isLast = !failed.isWorthRetrying() || attempts.count >= properties.attempts();
        if (isLast && bury(failed, attempts)) {
            failing.remove(partition);
            return Action.CONTINUE;
        }
        if (!isLast) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "the listener {0} failed at {1}, attempt {2} of {3}: {4}",
                    method,
                    where(failed),
                    attempts.count,
                    properties.attempts(),
                    failed.getCause());
        }
        pause(attempts.pauses.nextBackOff());
        return Action.RETRY;
    }

    /**
     * Returns whether the record is in the dead-letter topic, durably, and the cursor has passed
     * it.
     */
    private boolean bury(ListenerFailure failed, Attempts attempts) {
        try {
            RecordId place = deadLetters.append(method, failed, attempts.count);
            LOG.log(
                    System.Logger.Level.WARNING,
                    where(failed)
                            + " is in the dead-letter topic, at "
                            + place
                            + ": the listener "
                            + method
                            + " failed",
                    failed.getCause());
        } catch (RuntimeException e) {
            if (!attempts.isGivenUp) { // once, not with each attempt
                attempts.isGivenUp = true;
                LOG.log(
                        System.Logger.Level.ERROR,
                        where(failed)
                                + " cannot be put into the dead-letter topic; the listener "
                                + method
                                + " tries it again until one of both succeeds",
                        e);
            }
            return false;
        }
        tailer.seek(failed.record().partition(), failed.record().offset() + 1);
        tailer.commit();
        return true;
    }

    private String where(ListenerFailure failed) {
        return "the record "
                + method.topic()
                + "-"
                + failed.record().partition()
                + "@"
                + failed.record().offset();
    }

    /** Ends early when the listener is stopped: the record is then read again at the next start. */
    private void pause(long ms) {
        try {
            boolean isStopping = stop.await(ms, TimeUnit.MILLISECONDS);
            if (isStopping) {
                loop.stop();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Ends after the record that is being handled. Does not wait. */
    void stop() {
        stop.countDown();
        loop.stop();
    }

    /** Returns what completes when the thread has ended. */
    CompletableFuture<Void> ended() {
        return ended;
    }

    /** Returns why it has ended; null if it was stopped, or runs. */
    String failure() {
        return failure;
    }
}
