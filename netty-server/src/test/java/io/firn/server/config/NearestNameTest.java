package io.firn.server.config;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NearestNameTest {
    private static final List<String> NAMES =
            List.of(
                    "partitions",
                    "durability",
                    "segmentBytes",
                    "rollMs",
                    "retentionBytes",
                    "retentionMs",
                    "maxRecordBytes",
                    "compression",
                    "tiers");

    @ParameterizedTest(name = "shouldSuggest {1} For {0}")
    @CsvSource({
        "partition, partitions",
        "durabilty, durability",
        "segmentbytes, segmentBytes",
        "retention.bytes, retentionBytes",
        "retentionbites, retentionBytes",
        "maxrecord, maxRecordBytes"
    })
    void shouldSuggestTheNameWithTheFewestEdits(String unknown, String nearest) {
        assertEquals(nearest, NearestName.to(unknown, NAMES));
    }
}
