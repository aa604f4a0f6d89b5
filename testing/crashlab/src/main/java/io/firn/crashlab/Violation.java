package io.firn.crashlab;

/** Reports that a store did not keep what it had promised. */
final class Violation extends AssertionError {
    private static final long serialVersionUID = 1;

    Violation(String message) {
        super(message);
    }

    /** Throws a violation unless the condition holds. */
    static void require(boolean isKept, String message) {
        if (!isKept) {
            throw new Violation(message);
        }
    }
}
