package io.firn.forward.cluster;

/** A partition of the cluster. */
public record TargetPartition(String topic, int partition) {
    @Override
    public String toString() {
        return topic + "-" + partition;
    }
}
