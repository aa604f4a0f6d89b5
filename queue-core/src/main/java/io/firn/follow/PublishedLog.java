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
    public void publishAgain(OffsetSlot again) {
        publish(() -> again.publish(now.get()));
    }

    @Override
    public void publishMissed(OffsetSlot again) {
        publish(() -> again.raise(now.get()));
    }

    /** Stores into the slot, unless it may be another log's. */
    private synchronized void publish(Runnable stores) {
        if (!closed) {
            try {
                stores.run();
            } catch (InternalError e) {
                file.lost(e);
            }
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
    public void logStart(long offset) {
        publish(
                () -> {
                    slot.start(offset);
                    slot.changed();
                });
    }

    @Override
    public void segmentsChanged() {
        publish(slot::changed);
    }

    @Override
    public void begun(LogSegment segment, LogSegment before) {
        long baseBefore = before == null ? -1 : before.baseOffset();
        long endBefore = before == null ? 0 : before.end();
        publish(
                () -> {
                    slot.begin(segment.baseOffset(), segment.epoch(), baseBefore, endBefore);
                    slot.changed();
                });
    }

    @Override
    public void restarted(long offset, long logStart) {
        publish(
                () -> {
                    slot.begin(offset, -1, -1, 0);
                    slot.durable(offset);
                    slot.start(logStart);
                    slot.changed();
                });
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
