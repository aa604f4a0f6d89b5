package io.firn.metadata;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.firn.CleanupPolicy;
import io.firn.Compression;
import io.firn.Durability;
import io.firn.InvalidOptionException;
import io.firn.RetainUntilRead;
import io.firn.Survives;
import io.firn.TopicOptions;
import io.firn.medium.Fields;
import io.firn.medium.FileErrors.DamagedFileException;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * A topic's options as text, by name: how the topic file contains them. An option that a version
 * adds gets a line here, and is written only where it differs from its default: topics without it
 * then stay readable for versions that do not know it.
 */
public final class TopicOptionsFormat {
    private static final String ALL = "*";

    /** In files, a limit that is not set. */
    private static final long UNLIMITED = -1;

    private static final String MINIMUM_CLASS = "minimumClass";

    /** In files, the name of {@link Survives#POWER_LOSS}. */
    private static final String POWER_FAIL = "POWER_FAIL";

    /** Without it a topic's file is one of version 1. */
    private static final String CLEANUP = "cleanup";

    /** With it a topic's file is one of version 3. */
    private static final String REPLICATED = "replicated";

    /** How one option is written, and read into options that have the default. */
    private record Entry(
            String name,
            Function<TopicOptions, Object> value,
            BiFunction<TopicOptions, String, TopicOptions> reader) {}

    /** In the order in which they are written and read. */
    private static final List<Entry> ENTRIES =
            List.of(
                    new Entry(
                            "partitions",
                            TopicOptions::partitions,
                            (options, text) -> options.withPartitions(Integer.parseInt(text))),
                    new Entry(
                            "durability",
                            TopicOptions::durability,
                            (options, text) -> options.withDurability(Durability.valueOf(text))),
                    new Entry(
                            "segmentBytes",
                            TopicOptions::segmentBytes,
                            (options, text) -> options.withSegmentBytes(Integer.parseInt(text))),
                    new Entry(
                            "rollMs",
                            options -> msOf(options.rollAge()),
                            (options, text) ->
                                    age(text)
                                            .map(options::withRollAge)
                                            .orElseGet(options::withoutRollAge)),
                    new Entry(
                            "retentionBytes",
                            options -> options.retentionBytes().orElse(UNLIMITED),
                            (options, text) ->
                                    isUnlimited(text)
                                            ? options.withoutRetentionBytes()
                                            : options.withRetentionBytes(Long.parseLong(text))),
                    new Entry(
                            "retentionMs",
                            options -> msOf(options.retentionAge()),
                            (options, text) ->
                                    age(text)
                                            .map(options::withRetentionAge)
                                            .orElseGet(options::withoutRetentionAge)),
                    new Entry(
                            "maxRecordBytes",
                            TopicOptions::maxRecordBytes,
                            (options, text) -> options.withMaxRecordBytes(Integer.parseInt(text))),
                    new Entry(
                            "compression",
                            TopicOptions::compression,
                            (options, text) -> options.withCompression(Compression.valueOf(text))),
                    new Entry(
                            "forceBytes",
                            TopicOptions::forceBytes,
                            (options, text) ->
                                    options.withForce(
                                            Integer.parseInt(text), options.forceInterval())),
                    new Entry(
                            "forceMs",
                            options -> options.forceInterval().toMillis(),
                            (options, text) ->
                                    options.withForce(options.forceBytes(), millis(text))),
                    new Entry(
                            MINIMUM_CLASS,
                            options -> textOf(options.minimumClass()),
                            (options, text) -> options.withMinimumClass(classOf(text))),
                    new Entry(
                            "tiers",
                            options -> String.join(",", options.tiers()),
                            (options, text) ->
                                    text.isEmpty() ? options : options.withTiers(text.split(","))),
                    new Entry(
                            "retainUntilRead",
                            options -> encode(options.retainUntilRead()),
                            (options, text) -> options.withRetainUntilRead(decode(text))),
                    new Entry(
                            "unreadLimitBytes",
                            options -> options.retainUntilRead().limitBytes().orElse(UNLIMITED),
                            (options, text) ->
                                    options.withRetainUntilRead(
                                            withLimitBytes(options.retainUntilRead(), text))),
                    new Entry(
                            "unreadLimitMs",
                            options -> msOf(options.retainUntilRead().limitAge()),
                            (options, text) ->
                                    options.withRetainUntilRead(
                                            withLimitAge(options.retainUntilRead(), text))),
                    new Entry(
                            "preparedBytes",
                            TopicOptions::preparedBytes,
                            (options, text) -> options.withPreparedBytes(Integer.parseInt(text))),
                    new Entry(
                            CLEANUP,
                            TopicOptions::cleanup,
                            (options, text) -> options.withCleanup(CleanupPolicy.valueOf(text))),
                    new Entry(
                            "maxCompactionLagMs",
                            options -> msOf(options.maxCompactionLag()),
                            (options, text) ->
                                    age(text)
                                            .map(options::withMaxCompactionLag)
                                            .orElseGet(options::withoutMaxCompactionLag)),
                    new Entry(
                            "minCompactionLagMs",
                            options -> options.minCompactionLag().toMillis(),
                            (options, text) -> options.withMinCompactionLag(millis(text))),
                    new Entry(
                            "minDirtyRatio",
                            TopicOptions::minDirtyRatio,
                            (options, text) -> options.withMinDirtyRatio(Double.parseDouble(text))),
                    new Entry(
                            "tombstoneRetentionMs",
                            options -> options.tombstoneRetention().toMillis(),
                            (options, text) -> options.withTombstoneRetention(millis(text))),
                    new Entry(
                            REPLICATED,
                            TopicOptions::isReplicated,
                            (options, text) -> options.withReplicated(Boolean.parseBoolean(text))));

    /**
     * What version 1 has had from its beginning, and always writes. The others are left out where
     * they have their default.
     */
    private static final int ALWAYS_WRITTEN = 11;

    private static final Set<String> NAMES =
            ENTRIES.stream().map(Entry::name).collect(Collectors.toUnmodifiableSet());

    private TopicOptionsFormat() {}

    /**
     * Returns the version of the file that has these options. A version of Firn that does not know
     * compaction must not open a compacted topic: it would accept records without a key. One that
     * does not know replicas must not open a replicated topic: it would take its batches for torn
     * ones, because of their epochs.
     */
    static int versionOf(TopicOptions options) {
        if (options.isReplicated()) {
            return 3;
        }
        return options.cleanup() == CleanupPolicy.DELETE ? 1 : 2;
    }

    /** Returns the text of each option by its name, in the order of the file. */
    public static Map<String, String> encode(TopicOptions options) {
        Map<String, String> text = new LinkedHashMap<>();
        for (int i = 0; i < ENTRIES.size(); i++) {
            Entry entry = ENTRIES.get(i);
            Object value = entry.value().apply(options);
            if (i < ALWAYS_WRITTEN || !value.equals(entry.value().apply(TopicOptions.defaults()))) {
                text.put(entry.name(), value.toString());
            }
        }
        return text;
    }

    private static Duration millis(String text) {
        return Duration.ofMillis(Long.parseLong(text));
    }

    private static boolean isUnlimited(String text) {
        return Long.parseLong(text) == UNLIMITED;
    }

    private static Optional<Duration> age(String text) {
        return isUnlimited(text) ? Optional.empty() : Optional.of(millis(text));
    }

    private static long msOf(Optional<Duration> limit) {
        return limit.map(Duration::toMillis).orElse(UNLIMITED);
    }

    private static RetainUntilRead withLimitBytes(RetainUntilRead readers, String text) {
        return isUnlimited(text)
                ? readers.withoutLimitBytes()
                : readers.withLimitBytes(Long.parseLong(text));
    }

    private static RetainUntilRead withLimitAge(RetainUntilRead readers, String text) {
        return age(text).map(readers::withLimitAge).orElseGet(readers::withoutLimitAge);
    }

    /**
     * A cursor's name may have any characters, so none of it is to look like a separator, or like
     * the word for all.
     */
    private static String encode(RetainUntilRead readers) {
        return readers.isAll()
                ? ALL
                : readers.cursors().stream()
                        .map(name -> URLEncoder.encode(name, UTF_8).replace("*", "%2A"))
                        .collect(Collectors.joining(","));
    }

    private static RetainUntilRead decode(String text) {
        if (text.isEmpty()) {
            return RetainUntilRead.none();
        }
        return text.equals(ALL)
                ? RetainUntilRead.byAll()
                : RetainUntilRead.by(
                        Arrays.stream(text.split(","))
                                .map(name -> URLDecoder.decode(name, UTF_8))
                                .toArray(String[]::new));
    }

    /** Checks that a file has what each version has written. */
    static void checkComplete(Fields fields) throws DamagedFileException {
        for (Entry entry : ENTRIES.subList(0, ALWAYS_WRITTEN)) {
            fields.text(entry.name());
        }
        if (fields.text(MINIMUM_CLASS).isEmpty()) {
            throw fields.unexpected(MINIMUM_CLASS, "the class that the topic has", "");
        }
    }

    /**
     * Returns options from text; those that are not named have their defaults.
     *
     * @throws InvalidOptionException for an unknown name, and for a value that cannot be read, is
     *     out of range or does not fit another one
     */
    public static TopicOptions decode(Map<String, String> text) {
        for (String name : text.keySet()) {
            if (!NAMES.contains(name)) {
                throw new InvalidOptionException("unknown option '" + Fields.shown(name) + "'");
            }
        }
        TopicOptions options = TopicOptions.defaults();
        for (Entry entry : ENTRIES) {
            String value = text.get(entry.name());
            if (value != null) {
                options = decode(entry, value, options);
            }
        }
        return options.completedBy(TopicOptions.defaults());
    }

    private static TopicOptions decode(Entry entry, String value, TopicOptions options) {
        try {
            return entry.reader().apply(options, value);
        } catch (IllegalArgumentException e) {
            throw new InvalidOptionException(
                    "option " + entry.name() + " cannot be '" + Fields.shown(value) + "'");
        }
    }

    private static String textOf(Survives minimum) {
        if (minimum == null) {
            return "";
        }
        return minimum == Survives.POWER_LOSS ? POWER_FAIL : minimum.name();
    }

    private static Survives classOf(String text) {
        if (text.isEmpty()) {
            return null;
        }
        return text.equals(POWER_FAIL) ? Survives.POWER_LOSS : Survives.valueOf(text);
    }
}
