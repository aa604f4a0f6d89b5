package io.firn.format;

import java.nio.ByteBuffer;

/** Which records of a batch have no key, for topics that are compacted. */
final class Keys {
    private Keys() {}

    /** Returns the first record without a key in a batch of this process; −1 when all have one. */
    static int firstWithout(Scratch batch, int count) {
        RecordParser record = new RecordParser();
        record.pointAt(ByteBuffer.wrap(batch.bytes(), 0, batch.length()));
        record.batch(0, count, 0, false, batch.length());
        int at = BatchFormat.HEADER_LENGTH;
        for (int i = 0; i < count; i++) {
            at = record.parse(at);
            if (record.keyLength() < 0) {
                return i;
            }
        }
        return -1;
    }
}
