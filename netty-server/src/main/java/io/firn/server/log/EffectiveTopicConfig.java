package io.firn.server.log;

import io.firn.Durability;
import io.firn.InvalidOptionException;
import io.firn.TopicOptions;
import io.firn.server.config.ConfigType;
import io.firn.server.config.TopicKeys;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * The configuration of a topic that holds: the options of the topic where a key stands for one,
 * otherwise what clients have named, and the server's defaults. Immutable.
 */
public final class EffectiveTopicConfig {
    static final String SEGMENT_BYTES = "segment.bytes";
    static final String DURABILITY = "firn.durability";
    private static final int LEAST_SEGMENT = 64 << 10;
    private static final int MOST_SEGMENT = 1 << 30;
    private static final int EMBEDDED_RECORD = 1 << 20;

    private final TopicOptions options;
    private final Map<String, String> named;
    private final Map<String, String> defaults;
    private final int maxMessageBytes;
    private final boolean appendTime;
    private final long timestampAfterMaxMs;
    private final long timestampBeforeMaxMs;

    /**
     * Creates settings.
     *
     * @param named what clients have named, and holds
     */
    EffectiveTopicConfig(
            TopicOptions options, Map<String, String> named, Map<String, String> defaults) {
        this.options = options;
        this.named = new TreeMap<>(named);
        this.defaults = defaults;
        this.maxMessageBytes = Integer.parseInt(get("max.message.bytes"));
        this.appendTime = get("message.timestamp.type").equals("LogAppendTime");
        this.timestampAfterMaxMs = Long.parseLong(get("message.timestamp.after.max.ms"));
        this.timestampBeforeMaxMs = Long.parseLong(get("message.timestamp.before.max.ms"));
    }

    /**
     * Checks values that are new.
     *
     * @param before the values that are named now, which are not checked again
     * @throws InvalidOptionException for an unknown key and for a value that does not fit
     */
    static void check(Map<String, String> named, Map<String, String> before) {
        named.forEach(
                (name, value) -> {
                    if (value == null || !value.equals(before.get(name))) {
                        TopicKeys.of(name).check(value);
                    }
                });
    }

    /**
     * Returns the options of the log for a new topic.
     *
     * @throws InvalidOptionException when values do not fit together
     */
    static TopicOptions options(
            int partitions, Map<String, String> named, Map<String, String> defaults) {
        Map<String, String> all = new TreeMap<>(defaults);
        all.putAll(named);
        int segment = segmentBytes(all.get(SEGMENT_BYTES));
        boolean written = all.get(DURABILITY).trim().equals("written");
        TopicOptions fixed =
                TopicOptions.defaults()
                        .withPartitions(partitions)
                        .withDurability(written ? Durability.WRITTEN : Durability.DURABLE)
                        .withSegmentBytes(segment)
                        .withMaxRecordBytes(Math.min(EMBEDDED_RECORD, segment / 2));
        return TopicOptionKeys.apply(fixed, all);
    }

    private static int segmentBytes(String text) {
        return Math.max(LEAST_SEGMENT, Math.min(MOST_SEGMENT, Integer.parseInt(text.trim())));
    }

    /** Returns whether a value is that of the option, if the key stands for one. */
    static boolean hold(TopicOptions options, String key, String text) {
        if (key.equals(SEGMENT_BYTES)) {
            return segmentBytes(text) == options.segmentBytes();
        }
        return !TopicOptionKeys.contains(key) || TopicOptionKeys.hold(options, key, text);
    }

    /** Returns whether these are the options that it was made of: then it is still true. */
    @SuppressWarnings("ReferenceEquality") // each change makes new ones
    boolean isOf(TopicOptions ofTopic) {
        return options == ofTopic;
    }

    /** Returns the options of the topic. */
    TopicOptions options() {
        return options;
    }

    /** Returns the values that clients have named, by key. */
    public Map<String, String> named() {
        return named;
    }

    /** Returns the value of a key. */
    public String get(String key) {
        String byClient = named.get(key);
        if (TopicOptionKeys.contains(key)) {
            boolean isList = byClient != null && TopicKeys.of(key).type() == ConfigType.LIST;
            return isList ? byClient.trim() : TopicOptionKeys.shown(options, key); // in its order
        }
        return switch (key) {
            case SEGMENT_BYTES -> Integer.toString(options.segmentBytes());
            case DURABILITY -> options.durability().name().toLowerCase(Locale.ROOT);
            default -> (byClient == null ? defaults.get(key) : byClient).trim();
        };
    }

    /** Returns whether a key has the server's default, which no client has named. */
    public boolean isDefault(String key) {
        if (named.containsKey(key)) {
            return false;
        }
        String value = defaults.get(key);
        return TopicOptionKeys.contains(key)
                ? TopicOptionKeys.hold(options, key, value)
                : get(key).equals(value.trim());
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
        return options.cleanup().isCompacting();
    }

    /** Returns whether clients may delete records. */
    public boolean isDeleted() {
        return options.cleanup().isDeleting();
    }

    /**
     * Returns whether records may be too old, so that the latest one of a batch says too little.
     */
    boolean limitsPast() {
        return timestampBeforeMaxMs != Long.MAX_VALUE;
    }

    /** Returns which timestamps are accepted, in words. */
    String acceptedTimestamps(long nowMs) {
        return (limitsPast()
                        ? "from "
                                + Math.max(0, nowMs - timestampBeforeMaxMs)
                                + " (message.timestamp.before.max.ms) "
                        : "")
                + "up to "
                + (nowMs > Long.MAX_VALUE - timestampAfterMaxMs
                        ? Long.MAX_VALUE
                        : nowMs + timestampAfterMaxMs)
                + " (message.timestamp.after.max.ms)";
    }

    /** Returns whether the topic accepts the timestamp of a batch. */
    boolean acceptsTimestamp(long timestampMs, long nowMs) {
        return timestampMs < 0
                || (timestampMs - nowMs <= timestampAfterMaxMs
                        && nowMs - timestampMs <= timestampBeforeMaxMs);
    }
}
