package io.firn.metadata;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.CleanupPolicy;
import io.firn.Compression;
import io.firn.Durability;
import io.firn.InvalidOptionException;
import io.firn.RetainUntilRead;
import io.firn.Survives;
import io.firn.TopicOptions;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The text of options stays what it is, and text that is wrong is an error that names it. */
class TopicOptionsFormatTest {
    private static final long MOST = Long.MAX_VALUE;

    @Test
    void shouldWriteTheTextOfFormatVersion1() {
        assertEquals(
                "{partitions=1, durability=DURABLE, segmentBytes=67108864, rollMs=-1,"
                        + " retentionBytes=-1, retentionMs=-1, maxRecordBytes=1048576,"
                        + " compression=NONE, forceBytes=1048576, forceMs=100, minimumClass=}",
                TopicOptionsFormat.encode(TopicOptions.defaults()).toString());
    }

    @Test
    void shouldReadWhatItWrote() {
        TopicOptions options =
                TopicOptions.defaults()
                        .withPartitions(3)
                        .withDurability(Durability.WRITTEN)
                        .withSegmentBytes(1 << 20)
                        .withRollAge(Duration.ofSeconds(5))
                        .withRetentionBytes(0)
                        .withRetentionAge(Duration.ofMillis(7))
                        .withMaxRecordBytes((1 << 20) - 1)
                        .withCompression(Compression.LZ4)
                        .withForce(11, Duration.ofMillis(13))
                        .withMinimumClass(Survives.POWER_LOSS)
                        .withTiers("hot", "cold")
                        .withRetainUntilRead(
                                RetainUntilRead.by("a,b", "*")
                                        .withLimitBytes(17)
                                        .withLimitAge(Duration.ofMillis(19)))
                        .withPreparedBytes(23)
                        .withCleanup(CleanupPolicy.COMPACT_AND_DELETE)
                        .withMaxCompactionLag(Duration.ofMillis(31))
                        .withMinCompactionLag(Duration.ofMillis(29))
                        .withMinDirtyRatio(0.25)
                        .withTombstoneRetention(Duration.ofMillis(37));

        Map<String, String> text = TopicOptionsFormat.encode(options);

        assertEquals("hot,cold", text.get("tiers"));
        assertEquals("a%2Cb,%2A", text.get("retainUntilRead"));
        assertEquals("17", text.get("unreadLimitBytes"));
        assertEquals("19", text.get("unreadLimitMs"));
        assertEquals("23", text.get("preparedBytes"));
        assertEquals("COMPACT_AND_DELETE", text.get("cleanup"));
        assertEquals("29", text.get("minCompactionLagMs"));
        assertEquals("31", text.get("maxCompactionLagMs"));
        assertEquals("0.25", text.get("minDirtyRatio"));
        assertEquals("37", text.get("tombstoneRetentionMs"));
        assertEquals(options, TopicOptionsFormat.decode(text));
        TopicOptions unlimited = TopicOptions.defaults().withForce(1, Duration.ofMillis(MOST));
        assertEquals(unlimited, TopicOptionsFormat.decode(TopicOptionsFormat.encode(unlimited)));
    }

    @Test
    void shouldNeedVersion2OnlyForACompactedTopic() {
        TopicOptions options = TopicOptions.defaults().withMinDirtyRatio(0.1);
        assertEquals(1, TopicOptionsFormat.versionOf(options));
        assertEquals(2, TopicOptionsFormat.versionOf(options.withCleanup(CleanupPolicy.COMPACT)));
        assertEquals(
                2,
                TopicOptionsFormat.versionOf(
                        options.withCleanup(CleanupPolicy.COMPACT_AND_DELETE)));
    }

    @Test
    void shouldTakeTheDefaultForWhatIsNotNamed() {
        assertEquals(TopicOptions.defaults(), TopicOptionsFormat.decode(Map.of()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"partition", "segmentbytes", "retention.bytes", ""})
    void shouldNameTheOptionThatIsUnknown(String unknown) {
        InvalidOptionException refusal =
                assertThrows(
                        InvalidOptionException.class,
                        () -> TopicOptionsFormat.decode(Map.of(unknown, "1")));
        assertTrue(refusal.getMessage().contains("'" + unknown + "'"), refusal.getMessage());
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
        "retentionBytes, many",
        "retentionMs, -2",
        "maxRecordBytes, 0",
        "maxRecordBytes, 67108864",
        "compression, LZ5",
        "forceBytes, 0",
        "forceMs, 0",
        "minimumClass, NONE",
        "preparedBytes, -1",
        "preparedBytes, 1073741825"
    })
    void shouldNameTheOptionThatIsOutOfRange(String option, String value) {
        InvalidOptionException refusal =
                assertThrows(
                        InvalidOptionException.class,
                        () -> TopicOptionsFormat.decode(Map.of(option, value)));
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
        "minimumClass, PROCESS_CRASH",
        "preparedBytes, 1",
        "preparedBytes, 1073741824"
    })
    void shouldTakeTheEndsOfEachRange(String option, String value) {
        TopicOptions options = TopicOptionsFormat.decode(Map.of(option, value));
        assertEquals(value, TopicOptionsFormat.encode(options).get(option));
    }
}
