package io.firn.shadow;

import java.util.List;

/**
 * The state of a shadow at one moment. Immutable; equal when all of it is.
 *
 * @see Shadow
 */
public interface ShadowSnapshot {

    /** Returns whether its thread runs. */
    boolean isRunning();

    /** Returns what ended its thread although it was not stopped; null otherwise. */
    Throwable failure();

    /** Returns the id of the source; an empty string if it has none, null before it was reached. */
    String clusterId();

    /** Returns why the source cannot be asked now; null if it can. */
    String sourceError();

    /** Returns the topics that were named and that the source does not have. */
    List<String> missingTopics();

    /** Returns the partitions that are followed, ordered by topic and number. */
    List<PartitionStatus> partitions();

    /** Returns whether every partition is followed and has everything that the source had. */
    default boolean isCaughtUp() {
        return isRunning()
                && sourceError() == null
                && missingTopics().isEmpty()
                && !partitions().isEmpty()
                && partitions().stream()
                        .allMatch(
                                each ->
                                        each.state() == FollowState.FOLLOWING
                                                && each.lagRecords() == 0);
    }
}
