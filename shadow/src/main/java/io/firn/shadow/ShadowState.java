package io.firn.shadow;

import java.util.List;

/** The state of a shadow. */
record ShadowState(
        boolean isRunning,
        Throwable failure,
        String clusterId,
        String sourceError,
        List<String> missingTopics,
        List<PartitionStatus> partitions)
        implements ShadowSnapshot {

    /** Copies the lists. */
    ShadowState {
        missingTopics = List.copyOf(missingTopics);
        partitions = List.copyOf(partitions);
    }
}
