package io.firn.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.firn.StoredRecord;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.zip.CRC32C;

/** Compares records as a whole. */
public final class SameRecords {
    private static final int SHOWN = 16;

    private SameRecords() {}

    /** Fails at the first record that differs, and says how. */
    public static void assertSame(List<StoredRecord> expected, List<StoredRecord> actual) {
        for (int i = 0; i < Math.min(expected.size(), actual.size()); i++) {
            assertEquals(describe(expected.get(i)), describe(actual.get(i)));
        }
        assertEquals(expected.size(), actual.size(), "number of records");
    }

    /** Everything about a record; of long bytes the beginning, the length and a checksum. */
    public static String describe(StoredRecord record) {
        StringBuilder text = new StringBuilder();
        text.append(record.partition()).append('/').append(record.offset());
        text.append(" time ").append(record.timestamp());
        text.append(" key ").append(describe(record.key()));
        text.append(" value ").append(describe(record.value()));
        for (StoredRecord.Header header : record.headers()) {
            text.append(" header '").append(header.key()).append("' ");
            text.append(describe(header.value()));
        }
        return text.toString();
    }

    private static String describe(byte[] bytes) {
        if (bytes == null) {
            return "none";
        }
        if (bytes.length <= SHOWN) {
            return '[' + HexFormat.of().formatHex(bytes) + ']';
        }
        CRC32C crc = new CRC32C();
        crc.update(bytes);
        return String.format(
                "[%s… %d bytes, crc %08x]",
                HexFormat.of().formatHex(Arrays.copyOf(bytes, SHOWN)),
                bytes.length,
                crc.getValue());
    }
}
