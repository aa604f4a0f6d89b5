package io.firn.log;

import java.util.Map;

/** Tells retention how far those have read for whom it waits. Thread-safe. */
@FunctionalInterface
public interface ReadPositions {
    /** Nobody reads, and nobody is waited for. */
    ReadPositions NONE = partition -> Map.of();

    /**
     * Returns, by the names of cursors, the offsets from which on each of them may still need
     * records of a partition, also if the power failed now.
     *
     * @throws io.firn.FirnException when that is not known
     */
    Map<String, Long> unreadFrom(int partition);
}
