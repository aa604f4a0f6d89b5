package io.firn.server.wire;

/**
 * The limits of a server.
 *
 * @param requestBytes the size of the largest produce request
 * @param requestsInFlight the requests of a connection that are read ahead of their responses
 * @param queuedBytes the memory of requests that are received or handled, on all connections
 * @param connections the open connections
 * @param connectionsPerAddress the open connections from one address
 * @param idleMs the time without a request after which a connection is closed
 * @param writeStallMs the time after which a connection is closed whose client does not read its
 *     responses
 */
public record ServerLimits(
        int requestBytes,
        int requestsInFlight,
        long queuedBytes,
        int connections,
        int connectionsPerAddress,
        long idleMs,
        long writeStallMs) {}
