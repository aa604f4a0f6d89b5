package io.firn.host;

import io.firn.RefusedException;

/**
 * Thrown when a producer's name is unknown, or belongs to another producer id.
 *
 * @see HostedStore
 */
public final class UnknownProducerException extends RefusedException {
    private static final long serialVersionUID = 1L;

    /** Creates the exception with a complete message. */
    public UnknownProducerException(String message) {
        super(message);
    }
}
