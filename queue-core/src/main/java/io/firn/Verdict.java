package io.firn;

/** What a {@link RecordHandler} says of the record it was handed. */
public enum Verdict {
    /** Done with it; the next one, please. */
    CONTINUE,
    /** Done with it; end this poll. */
    STOP,
    /** Not done with it: end this poll, and hand the same record out again at the next. */
    AGAIN
}
