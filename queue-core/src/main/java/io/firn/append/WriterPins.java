package io.firn.append;

import io.firn.MediumException;
import io.firn.log.LogSegment;
import io.firn.log.SegmentedLog;
import io.firn.medium.FileErrors.OutOfDescriptorsException;
import io.firn.spi.View;
import java.io.IOException;

/**
 * What the writer of a partition keeps mapped while an appender is open: the active segment, to
 * which it stores, and the place where its ends are published. For the thread that has the turn.
 */
final class WriterPins {
    private final SegmentedLog log;
    private View segment;
    private boolean isPublisherPinned;

    WriterPins(SegmentedLog log) {
        this.log = log;
    }

    /** Pins the active segment, if there is one, and the publisher, unless that was done. */
    void pin(LogSegment active) {
        log.store().cleanClose().beforeBatches();
        if (active != null && segment == null) {
            try {
                segment = active.pin();
                active.use();
                trustFrom(active.written());
            } catch (IOException e) {
                log.state().checkWritable(); // it may just have been closed or deleted
                if (OutOfDescriptorsException.isReasonFor(e)) {
                    log.store().descriptors().note(e);
                    throw new MediumException(log + ": " + e.getMessage(), e);
                }
                throw log.poison(e);
            }
        }
        if (!isPublisherPinned) {
            isPublisherPinned = log.publisher().pin();
        }
    }

    /** Takes the pin of a segment that becomes the active one, after the last was let go. */
    void take(LogSegment next) {
        segment = next.takeHold();
        next.use();
        trustFrom(0);
    }

    /** Lets readers know that the batches from a position on are those that the writer stores. */
    private void trustFrom(int position) {
        segment.verified().add(position, Integer.MAX_VALUE);
    }

    /** Unpins the segment, which is no longer the active one. */
    void letGo() {
        if (segment != null) {
            segment.unpin();
            segment = null;
        }
    }

    /** Unpins all. */
    void unpin() {
        letGo();
        if (isPublisherPinned) {
            isPublisherPinned = false;
            log.publisher().unpin();
        }
    }
}
