package io.firn;

import static io.firn.OptionValues.wholeMillis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The options of a topic. Immutable; each {@code with…} returns a changed copy, in which that
 * option is set. {@link LogStore#ensureTopic} and {@link Topic#changeOptions} change the options
 * that are set and leave the others as the topic has them.
 *
 * <pre>{@code
 * TopicOptions options = TopicOptions.defaults()
 *         .withRetentionAge(Duration.ofDays(7))
 *         .withRetainUntilRead(RetainUntilRead.by("billing").withLimitBytes(50L << 30));
 * Topic topic = store.ensureTopic("orders", options);
 * }</pre>
 */
public final class TopicOptions {
    /**
     * An option that differs, see {@link #changesTo}. Immutable; equal when all of it is, and shown
     * as {@code retentionAge from unlimited to PT24H}.
     */
    public static final class Change {
        private final String option;
        private final String before;
        private final String after;

        private Change(String option, String before, String after) {
            this.option = option;
            this.before = before;
            this.after = after;
        }

        /** Returns the name, as in {@link #toMap}. */
        public String option() {
            return option;
        }

        /** Returns the value that the topic had, as in {@link #toMap}. */
        public String before() {
            return before;
        }

        /** Returns the value that it has now, as in {@link #toMap}. */
        public String after() {
            return after;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Change that
                    && option.equals(that.option)
                    && before.equals(that.before)
                    && after.equals(that.after);
        }

        @Override
        public int hashCode() {
            return Objects.hash(option, before, after);
        }

        @Override
        public String toString() {
            return option + " from " + before + " to " + after;
        }
    }

    private static final int KIB = 1024;
    private static final int DEFAULT_RECORD_BYTES = KIB * KIB;
    private static final String SEGMENT_BYTES = "segmentBytes";
    private static final String ROLL_AGE = "rollAge";
    private static final String RETENTION_BYTES = "retentionBytes";
    private static final String RETENTION_AGE = "retentionAge";
    private static final String MAX_RECORD_BYTES = "maxRecordBytes";
    private static final String FORCE_INTERVAL = "forceInterval";
    private static final String MINIMUM_CLASS = "minimumClass";
    private static final String MIN_COMPACTION_LAG = "minCompactionLag";
    private static final String MAX_COMPACTION_LAG = "maxCompactionLag";
    private static final String TOMBSTONE_RETENTION = "tombstoneRetention";

    private static final TopicOptions DEFAULTS = new TopicOptions(defaultValues(), Set.of());

    /** By name, in a fixed order. */
    private final Map<String, Object> values;

    /** The names of those that were set. */
    private final Set<String> set;

    private final int partitions;
    private final Durability durability;
    private final int segmentBytes;
    private final Optional<Duration> rollAge;
    private final OptionalLong retentionBytes;
    private final Optional<Duration> retentionAge;
    private final int maxRecordBytes;
    private final Compression compression;
    private final int forceBytes;
    private final Duration forceInterval;
    private final Survives minimumClass;
    private final Set<String> tiers;
    private final RetainUntilRead retainUntilRead;
    private final int preparedBytes;
    private final CleanupPolicy cleanup;
    private final Duration minCompactionLag;
    private final Optional<Duration> maxCompactionLag;
    private final double minDirtyRatio;
    private final Duration tombstoneRetention;
    private final boolean replicated;

    /** Checks every range. */
    private TopicOptions(Map<String, Object> values, Set<String> set) {
        this.values = Collections.unmodifiableMap(values);
        this.set = Set.copyOf(set);
        partitions = inRange("partitions", 1, 100_000);
        durability = (Durability) values.get("durability");
        segmentBytes = inRange(SEGMENT_BYTES, 64 * KIB, KIB * KIB * KIB);
        rollAge = atLeastIfSet(ROLL_AGE, Duration.ofSeconds(1));
        retentionBytes = (OptionalLong) values.get(RETENTION_BYTES);
        retentionAge = atLeastIfSet(RETENTION_AGE, Duration.ZERO);
        maxRecordBytes = inRange(MAX_RECORD_BYTES, 1, KIB * KIB * KIB - 1);
        compression = (Compression) values.get("compression");
        forceBytes = inRange("forceBytes", 1, Integer.MAX_VALUE);
        forceInterval = atLeast(FORCE_INTERVAL, Duration.ofMillis(1));
        minimumClass = (Survives) values.get(MINIMUM_CLASS);
        Set<String> labels = new LinkedHashSet<>();
        ((Set<?>) values.get("tiers")).forEach(label -> labels.add((String) label));
        tiers = Collections.unmodifiableSet(labels);
        retainUntilRead = (RetainUntilRead) values.get("retainUntilRead");
        preparedBytes = inRange("preparedBytes", 0, KIB * KIB * KIB);
        cleanup = (CleanupPolicy) values.get("cleanup");
        minCompactionLag = atLeast(MIN_COMPACTION_LAG, Duration.ZERO);
        maxCompactionLag = atLeastIfSet(MAX_COMPACTION_LAG, Duration.ofMillis(1));
        minDirtyRatio = (double) values.get("minDirtyRatio");
        tombstoneRetention = atLeast(TOMBSTONE_RETENTION, Duration.ZERO);
        replicated = (boolean) values.get("replicated");
        checkCompaction();
    }

    private int inRange(String name, int least, int most) {
        return OptionValues.inRange(name, (int) values.get(name), least, most);
    }

    private Duration atLeast(String name, Duration least) {
        return OptionValues.atLeast(name, (Duration) values.get(name), least);
    }

    private Optional<Duration> atLeastIfSet(String name, Duration least) {
        Optional<?> value = (Optional<?>) values.get(name);
        return value.map(each -> OptionValues.atLeast(name, (Duration) each, least));
    }

    private void checkCompaction() {
        if (!(minDirtyRatio >= 0 && minDirtyRatio <= 1)) { // also not a number
            throw new InvalidOptionException(
                    "minDirtyRatio must be from 0 to 1, not " + minDirtyRatio);
        }
        if (maxCompactionLag.isPresent()
                && minCompactionLag.compareTo(maxCompactionLag.get()) > 0) {
            throw new InvalidOptionException(
                    "minCompactionLag must be at most maxCompactionLag ("
                            + maxCompactionLag.get()
                            + "), not "
                            + minCompactionLag);
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
        values.put(ROLL_AGE, Optional.empty());
        values.put(RETENTION_BYTES, OptionalLong.empty());
        values.put(RETENTION_AGE, Optional.empty());
        values.put(MAX_RECORD_BYTES, DEFAULT_RECORD_BYTES);
        values.put("compression", Compression.NONE);
        values.put("forceBytes", KIB * KIB);
        values.put(FORCE_INTERVAL, Duration.ofMillis(100));
        values.put(MINIMUM_CLASS, null);
        values.put("tiers", Set.of());
        values.put("retainUntilRead", RetainUntilRead.none());
        values.put("preparedBytes", 0);
        values.put("cleanup", CleanupPolicy.DELETE);
        values.put(MIN_COMPACTION_LAG, Duration.ZERO);
        values.put(MAX_COMPACTION_LAG, Optional.empty());
        values.put("minDirtyRatio", 0.5);
        values.put(TOMBSTONE_RETENTION, Duration.ofDays(1));
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

    /** Returns the age from which a segment is sealed, 1 s or more; empty for no limit. */
    public Optional<Duration> rollAge() {
        return rollAge;
    }

    /**
     * Returns the size of a partition above which whole segments are deleted; empty for no limit.
     */
    public OptionalLong retentionBytes() {
        return retentionBytes;
    }

    /** Returns how long after a segment was sealed it is deleted; empty for never. */
    public Optional<Duration> retentionAge() {
        return retentionAge;
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

    /** Returns after which time a {@link Durability#WRITTEN} topic is forced; 1 ms or more. */
    public Duration forceInterval() {
        return forceInterval;
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
     * CleanupPolicy#COMPACT} and {@link CleanupPolicy#NONE}, {@link #retentionBytes} and {@link
     * #retentionAge} have no effect, but are kept.
     */
    public CleanupPolicy cleanup() {
        return cleanup;
    }

    /**
     * Returns how long a record stays at least before compaction may remove it, counted from when
     * its segment was sealed; 0 or more, by default 0.
     */
    public Duration minCompactionLag() {
        return minCompactionLag;
    }

    /**
     * Returns after which time at the latest a record takes part in compaction, whatever {@link
     * #minDirtyRatio} says; 1 ms or more, and at least {@link #minCompactionLag}. Empty for no
     * limit, the default.
     */
    public Optional<Duration> maxCompactionLag() {
        return maxCompactionLag;
    }

    /**
     * Returns which share of a partition must not have been compacted yet for compaction to begin,
     * 0 to 1; by default 0.5. A smaller share costs more writing and takes less space.
     */
    public double minDirtyRatio() {
        return minDirtyRatio;
    }

    /**
     * Returns how long a tombstone, a record without a value, stays after the earlier records of
     * its key were removed; 0 or more, by default 24 hours. A reader that takes longer from the
     * earliest record to the end may miss a deletion.
     */
    public Duration tombstoneRetention() {
        return tombstoneRetention;
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

    /** See {@link #rollAge}; a part of a ms counts as a whole one. 1 s or longer. */
    public TopicOptions withRollAge(Duration value) {
        return withLimit(ROLL_AGE, value);
    }

    /** Removes {@link #rollAge}. */
    public TopicOptions withoutRollAge() {
        return with(ROLL_AGE, Optional.empty());
    }

    /** See {@link #retentionBytes}; 0 or more. */
    public TopicOptions withRetentionBytes(long value) {
        long bytes = OptionValues.notNegative(RETENTION_BYTES, value);
        return with(RETENTION_BYTES, OptionalLong.of(bytes));
    }

    /** Removes {@link #retentionBytes}. */
    public TopicOptions withoutRetentionBytes() {
        return with(RETENTION_BYTES, OptionalLong.empty());
    }

    /** See {@link #retentionAge}; a part of a ms counts as a whole one. Not negative. */
    public TopicOptions withRetentionAge(Duration value) {
        return withLimit(RETENTION_AGE, value);
    }

    /** Removes {@link #retentionAge}. */
    public TopicOptions withoutRetentionAge() {
        return with(RETENTION_AGE, Optional.empty());
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

    /** See {@link #forceBytes} and {@link #forceInterval}; a part of a ms counts as a whole one. */
    public TopicOptions withForce(int bytes, Duration interval) {
        Duration whole = wholeMillis("interval", interval);
        return with("forceBytes", bytes).with(FORCE_INTERVAL, whole);
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

    /** See {@link #minCompactionLag}; a part of a ms counts as a whole one. */
    public TopicOptions withMinCompactionLag(Duration value) {
        return with(MIN_COMPACTION_LAG, wholeMillis(MIN_COMPACTION_LAG, value));
    }

    /** See {@link #maxCompactionLag}; a part of a ms counts as a whole one. 1 ms or longer. */
    public TopicOptions withMaxCompactionLag(Duration value) {
        return withLimit(MAX_COMPACTION_LAG, value);
    }

    /** Removes {@link #maxCompactionLag}. */
    public TopicOptions withoutMaxCompactionLag() {
        return with(MAX_COMPACTION_LAG, Optional.empty());
    }

    /** See {@link #minDirtyRatio}. */
    public TopicOptions withMinDirtyRatio(double value) {
        return with("minDirtyRatio", value);
    }

    /** See {@link #tombstoneRetention}; a part of a ms counts as a whole one. */
    public TopicOptions withTombstoneRetention(Duration value) {
        return with(TOMBSTONE_RETENTION, wholeMillis(TOMBSTONE_RETENTION, value));
    }

    /** See {@link #isReplicated}. A replicated topic is not compacted. */
    public TopicOptions withReplicated(boolean value) {
        return with("replicated", value);
    }

    private TopicOptions withLimit(String name, Duration value) {
        return with(name, Optional.of(wholeMillis(name, value)));
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
     * Returns the value of each option as text, to show it, by the name of its accessor (without
     * {@code is}), in a fixed order. The map cannot be changed.
     */
    public Map<String, String> toMap() {
        Map<String, String> shown = new LinkedHashMap<>();
        values.forEach((option, value) -> shown.put(option, OptionValues.shown(value)));
        return Collections.unmodifiableMap(shown);
    }

    /** Returns which options have another value in others, in the order of {@link #toMap}. */
    public List<Change> changesTo(TopicOptions others) {
        List<Change> changes = new ArrayList<>();
        values.forEach(
                (option, value) -> {
                    Object other = others.values.get(option);
                    if (!Objects.equals(value, other)) {
                        String after = OptionValues.shown(other);
                        changes.add(new Change(option, OptionValues.shown(value), after));
                    }
                });
        return List.copyOf(changes);
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
        return values.entrySet().stream()
                .map(each -> each.getKey() + "=" + OptionValues.shown(each.getValue()))
                .collect(Collectors.joining(", ", "TopicOptions[", "]"));
    }
}
