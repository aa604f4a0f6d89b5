package io.firn;

/**
 * What happens to a topic's old records.
 *
 * @see TopicOptions
 */
public enum CleanupPolicy {
    /** Whole segments are deleted by size and age, as the retention says. */
    DELETE(true, false),

    /**
     * Of each key the latest record is kept, and retention deletes nothing. A record without a
     * value is a tombstone: it removes the key's earlier records, and later itself. Each record
     * needs a key: appends without one are refused.
     */
    COMPACT(false, true),

    /** Both: of each key the latest record is kept, and whole segments are deleted. */
    COMPACT_AND_DELETE(true, true),

    /** Neither: everything is kept, whatever the retention says. */
    NONE(false, false);

    private final boolean isDeleting;
    private final boolean isCompacting;

    CleanupPolicy(boolean isDeleting, boolean isCompacting) {
        this.isDeleting = isDeleting;
        this.isCompacting = isCompacting;
    }

    /** Returns whether retention deletes segments by size and age. */
    public boolean isDeleting() {
        return isDeleting;
    }

    /** Returns whether a key's earlier records are removed, so that each record needs a key. */
    public boolean isCompacting() {
        return isCompacting;
    }
}
