package io.firn.spi;

/** Derived data beside a sealed segment. It is rebuilt when missing or damaged. */
public enum Sidecar {
    /** Maps offsets to positions, in Kafka's format. */
    INDEX(8),
    /** Maps timestamps to offsets, in Kafka's format. */
    TIMEINDEX(12);

    /** A segment has at most one entry for so many bytes, and one more for its end. */
    public static final int INTERVAL_BYTES = 4096;

    private final int entryBytes;

    Sidecar(int entryBytes) {
        this.entryBytes = entryBytes;
    }

    /** Returns the bytes of an entry. */
    public int entryBytes() {
        return entryBytes;
    }

    /**
     * Returns how many bytes the sidecar of a segment can have: a longer one was not written for
     * it, and is not read.
     */
    public int mostBytes(int segmentBytes) {
        return (segmentBytes / INTERVAL_BYTES + 2) * entryBytes;
    }
}
