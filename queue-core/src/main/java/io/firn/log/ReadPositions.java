package io.firn.log;

import io.firn.FirnException;
import java.util.Map;

/** Tells retention how far those have read for whom it waits. Thread-safe. */
@FunctionalInterface
public interface ReadPositions {
    /** Nobody reads, and nobody is waited for. */
    ReadPositions NONE = partition -> Unread.NOTHING;

    /**
     * What is unread in a partition.
     *
     * @param from by the names of cursors, the offsets from which on each of them may still need
     *     records, also if the power failed now; 0 when that is not known
     * @param failure why something could not be read that may be read later: then any record may be
     *     unread; null when there was none
     */
    record Unread(Map<String, Long> from, FirnException failure) {
        /** Nobody needs any record. */
        public static final Unread NOTHING = new Unread(Map.of(), null);

        /** Returns the offset up to which all have read. */
        public long readTo() {
            return failure != null
                    ? 0
                    : from.values().stream().mapToLong(each -> each).min().orElse(Long.MAX_VALUE);
        }
    }

    /** Returns what is unread in a partition. */
    Unread unreadIn(int partition);

    /**
     * Moves the positions in a partition that are above an offset back to it, durably: what those
     * have read is being cut off, and what comes there instead is unread.
     */
    default void truncate(int partition, long offset) {}
}
