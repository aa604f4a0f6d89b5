package io.firn;

import static io.firn.OptionValues.inRange;
import static io.firn.OptionValues.inRangeOrUnlimited;
import static io.firn.OptionValues.wholeMillis;

import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;

/** The options of a topic. Immutable; each {@code with…} returns a changed copy. */
public final class TopicOptions {
    /** No bound. */
    public static final long UNLIMITED = -1;

    static final int KIB = 1024;
    private static final TopicOptions DEFAULTS = new TopicOptions(new TopicOptionsDraft());

    private final int partitions;
    private final Durability durability;
    private final int segmentBytes;
    private final long rollMs;
    private final long retentionBytes;
    private final long retentionMs;
    private final int maxRecordBytes;
    private final Compression compression;
    private final int forceBytes;
    private final long forceMs;
    private final DurabilityClass minimumClass;
    private final List<String> tiers;
    private final RetainUntilRead retainUntilRead;
    private final int preparedBytes;
    private final CompactionValues compaction;
    private final Cleanup cleanup;
    private final boolean replicated;

    /** Checks every range. */
    private TopicOptions(TopicOptionsDraft draft) {
        partitions = inRange("partitions", draft.partitions, 1, 100_000);
        durability = draft.durability;
        segmentBytes = inRange("segmentBytes", draft.segmentBytes, 64 * KIB, KIB * KIB * KIB);
        rollMs = inRangeOrUnlimited("rollMs", draft.rollMs, 1_000);
        retentionBytes = inRangeOrUnlimited("retentionBytes", draft.retentionBytes, 0);
        retentionMs = inRangeOrUnlimited("retentionMs", draft.retentionMs, 0);
        maxRecordBytes = inRange("maxRecordBytes", draft.maxRecordBytes, 1, segmentBytes - 1);
        compression = draft.compression;
        forceBytes = inRange("forceBytes", draft.forceBytes, 1, Integer.MAX_VALUE);
        forceMs = inRange("forceMs", draft.forceMs, 1, Long.MAX_VALUE);
        minimumClass = draft.minimumClass;
        tiers = draft.tiers;
        retainUntilRead = draft.retainUntilRead;
        preparedBytes = inRange("preparedBytes", draft.preparedBytes, 0, KIB * KIB * KIB);
        compaction = draft.compaction;
        cleanup = compaction.cleanup();
        replicated = draft.replicated;
        if (replicated && cleanup.isCompacting()) {
            throw new InvalidOptionException(
                    "a replicated topic is not compacted here: its source decides what is removed;"
                            + " cleanup was "
                            + cleanup);
        }
    }

    /**
     * One partition, DURABLE, segments of 64 MiB, records up to 1 MiB, nothing deleted, nothing
     * compressed.
     */
    public static TopicOptions defaults() {
        return DEFAULTS;
    }

    /** Returns the number of partitions, 1 to 100,000. */
    public int partitions() {
        return partitions;
    }

    /** Returns when appends return and what readers see. */
    public Durability durability() {
        return durability;
    }

    /** Returns the size of a segment, 64 KiB to 1 GiB. */
    public int segmentBytes() {
        return segmentBytes;
    }

    /**
     * Returns the age in ms from which a segment is sealed; at least 1,000, or {@link #UNLIMITED}.
     */
    public long rollMs() {
        return rollMs;
    }

    /**
     * Returns the size of a partition above which whole segments are deleted; or {@link
     * #UNLIMITED}.
     */
    public long retentionBytes() {
        return retentionBytes;
    }

    /** Returns how long in ms after a segment was sealed it is deleted; or {@link #UNLIMITED}. */
    public long retentionMs() {
        return retentionMs;
    }

    /**
     * Returns the size of the largest record (key, value and headers, encoded) that is accepted, at
     * least 1 and less than {@link #segmentBytes}.
     */
    public int maxRecordBytes() {
        return maxRecordBytes;
    }

    /** Returns how embedded batches are compressed; a record appended by itself is not. */
    public Compression compression() {
        return compression;
    }

    /** Returns after how many bytes a {@link Durability#WRITTEN} topic is forced; at least 1. */
    public int forceBytes() {
        return forceBytes;
    }

    /** Returns after how many ms a {@link Durability#WRITTEN} topic is forced; at least 1. */
    public long forceMs() {
        return forceMs;
    }

    /**
     * Returns the weakest class of a tier that its records may be in; null for the class of the
     * hottest tier.
     */
    public DurabilityClass minimumClass() {
        return minimumClass;
    }

    /**
     * Returns the labels of the tiers that its records may be in, see {@link
     * LogStoreBuilder#tier(String, Tier)}; empty for all.
     */
    public List<String> tiers() {
        return tiers;
    }

    /** Returns for which cursors retention waits. */
    public RetainUntilRead retainUntilRead() {
        return retainUntilRead;
    }

    /**
     * Returns how many bytes of space each partition keeps prepared for appends into files, 0 to 1
     * GiB; at most a segment counts. A burst of so many bytes that comes after a pause is appended
     * at the speed of memory. The bytes use disk and page cache, twice while the next segment is
     * ready too, and are written when a segment begins, so this is for few partitions. With 0, the
     * default, space is prepared as far ahead as a partition's recent rate suggests. It is not for
     * batches of {@code appendBatch}, which clients of the server send. A change counts from the
     * next segment on.
     */
    public int preparedBytes() {
        return preparedBytes;
    }

    /**
     * Returns what happens to old records: {@link Cleanup#DELETE} by default. With {@link
     * Cleanup#COMPACT} and {@link Cleanup#NONE}, {@link #retentionBytes} and {@link #retentionMs}
     * have no effect, but are kept.
     */
    public Cleanup cleanup() {
        return cleanup;
    }

    /**
     * Returns how long in ms a record stays at least before compaction may remove it, counted from
     * when its segment was sealed; 0 or more, by default 0.
     */
    public long minCompactionLagMs() {
        return compaction.minLagMs();
    }

    /**
     * Returns after how many ms at most a record takes part in compaction, whatever {@link
     * #minDirtyRatio} says; 1 or more, at least {@link #minCompactionLagMs}, or {@link #UNLIMITED},
     * the default.
     */
    public long maxCompactionLagMs() {
        return compaction.maxLagMs();
    }

    /**
     * Returns which share of a partition must not have been compacted yet for compaction to begin,
     * 0 to 1; by default 0.5. A smaller share costs more writing and takes less space.
     */
    public double minDirtyRatio() {
        return compaction.minDirtyRatio();
    }

    /**
     * Returns how long in ms a tombstone, a record without a value, stays after the earlier records
     * of its key were removed; 0 or more, by default 24 hours. A reader that takes longer from the
     * earliest record to the end may miss a deletion.
     */
    public long tombstoneRetentionMs() {
        return compaction.tombstoneRetentionMs();
    }

    /**
     * Returns whether the topic is a replica of a topic of another log. Its partitions have one
     * writer each, {@link io.firn.host.HostedPartition#openReplicaAppender}; appends, transactions
     * and compaction are refused with a {@link ReplicatedTopicException}. By default false, and
     * never changed.
     */
    public boolean isReplicated() {
        return replicated;
    }

    /** See {@link #partitions}. */
    public TopicOptions withPartitions(int value) {
        return with(draft -> draft.partitions = value);
    }

    /** See {@link #durability}. */
    public TopicOptions withDurability(Durability value) {
        Objects.requireNonNull(value, "durability");
        return with(draft -> draft.durability = value);
    }

    /** See {@link #segmentBytes}; lowers {@link #maxRecordBytes} when it would not fit any more. */
    public TopicOptions withSegmentBytes(int value) {
        return with(
                draft -> {
                    draft.segmentBytes = value;
                    draft.maxRecordBytes = Math.max(1, Math.min(maxRecordBytes, value - 1));
                });
    }

    /** See {@link #rollMs}; a part of a ms counts as a whole one. 1 s or longer. */
    public TopicOptions withRollAge(Duration value) {
        long ms = wholeMillis("rollAge", value);
        return with(draft -> draft.rollMs = ms);
    }

    /** See {@link #rollMs}; 1,000 or more, or {@link #UNLIMITED}. */
    public TopicOptions withRollMs(long value) {
        return with(draft -> draft.rollMs = value);
    }

    /** See {@link #retentionBytes}; 0 or more, or {@link #UNLIMITED}. */
    public TopicOptions withRetentionBytes(long value) {
        return with(draft -> draft.retentionBytes = value);
    }

    /** See {@link #retentionMs}; 0 or more, or {@link #UNLIMITED}. */
    public TopicOptions withRetentionMs(long value) {
        return with(draft -> draft.retentionMs = value);
    }

    /**
     * See {@link #retentionMs}; a part of a ms counts as a whole one. Not negative: {@link
     * #withRetentionMs} removes the limit.
     */
    public TopicOptions withRetentionAge(Duration value) {
        return withRetentionMs(wholeMillis("retentionAge", value));
    }

    /** See {@link #maxRecordBytes}. */
    public TopicOptions withMaxRecordBytes(int value) {
        return with(draft -> draft.maxRecordBytes = value);
    }

    /** See {@link #compression}. */
    public TopicOptions withCompression(Compression value) {
        Objects.requireNonNull(value, "compression");
        return with(draft -> draft.compression = value);
    }

    /** See {@link #forceBytes} and {@link #forceMs}; a part of a ms counts as a whole one. */
    public TopicOptions withForce(int bytes, Duration interval) {
        long ms = wholeMillis("interval", interval);
        return with(
                draft -> {
                    draft.forceBytes = bytes;
                    draft.forceMs = ms;
                });
    }

    /** See {@link #minimumClass}. */
    public TopicOptions withMinimumClass(DurabilityClass value) {
        return with(draft -> draft.minimumClass = value);
    }

    /** See {@link #tiers}. */
    public TopicOptions withTiers(String... labels) {
        Objects.requireNonNull(labels, "labels");
        for (String label : labels) {
            if (!OptionValues.isTierLabel(Objects.requireNonNull(label, "labels"))) {
                throw new InvalidOptionException(
                        "tiers: a tier's label has 1 to 32 of the characters a-z 0-9 -, not '"
                                + label
                                + "'");
            }
        }
        List<String> copy = List.of(labels);
        return with(draft -> draft.tiers = copy);
    }

    /** See {@link #retainUntilRead}. */
    public TopicOptions withRetainUntilRead(RetainUntilRead value) {
        Objects.requireNonNull(value, "retainUntilRead");
        return with(draft -> draft.retainUntilRead = value);
    }

    /** See {@link #preparedBytes}. */
    public TopicOptions withPreparedBytes(int value) {
        return with(draft -> draft.preparedBytes = value);
    }

    /** See {@link #cleanup}. */
    public TopicOptions withCleanup(Cleanup value) {
        return with(compaction.withCleanup(Objects.requireNonNull(value, "cleanup")));
    }

    /** See {@link #minCompactionLagMs}; a part of a ms counts as a whole one. */
    public TopicOptions withMinCompactionLag(Duration value) {
        long ms = wholeMillis("minCompactionLag", value);
        return with(compaction.withLags(ms, maxCompactionLagMs()));
    }

    /**
     * See {@link #maxCompactionLagMs}; a part of a ms counts as a whole one. Not 0, and not
     * negative: {@link #withMaxCompactionLagMs} removes the limit.
     */
    public TopicOptions withMaxCompactionLag(Duration value) {
        return withMaxCompactionLagMs(wholeMillis("maxCompactionLag", value));
    }

    /** See {@link #maxCompactionLagMs}; 1 or more, or {@link #UNLIMITED}. */
    public TopicOptions withMaxCompactionLagMs(long value) {
        return with(compaction.withLags(minCompactionLagMs(), value));
    }

    /** See {@link #minDirtyRatio}. */
    public TopicOptions withMinDirtyRatio(double value) {
        return with(compaction.withMinDirtyRatio(value));
    }

    /** See {@link #tombstoneRetentionMs}; a part of a ms counts as a whole one. */
    public TopicOptions withTombstoneRetention(Duration value) {
        long ms = wholeMillis("tombstoneRetention", value);
        return with(compaction.withTombstoneRetentionMs(ms));
    }

    /** See {@link #isReplicated}. A replicated topic is not compacted. */
    public TopicOptions withReplicated(boolean value) {
        return with(draft -> draft.replicated = value);
    }

    CompactionValues compactionValues() {
        return compaction;
    }

    private TopicOptions with(CompactionValues value) {
        return with(draft -> draft.compaction = value);
    }

    private TopicOptions with(Consumer<TopicOptionsDraft> change) {
        TopicOptionsDraft draft = new TopicOptionsDraft(this);
        change.accept(draft);
        return new TopicOptions(draft);
    }

    /**
     * Returns the value of each option by its name, in a fixed order; null for a {@link
     * #minimumClass} that is not set. The map cannot be changed.
     */
    public Map<String, Object> toMap() {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("partitions", partitions);
        values.put("durability", durability);
        values.put("segmentBytes", segmentBytes);
        values.put("rollMs", rollMs);
        values.put("retentionBytes", retentionBytes);
        values.put("retentionMs", retentionMs);
        values.put("maxRecordBytes", maxRecordBytes);
        values.put("compression", compression);
        values.put("forceBytes", forceBytes);
        values.put("forceMs", forceMs);
        values.put("minimumClass", minimumClass);
        values.put("tiers", tiers);
        values.put("retainUntilRead", retainUntilRead);
        values.put("preparedBytes", preparedBytes);
        values.put("cleanup", cleanup);
        values.put("minCompactionLagMs", minCompactionLagMs());
        values.put("maxCompactionLagMs", maxCompactionLagMs());
        values.put("minDirtyRatio", minDirtyRatio());
        values.put("tombstoneRetentionMs", tombstoneRetentionMs());
        values.put("replicated", replicated);
        return Collections.unmodifiableMap(values);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof TopicOptions options && toMap().equals(options.toMap());
    }

    @Override
    public int hashCode() {
        return toMap().hashCode();
    }

    @Override
    public String toString() {
        String values = toMap().toString();
        return "TopicOptions[" + values.substring(1, values.length() - 1) + "]";
    }
}
