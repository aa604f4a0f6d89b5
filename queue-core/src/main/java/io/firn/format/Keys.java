package io.firn.format;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The keys of a batch that this process has made. */
final class Keys {
    private Keys() {}

    /** Returns the first record without a key in a batch of this process; −1 when all have one. */
    static int firstWithout(Scratch batch, int count) {
        RecordParser record = parser(batch, count);
        int at = BatchFormat.HEADER_LENGTH;
        for (int i = 0; i < count; i++) {
            at = record.parse(at);
            if (record.keyLength() < 0) {
                return i;
            }
        }
        return -1;
    }

    /** Returns copies of the keys of a batch of this process; null for a record without one. */
    static List<byte[]> of(Scratch batch, int count) {
        RecordParser record = parser(batch, count);
        List<byte[]> keys = new ArrayList<>(count);
        int at = BatchFormat.HEADER_LENGTH;
        for (int i = 0; i < count; i++) {
            at = record.parse(at);
            int key = record.keyAt();
            keys.add(
                    record.keyLength() < 0
                            ? null
                            : Arrays.copyOfRange(batch.bytes(), key, key + record.keyLength()));
        }
        return keys;
    }

    private static RecordParser parser(Scratch batch, int count) {
        RecordParser record = new RecordParser();
        record.pointAt(ByteBuffer.wrap(batch.bytes(), 0, batch.length()));
        record.batch(0, count, 0, false, batch.length());
        return record;
    }
}
