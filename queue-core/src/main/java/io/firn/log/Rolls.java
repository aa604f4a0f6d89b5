package io.firn.log;

/** Counts the segments that were ended, and the bytes that were appended. */
final class Rolls {
    private final long recoveredBytes;
    private volatile long rolls;
    private volatile long endedBytes;

    /** Creates it for a log that continues in a segment, or in none (null). */
    Rolls(LogSegment active) {
        this.recoveredBytes = active == null ? 0 : active.written();
    }

    /** Counts a segment that was ended; for the thread that has the turn. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // whoever has the turn is the only writer
    void onRolled(LogSegment ended) {
        rolls++;
        endedBytes += ended.written();
    }

    long count() {
        return rolls;
    }

    /** Returns the bytes appended since open. */
    long appendedBytes(LogSegment active) {
        return endedBytes + (active == null ? 0 : active.written()) - recoveredBytes;
    }
}
