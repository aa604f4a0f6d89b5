package io.firn.forward.cluster;

/**
 * A topic of the cluster.
 *
 * @param id its id; one that is created again has another one
 */
public record TargetTopic(String name, String id, int partitions) {}
