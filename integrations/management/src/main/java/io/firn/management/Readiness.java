package io.firn.management;

import io.firn.Appender;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.Tailer;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.server.ManagementService;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.annotation.concurrent.GuardedBy;

/**
 * Whether the store works: appends a record to a topic that no client sees, durably, and reads it.
 * A medium that hangs is found in this way, which no metric can show while a call has not returned.
 * Requests within a second share one attempt, and while an attempt hangs there is no other.
 * Thread-safe.
 */
final class Readiness {
    private static final int SEGMENT_BYTES = 64 << 10;
    private static final long FRESH_NS = TimeUnit.SECONDS.toNanos(1);
    private static final Duration READ_TIMEOUT = Duration.ofSeconds(4);

    private final LogStore store;
    private final Executor thread;
    private final Duration patience;

    @GuardedBy("this")
    private CompletableFuture<Void> attempt;

    @GuardedBy("this")
    private long begunNs;

    /**
     * Creates it; nothing is appended before it is asked.
     *
     * @param thread runs attempts
     * @param patience for how long one may take
     */
    Readiness(LogStore store, Executor thread, Duration patience) {
        this.store = store;
        this.thread = thread;
        this.patience = patience;
    }

    Answer answer() {
        try {
            attempt().get(patience.toMillis(), TimeUnit.MILLISECONDS);
            return Answer.text(Answer.OK, "ready");
        } catch (TimeoutException e) {
            return notReady(
                    "no record could be appended and read in " + patience.toMillis() + " ms");
        } catch (ExecutionException e) {
            return notReady(e.getCause().getMessage());
        } catch (RejectedExecutionException e) {
            return notReady("the server ends");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return notReady("the server ends");
        }
    }

    private static Answer notReady(String why) {
        return Answer.text(Answer.UNAVAILABLE, "not ready: " + why);
    }

    private synchronized CompletableFuture<Void> attempt() {
        long now = System.nanoTime();
        if (attempt == null || (attempt.isDone() && now - begunNs > FRESH_NS)) {
            begunNs = now;
            attempt = CompletableFuture.runAsync(this::attemptNow, thread);
        }
        return attempt;
    }

    /** Appends and reads, on the thread of the caller. */
    void attemptNow() {
        Partition partition = topic().partition(0);
        byte[] value = ByteBuffer.allocate(Long.BYTES).putLong(System.nanoTime()).array();
        long offset;
        try (Appender appender = partition.openAppender()) {
            offset = appender.append(value); // durable on return
        }
        try (Tailer tailer = partition.openTailer()) {
            tailer.seek(offset);
            long[] read = {-1};
            tailer.forEach(each -> read[0] = each.offset(), 1, READ_TIMEOUT);
            if (read[0] != offset) {
                throw new IllegalStateException(
                        "the record at offset " + offset + " of " + partition + " was not read");
            }
        }
    }

    /** Keeps at most a few segments. */
    private Topic topic() {
        return store.ensureTopic(
                ManagementService.HEALTH_TOPIC,
                TopicOptions.defaults()
                        .withPartitions(1)
                        .withSegmentBytes(SEGMENT_BYTES)
                        .withRetentionBytes(SEGMENT_BYTES)
                        .withMaxRecordBytes(1 << 10));
    }
}
