package io.firn.tx;

/** A partition that has no durable marker of a decision, as far as is known. */
final class Unmarked {
    private static final long NOT_YET = -1;

    private final Ending ending;
    private final TxPartition partition;

    /** The offset after the marker. */
    private volatile long markedTo = NOT_YET;

    private boolean isTold;

    Unmarked(Ending ending, TxPartition partition) {
        this.ending = ending;
        this.partition = partition;
    }

    Ending ending() {
        return ending;
    }

    TxPartition partition() {
        return partition;
    }

    /** Returns whether it has its marker, durable or not, or needs none any more. */
    boolean isMarked() {
        return markedTo != NOT_YET || partition.log().state().isGone();
    }

    /** Notes the offset after the marker. */
    void marked(long to) {
        markedTo = to;
    }

    /** Returns true the first time: it is logged once that the marker could not be appended. */
    boolean isToldFirst() {
        boolean isFirst = !isTold;
        isTold = true;
        return isFirst;
    }

    /** Waits until its marker is durable, if it has one. */
    void makeDurable() {
        if (markedTo != NOT_YET && !isDone()) {
            partition.forcer().awaitDurable(markedTo);
        }
    }

    /** Returns whether its marker is durable, or it needs none any more. */
    boolean isDone() {
        return isMarked()
                && (partition.log().state().isGone()
                        || partition.log().durableOffset() >= markedTo);
    }
}
