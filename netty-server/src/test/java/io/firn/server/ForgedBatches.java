package io.firn.server;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.zip.CRC32C;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;

/** Batches with attributes that no client sets, and with the right checksum. */
final class ForgedBatches {
    /** Control batches, the delete horizon, and those that have no meaning yet. */
    static final List<Integer> BITS_OF_THE_LOG = List.of(5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);

    private static final int CRC = 17;
    private static final int ATTRIBUTES = 21;

    private ForgedBatches() {}

    /** A batch that deletes a key. */
    static MemoryRecords tombstone(Compression codec) {
        return MemoryRecords.withRecords(codec, new SimpleRecord(1, new byte[] {1}, null));
    }

    /** A copy of a batch with other attributes. */
    static MemoryRecords withAttributes(MemoryRecords records, int attributes) {
        ByteBuffer from = records.buffer();
        byte[] bytes = new byte[from.remaining()];
        from.get(bytes);
        ByteBuffer batch = ByteBuffer.wrap(bytes).putShort(ATTRIBUTES, (short) attributes);
        CRC32C crc = new CRC32C();
        crc.update(bytes, ATTRIBUTES, bytes.length - ATTRIBUTES);
        batch.putInt(CRC, (int) crc.getValue());
        return MemoryRecords.readableRecords(batch);
    }
}
