package io.firn.host;

import io.firn.RefusedException;

/**
 * Thrown when a store already has a service of a role that only one may have.
 *
 * @see HostedStore
 */
public final class ServiceAttachedException extends RefusedException {
    private static final long serialVersionUID = 1L;

    /** Creates the exception with a complete message. */
    public ServiceAttachedException(String message) {
        super(message);
    }
}
