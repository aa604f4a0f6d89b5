package io.firn.server.log;

import static io.firn.server.config.TopicKeys.RETAIN_UNTIL_READ;
import static io.firn.server.config.TopicKeys.UNREAD_LIMIT_BYTES;
import static io.firn.server.config.TopicKeys.UNREAD_LIMIT_MS;

import io.firn.CleanupPolicy;
import io.firn.InvalidOptionException;
import io.firn.RetainUntilRead;
import io.firn.TopicOptions;
import io.firn.server.config.ConfigType;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The configuration keys that stand for an option of the topic that can be changed: the option is
 * what holds, and what is shown. Each key has one option, and each text one meaning, so that an
 * option can be stored as the text of its key.
 */
final class TopicOptionKeys {
    static final String CLEANUP = "cleanup.policy";
    static final String LEAST_LAG = "min.compaction.lag.ms";
    static final String MOST_LAG = "max.compaction.lag.ms";
    private static final String DIRTY_RATIO = "min.cleanable.dirty.ratio";
    private static final String TOMBSTONES = "delete.retention.ms";
    private static final Set<String> COMPACTION =
            Set.of(LEAST_LAG, MOST_LAG, DIRTY_RATIO, TOMBSTONES);
    private static final Duration LEAST_ROLL = Duration.ofSeconds(1);

    /** In Kafka's keys, a limit that is not set. */
    private static final long UNLIMITED = -1;

    private record OptionKey(
            Function<TopicOptions, String> shown,
            BiFunction<TopicOptions, String, TopicOptions> applied) {}

    private static final Map<String, OptionKey> ALL = new LinkedHashMap<>();

    static {
        add(CLEANUP, o -> shown(o.cleanup()), (o, text) -> o.withCleanup(cleanupOf(text)));
        add(
                "retention.ms",
                o -> orMinusOne(o.retentionAge()),
                (o, text) ->
                        unlessMinusOne(text)
                                .map(o::withRetentionAge)
                                .orElseGet(o::withoutRetentionAge));
        add(
                "retention.bytes",
                o -> Long.toString(o.retentionBytes().orElse(UNLIMITED)),
                (o, text) -> {
                    long bytes = Long.parseLong(text);
                    return bytes < 0 ? o.withoutRetentionBytes() : o.withRetentionBytes(bytes);
                });
        add(
                "segment.ms",
                o -> orMax(o.rollAge()),
                (o, text) ->
                        unlessMax(text)
                                .map(age -> o.withRollAge(longer(age, LEAST_ROLL)))
                                .orElseGet(o::withoutRollAge));
        add(
                MOST_LAG,
                o -> orMax(o.maxCompactionLag()),
                (o, text) ->
                        unlessMax(text)
                                .map(o::withMaxCompactionLag)
                                .orElseGet(o::withoutMaxCompactionLag));
        add(
                LEAST_LAG,
                o -> Long.toString(o.minCompactionLag().toMillis()),
                (o, text) -> o.withMinCompactionLag(millis(text)));
        add(
                DIRTY_RATIO,
                o -> Double.toString(o.minDirtyRatio()),
                (o, text) -> o.withMinDirtyRatio(Double.parseDouble(text)));
        add(
                TOMBSTONES,
                o -> Long.toString(o.tombstoneRetention().toMillis()),
                (o, text) -> o.withTombstoneRetention(millis(text)));
        add(
                RETAIN_UNTIL_READ,
                o -> shown(o.retainUntilRead()),
                (o, text) -> o.withRetainUntilRead(readers(o.retainUntilRead(), text)));
        add(
                UNREAD_LIMIT_BYTES,
                o -> Long.toString(o.retainUntilRead().limitBytes().orElse(UNLIMITED)),
                (o, text) -> {
                    long bytes = Long.parseLong(text);
                    RetainUntilRead readers = o.retainUntilRead();
                    return o.withRetainUntilRead(
                            bytes == UNLIMITED
                                    ? readers.withoutLimitBytes()
                                    : readers.withLimitBytes(bytes));
                });
        add(
                UNREAD_LIMIT_MS,
                o -> orMinusOne(o.retainUntilRead().limitAge()),
                (o, text) -> {
                    RetainUntilRead readers = o.retainUntilRead();
                    return o.withRetainUntilRead(
                            unlessMinusOne(text)
                                    .map(readers::withLimitAge)
                                    .orElseGet(readers::withoutLimitAge));
                });
    }

    private TopicOptionKeys() {}

    private static void add(
            String key,
            Function<TopicOptions, String> shown,
            BiFunction<TopicOptions, String, TopicOptions> applied) {
        ALL.put(key, new OptionKey(shown, applied));
    }

    /** Returns the keys. */
    static Set<String> all() {
        return ALL.keySet();
    }

    /** Returns whether a key stands for an option. */
    static boolean contains(String key) {
        return ALL.containsKey(key);
    }

    /** Returns whether a key has an effect on compacted topics only. */
    static boolean isOfCompaction(String key) {
        return COMPACTION.contains(key);
    }

    /** Returns the text of an option. */
    static String shown(TopicOptions options, String key) {
        return ALL.get(key).shown.apply(options);
    }

    /** Returns whether a text is that of an option. */
    static boolean isShown(TopicOptions options, String key, String text) {
        return shown(options, key).equals(text);
    }

    /**
     * Returns options with the values of some keys.
     *
     * @throws io.firn.InvalidOptionException when they do not fit the others
     */
    static TopicOptions apply(TopicOptions options, Map<String, String> texts) {
        TopicOptions applied = options;
        Map<String, String> all = new HashMap<>(texts);
        if (texts.containsKey(LEAST_LAG) || texts.containsKey(MOST_LAG)) {
            all.putIfAbsent(LEAST_LAG, shown(options, LEAST_LAG));
            all.putIfAbsent(MOST_LAG, shown(options, MOST_LAG));
            checkLags(all.get(LEAST_LAG), all.get(MOST_LAG));
            applied = applied.withMinCompactionLag(Duration.ZERO); // which fits any other
        }
        for (Map.Entry<String, OptionKey> each : ALL.entrySet()) {
            String text = all.get(each.getKey());
            if (text != null) {
                applied = each.getValue().applied.apply(applied, text.trim());
            }
        }
        return applied;
    }

    /** With Kafka's names of the keys, which a client knows. */
    private static void checkLags(String least, String most) {
        if (Long.parseLong(least.trim()) > Long.parseLong(most.trim())) {
            throw new InvalidOptionException(
                    LEAST_LAG + " must be at most " + MOST_LAG + " (" + most + "), found " + least);
        }
    }

    /** Returns whether an option has the value that a text means. */
    static boolean hold(TopicOptions options, String key, String text) {
        OptionKey of = ALL.get(key);
        try {
            // With the defaults of the others, so that none can be at odds with it.
            TopicOptions meant = of.applied.apply(TopicOptions.defaults(), text.trim());
            return of.shown.apply(meant).equals(of.shown.apply(options));
        } catch (NumberFormatException | InvalidOptionException e) {
            return false; // an older version accepted it
        }
    }

    // ---- texts

    private static Duration millis(String text) {
        return Duration.ofMillis(Long.parseLong(text));
    }

    /** Kafka has no text for a time without limit here: the longest is as near as can be. */
    private static String orMax(Optional<Duration> limit) {
        return Long.toString(limit.map(Duration::toMillis).orElse(Long.MAX_VALUE));
    }

    private static Optional<Duration> unlessMax(String text) {
        return limit(text, Long.MAX_VALUE);
    }

    private static String orMinusOne(Optional<Duration> limit) {
        return Long.toString(limit.map(Duration::toMillis).orElse(UNLIMITED));
    }

    private static Optional<Duration> unlessMinusOne(String text) {
        return limit(text, UNLIMITED);
    }

    private static Optional<Duration> limit(String text, long unlimited) {
        long ms = Long.parseLong(text);
        return ms == unlimited ? Optional.empty() : Optional.of(Duration.ofMillis(ms));
    }

    private static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) > 0 ? one : other;
    }

    private static String shown(CleanupPolicy cleanup) {
        return switch (cleanup) {
            case DELETE -> "delete";
            case COMPACT -> "compact";
            case COMPACT_AND_DELETE -> "compact,delete";
            case NONE -> "";
        };
    }

    private static CleanupPolicy cleanupOf(String text) {
        List<String> items = ConfigType.itemsOf(text);
        boolean deletes = items.contains("delete");
        if (items.contains("compact")) {
            return deletes ? CleanupPolicy.COMPACT_AND_DELETE : CleanupPolicy.COMPACT;
        }
        return deletes ? CleanupPolicy.DELETE : CleanupPolicy.NONE;
    }

    private static String shown(RetainUntilRead readers) {
        return readers.isAll()
                ? "*"
                : readers.cursors().stream()
                        .map(CursorNames::encode)
                        .collect(Collectors.joining(","));
    }

    private static RetainUntilRead readers(RetainUntilRead limits, String text) {
        List<String> items = ConfigType.itemsOf(text);
        RetainUntilRead readers =
                items.isEmpty()
                        ? RetainUntilRead.none()
                        : items.equals(List.of("*"))
                                ? RetainUntilRead.byAll()
                                : RetainUntilRead.by(
                                        items.stream().map(CursorNames::decode).toList());
        if (limits.limitBytes().isPresent()) {
            readers = readers.withLimitBytes(limits.limitBytes().getAsLong());
        }
        return limits.limitAge().map(readers::withLimitAge).orElse(readers);
    }
}
