package io.firn.format;

/**
 * What a record's user may do with the memory that it shows: look at it inside of a handler, and
 * keep a buffer of it if its owner is told. Not thread-safe.
 */
final class Loan {
    private boolean isOver;
    private Runnable onHandOut;

    /** Lends other memory; the owner is told when a buffer of it is handed out, unless null. */
    void of(Runnable owner) {
        onHandOut = owner;
    }

    /** Sets whether the memory may be looked at. */
    void valid(boolean isValid) {
        isOver = !isValid;
    }

    /** Throws when the memory may not be looked at. */
    void check() {
        if (isOver) {
            throw new IllegalStateException(
                    "a record is valid only inside of the handler that got it: copy() keeps it");
        }
    }

    /** Called before a buffer of the memory goes to a user, who may keep it. */
    void handOut() {
        check();
        if (onHandOut != null) {
            onHandOut.run();
            onHandOut = null;
        }
    }
}
