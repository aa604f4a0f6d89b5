package io.firn.append;

/** What truncates a partition, for the thread that has the turn. */
@FunctionalInterface
public interface LogTruncation {
    /**
     * Removes the batch that contains an offset and everything after it, durably. No segment is
     * being written to.
     *
     * @throws io.firn.PoisonedException when it failed half-way: the next open ends it, or finds
     *     the log as it was
     */
    void truncate(long offset);
}
