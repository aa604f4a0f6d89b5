package io.firn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** An option that is unknown or out of its range is an error that names it, and nothing else. */
class TopicOptionsTest {
    @ParameterizedTest(name = "shouldSuggest {1} For {0}")
    @CsvSource({
        "partition, partitions",
        "durabilty, durability",
        "segmentbytes, segmentBytes",
        "retention.bytes, retentionBytes",
        "maxrecord, maxRecordBytes"
    })
    void shouldSuggestTheNearestOptionForAnUnknownOne(String unknown, String nearest) {
        InvalidOptionException refusal =
                assertThrows(
                        InvalidOptionException.class,
                        () -> TopicOptions.ofMap(Map.of(unknown, "1")));
        assertTrue(refusal.getMessage().contains("'" + unknown + "'"), refusal.getMessage());
        assertTrue(refusal.getMessage().contains("'" + nearest + "'"), refusal.getMessage());
    }

    @ParameterizedTest(name = "shouldRefuse {0} {1}")
    @CsvSource({
        "partitions, 0",
        "partitions, -1",
        "partitions, 100001",
        "partitions, two",
        "partitions, 1.5",
        "partitions, ''",
        "durability, SAFE",
        "durability, durable",
        "durability, ''",
        "segmentBytes, 65535",
        "segmentBytes, 1073741825",
        "segmentBytes, 99999999999",
        "rollMs, 0",
        "rollMs, 999",
        "rollMs, -2",
        "retentionBytes, -2",
        "retentionMs, -2",
        "maxRecordBytes, 0",
        "maxRecordBytes, 67108864",
        "compression, LZ5",
        "forceBytes, 0",
        "forceMs, 0",
        "minimumClass, NONE"
    })
    void shouldNameTheOptionThatIsOutOfRange(String option, String value) {
        InvalidOptionException refusal =
                assertThrows(
                        InvalidOptionException.class,
                        () -> TopicOptions.ofMap(Map.of(option, value)));
        assertTrue(refusal.getMessage().contains(option), refusal.getMessage());
        assertTrue(refusal.getMessage().contains(value), refusal.getMessage());
    }

    @ParameterizedTest(name = "shouldTake {0} {1}")
    @CsvSource({
        "partitions, 1",
        "partitions, 100000",
        "segmentBytes, 1073741824",
        "rollMs, -1",
        "rollMs, 1000",
        "retentionBytes, 0",
        "retentionMs, -1",
        "maxRecordBytes, 1",
        "maxRecordBytes, 67108863",
        "compression, ZSTD",
        "forceBytes, 1",
        "forceMs, 1",
        "minimumClass, PROCESS_CRASH"
    })
    void shouldTakeTheEndsOfEachRange(String option, String value) {
        assertEquals(value, TopicOptions.ofMap(Map.of(option, value)).toMap().get(option));
    }

    @Test
    void shouldNotTakeANegativeAgeForUnlimited() {
        TopicOptions options = TopicOptions.defaults();
        for (Duration wrong : List.of(Duration.ofMillis(-1), Duration.ofNanos(-1))) {
            for (Executable each :
                    List.<Executable>of(
                            () -> options.withRetentionAge(wrong),
                            () -> options.withRollAge(wrong),
                            () -> options.withForce(1, wrong))) {
                InvalidOptionException refusal = assertThrows(InvalidOptionException.class, each);
                assertTrue(refusal.getMessage().contains("negative"), refusal.getMessage());
            }
        }
    }

    @Test
    void shouldCountAPartOfAMillisecondAsAWholeOne() {
        TopicOptions options = TopicOptions.defaults();
        assertEquals(1, options.withRetentionAge(Duration.ofNanos(500_000)).retentionMs());
        assertEquals(1, options.withRetentionAge(Duration.ofNanos(1)).retentionMs());
        assertEquals(2, options.withRetentionAge(Duration.ofNanos(1_000_001)).retentionMs());
        assertEquals(0, options.withRetentionAge(Duration.ZERO).retentionMs());
        assertEquals(-1, options.withRetentionMs(7).withRetentionMs(-1).retentionMs());
        assertEquals(1_001, options.withRollAge(Duration.ofNanos(1_000_000_001)).rollMs());
        assertEquals(1, options.withForce(1, Duration.ofNanos(1)).forceMs());
    }

    @Test
    void shouldRefuseLabelsThatNoTierCanHave() {
        TopicOptions options = TopicOptions.defaults();
        for (String wrong : List.of("", "a,b", "A", "a b", "x".repeat(33))) {
            InvalidOptionException refusal =
                    assertThrows(InvalidOptionException.class, () -> options.withTiers(wrong));
            assertTrue(refusal.getMessage().contains("'" + wrong + "'"), refusal.getMessage());
        }
        assertEquals(List.of("a", "b"), options.withTiers("a", "b").tiers());
        assertEquals(List.of(), options.withTiers("a").withTiers().tiers());
    }

    @Test
    void shouldNameTheArgumentThatIsNull() {
        TopicOptions options = TopicOptions.defaults();
        assertNull("labels", () -> options.withTiers((String[]) null));
        assertNull("labels", () -> options.withTiers((String) null));
        assertNull("labels", () -> options.withTiers("a", null));
        assertNull("durability", () -> options.withDurability(null));
        assertNull("compression", () -> options.withCompression(null));
        assertNull("rollAge", () -> options.withRollAge(null));
        assertNull("retentionAge", () -> options.withRetentionAge(null));
        assertNull("interval", () -> options.withForce(1, null));
        assertNull("values", () -> TopicOptions.ofMap(null));
        assertEquals(null, options.withMinimumClass(null).minimumClass());
    }

    private static void assertNull(String parameter, Executable call) {
        NullPointerException e = assertThrows(NullPointerException.class, call, parameter);
        assertEquals(parameter, e.getMessage());
    }
}
