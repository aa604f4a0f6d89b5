package io.firn;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The options of a topic. Immutable; each {@code with…} returns a changed copy.
 *
 * @param partitions 1 to 100,000
 * @param durability when appends return and what readers see
 * @param segmentBytes 64 KiB to 1 GiB
 * @param rollMs a segment older than this is sealed, in ms; at least 1,000, or {@link #UNLIMITED}
 * @param retentionBytes whole segments of a partition are deleted above it; or {@link #UNLIMITED}
 * @param retentionMs segments sealed longer ago than this are deleted; or {@link #UNLIMITED}
 * @param maxRecordBytes the largest record (key, value and headers, encoded) that is accepted, at
 *     least 1 and less than {@code segmentBytes}
 * @param compression of embedded batches; a record appended by itself is not compressed
 * @param forceBytes in a {@link Durability#WRITTEN} topic: forced after so many bytes
 * @param forceMs in a {@link Durability#WRITTEN} topic: forced after so many ms
 * @param minimumClass the weakest class of a tier for its records; null for the hottest tier's
 *     class
 * @param tiers labels of the tiers that its records may be in, see {@link
 *     LogStoreBuilder#tier(String, io.firn.spi.StorageTier)}; empty for all
 */
public record TopicOptions(
        int partitions,
        Durability durability,
        int segmentBytes,
        long rollMs,
        long retentionBytes,
        long retentionMs,
        int maxRecordBytes,
        Compression compression,
        int forceBytes,
        long forceMs,
        DurabilityClass minimumClass,
        List<String> tiers) {

    /** No bound. */
    public static final long UNLIMITED = -1;

    private static final int KIB = 1024;
    private static final TopicOptions DEFAULTS =
            new TopicOptions(
                    1,
                    Durability.DURABLE,
                    64 * KIB * KIB,
                    UNLIMITED,
                    UNLIMITED,
                    UNLIMITED,
                    KIB * KIB,
                    Compression.NONE,
                    KIB * KIB,
                    100,
                    null,
                    List.of());

    /** Checks every range. */
    public TopicOptions {
        check("partitions", partitions, 1, 100_000);
        check("segmentBytes", segmentBytes, 64 * KIB, KIB * KIB * KIB);
        checkOrUnlimited("rollMs", rollMs, 1_000);
        checkOrUnlimited("retentionBytes", retentionBytes, 0);
        checkOrUnlimited("retentionMs", retentionMs, 0);
        check("maxRecordBytes", maxRecordBytes, 1, segmentBytes - 1);
        check("forceBytes", forceBytes, 1, Integer.MAX_VALUE);
        check("forceMs", forceMs, 1, Long.MAX_VALUE);
        if (durability == null || compression == null) {
            throw new InvalidOptionException("durability and compression must not be null");
        }
        Objects.requireNonNull(tiers, "tiers");
        for (String label : tiers) {
            if (!LogStoreBuilder.isTierLabel(Objects.requireNonNull(label, "tiers"))) {
                throw new InvalidOptionException(
                        "tiers: a tier's label has 1 to 32 of the characters a-z 0-9 -, not '"
                                + label
                                + "'");
            }
        }
        tiers = List.copyOf(tiers);
    }

    /**
     * One partition, DURABLE, segments of 64 MiB, records up to 1 MiB, nothing deleted, nothing
     * compressed.
     */
    public static TopicOptions defaults() {
        return DEFAULTS;
    }

    /** See the record's parameters. */
    public TopicOptions withPartitions(int value) {
        return with("partitions", value);
    }

    /** See the record's parameters. */
    public TopicOptions withDurability(Durability value) {
        Objects.requireNonNull(value, "durability");
        return with("durability", value);
    }

    /**
     * See the record's parameters; lowers {@code maxRecordBytes} when it would not fit any more.
     */
    public TopicOptions withSegmentBytes(int value) {
        TopicOptions fitting =
                value > 1 && maxRecordBytes >= value ? withMaxRecordBytes(value - 1) : this;
        return fitting.with("segmentBytes", value);
    }

    /** See the record's parameters; a part of a ms counts as a whole one. 1 s or longer. */
    public TopicOptions withRollAge(Duration value) {
        return with("rollMs", wholeMillis("rollAge", value));
    }

    /** See the record's parameters. */
    public TopicOptions withRetentionBytes(long value) {
        return with("retentionBytes", value);
    }

    /** See the record's parameters; 0 or more, or {@link #UNLIMITED}. */
    public TopicOptions withRetentionMs(long value) {
        return with("retentionMs", value);
    }

    /**
     * See the record's parameters; a part of a ms counts as a whole one. Not negative: {@link
     * #withRetentionMs} removes the limit.
     */
    public TopicOptions withRetentionAge(Duration value) {
        return with("retentionMs", wholeMillis("retentionAge", value));
    }

    /** See the record's parameters. */
    public TopicOptions withMaxRecordBytes(int value) {
        return with("maxRecordBytes", value);
    }

    /** See the record's parameters. */
    public TopicOptions withCompression(Compression value) {
        Objects.requireNonNull(value, "compression");
        return with("compression", value);
    }

    /** See the record's parameters; a part of a ms counts as a whole one. */
    public TopicOptions withForce(int bytes, Duration interval) {
        return with("forceBytes", bytes).with("forceMs", wholeMillis("interval", interval));
    }

    /** Rounded up: 500 µs are not 0, which may mean at once, and −1 ms is not unlimited. */
    private static long wholeMillis(String name, Duration value) {
        long ms = LogStoreBuilder.millis(name, value);
        if (value.isNegative()) {
            throw new InvalidOptionException(name + " must not be negative, found " + value);
        }
        return value.getNano() % 1_000_000 == 0 || ms == Long.MAX_VALUE ? ms : ms + 1;
    }

    /** See the record's parameters. */
    public TopicOptions withMinimumClass(DurabilityClass value) {
        return with("minimumClass", value);
    }

    /** See the record's parameters. */
    public TopicOptions withTiers(String... labels) {
        Objects.requireNonNull(labels, "labels");
        for (String label : labels) {
            Objects.requireNonNull(label, "labels");
        }
        return new TopicOptions(
                partitions,
                durability,
                segmentBytes,
                rollMs,
                retentionBytes,
                retentionMs,
                maxRecordBytes,
                compression,
                forceBytes,
                forceMs,
                minimumClass,
                List.of(labels));
    }

    /** Returns the options as text, by name. */
    public Map<String, String> toMap() {
        Map<String, String> map = new LinkedHashMap<>();
        map.put("partitions", Integer.toString(partitions));
        map.put("durability", durability.name());
        map.put("segmentBytes", Integer.toString(segmentBytes));
        map.put("rollMs", Long.toString(rollMs));
        map.put("retentionBytes", Long.toString(retentionBytes));
        map.put("retentionMs", Long.toString(retentionMs));
        map.put("maxRecordBytes", Integer.toString(maxRecordBytes));
        map.put("compression", compression.name());
        map.put("forceBytes", Integer.toString(forceBytes));
        map.put("forceMs", Long.toString(forceMs));
        map.put("minimumClass", minimumClass == null ? "" : minimumClass.name());
        if (!tiers.isEmpty()) { // topics without a choice stay readable for versions without it
            map.put("tiers", String.join(",", tiers));
        }
        return map;
    }

    /**
     * Returns options parsed from text; those that are not named have their defaults.
     *
     * @throws InvalidOptionException for an unknown name, with the nearest known one in the
     *     message, and for a value that cannot be read or is out of range
     */
    public static TopicOptions ofMap(Map<String, String> values) {
        Objects.requireNonNull(values, "values");
        Map<String, String> all = DEFAULTS.toMap();
        all.put("tiers", "");
        for (Map.Entry<String, String> e : values.entrySet()) {
            if (!all.containsKey(e.getKey())) {
                throw new InvalidOptionException(
                        "unknown option '"
                                + e.getKey()
                                + "', did you mean '"
                                + Nearest.to(e.getKey(), all.keySet())
                                + "'?");
            }
            all.put(e.getKey(), e.getValue());
        }
        String name = "";
        try {
            int partitions = Integer.parseInt(all.get(name = "partitions"));
            Durability durability = Durability.valueOf(all.get(name = "durability"));
            int segmentBytes = Integer.parseInt(all.get(name = "segmentBytes"));
            long rollMs = Long.parseLong(all.get(name = "rollMs"));
            long retentionBytes = Long.parseLong(all.get(name = "retentionBytes"));
            long retentionMs = Long.parseLong(all.get(name = "retentionMs"));
            int maxRecordBytes = Integer.parseInt(all.get(name = "maxRecordBytes"));
            Compression compression = Compression.valueOf(all.get(name = "compression"));
            int forceBytes = Integer.parseInt(all.get(name = "forceBytes"));
            long forceMs = Long.parseLong(all.get(name = "forceMs"));
            String tiers = all.get(name = "tiers");
            String least = all.get(name = "minimumClass");
            return new TopicOptions(
                    partitions,
                    durability,
                    segmentBytes,
                    rollMs,
                    retentionBytes,
                    retentionMs,
                    maxRecordBytes,
                    compression,
                    forceBytes,
                    forceMs,
                    least.isEmpty() ? null : DurabilityClass.valueOf(least),
                    tiers.isEmpty() ? List.of() : List.of(tiers.split(",")));
        } catch (IllegalArgumentException e) {
            throw new InvalidOptionException(
                    "option " + name + " cannot be '" + all.get(name) + "'");
        }
    }

    private TopicOptions with(String name, Object value) {
        Map<String, String> map = toMap();
        map.put(name, value == null ? "" : value.toString());
        return ofMap(map);
    }

    private static void check(String name, long value, long least, long most) {
        if (value < least || value > most) {
            throw new InvalidOptionException(
                    name + " must be from " + least + " to " + most + ", not " + value);
        }
    }

    private static void checkOrUnlimited(String name, long value, long least) {
        if (value != UNLIMITED) {
            check(name + " (unless −1, unlimited)", value, least, Long.MAX_VALUE);
        }
    }
}
