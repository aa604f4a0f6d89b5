package io.firn.server.wire;

/** Asked before each request is handled. */
@FunctionalInterface
public interface Authorizer {
    /** Lets everybody do everything. */
    Authorizer ALLOW_ALL = exchange -> true;

    /** Whether the peer may have this request handled. */
    boolean isAllowed(Exchange exchange);
}
