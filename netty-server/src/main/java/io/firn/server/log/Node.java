package io.firn.server.log;

/**
 * The one node that clients see.
 *
 * @param id its id
 * @param host the host that clients connect to
 * @param port the port that clients connect to
 * @param clusterId of the store
 */
public record Node(int id, String host, int port, String clusterId) {}
