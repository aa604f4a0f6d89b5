package io.firn.log;

import io.firn.Batch;
import io.firn.Compression;
import io.firn.FirnException;
import io.firn.TopicOptions;
import io.firn.findings.Subject;
import io.firn.format.BatchEncoder;
import io.firn.metadata.TopicDirectory;
import io.firn.metadata.TopicFiles;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** What the partitions of a topic share: its name, options, files and tiers. Thread-safe. */
public final class TopicContext {
    private final LogContext store;
    private final UUID id;
    private final Subject subject;
    private final String name;
    private volatile TopicOptions options;
    private volatile ReadPositions readPositions = ReadPositions.NONE;
    private final TopicFiles files;
    private final List<TierState> tiers;
    private final int segmentBytes;
    private final TopicTailers tailers = new TopicTailers();

    public TopicContext(LogContext store, UUID id, String name, TopicOptions options) {
        this.store = store;
        this.id = id;
        this.name = name;
        this.subject = Subject.topic(id, name);
        options(options);
        this.files = new TopicFiles(store.files(), id, name);
        this.tiers = allowed(options, store.tiers());
        int bytes = options.segmentBytes();
        for (TierState state : tiers) {
            bytes = Math.min(bytes, state.tier().maxSegmentBytes());
        }
        this.segmentBytes = bytes;
    }

    /**
     * The tiers whose class is enough. If there is none, those of which it is not known: an earlier
     * release took any file system for one that survives a power failure, so a topic may have been
     * created there with that class.
     */
    private static List<TierState> allowed(TopicOptions options, List<TierState> all) {
        List<TierState> chosen = all.stream().filter(tier -> isChosen(options, tier)).toList();
        List<TierState> enough = chosen.stream().filter(tier -> isEnough(options, tier)).toList();
        return enough.isEmpty()
                ? chosen.stream().filter(tier -> tier.tier().unknownFileSystem() != null).toList()
                : enough;
    }

    private static boolean isChosen(TopicOptions options, TierState state) {
        return options.tiers().isEmpty()
                || (state.isLabelled() && options.tiers().contains(state.label()));
    }

    private static boolean isEnough(TopicOptions options, TierState state) {
        return state.tier().survives().compareTo(options.minimumClass()) >= 0;
    }

    /** Returns whether a tier is known to have the class that the topic asks for. */
    public boolean hasItsClass() {
        return tiers.stream().anyMatch(tier -> isEnough(options, tier));
    }

    /**
     * Returns what is to be said of tiers that the topic may be in by its choice, and of which it
     * is not known whether they have its class; null when there are none.
     */
    public String unknownTiers() {
        List<String> unknown =
                store.tiers().stream()
                        .filter(tier -> isChosen(options, tier) && !isEnough(options, tier))
                        .filter(tier -> tier.tier().unknownFileSystem() != null)
                        .map(tier -> tier.tier().name() + " on " + tier.tier().unknownFileSystem())
                        .toList();
        if (unknown.isEmpty()) {
            return null;
        }
        return "topic "
                + name
                + " asks for "
                + options.minimumClass()
                + ", and it is not known whether its tiers "
                + unknown
                + " provide that: "
                + (hasItsClass()
                        ? "no more of it is stored there"
                        : "as there is no other, it is stored there nevertheless, and a power"
                                + " failure may lose acknowledged records")
                + "; if forced files survive a power failure there, declare that with"
                + " FileTier.withDeclaredDurable (server: storage.declare.durable=true)";
    }

    public LogContext store() {
        return store;
    }

    /** Names it in findings and messages about background work. */
    public Subject subject() {
        return subject;
    }

    public UUID id() {
        return id;
    }

    public String name() {
        return name;
    }

    public TopicOptions options() {
        return options;
    }

    /** Sets the options; what they leave open has the default. */
    public final void options(TopicOptions changed) {
        options = changed.completedBy(TopicOptions.defaults());
    }

    /** Whether each record needs a key, because the topic is compacted. */
    public boolean needsKeys() {
        return options.cleanup().isCompacting();
    }

    /** Whether its batches are another log's, with the epochs of that log. */
    public boolean isReplicated() {
        return options.isReplicated();
    }

    /** How far those have read for whom retention waits. */
    public ReadPositions readPositions() {
        return readPositions;
    }

    public void readPositions(ReadPositions value) {
        readPositions = value;
    }

    public TopicFiles files() {
        return files;
    }

    /** The directory with its small files. */
    public TopicDirectory directory() {
        return files.directory();
    }

    /** The tailers over several of its partitions. */
    public TopicTailers tailers() {
        return tailers;
    }

    /** The tiers that its segments may be in, hottest first. */
    public List<TierState> tiers() {
        return tiers;
    }

    /** Returns why there is no tier for its next segment; null when there is one. */
    public String lackOfTiers() {
        if (!tiers.isEmpty() && tiers.stream().allMatch(TierState::isDrained)) {
            return "topic " + name + " may only be in the tiers " + tiers + ", which are drained";
        }
        return tiers.isEmpty()
                ? "topic "
                        + name
                        + " asks for "
                        + options.minimumClass()
                        + ", which none of its tiers provides here: its records can be read, and"
                        + " appends need a tier on a medium whose forces survive what the topic"
                        + " asks for"
                : null;
    }

    /** Its tiers that work; all of them when none does. None that is drained. */
    public List<TierState> tiersInRotation() {
        for (TierState tier : tiers) {
            if (!tier.isInRotation()) {
                List<TierState> open = tiers.stream().filter(each -> !each.isDrained()).toList();
                List<TierState> working = open.stream().filter(TierState::isInRotation).toList();
                return working.isEmpty() ? open : working;
            }
        }
        return tiers;
    }

    /** Whether a segment in a tier would be in a hotter one if that had room and worked. */
    public boolean isSpill(TierState tier) {
        return tiers.stream().anyMatch(each -> each.index() < tier.index() && !each.isDrained());
    }

    /** The room in a segment: what the topic asks for, or what a block of its tiers holds. */
    public int segmentBytes() {
        return segmentBytes;
    }

    public Batch newBatch() {
        return new BatchEncoder(store.clock(), options.compression(), options.maxRecordBytes());
    }

    /** Creates a batch for single records, which are not compressed. */
    public Batch newRecordBatch() {
        return new BatchEncoder(store.clock(), Compression.NONE, options.maxRecordBytes());
    }

    @Override
    public String toString() {
        return name;
    }

    /** Tells retention how far those have read for whom it waits. Thread-safe. */
    @FunctionalInterface
    public interface ReadPositions {
        /** No cursor reads, and none is waited for. */
        ReadPositions NONE = partition -> Unread.NOTHING;

        /**
         * What is unread in a partition.
         *
         * @param from by the names of cursors, the offsets from which on each of them may still
         *     need records, also if the power failed now; 0 when that is not known
         * @param failure why something could not be read that may be read later: then any record
         *     may be unread; null when there was none
         */
        record Unread(Map<String, Long> from, FirnException failure) {
            /** No cursor needs a record. */
            public static final Unread NOTHING = new Unread(Map.of(), null);

            /** Returns the offset up to which all have read. */
            public long readTo() {
                return failure != null
                        ? 0
                        : from.values().stream()
                                .mapToLong(each -> each)
                                .min()
                                .orElse(Long.MAX_VALUE);
            }
        }

        /** Returns what is unread in a partition. */
        Unread unreadIn(int partition);

        /**
         * Moves the positions in a partition that are above an offset back to it, durably: what
         * those have read is being cut off, and what comes there instead is unread.
         */
        default void truncate(int partition, long offset) {}
    }
}
