package io.firn.shadow;

import java.util.List;

/**
 * The state of a shadow.
 *
 * @param isRunning whether its thread runs
 * @param failure what ended its thread although nobody had stopped it; null otherwise
 * @param clusterId the id of the source; an empty string if it has none, null before it was reached
 * @param sourceError why the source cannot be asked now; null if it can
 * @param missingTopics topics that were named and that the source does not have
 * @param partitions the partitions that are followed, ordered by topic and number
 */
public record ShadowSnapshot(
        boolean isRunning,
        Throwable failure,
        String clusterId,
        String sourceError,
        List<String> missingTopics,
        List<PartitionStatus> partitions) {

    /** Copies the lists. */
    public ShadowSnapshot {
        missingTopics = List.copyOf(missingTopics);
        partitions = List.copyOf(partitions);
    }

    /** Returns whether every partition is followed and has everything that the source had. */
    public boolean isCaughtUp() {
        return isRunning
                && sourceError == null
                && missingTopics.isEmpty()
                && !partitions.isEmpty()
                && partitions.stream()
                        .allMatch(
                                each ->
                                        each.state() == FollowState.FOLLOWING
                                                && each.lagRecords() == 0);
    }
}
