package io.firn.metadata;

import io.firn.Compression;
import io.firn.Durability;
import io.firn.DurabilityClass;
import io.firn.InvalidOptionException;
import io.firn.TopicOptions;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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
    private static final String TIERS = "tiers";

    /** How one option is written, and read into options that have the default. */
    private record Entry(
            String name,
            Function<TopicOptions, Object> value,
            BiFunction<TopicOptions, String, TopicOptions> reader) {}

    /**
     * In the order in which they are written and read: the size of a segment before that of the
     * records that have to fit.
     */
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
                            TopicOptions::rollMs,
                            (options, text) -> options.withRollMs(Long.parseLong(text))),
                    new Entry(
                            "retentionBytes",
                            TopicOptions::retentionBytes,
                            (options, text) -> options.withRetentionBytes(Long.parseLong(text))),
                    new Entry(
                            "retentionMs",
                            TopicOptions::retentionMs,
                            (options, text) -> options.withRetentionMs(Long.parseLong(text))),
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
                                            Integer.parseInt(text),
                                            Duration.ofMillis(options.forceMs()))),
                    new Entry(
                            "forceMs",
                            TopicOptions::forceMs,
                            (options, text) ->
                                    options.withForce(
                                            options.forceBytes(),
                                            Duration.ofMillis(Long.parseLong(text)))),
                    new Entry(
                            "minimumClass",
                            options -> Objects.requireNonNullElse(options.minimumClass(), ""),
                            (options, text) ->
                                    options.withMinimumClass(
                                            text.isEmpty() ? null : DurabilityClass.valueOf(text))),
                    new Entry(
                            TIERS,
                            options -> String.join(",", options.tiers()),
                            (options, text) ->
                                    text.isEmpty() ? options : options.withTiers(text.split(","))));

    private static final Set<String> NAMES =
            ENTRIES.stream().map(Entry::name).collect(Collectors.toUnmodifiableSet());

    private TopicOptionsFormat() {}

    /** Returns the text of each option by its name, in the order of the file. */
    public static Map<String, String> encode(TopicOptions options) {
        Map<String, String> text = new LinkedHashMap<>();
        for (Entry entry : ENTRIES) {
            text.put(entry.name(), entry.value().apply(options).toString());
        }
        if (options.tiers().isEmpty()) {
            text.remove(TIERS); // the one option that version 1 did not have from its beginning
        }
        return text;
    }

    /**
     * Returns options from text; those that are not named have their defaults.
     *
     * @throws InvalidOptionException for an unknown name, and for a value that cannot be read or is
     *     out of range
     */
    public static TopicOptions decode(Map<String, String> text) {
        for (String name : text.keySet()) {
            if (!NAMES.contains(name)) {
                throw new InvalidOptionException("unknown option '" + name + "'");
            }
        }
        TopicOptions options = TopicOptions.defaults();
        for (Entry entry : ENTRIES) {
            String value = text.get(entry.name());
            if (value != null) {
                options = decode(entry, value, options);
            }
        }
        return options;
    }

    private static TopicOptions decode(Entry entry, String value, TopicOptions options) {
        try {
            return entry.reader().apply(options, value);
        } catch (IllegalArgumentException e) {
            throw new InvalidOptionException(
                    "option " + entry.name() + " cannot be '" + value + "'");
        }
    }
}
