package io.firn.server.log;

/**
 * The one node that clients see.
 *
 * @param id its id
 * @param host the host that clients connect to
 * @param port the port that clients connect to
 * @param clusterId the id of the cluster, which is kept in the store
 */
public record AdvertisedNode(int id, String host, int port, String clusterId) {}
