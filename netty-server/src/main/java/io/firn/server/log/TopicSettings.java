package io.firn.server.log;

import io.firn.Cleanup;
import io.firn.Durability;
import io.firn.InvalidOptionException;
import io.firn.RetainUntilRead;
import io.firn.TopicOptions;
import io.firn.server.config.ConfigType;
import io.firn.server.config.TopicKeys;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The configuration of a topic: the values that were set, and the server's defaults. Immutable. */
public final class TopicSettings {
    private static final int LEAST_SEGMENT = 64 << 10;
    private static final int MOST_SEGMENT = 1 << 30;
    private static final int EMBEDDED_RECORD = 1 << 20;

    private final Map<String, String> set;
    private final Map<String, String> defaults;
    private final int maxMessageBytes;
    private final boolean appendTime;
    private final boolean compacted;
    private final long timestampAfterMaxMs;
    private final long timestampBeforeMaxMs;

    private TopicSettings(Map<String, String> set, Map<String, String> defaults) {
        this.set = new TreeMap<>(set);
        this.defaults = defaults;
        this.maxMessageBytes = Integer.parseInt(get("max.message.bytes"));
        this.appendTime = get("message.timestamp.type").equals("LogAppendTime");
        this.compacted = get("cleanup.policy").contains("compact");
        this.timestampAfterMaxMs = Long.parseLong(get("message.timestamp.after.max.ms"));
        this.timestampBeforeMaxMs = Long.parseLong(get("message.timestamp.before.max.ms"));
    }

    /** Returns a stored configuration. An older version may have accepted more values. */
    static TopicSettings stored(Map<String, String> set, Map<String, String> defaults) {
        return new TopicSettings(set, defaults);
    }

    /**
     * Checks the values that are new.
     *
     * @param before the values that are set now, which are not checked again
     * @throws InvalidOptionException for an unknown key and for a value that does not fit, by
     *     itself or with the others
     */
    static TopicSettings checked(
            Map<String, String> set, Map<String, String> before, Map<String, String> defaults) {
        set.forEach(
                (name, value) -> {
                    if (value == null || !value.equals(before.get(name))) {
                        TopicKeys.of(name).check(value);
                    }
                });
        TopicSettings settings = new TopicSettings(set, defaults);
        if (!set.equals(before)) {
            settings.checkTogether();
        }
        return settings;
    }

    private void checkTogether() {
        long least = Long.parseLong(get("min.compaction.lag.ms"));
        long most = Long.parseLong(get("max.compaction.lag.ms"));
        if (least > most) {
            throw new InvalidOptionException(
                    "min.compaction.lag.ms must be at most max.compaction.lag.ms ("
                            + most
                            + "), found "
                            + least);
        }
    }

    /** Returns the values that were set, by key. */
    public Map<String, String> set() {
        return set;
    }

    /** Returns the value of a key: the one that was set, or the default. */
    public String get(String key) {
        String value = set.get(key);
        return (value == null ? defaults.get(key) : value).trim();
    }

    /** Returns the size of the largest batch that is accepted. */
    int maxMessageBytes() {
        return maxMessageBytes;
    }

    /** Returns whether batches get the time at which they are appended. */
    boolean isAppendTime() {
        return appendTime;
    }

    /** Returns whether the topic is compacted, so that records need keys. */
    boolean isCompacted() {
        return compacted;
    }

    /** Returns whether retention and clients may delete records. */
    boolean isDeleted() {
        return get("cleanup.policy").contains("delete");
    }

    /** Returns whether the topic accepts the timestamp of a batch. */
    boolean acceptsTimestamp(long timestampMs, long nowMs) {
        return timestampMs < 0
                || (timestampMs - nowMs <= timestampAfterMaxMs
                        && nowMs - timestampMs <= timestampBeforeMaxMs);
    }

    /** Returns the options of the log for a new topic. */
    TopicOptions options(int partitions) {
        int segment =
                Math.max(
                        LEAST_SEGMENT,
                        Math.min(MOST_SEGMENT, Integer.parseInt(get("segment.bytes"))));
        TopicOptions options =
                TopicOptions.defaults()
                        .withPartitions(partitions)
                        .withDurability(
                                get("firn.durability").equals("written")
                                        ? Durability.WRITTEN
                                        : Durability.DURABLE)
                        .withSegmentBytes(segment)
                        .withMaxRecordBytes(Math.min(EMBEDDED_RECORD, segment / 2));
        return applyTo(options, Map.of());
    }

    /**
     * Returns options with the values that can be changed later.
     *
     * @param before the values that were set before these: what an application chose for itself
     *     stays as long as no client sets it
     */
    TopicOptions applyTo(TopicOptions options, Map<String, String> before) {
        boolean deletes = isDeleted();
        long bytes =
                deletes
                        ? Math.max(TopicOptions.UNLIMITED, Long.parseLong(get("retention.bytes")))
                        : TopicOptions.UNLIMITED;
        long ms = deletes ? Long.parseLong(get("retention.ms")) : TopicOptions.UNLIMITED;
        return compaction(options)
                .withRetentionBytes(bytes)
                .withRetentionMs(ms)
                .withRollAge(Duration.ofMillis(Math.max(1_000, Long.parseLong(get("segment.ms")))))
                .withRetainUntilRead(readers(options.retainUntilRead(), before));
    }

    /**
     * Where nothing is compacted, the options have their defaults: versions that do not know them
     * can then open the topic.
     */
    private TopicOptions compaction(TopicOptions options) {
        TopicOptions none = TopicOptions.defaults();
        TopicOptions off =
                options.withCleanup(none.cleanup())
                        .withMinCompactionLag(Duration.ofMillis(none.minCompactionLagMs()))
                        .withMaxCompactionLagMs(none.maxCompactionLagMs())
                        .withMinDirtyRatio(none.minDirtyRatio())
                        .withTombstoneRetention(Duration.ofMillis(none.tombstoneRetentionMs()));
        if (!compacted) {
            return off;
        }
        long most = Long.parseLong(get("max.compaction.lag.ms"));
        long least = Math.min(Long.parseLong(get("min.compaction.lag.ms")), most);
        long tombstones = Long.parseLong(get("delete.retention.ms"));
        return off.withCleanup(isDeleted() ? Cleanup.COMPACT_AND_DELETE : Cleanup.COMPACT)
                .withMaxCompactionLagMs(most == Long.MAX_VALUE ? TopicOptions.UNLIMITED : most)
                .withMinCompactionLag(Duration.ofMillis(least))
                .withMinDirtyRatio(Double.parseDouble(get("min.cleanable.dirty.ratio")))
                .withTombstoneRetention(Duration.ofMillis(tombstones));
    }

    private RetainUntilRead readers(RetainUntilRead now, Map<String, String> before) {
        RetainUntilRead readers = now;
        if (isOurs(TopicKeys.RETAIN_UNTIL_READ, before)) {
            List<String> ids = ConfigType.itemsOf(setOr(TopicKeys.RETAIN_UNTIL_READ, ""));
            readers =
                    ids.isEmpty()
                            ? RetainUntilRead.nobody()
                            : ids.equals(List.of("*"))
                                    ? RetainUntilRead.byAll()
                                    : RetainUntilRead.by(ids);
            readers = readers.withLimitBytes(now.limitBytes()).withLimitMs(now.limitMs());
        }
        if (isOurs(TopicKeys.UNREAD_LIMIT_BYTES, before)) {
            long bytes = Long.parseLong(setOr(TopicKeys.UNREAD_LIMIT_BYTES, "-1"));
            readers = readers.withLimitBytes(bytes);
        }
        if (isOurs(TopicKeys.UNREAD_LIMIT_MS, before)) {
            long ms = Long.parseLong(setOr(TopicKeys.UNREAD_LIMIT_MS, "-1"));
            readers = readers.withLimitMs(ms);
        }
        return readers;
    }

    private boolean isOurs(String key, Map<String, String> before) {
        return set.containsKey(key) || before.containsKey(key);
    }

    private String setOr(String key, String otherwise) {
        return set.getOrDefault(key, otherwise).trim();
    }
}
