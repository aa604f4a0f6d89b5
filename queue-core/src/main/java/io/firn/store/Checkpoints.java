package io.firn.store;

import java.io.IOException;
import java.util.Map;

/**
 * Writes down what a partition knows of its producers, as of an offset that was forced before: a
 * checkpoint must not know batches that a crash can take back (O8). At most a second behind when
 * producers did something, and so many bytes when they did not: recovery goes from here.
 */
final class Checkpoints extends Duty {
    private static final long INTERVAL_MS = 1_000;
    private static final long INTERVAL_BYTES = 32L << 20;

    /** Recovery goes through fewer bytes than these faster than a file is forced at close. */
    private static final long WORTH_A_FILE_BYTES = 64 << 10;

    private final PartitionLog log;
    private long lastMs;
    private long changes;
    private long bytes;
    private long offset;

    /**
     * Of a partition.
     *
     * @param recoveredOffset where the checkpoint stood that it was recovered from; −1 for none
     */
    Checkpoints(Duties duties, PartitionLog log, long recoveredOffset) {
        super(duties, log, "producer checkpoint");
        this.log = log;
        this.offset = recoveredOffset;
        for (LogSegment segment : log.segments()) {
            // Behind a checkpoint, too; at most a segment too many.
            this.bytes -= segment.endOffset > recoveredOffset ? segment.written() : 0;
        }
    }

    @Override
    public int run() throws IOException {
        if (log.state().isGone() || log.state().isPoisoned() || log.nextOffset() == offset) {
            return 0;
        }
        boolean isDue = log.appendedBytes() - bytes >= INTERVAL_BYTES;
        if (!isDue && log.producers().changes() != changes) {
            long sinceMs = nowMs() - lastMs;
            isDue = sinceMs >= INTERVAL_MS || sinceMs < 0;
            if (!isDue) {
                againAt(lastMs + INTERVAL_MS);
            }
        }
        if (isDue) {
            write(nowMs());
        }
        return 0;
    }

    /**
     * Whether recovery will know what producers did in a segment without its batches; writes it
     * down when it would not.
     */
    boolean covers(LogSegment segment) throws IOException {
        if (segment.endOffset > offset && log.producers().changes() != changes) {
            if (log.state().isPoisoned()) {
                return false;
            }
            write(nowMs());
            return segment.endOffset <= offset;
        }
        return true;
    }

    private void write(long nowMs) throws IOException {
        Snapshot snapshot = take(nowMs);
        if (snapshot != null) {
            log.topicLog().files().writeProducers(log.index(), snapshot.values);
            written(snapshot);
        }
    }

    /** What is to be written down, as of an offset that is durable; null when that failed. */
    private Snapshot take(long nowMs) {
        lastMs = nowMs;
        Producers producers = log.producers();
        producers.expire(nowMs - log.store().config().producerExpiryMs());
        long changesNow = producers.changes();
        long bytesNow = log.appendedBytes();
        Map<String, String> values = producers.snapshot(log::nextOffset);
        long offsetNow = Producers.snapshotOffset(values);
        if (log.forcer().forceNow() && log.durableOffset() >= offsetNow) {
            return new Snapshot(values, changesNow, bytesNow, offsetNow);
        }
        return null;
    }

    private void written(Snapshot snapshot) {
        changes = snapshot.changes;
        bytes = snapshot.bytes;
        offset = snapshot.offset;
    }

    /**
     * At the end, when nobody appends any more: writes down what is news, without making the name
     * durable, which the caller does for all of a topic at once.
     *
     * @return whether there was any
     */
    boolean writeUnnamed(long nowMs) throws IOException {
        boolean isShort =
                log.producers().changes() == changes
                        && log.appendedBytes() - bytes < WORTH_A_FILE_BYTES;
        if (isShort || log.nextOffset() == offset) {
            return false;
        }
        Snapshot snapshot = take(nowMs);
        if (snapshot != null) {
            log.topicLog().files().writeProducersUnnamed(log.index(), snapshot.values);
            written(snapshot);
        }
        return snapshot != null;
    }

    private record Snapshot(Map<String, String> values, long changes, long bytes, long offset) {}
}
