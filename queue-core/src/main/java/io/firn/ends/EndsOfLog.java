package io.firn.ends;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.firn.log.LogSegment;
import io.firn.log.OffsetPublisher;
import java.util.UUID;
import java.util.function.Supplier;

/**
 * Publishes the offsets of one log in its slot. Where the file was truncated, an error may come
 * only when {@link Ends} has returned, and is caught here.
 */
final class EndsOfLog implements OffsetPublisher, Ends.Log {
    private final EndsFile file;
    private final Supplier<State> now;
    private final Ends ends;

    @GuardedBy("this")
    private boolean closed;

    private EndsOfLog(EndsFile file, UUID topic, int partition, Supplier<State> now) {
        this.file = file;
        this.now = now;
        this.ends = file.assign(topic, partition, now.get(), this);
    }

    /** Publishes a log as it is now, if there is space for it. */
    static OffsetPublisher of(EndsFile file, UUID topic, int partition, Supplier<State> now) {
        EndsOfLog made = new EndsOfLog(file, topic, partition, now);
        return made.ends == null ? NONE : made;
    }

    @Override
    public synchronized void publishAgain(Ends again) {
        if (!closed) {
            try {
                again.publish(now.get());
            } catch (InternalError e) {
                file.lost(e);
            }
        }
    }

    @Override
    public synchronized void publishMissed(Ends again) {
        if (!closed) {
            again.raise(now.get());
        }
    }

    @Override
    public boolean pin() {
        return file.pin();
    }

    @Override
    public void unpin() {
        file.unpin();
    }

    @Override
    public void written(long end) {
        try {
            ends.end(end);
        } catch (InternalError e) {
            file.lost(e);
        }
    }

    @Override
    public void durable(long offset) {
        try {
            ends.durable(offset);
        } catch (InternalError e) {
            file.lost(e);
        }
    }

    @Override
    public synchronized void logStart(long offset) {
        try {
            if (!closed) {
                ends.start(offset);
                ends.changed();
            }
        } catch (InternalError e) {
            file.lost(e);
        }
    }

    @Override
    public synchronized void segmentsChanged() {
        try {
            if (!closed) {
                ends.changed();
            }
        } catch (InternalError e) {
            file.lost(e);
        }
    }

    @Override
    public synchronized void begun(LogSegment segment, LogSegment before) {
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

    @Override
    public synchronized void restarted(long offset, long logStart) {
        if (!closed) {
            try {
                ends.begin(offset, -1, -1, 0);
                ends.durable(offset);
                ends.start(logStart);
                ends.changed();
            } catch (InternalError e) {
                file.lost(e);
            }
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
    }

    @Override
    public synchronized void release() {
        if (!closed) {
            closed = true;
            file.release(ends);
        }
    }
}
