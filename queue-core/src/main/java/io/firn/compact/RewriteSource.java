package io.firn.compact;

import io.firn.MissingCodecException;
import io.firn.format.FillerBatch;
import io.firn.log.LogSegment;
import io.firn.move.CheckedCopy.Pace;
import java.io.IOException;
import java.util.List;

/** The batches of the segments that are rewritten together, and what a filter makes of them. */
final class RewriteSource {
    /**
     * The result may be larger: timestamps that count from a horizon take more bytes, and a client
     * may have compressed better than we do.
     */
    private static final int GROWTH_SHARE = 2;

    private static final int GROWTH_BYTES = 4096;

    private final List<LogSegment> segments;
    private final BatchFilter filter;
    private final Pace pace;
    private final long total;
    private long done;

    RewriteSource(List<LogSegment> segments, BatchFilter filter, Pace pace) {
        this.segments = segments;
        this.filter = filter;
        this.pace = pace;
        this.total = segments.stream().mapToLong(LogSegment::written).sum();
    }

    /**
     * Returns the bytes of the result if no horizons are set, for which there may be no room: a
     * full tier becomes less full by compaction.
     *
     * @return −1 when it is not wanted any more
     */
    int leastBytes() throws IOException, UnreadableException {
        filter.restart();
        long least = 0;
        boolean isRemoved = false;
        for (LogSegment each : segments) {
            try (SourceSegment source = new SourceSegment(each)) {
                while (source.next()) {
                    if (!pace.pause(done, total, source.size())) {
                        return -1;
                    }
                    boolean wasRemoved = isRemoved;
                    isRemoved = filter(each, source, 0) == BatchFilter.Result.REMOVED;
                    if (!isRemoved) {
                        least += filter.size();
                    } else if (!wasRemoved) {
                        least += FillerBatch.LENGTH; // one for the run
                    }
                }
            }
        }
        return (int) least;
    }

    /**
     * Returns the bytes that the result may have: those of the sources and, if that fits the limit,
     * some more. They may be more than a segment of the topic has: if a full segment could not
     * grow, its tombstones would never get a horizon.
     */
    int mostBytes(int limit) {
        long more = total + total / GROWTH_SHARE + GROWTH_BYTES;
        return (int) Math.max(total, Math.min(more, limit));
    }

    /**
     * Returns whether the filter changes any batch; ends at the first one.
     *
     * @param limit the bytes that the result may have: a horizon for which there is no room changes
     *     nothing
     */
    boolean losesAnything(int limit) throws IOException, UnreadableException {
        filter.restart();
        int more = (int) (mostBytes(limit) - total);
        for (LogSegment each : segments) {
            try (SourceSegment source = new SourceSegment(each)) {
                while (source.next()) {
                    if (!pace.pause(done, total, source.size())) {
                        return false;
                    }
                    if (!isUnchanged(each, source, source.size() + more)) {
                        return true;
                    }
                }
            }
        }
        return false;
    }

    private boolean isUnchanged(LogSegment segment, SourceSegment source, int room)
            throws IOException, UnreadableException {
        BatchFilter.Result result = filter(segment, source, room);
        return result == BatchFilter.Result.UNCHANGED
                || (result == BatchFilter.Result.REMOVED && filter.wasEmpty());
    }

    /**
     * Writes what stays.
     *
     * @return false when it is not wanted any more
     * @throws UnreadableException when there is damage, or a batch that cannot be decompressed
     */
    boolean copyTo(RewriteTarget target) throws IOException, UnreadableException {
        filter.restart();
        int added = 0;
        for (LogSegment each : segments) {
            try (SourceSegment source = new SourceSegment(each)) {
                while (source.next()) {
                    if (!pace.pause(done, total, source.size() + added)) {
                        return false;
                    }
                    int before = target.size();
                    done += source.size();
                    // What is left of the sources still fits, should nothing of it be removed.
                    int room = (int) Math.max(0, target.room() - (total - done));
                    if (filter(each, source, room) == BatchFilter.Result.REMOVED) {
                        target.remove(source);
                    } else {
                        target.write(filter, source.toOffset());
                    }
                    added = target.size() - before;
                }
            }
        }
        return true;
    }

    private BatchFilter.Result filter(LogSegment segment, SourceSegment source, int room)
            throws IOException, UnreadableException {
        if (!source.isWhole()) {
            throw new UnreadableException(segment, source.damage(), null);
        }
        try {
            return filter.apply(source, room);
        } catch (IOException | MissingCodecException e) {
            throw new UnreadableException(segment, source.unreadable(e), e);
        }
    }

    /** A segment has bytes that cannot be read as batches and records, so it is left as it is. */
    static final class UnreadableException extends Exception {
        private static final long serialVersionUID = 1;

        private final transient LogSegment segment;

        /**
         * Creates it.
         *
         * @param cause null when the bytes are damaged
         */
        UnreadableException(LogSegment segment, String why, Exception cause) {
            super(why, cause);
            this.segment = segment;
        }

        LogSegment segment() {
            return segment;
        }
    }
}
