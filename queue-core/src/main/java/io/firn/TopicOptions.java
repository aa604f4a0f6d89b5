package io.firn;

import static io.firn.OptionValues.wholeMillis;

import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * The options of a topic. Immutable; each {@code with…} returns a changed copy, in which that
 * option is set. {@link LogStore#ensureTopic} and {@link Topic#changeOptions} change the options
 * that are set and leave the others as the topic has them.
 */
public final class TopicOptions {
    /** No bound. */
    public static final long UNLIMITED = -1;

    /**
     * An option that {@link LogStore#ensureTopic} has changed.
     *
     * @param option the name, as in {@link #toMap}
     * @param before the value that the topic had
     * @param after the value that it has now
     */
    public record Change(String option, Object before, Object after) {
        @Override
        public String toString() {
            return option + " from " + before + " to " + after;
        }
    }

    private static final int KIB = 1024;
    private static final int DEFAULT_RECORD_BYTES = KIB * KIB;
    private static final String SEGMENT_BYTES = "segmentBytes";
    private static final String MAX_RECORD_BYTES = "maxRecordBytes";
    private static final String MINIMUM_CLASS = "minimumClass";

    private static final TopicOptions DEFAULTS = new TopicOptions(defaultValues(), Set.of());

    /** By name, in a fixed order. */
    private final Map<String, Object> values;

    /** The names of those that were set. */
    private final Set<String> set;

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
    private final Survives minimumClass;
    private final Set<String> tiers;
    private final RetainUntilRead retainUntilRead;
    private final int preparedBytes;
    private final CleanupPolicy cleanup;
    private final long minCompactionLagMs;
    private final long maxCompactionLagMs;
    private final double minDirtyRatio;
    private final long tombstoneRetentionMs;
    private final boolean replicated;

    /** Checks every range. */
    private TopicOptions(Map<String, Object> values, Set<String> set) {
        this.values = Collections.unmodifiableMap(values);
        this.set = Set.copyOf(set);
        partitions = inRange("partitions", 1, 100_000);
        durability = (Durability) values.get("durability");
        segmentBytes = inRange(SEGMENT_BYTES, 64 * KIB, KIB * KIB * KIB);
        rollMs = inRangeOrUnlimited("rollMs", 1_000);
        retentionBytes = inRangeOrUnlimited("retentionBytes", 0);
        retentionMs = inRangeOrUnlimited("retentionMs", 0);
        maxRecordBytes = inRange(MAX_RECORD_BYTES, 1, KIB * KIB * KIB - 1);
        compression = (Compression) values.get("compression");
        forceBytes = inRange("forceBytes", 1, Integer.MAX_VALUE);
        forceMs = inRange("forceMs", 1L);
        minimumClass = (Survives) values.get(MINIMUM_CLASS);
        Set<String> labels = new LinkedHashSet<>();
        ((Set<?>) values.get("tiers")).forEach(label -> labels.add((String) label));
        tiers = Collections.unmodifiableSet(labels);
        retainUntilRead = (RetainUntilRead) values.get("retainUntilRead");
        preparedBytes = inRange("preparedBytes", 0, KIB * KIB * KIB);
        cleanup = (CleanupPolicy) values.get("cleanup");
        minCompactionLagMs = inRange("minCompactionLagMs", 0L);
        maxCompactionLagMs = inRangeOrUnlimited("maxCompactionLagMs", 1);
        minDirtyRatio = (double) values.get("minDirtyRatio");
        tombstoneRetentionMs = inRange("tombstoneRetentionMs", 0L);
        replicated = (boolean) values.get("replicated");
        checkCompaction();
    }

    private int inRange(String name, int least, int most) {
        return OptionValues.inRange(name, (int) values.get(name), least, most);
    }

    private long inRange(String name, long least) {
        return OptionValues.inRange(name, (long) values.get(name), least, Long.MAX_VALUE);
    }

    private long inRangeOrUnlimited(String name, long least) {
        return OptionValues.inRangeOrUnlimited(name, (long) values.get(name), least);
    }

    private void checkCompaction() {
        if (!(minDirtyRatio >= 0 && minDirtyRatio <= 1)) { // also not a number
            throw new InvalidOptionException(
                    "minDirtyRatio must be from 0 to 1, not " + minDirtyRatio);
        }
        if (maxCompactionLagMs != UNLIMITED && minCompactionLagMs > maxCompactionLagMs) {
            throw new InvalidOptionException(
                    "minCompactionLagMs must be at most maxCompactionLagMs ("
                            + maxCompactionLagMs
                            + "), not "
                            + minCompactionLagMs);
        }
        if (replicated && cleanup.isCompacting()) {
            throw new InvalidOptionException(
                    "a replicated topic is not compacted here: its source decides what is removed;"
                            + " cleanup was "
                            + cleanup);
        }
    }

    private static Map<String, Object> defaultValues() {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("partitions", 1);
        values.put("durability", Durability.DURABLE);
        values.put(SEGMENT_BYTES, 64 * KIB * KIB);
        values.put("rollMs", UNLIMITED);
        values.put("retentionBytes", UNLIMITED);
        values.put("retentionMs", UNLIMITED);
        values.put(MAX_RECORD_BYTES, DEFAULT_RECORD_BYTES);
        values.put("compression", Compression.NONE);
        values.put("forceBytes", KIB * KIB);
        values.put("forceMs", 100L);
        values.put(MINIMUM_CLASS, null);
        values.put("tiers", Set.of());
        values.put("retainUntilRead", RetainUntilRead.nobody());
        values.put("preparedBytes", 0);
        values.put("cleanup", CleanupPolicy.DELETE);
        values.put("minCompactionLagMs", 0L);
        values.put("maxCompactionLagMs", UNLIMITED);
        values.put("minDirtyRatio", 0.5);
        values.put("tombstoneRetentionMs", 86_400_000L);
        values.put("replicated", false);
        return values;
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
     * least 1 and less than {@link #segmentBytes}. Unless it is set: 1 MiB, or a byte less than a
     * segment that is not larger than that.
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
    public Survives minimumClass() {
        return minimumClass;
    }

    /**
     * Returns the labels of the tiers that its records may be in, see {@link
     * LogStoreBuilder#tier(String, Tier)}; empty for all. Their order has no meaning: the order of
     * the store's tiers says which is the hottest.
     */
    public Set<String> tiers() {
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
     * Returns what happens to old records: {@link CleanupPolicy#DELETE} by default. With {@link
     * Cleanup#COMPACT} and {@link CleanupPolicy#NONE}, {@link #retentionBytes} and {@link
     * #retentionMs} have no effect, but are kept.
     */
    public CleanupPolicy cleanup() {
        return cleanup;
    }

    /**
     * Returns how long in ms a record stays at least before compaction may remove it, counted from
     * when its segment was sealed; 0 or more, by default 0.
     */
    public long minCompactionLagMs() {
        return minCompactionLagMs;
    }

    /**
     * Returns after how many ms at most a record takes part in compaction, whatever {@link
     * #minDirtyRatio} says; 1 or more, at least {@link #minCompactionLagMs}, or {@link #UNLIMITED},
     * the default.
     */
    public long maxCompactionLagMs() {
        return maxCompactionLagMs;
    }

    /**
     * Returns which share of a partition must not have been compacted yet for compaction to begin,
     * 0 to 1; by default 0.5. A smaller share costs more writing and takes less space.
     */
    public double minDirtyRatio() {
        return minDirtyRatio;
    }

    /**
     * Returns how long in ms a tombstone, a record without a value, stays after the earlier records
     * of its key were removed; 0 or more, by default 24 hours. A reader that takes longer from the
     * earliest record to the end may miss a deletion.
     */
    public long tombstoneRetentionMs() {
        return tombstoneRetentionMs;
    }

    /**
     * Returns whether the topic is a replica of a topic of another log. Its partitions have one
     * writer each, {@link io.firn.host.HostedPartition#openReplicaAppender}; appends, transactions
     * and compaction are refused with a {@link io.firn.host.ReplicatedTopicException}. By default
     * false, and never changed.
     */
    public boolean isReplicated() {
        return replicated;
    }

    /** See {@link #partitions}. */
    public TopicOptions withPartitions(int value) {
        return with("partitions", value);
    }

    /** See {@link #durability}. */
    public TopicOptions withDurability(Durability value) {
        Objects.requireNonNull(value, "durability");
        return with("durability", value);
    }

    /** See {@link #segmentBytes}. */
    public TopicOptions withSegmentBytes(int value) {
        return with(SEGMENT_BYTES, value);
    }

    /** See {@link #rollMs}; a part of a ms counts as a whole one. 1 s or longer. */
    public TopicOptions withRollAge(Duration value) {
        long ms = wholeMillis("rollAge", value);
        return with("rollMs", ms);
    }

    /** See {@link #rollMs}; 1,000 or more, or {@link #UNLIMITED}. */
    public TopicOptions withRollMs(long value) {
        return with("rollMs", value);
    }

    /** See {@link #retentionBytes}; 0 or more, or {@link #UNLIMITED}. */
    public TopicOptions withRetentionBytes(long value) {
        return with("retentionBytes", value);
    }

    /** See {@link #retentionMs}; 0 or more, or {@link #UNLIMITED}. */
    public TopicOptions withRetentionMs(long value) {
        return with("retentionMs", value);
    }

    /**
     * See {@link #retentionMs}; a part of a ms counts as a whole one. Not negative: {@link
     * #withRetentionMs} removes the limit.
     */
    public TopicOptions withRetentionAge(Duration value) {
        return withRetentionMs(wholeMillis("retentionAge", value));
    }

    /**
     * See {@link #maxRecordBytes}. That it is less than {@link #segmentBytes} is checked when a
     * topic gets the options, so the two can be set in any order.
     */
    public TopicOptions withMaxRecordBytes(int value) {
        return with(MAX_RECORD_BYTES, value);
    }

    /** See {@link #compression}. */
    public TopicOptions withCompression(Compression value) {
        Objects.requireNonNull(value, "compression");
        return with("compression", value);
    }

    /** See {@link #forceBytes} and {@link #forceMs}; a part of a ms counts as a whole one. */
    public TopicOptions withForce(int bytes, Duration interval) {
        long ms = wholeMillis("interval", interval);
        return with("forceBytes", bytes).with("forceMs", ms);
    }

    /** See {@link #minimumClass}. */
    public TopicOptions withMinimumClass(Survives value) {
        return with(MINIMUM_CLASS, value);
    }

    /**
     * See {@link #tiers}; none for all.
     *
     * @throws InvalidOptionException when a label is not one that a tier can have, or is given
     *     twice
     */
    public TopicOptions withTiers(String... labels) {
        Objects.requireNonNull(labels, "labels");
        return withTiers(Arrays.asList(labels));
    }

    /** As {@link #withTiers(String...)}. */
    public TopicOptions withTiers(Collection<String> labels) {
        Objects.requireNonNull(labels, "labels");
        for (String label : labels) {
            if (!OptionValues.isTierLabel(Objects.requireNonNull(label, "labels"))) {
                throw new InvalidOptionException(
                        "tiers: a tier's label has 1 to 32 of the characters a-z 0-9 -, not '"
                                + label
                                + "'");
            }
        }
        return with("tiers", OptionValues.distinct("tiers", labels));
    }

    /** See {@link #retainUntilRead}. */
    public TopicOptions withRetainUntilRead(RetainUntilRead value) {
        Objects.requireNonNull(value, "retainUntilRead");
        return with("retainUntilRead", value);
    }

    /** See {@link #preparedBytes}. */
    public TopicOptions withPreparedBytes(int value) {
        return with("preparedBytes", value);
    }

    /** See {@link #cleanup}. */
    public TopicOptions withCleanup(CleanupPolicy value) {
        return with("cleanup", Objects.requireNonNull(value, "cleanup"));
    }

    /** See {@link #minCompactionLagMs}; a part of a ms counts as a whole one. */
    public TopicOptions withMinCompactionLag(Duration value) {
        long ms = wholeMillis("minCompactionLag", value);
        return with("minCompactionLagMs", ms);
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
        return with("maxCompactionLagMs", value);
    }

    /** See {@link #minDirtyRatio}. */
    public TopicOptions withMinDirtyRatio(double value) {
        return with("minDirtyRatio", value);
    }

    /** See {@link #tombstoneRetentionMs}; a part of a ms counts as a whole one. */
    public TopicOptions withTombstoneRetention(Duration value) {
        long ms = wholeMillis("tombstoneRetention", value);
        return with("tombstoneRetentionMs", ms);
    }

    /** See {@link #isReplicated}. A replicated topic is not compacted. */
    public TopicOptions withReplicated(boolean value) {
        return with("replicated", value);
    }

    private TopicOptions with(String name, Object value) {
        Set<String> nowSet = new HashSet<>(set);
        nowSet.add(name);
        Map<String, Object> changed = new LinkedHashMap<>(values);
        changed.put(name, value);
        if (!nowSet.contains(MAX_RECORD_BYTES)) { // then it follows from the size of a segment
            int most = (int) changed.get(SEGMENT_BYTES) - 1;
            changed.put(MAX_RECORD_BYTES, Math.min(DEFAULT_RECORD_BYTES, most));
        }
        return new TopicOptions(changed, nowSet);
    }

    /**
     * Returns options in which everything is set: what these set as here, and the rest as in
     * others. An option is set by its {@code with…} method, also to the default; a {@link
     * #minimumClass} of null is not set. {@link Topic#options} has everything set.
     *
     * @throws InvalidOptionException when an option that is set does not fit one of the others
     */
    public TopicOptions completedBy(TopicOptions others) {
        Map<String, Object> complete = new LinkedHashMap<>(others.values);
        for (String name : set) {
            if (values.get(name) != null) {
                complete.put(name, values.get(name));
            }
        }
        if (set.contains(SEGMENT_BYTES) && !set.contains(MAX_RECORD_BYTES)) {
            int most = Math.min(others.maxRecordBytes, segmentBytes - 1);
            complete.put(MAX_RECORD_BYTES, most);
        }
        TopicOptions completed = new TopicOptions(complete, complete.keySet());
        completed.checkRecordsFit();
        return completed;
    }

    private void checkRecordsFit() {
        if (maxRecordBytes >= segmentBytes) {
            throw new InvalidOptionException(
                    "maxRecordBytes must be less than segmentBytes ("
                            + segmentBytes
                            + "), not "
                            + maxRecordBytes);
        }
    }

    /**
     * Returns the value of each option by its name, in a fixed order; null for a {@link
     * #minimumClass} that is not set. The map cannot be changed.
     */
    public Map<String, Object> toMap() {
        return values;
    }

    /** Compares the values, whether they were set or not. */
    @Override
    public boolean equals(Object other) {
        return other instanceof TopicOptions options && values.equals(options.values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    @Override
    public String toString() {
        String text = values.toString();
        return "TopicOptions[" + text.substring(1, text.length() - 1) + "]";
    }
}
