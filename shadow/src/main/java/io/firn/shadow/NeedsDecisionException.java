package io.firn.shadow;

import io.firn.FirnException;

/** Thrown when a topic cannot be copied until somebody has done what the message says. */
final class NeedsDecisionException extends FirnException {
    private static final long serialVersionUID = 1L;

    NeedsDecisionException(String message) {
        super(message);
    }

    NeedsDecisionException(String message, Throwable cause) {
        super(message, cause);
    }
}
