package io.firn.server.wire;

/** Decides which requests are handled. Thread-safe. */
@FunctionalInterface
public interface Authorizer {
    /** Allows every request. */
    Authorizer ALLOW_ALL = exchange -> true;

    /** Returns whether a request may be handled. */
    boolean isAllowed(Exchange exchange);
}
