package io.firn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class StoredRecordTest {
    private static StoredRecord of(String key, byte[] value, String header) {
        return new StoredRecord(
                1,
                7,
                1_700_000_000_000L,
                key == null ? null : key.getBytes(StandardCharsets.UTF_8),
                value,
                List.of(new StoredRecord.Header("trace", header.getBytes(StandardCharsets.UTF_8))));
    }

    @Test
    void shouldBeEqualByItsBytes() {
        StoredRecord record = of("k", new byte[] {1, 2}, "a");
        assertEquals(record, of("k", new byte[] {1, 2}, "a"));
        assertEquals(record.hashCode(), of("k", new byte[] {1, 2}, "a").hashCode());
        assertNotEquals(record, of("l", new byte[] {1, 2}, "a"));
        assertNotEquals(record, of(null, new byte[] {1, 2}, "a"));
        assertNotEquals(record, of("k", new byte[] {1, 3}, "a"));
        assertNotEquals(record, of("k", new byte[] {1, 2}, "b"));
    }

    @Test
    void shouldShowTextAndOtherBytes() {
        assertEquals(
                "StoredRecord[partition=1, offset=7, timestamp=1700000000000, key=\"order 1\","
                        + " value=0x00ff, headers=[trace=\"a\"]]",
                of("order 1", new byte[] {0, -1}, "a").toString());
    }

    @Test
    void shouldShowOnlyTheBeginningOfALargeValue() {
        String shown = of(null, new byte[1000], "a").toString();
        assertEquals(
                "StoredRecord[partition=1, offset=7, timestamp=1700000000000, key=null, value=0x"
                        + "00".repeat(64)
                        + "... (1000 bytes), headers=[trace=\"a\"]]",
                shown);
    }
}
