package io.firn.batch;

import io.firn.Compression;
import java.io.EOFException;
import java.io.IOException;

/** Counts the records of a compressed batch, without holding more than a piece of it. */
final class CompressedRecords {
    /** Length, attributes, two deltas, two lengths and a header count, of a byte each. */
    static final int LEAST_RECORD_BYTES = 7;

    private CompressedRecords() {}

    /**
     * Checks that a number of records follow one another, and nothing else.
     *
     * @throws IOException when that is not so, or there are more than {@link
     *     BatchFormat#MAX_DECOMPRESSED} bytes; the message says what was found
     * @throws io.firn.MissingCodecException when the codec's library is not on the class path
     */
    static void check(Compression codec, byte[] compressed, int count) throws IOException {
        try (RecordStream in = RecordStream.open(codec, compressed)) {
            for (int i = 0; i < count; i++) {
                if (!skipRecord(in, i)) {
                    throw new IOException("it holds " + i + " well-formed records");
                }
            }
            if (!in.isAtEnd()) {
                throw new IOException("more than these follow");
            }
        }
    }

    private static boolean skipRecord(RecordStream in, int index) throws IOException {
        try {
            long length = in.nextNumber();
            if (length < LEAST_RECORD_BYTES - 1 || length > BatchFormat.MAX_DECOMPRESSED) {
                return false;
            }
            long end = in.position() + length;
            in.nextByte(); // attributes
            in.nextNumber(); // timestamp
            if (in.nextNumber() != index
                    || in.position() > end
                    || end > BatchFormat.MAX_DECOMPRESSED) {
                return false;
            }
            in.skipTo(end);
            return true;
        } catch (EOFException e) {
            return false;
        }
    }
}
