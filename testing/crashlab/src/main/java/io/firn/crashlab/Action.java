package io.firn.crashlab;

/**
 * One step of a workload. What the numbers mean depends on the kind. Every kind accepts any
 * numbers, so that a workload remains valid when steps are left out.
 *
 * @param topic the number of a topic, below {@link #TOPICS}
 * @param a a number of at least 0
 * @param b a number of at least 0
 */
record Action(Kind kind, int topic, int a, int b) {
    /** How many topics a workload has at most. */
    static final int TOPICS = 3;

    /** What is done. */
    enum Kind {
        CREATE(1),
        DELETE(1),
        APPEND(14),
        APPEND_ASYNC(10),
        APPEND_IDEMPOTENT(4),
        FORCE(3),
        /** Advances the clock and runs background work. */
        PASS(9),
        CURSOR(4),
        DELETE_RECORDS(3),
        REOPEN(1),
        /** Deletes segments while others are begun, in their files; only on media with files. */
        RECYCLE(4),
        /** Moves a segment; only on media with several tiers between which segments move. */
        MOVE(8),
        /** Drains a tier, or ends that; only where segments move, and without transactions. */
        DRAIN(3),
        /** Compacts a topic; only on media with topics that are compacted. */
        COMPACT(10),
        /** A step of a transaction, or of something beside it; only on media with transactions. */
        TRANSACTION(60),
        /** Appends one large value asynchronously; only in workloads that ask for it. */
        APPEND_BULK(0),
        /** Cuts the power some operations later; only in workloads that ask for it. */
        CUT(0);

        private final int weight;

        Kind(int weight) {
            this.weight = weight;
        }

        /** How often this kind occurs in a plain workload, relative to the other kinds. */
        int weight() {
            return weight;
        }
    }
}
