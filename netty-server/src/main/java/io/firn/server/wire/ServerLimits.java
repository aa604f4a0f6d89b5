package io.firn.server.wire;

/**
 * What a peer may ask for.
 *
 * @param requestBytes largest produce request
 * @param requestsInFlight read ahead of the answers, on one connection
 * @param queuedBytes of requests that are being handled, on all connections
 * @param connections at a time
 * @param connectionsPerAddress at a time
 * @param idleMs a connection without a request for so long is closed
 * @param writeStallMs a connection that reads none of its answers for so long is closed
 */
public record ServerLimits(
        int requestBytes,
        int requestsInFlight,
        long queuedBytes,
        int connections,
        int connectionsPerAddress,
        long idleMs,
        long writeStallMs) {}
