package io.firn.shadow;

/**
 * Something that an operator should know of a followed topic. Immutable.
 *
 * @see Shadow
 */
public interface ShadowEvent {

    /** Returns what happened. */
    Kind kind();

    /** Returns the name of the topic; an empty string if it concerns all. */
    String topic();

    /** Returns the partition's number; −1 if it concerns the whole topic. */
    int partition();

    /** Returns the first offset that it concerns; −1 if there is none. */
    long fromOffset();

    /** Returns the offset after the last one; −1 if there is none. */
    long toOffset();

    /** Returns what was expected, what was found, and what can be done. */
    String message();

    /** What happened. */
    enum Kind {
        /** The source does not have the records of the range, or has others; the copy stopped. */
        DIVERGED,
        /** The records of the range were removed, because the source does not have them. */
        TRUNCATED,
        /** The topic was deleted at the source and created again. */
        RECREATED,
        /** The source has deleted the records of the range before they were copied. */
        GAP,
        /**
         * A transaction that begins at the range's first offset has ended at the source, but its
         * marker was compacted away there before it was copied.
         */
        LOST_MARKER,
        /** The source is another cluster than the one that the topic was copied from. */
        OTHER_CLUSTER,
        /** The partition stopped for another reason. */
        STOPPED,
        /** An error has ended the thread of the shadow: nothing is copied any more. */
        ENDED
    }
}
