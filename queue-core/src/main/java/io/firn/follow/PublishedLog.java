package io.firn.follow;

import io.firn.log.LogSegment;
import io.firn.log.PublishedOffsets.OffsetPublisher;
import java.util.UUID;
import java.util.function.Supplier;
import javax.annotation.concurrent.GuardedBy;

/**
 * Publishes the offsets of one log in its slot. Where the file was truncated, an error may come
 * only when {@link OffsetSlot} has returned, and is caught here.
 */
final class PublishedLog implements OffsetPublisher, OffsetSlot.Log {
    private final PublishedOffsetsFile file;
    private final Supplier<State> now;
    private final OffsetSlot slot;

    @GuardedBy("this")
    private boolean closed;

    private PublishedLog(
            PublishedOffsetsFile file, UUID topic, int partition, Supplier<State> now) {
        this.file = file;
        this.now = now;
        this.slot = file.assign(topic, partition, now.get(), this);
    }

    /** Publishes a log as it is now, if there is space for it. */
    static OffsetPublisher of(
            PublishedOffsetsFile file, UUID topic, int partition, Supplier<State> now) {
        PublishedLog made = new PublishedLog(file, topic, partition, now);
        return made.slot == null ? NONE : made;
    }

    @Override
    public synchronized void publishAgain(OffsetSlot again) {
        if (!closed) {
            try {
                again.publish(now.get());
            } catch (InternalError e) {
                file.lost(e);
            }
        }
    }

    @Override
    public synchronized void publishMissed(OffsetSlot again) {
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
            slot.end(end);
        } catch (InternalError e) {
            file.lost(e);
        }
    }

    @Override
    public void durable(long offset) {
        try {
            slot.durable(offset);
        } catch (InternalError e) {
            file.lost(e);
        }
    }

    @Override
    public synchronized void logStart(long offset) {
        try {
            if (!closed) {
                slot.start(offset);
                slot.changed();
            }
        } catch (InternalError e) {
            file.lost(e);
        }
    }

    @Override
    public synchronized void segmentsChanged() {
        try {
            if (!closed) {
                slot.changed();
            }
        } catch (InternalError e) {
            file.lost(e);
        }
    }

    @Override
    public synchronized void begun(LogSegment segment, LogSegment before) {
        if (!closed) {
            long baseBefore = before == null ? -1 : before.baseOffset();
            long endBefore = before == null ? 0 : before.end();
            try {
                slot.begin(segment.baseOffset(), segment.epoch(), baseBefore, endBefore);
                slot.changed();
            } catch (InternalError e) {
                file.lost(e);
            }
        }
    }

    @Override
    public synchronized void restarted(long offset, long logStart) {
        if (!closed) {
            try {
                slot.begin(offset, -1, -1, 0);
                slot.durable(offset);
                slot.start(logStart);
                slot.changed();
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
            file.release(slot);
        }
    }
}
