package io.firn.log;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.firn.ends.Ends;
import io.firn.ends.EndsFile;

/**
 * The ends of one log, as they are shared with other processes. The writer's side publishes them,
 * see {@link Ends}, unless the store publishes nothing; each of its methods is for the same threads
 * as there; where the file was truncated, an error may come only when {@link Ends} has returned,
 * and is caught here. In a read-only store, readers {@linkplain #catchUp catch up} before each look
 * at an end.
 */
public final class EndsOfLog implements Ends.Log {
    private final SegmentedLog log;
    private final EndsFile file;
    private final Ends ends;
    private volatile Runnable watch;

    @GuardedBy("this")
    private boolean closed;

    /** Publishes a log as it is now: recovered, or empty. */
    EndsOfLog(SegmentedLog log) {
        this.log = log;
        this.file = log.store().ends();
        this.ends = file == null ? null : file.assign(log.topic().id(), log.index(), now(), this);
        this.closed = ends == null;
    }

    /** What there is to publish, of the log as it is now. */
    private Ends.State now() {
        LogSegment active = log.activeSegment();
        boolean isEmpty = active == null;
        return new Ends.State(
                isEmpty ? log.nextOffset() : active.baseOffset,
                isEmpty ? -1 : active.epoch,
                isEmpty ? 0 : active.end(),
                log.durableOffset(),
                log.logStartOffset());
    }

    @Override
    public synchronized void publishAgain(Ends again) {
        if (!closed) {
            try {
                again.publish(now());
            } catch (InternalError e) {
                file.lost(e);
            }
        }
    }

    @Override
    public synchronized void publishMissed(Ends again) {
        if (!closed) {
            again.raise(now());
        }
    }

    /**
     * Keeps what {@link #end} stores to in place, while an appender is open.
     *
     * @return false when the store is closed: nothing may be appended
     */
    public boolean pin() {
        return ends == null || file.pin();
    }

    /** Removes a pin. */
    public void unpin() {
        if (ends != null) {
            file.unpin();
        }
    }

    /** Publishes how far the active segment is written; for an appender. */
    void end(long end) {
        try {
            if (ends != null) {
                ends.end(end);
            }
        } catch (InternalError e) {
            file.lost(e);
        }
    }

    /** For the holder of the force gate; it does not force after {@link LogState#isGone}. */
    void durable(long offset) {
        try {
            if (ends != null) {
                ends.durable(offset);
            }
        } catch (InternalError e) {
            file.lost(e);
        }
    }

    synchronized void start(long offset) {
        try {
            if (!closed) {
                ends.start(offset);
                ends.changed();
            }
        } catch (InternalError e) {
            file.lost(e);
        }
    }

    /** Segments were sealed, renamed, moved or deleted. */
    public synchronized void changed() {
        try {
            if (!closed) {
                ends.changed();
            }
        } catch (InternalError e) {
            file.lost(e);
        }
    }

    /**
     * Publishes that a segment is written to.
     *
     * @param before the segment before it, which is complete; null for none
     */
    synchronized void begin(LogSegment segment, LogSegment before) {
        if (!closed) {
            long baseBefore = before == null ? -1 : before.baseOffset;
            long endBefore = before == null ? 0 : before.end();
            try {
                ends.begin(segment.baseOffset, segment.epoch, baseBefore, endBefore);
                ends.changed();
            } catch (InternalError e) {
                file.lost(e);
            }
        }
    }

    /** What a failure of the log's medium is; a late error may be one of the file here. */
    String explained(Throwable failure) {
        boolean isOfFile = failure instanceof InternalError && file != null && file.wasCut();
        return isOfFile
                ? file.path()
                        + " was truncated while the store is open, and an append stopped, whose"
                        + " record may be there ("
                        + failure.getMessage()
                        + ")"
                : "the medium failed (" + failure.getMessage() + ")";
    }

    /** Publishes that the next batch begins a segment, at an offset up to which all is durable. */
    synchronized void restart(long offset, long start) {
        if (!closed) {
            try {
                ends.begin(offset, -1, -1, 0);
                ends.durable(offset);
                ends.start(start);
                ends.changed();
            } catch (InternalError e) {
                file.lost(e);
            }
        }
    }

    /** Publishes nothing any more, except for appenders that are still open. */
    public synchronized void close() {
        closed = true;
    }

    /** As {@link #close}, and gives back its place; no appender is open. */
    public synchronized void release() {
        if (!closed) {
            closed = true;
            file.release(ends);
        }
    }

    // ---- in a read-only store

    /**
     * Sets what publishes in this process what the writer has published.
     *
     * @param watching runs on the threads of readers; null when only looks find something new
     */
    public void watch(Runnable watching) {
        watch = watching;
    }

    /** Publishes in this process what the writer has published. */
    public void catchUp() {
        Runnable watching = watch;
        if (watching != null) {
            watching.run();
        }
    }
}
