package io.firn.server.group;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

/**
 * The leader epochs that clients commit beside the offsets of a group. Offsets are cursors, which
 * have no room for them, so they are kept in memory only and are unknown after a restart. Each is
 * remembered with its offset and is returned for no other one: a client that was told the epoch of
 * another offset could take the log for truncated. Not thread-safe.
 */
final class CommittedEpochs {
    /** What is answered for an offset whose epoch is not known. */
    static final int UNKNOWN = -1;

    /** What the epochs of a partition use: two offsets and two epochs. */
    static final int PARTITION_BYTES = 2 * (Long.BYTES + Integer.BYTES);

    private final Map<UUID, OfTopic> topics = new HashMap<>();

    /**
     * Notes what a client commits, before the offset counts. The offset before it is remembered,
     * too, as that of a transaction may be given up.
     *
     * @param partitions how many partitions the topic has
     */
    void note(UUID topic, int partitions, int partition, long offset, int epoch) {
        OfTopic found = topics.get(topic);
        if (found == null) {
            if (epoch < 0) {
                return; // most clients of groups that have none commit none
            }
            found = new OfTopic();
            topics.put(topic, found);
        }
        found.note(Math.max(partitions, partition + 1), partition, offset, epoch);
    }

    /** Returns the epoch that was committed with an offset, or {@link #UNKNOWN}. */
    int find(UUID topic, int partition, long offset) {
        OfTopic found = topics.get(topic);
        return found == null ? UNKNOWN : found.find(partition, offset);
    }

    /** For each partition the last two commits, the later one first. */
    private static final class OfTopic {
        private long[] offsets = {};
        private int[] epochs = {};

        void note(int partitions, int partition, long offset, int epoch) {
            if (offsets.length < 2 * partitions) {
                int before = offsets.length;
                offsets = Arrays.copyOf(offsets, 2 * partitions);
                epochs = Arrays.copyOf(epochs, 2 * partitions);
                Arrays.fill(epochs, before, epochs.length, UNKNOWN);
            }
            int at = 2 * partition;
            if (offsets[at] != offset) {
                offsets[at + 1] = offsets[at];
                epochs[at + 1] = epochs[at];
            }
            offsets[at] = offset;
            epochs[at] = Math.max(epoch, UNKNOWN);
        }

        int find(int partition, long offset) {
            for (int at = 2 * partition; at < Math.min(2 * partition + 2, offsets.length); at++) {
                if (offsets[at] == offset) {
                    return epochs[at];
                }
            }
            return UNKNOWN;
        }
    }
}
