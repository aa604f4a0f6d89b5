package io.firn;

/** What a {@link RecordHandler} decides about a record. */
public enum Verdict {
    /** The record is handled; continue with the next one. */
    CONTINUE,
    /** The record is handled; end this poll. */
    STOP,
    /** The record is not handled: end this poll, and deliver it again in the next one. */
    AGAIN
}
