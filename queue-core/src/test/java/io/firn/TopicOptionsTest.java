package io.firn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** A change keeps all other options; one that is out of its range is an error that names it. */
class TopicOptionsTest {
    private static final List<UnaryOperator<TopicOptions>> CHANGES =
            List.of(
                    options -> options.withPartitions(2),
                    options -> options.withDurability(Durability.WRITTEN),
                    options -> options.withSegmentBytes(1 << 22),
                    options -> options.withRollAge(Duration.ofMillis(1_000)),
                    options -> options.withRetentionBytes(0),
                    options -> options.withRetentionAge(Duration.ofMillis(0)),
                    options -> options.withMaxRecordBytes(1),
                    options -> options.withCompression(Compression.ZSTD),
                    options -> options.withForce(1, Duration.ofMillis(100)),
                    options -> options.withForce(1 << 20, Duration.ofMillis(1)),
                    options -> options.withMinimumClass(Survives.PROCESS_CRASH),
                    options -> options.withTiers("a"),
                    options -> options.withRetainUntilRead(RetainUntilRead.by("b")),
                    options -> options.withPreparedBytes(1 << 20),
                    options -> options.withCleanup(CleanupPolicy.COMPACT),
                    options -> options.withMinCompactionLag(Duration.ofMillis(1)),
                    options -> options.withMaxCompactionLag(Duration.ofMillis(2)),
                    options -> options.withMinDirtyRatio(1),
                    options -> options.withTombstoneRetention(Duration.ZERO));

    /** Each change alone, and all of them: whether one of them undoes another. */
    @Test
    void shouldChangeOneOptionAndKeepAllOthers() {
        TopicOptions defaults = TopicOptions.defaults();
        Set<TopicOptions> all = new HashSet<>(Set.of(defaults));
        TopicOptions combined = defaults;
        for (UnaryOperator<TopicOptions> change : CHANGES) {
            TopicOptions changed = change.apply(defaults);
            assertTrue(all.add(changed), changed + " is one of " + all);
            assertEquals(changed, change.apply(changed));
            assertEquals(changed.hashCode(), change.apply(defaults).hashCode());
            combined = change.apply(combined);
        }
        assertEquals(
                "TopicOptions[partitions=2, durability=WRITTEN, segmentBytes=4194304, rollAge=PT1S,"
                        + " retentionBytes=0, retentionAge=PT0S, maxRecordBytes=1, compression=ZSTD,"
                        + " forceBytes=1048576, forceInterval=PT0.001S, minimumClass=PROCESS_CRASH, tiers=[a],"
                        + " retainUntilRead=[b] (limitBytes unlimited, limitAge unlimited), preparedBytes=1048576,"
                        + " cleanup=COMPACT, minCompactionLag=PT0.001S, maxCompactionLag=PT0.002S,"
                        + " minDirtyRatio=1.0, tombstoneRetention=PT0S, replicated=false]",
                combined.toString());
        assertEquals(TopicOptions.defaults(), defaults);
    }

    @Test
    void shouldRefuseToCompactWhatIsReplicated() {
        TopicOptions replicated = TopicOptions.defaults().withReplicated(true);
        assertTrue(replicated.isReplicated());
        assertEquals(TopicOptions.defaults(), replicated.withReplicated(false));
        assertRefused("replicated", () -> replicated.withCleanup(CleanupPolicy.COMPACT));
        TopicOptions compacted = TopicOptions.defaults().withCleanup(CleanupPolicy.COMPACT);
        assertRefused("replicated", () -> compacted.withReplicated(true));
    }

    @Test
    void shouldShowTheDefaults() {
        assertEquals(
                "TopicOptions[partitions=1, durability=DURABLE, segmentBytes=67108864, rollAge=unlimited,"
                        + " retentionBytes=unlimited, retentionAge=unlimited, maxRecordBytes=1048576,"
                        + " compression=NONE, forceBytes=1048576, forceInterval=PT0.1S, minimumClass=null,"
                        + " tiers=[], retainUntilRead=none, preparedBytes=0, cleanup=DELETE,"
                        + " minCompactionLag=PT0S, maxCompactionLag=unlimited, minDirtyRatio=0.5,"
                        + " tombstoneRetention=PT24H, replicated=false]",
                TopicOptions.defaults().toString());
    }

    @Test
    void shouldDeriveTheLargestRecordFromTheSegmentUnlessItIsSet() {
        TopicOptions small = TopicOptions.defaults().withSegmentBytes(1 << 16);
        assertEquals((1 << 16) - 1, small.maxRecordBytes());
        assertEquals(1 << 20, small.withSegmentBytes(1 << 21).maxRecordBytes());
        TopicOptions chosen = TopicOptions.defaults().withMaxRecordBytes(1 << 20);
        assertEquals(1 << 20, chosen.withSegmentBytes(1 << 16).maxRecordBytes());
        assertRefused(
                "maxRecordBytes must be less than segmentBytes (65536), not 1048576",
                () -> chosen.withSegmentBytes(1 << 16).completedBy(TopicOptions.defaults()));
        TopicOptions large = TopicOptions.defaults().withMaxRecordBytes(1 << 27);
        assertEquals(
                TopicOptions.defaults().withSegmentBytes(1 << 28).withMaxRecordBytes(1 << 27),
                large.withSegmentBytes(1 << 28).completedBy(TopicOptions.defaults()));
        for (int wrong : new int[] {Integer.MIN_VALUE, -1, 0, 1, 2, (1 << 16) - 1}) {
            InvalidOptionException refusal =
                    assertThrows(InvalidOptionException.class, () -> small.withSegmentBytes(wrong));
            assertTrue(refusal.getMessage().contains("segmentBytes"), refusal.getMessage());
        }
    }

    @Test
    void shouldRefuseValuesOfCompactionThatDoNotFit() {
        TopicOptions options = TopicOptions.defaults().withCleanup(CleanupPolicy.COMPACT);
        assertRefused("minDirtyRatio", () -> options.withMinDirtyRatio(-0.1));
        assertRefused("minDirtyRatio", () -> options.withMinDirtyRatio(1.1));
        assertRefused("minDirtyRatio", () -> options.withMinDirtyRatio(Double.NaN));
        assertRefused("maxCompactionLag", () -> options.withMaxCompactionLag(Duration.ZERO));
        assertRefused(
                "maxCompactionLag", () -> options.withMaxCompactionLag(Duration.ofMillis(-2)));
        TopicOptions late = options.withMinCompactionLag(Duration.ofMillis(10));
        assertRefused(
                "at most maxCompactionLag (PT0.009S)",
                () -> late.withMaxCompactionLag(Duration.ofMillis(9)));
        assertEquals(
                Optional.of(Duration.ofMillis(10)),
                late.withMaxCompactionLag(Duration.ofMillis(10)).maxCompactionLag());
        assertEquals(Optional.empty(), late.withoutMaxCompactionLag().maxCompactionLag());
    }

    private static void assertRefused(String part, Executable wrong) {
        InvalidOptionException refusal = assertThrows(InvalidOptionException.class, wrong);
        assertTrue(refusal.getMessage().contains(part), refusal.getMessage());
    }

    @Test
    void shouldNotTakeANegativeAgeForUnlimited() {
        TopicOptions options = TopicOptions.defaults();
        for (Duration wrong : List.of(Duration.ofMillis(-1), Duration.ofNanos(-1))) {
            for (Executable each :
                    List.<Executable>of(
                            () -> options.withRetentionAge(wrong),
                            () -> options.withRollAge(wrong),
                            () -> options.withMinCompactionLag(wrong),
                            () -> options.withMaxCompactionLag(wrong),
                            () -> options.withTombstoneRetention(wrong),
                            () -> options.withForce(1, wrong))) {
                InvalidOptionException refusal = assertThrows(InvalidOptionException.class, each);
                assertTrue(refusal.getMessage().contains("negative"), refusal.getMessage());
            }
        }
    }

    @Test
    void shouldCountAPartOfAMillisecondAsAWholeOne() {
        TopicOptions options = TopicOptions.defaults();
        assertEquals(
                Optional.of(Duration.ofMillis(1)),
                options.withRetentionAge(Duration.ofNanos(500_000)).retentionAge());
        assertEquals(
                Optional.of(Duration.ofMillis(1)),
                options.withRetentionAge(Duration.ofNanos(1)).retentionAge());
        assertEquals(
                Optional.of(Duration.ofMillis(2)),
                options.withRetentionAge(Duration.ofNanos(1_000_001)).retentionAge());
        assertEquals(
                Optional.of(Duration.ofMillis(0)),
                options.withRetentionAge(Duration.ZERO).retentionAge());
        assertEquals(
                Optional.empty(),
                options.withRetentionAge(Duration.ofMillis(7))
                        .withoutRetentionAge()
                        .retentionAge());
        assertEquals(
                Optional.of(Duration.ofMillis(1_001)),
                options.withRollAge(Duration.ofNanos(1_000_000_001)).rollAge());
        assertEquals(
                Duration.ofMillis(1), options.withForce(1, Duration.ofNanos(1)).forceInterval());
    }

    @Test
    void shouldRefuseLabelsThatNoTierCanHave() {
        TopicOptions options = TopicOptions.defaults();
        for (String wrong : List.of("", "a,b", "A", "a b", "x".repeat(33))) {
            InvalidOptionException refusal =
                    assertThrows(InvalidOptionException.class, () -> options.withTiers(wrong));
            assertTrue(refusal.getMessage().contains("'" + wrong + "'"), refusal.getMessage());
        }
        assertEquals(Set.of("a", "b"), options.withTiers("a", "b").tiers());
        assertEquals(Set.of(), options.withTiers("a").withTiers().tiers());
    }

    @Test
    void shouldCompareNamesAsSetsAndRefuseOneThatIsGivenTwice() {
        TopicOptions options = TopicOptions.defaults();
        assertEquals(options.withTiers("a", "b"), options.withTiers("b", "a"));
        assertEquals(RetainUntilRead.by("a", "b"), RetainUntilRead.by("b", "a"));
        assertEquals("[b, a]", options.withTiers("b", "a").tiers().toString());
        assertRefused("tiers: each name is given once, 'a'", () -> options.withTiers("a", "a"));
        assertRefused(
                "retainUntilRead: each name is given once, 'b'",
                () -> RetainUntilRead.by("b", "a", "b"));
    }

    @Test
    void shouldNameTheArgumentThatIsNull() {
        TopicOptions options = TopicOptions.defaults();
        assertNull("labels", () -> options.withTiers((String[]) null));
        assertNull("labels", () -> options.withTiers((String) null));
        assertNull("labels", () -> options.withTiers("a", null));
        assertNull("durability", () -> options.withDurability(null));
        assertNull("compression", () -> options.withCompression(null));
        assertNull("cleanup", () -> options.withCleanup(null));
        assertNull("rollAge", () -> options.withRollAge(null));
        assertNull("retentionAge", () -> options.withRetentionAge(null));
        assertNull("interval", () -> options.withForce(1, null));
        assertEquals(null, options.withMinimumClass(null).minimumClass());
    }

    private static void assertNull(String parameter, Executable call) {
        NullPointerException e = assertThrows(NullPointerException.class, call, parameter);
        assertEquals(parameter, e.getMessage());
    }
}
