package io.firn.shadow;

import io.firn.RefusedException;

/** Thrown when a topic cannot be copied until somebody has done what the message says. */
final class NeedsDecisionException extends RefusedException {
    private static final long serialVersionUID = 1L;

    NeedsDecisionException(String message) {
        super(message);
    }

    NeedsDecisionException(String message, Throwable cause) {
        super(message, cause);
    }
}
