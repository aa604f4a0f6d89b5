package io.firn.api;

import io.firn.Compression;
import io.firn.format.BatchEncoder;
import io.firn.format.BatchFormat;
import io.firn.format.Scratch;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** Batches as another producer would hand them over. */
final class ForeignBatches {
    private ForeignBatches() {}

    /** A batch of these values, between the buffer's position and limit. */
    static ByteBuffer of(Compression compression, String... values) {
        BatchEncoder encoder = new BatchEncoder(() -> 1234, compression, 1 << 20);
        for (String value : values) {
            encoder.add(Stores.bytes(value));
        }
        return of(encoder);
    }

    /** A batch that an encoder holds. */
    static ByteBuffer of(BatchEncoder encoder) {
        Scratch whole = encoder.finish();
        ByteBuffer buffer = ByteBuffer.allocate(whole.length() + 5).position(3);
        buffer.put(whole.bytes(), 0, whole.length()).flip().position(3);
        // What it was called elsewhere means nothing here.
        buffer.putLong(3 + BatchFormat.BASE_OFFSET, 123_456_789);
        buffer.putInt(3 + BatchFormat.EPOCH, 77);
        return buffer;
    }

    /** Says another number of records, with a CRC that fits. */
    static ByteBuffer withCount(ByteBuffer batch, int count) {
        int at = batch.position();
        batch.putInt(at + BatchFormat.COUNT, count);
        batch.putInt(at + BatchFormat.LAST_OFFSET_DELTA, count - 1);
        return withCrc(batch);
    }

    /** With a CRC that fits. */
    static ByteBuffer withCrc(ByteBuffer batch) {
        int at = batch.position();
        CRC32C crc = new CRC32C();
        crc.update(batch.duplicate().position(at + BatchFormat.ATTRIBUTES));
        batch.putInt(at + BatchFormat.CRC, (int) crc.getValue());
        return batch;
    }
}
