package io.firn.server.log;

/**
 * The one node that clients see.
 *
 * @param id its id
 * @param host what they connect to
 * @param port likewise
 * @param clusterId of the store
 */
public record Node(int id, String host, int port, String clusterId) {}
