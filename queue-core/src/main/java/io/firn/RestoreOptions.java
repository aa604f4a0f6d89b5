package io.firn;

import java.time.Instant;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What is restored of a backup, see {@link LogStoreBuilder#restore}: by default everything.
 * Immutable; each {@code with…} and {@code until} returns a changed copy.
 *
 * <p>With a limit, each partition gets the longest run of whole batches from its start that does
 * not exceed the limit. So a batch is restored as a whole or not at all, and the same offsets have
 * the same records as before. Transactions that had not ended in a partition at its limit are
 * aborted there, cursors beyond a limit are set to it, and producers with names begin anew.
 *
 * @see Backup
 */
public final class RestoreOptions {
    private static final RestoreOptions ALL = new RestoreOptions(Set.of(), null, Map.of());

    private final Set<String> topics;
    private final Instant untilTime;
    private final Map<String, Map<Integer, Long>> untilOffsets;

    private RestoreOptions(
            Set<String> topics, Instant untilTime, Map<String, Map<Integer, Long>> untilOffsets) {
        this.topics = topics;
        this.untilTime = untilTime;
        this.untilOffsets = untilOffsets;
    }

    /** Returns options with which everything is restored. */
    public static RestoreOptions all() {
        return ALL;
    }

    /** Returns options with which only these topics are restored; an empty collection means all. */
    public RestoreOptions withTopics(Collection<String> names) {
        return new RestoreOptions(Set.copyOf(new TreeSet<>(names)), untilTime, untilOffsets);
    }

    /**
     * Returns options with which each partition ends before its first batch that has a record with
     * a later timestamp. Records after that batch are left out, too, whatever their timestamps are.
     */
    public RestoreOptions until(Instant time) {
        return new RestoreOptions(topics, Objects.requireNonNull(time, "time"), untilOffsets);
    }

    /**
     * Returns options with which a partition gets no record at an offset or above it. If the offset
     * is inside a batch, the partition ends before that batch.
     *
     * @throws InvalidOptionException when the partition or the offset is negative
     */
    public RestoreOptions until(String topic, int partition, long offset) {
        if (partition < 0 || offset < 0) {
            throw new InvalidOptionException(
                    "a partition and an offset are 0 or greater, found "
                            + partition
                            + " and "
                            + offset);
        }
        Map<String, Map<Integer, Long>> offsets = new TreeMap<>(untilOffsets);
        Map<Integer, Long> ofTopic = new TreeMap<>(offsets.getOrDefault(topic, Map.of()));
        ofTopic.put(partition, offset);
        offsets.put(topic, ofTopic);
        return new RestoreOptions(topics, untilTime, offsets);
    }

    /** Returns the names of the topics that are restored; empty for all. */
    public Set<String> topics() {
        return topics;
    }

    /** See {@link #until(Instant)}. */
    public Optional<Instant> untilTime() {
        return Optional.ofNullable(untilTime);
    }

    /** See {@link #until(String, int, long)}. */
    public OptionalLong untilOffset(String topic, int partition) {
        Long offset = untilOffsets.getOrDefault(topic, Map.of()).get(partition);
        return offset == null ? OptionalLong.empty() : OptionalLong.of(offset);
    }

    /** Returns the topics that have a limit by offset. */
    public Set<String> topicsWithOffsets() {
        return Set.copyOf(untilOffsets.keySet());
    }
}
