package io.firn.shadow.source;

import java.util.Map;
import java.util.UUID;

/**
 * A topic of the source, from its metadata.
 *
 * @param id its id; with two zeros if the source has no ids
 * @param leaders the leader of each partition that is known, by the partition's number
 */
public record SourceTopic(String name, UUID id, Map<Integer, Leader> leaders) {

    /** Copies the map. */
    public SourceTopic {
        leaders = Map.copyOf(leaders);
    }

    /**
     * Who leads a partition.
     *
     * @param node the broker's id; −1 if there is no leader
     * @param epoch the leader epoch; −1 if the source does not tell epochs
     */
    public record Leader(int node, int epoch) {}
}
