package io.firn.format;

import io.firn.Compression;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Counts the records of a compressed batch, without holding more than a piece of it. */
final class CompressedRecords {
    /** Length, attributes, two deltas, two lengths and a header count, of a byte each. */
    static final int LEAST_RECORD_BYTES = 7;

    private static final int MALFORMED = 0;
    private static final int WELL_FORMED = 1;
    private static final int WITHOUT_KEY = 2;

    private CompressedRecords() {}

    /**
     * Checks that a number of records follow one another, and nothing else.
     *
     * @param needsKeys whether each of them needs a key
     * @return the first record that lacks one, after which nothing is checked; −1 for none
     * @throws IOException when that is not so, or there are more than {@link
     *     BatchFormat#MAX_DECOMPRESSED} bytes; the message says what was found
     * @throws io.firn.MissingCodecException when the codec's library is not there, or does not load
     */
    static int check(Compression codec, byte[] compressed, int count, boolean needsKeys)
            throws IOException {
        try (RecordStream in = open(codec, compressed)) {
            for (int i = 0; i < count; i++) {
                int found = skipRecord(in, i, needsKeys);
                if (found == MALFORMED) {
                    throw new IOException("it holds " + i + " well-formed records");
                }
                if (found == WITHOUT_KEY) {
                    return i;
                }
            }
            if (!in.isAtEnd()) {
                throw new IOException("more than these follow");
            }
            return -1;
        }
    }

    /**
     * Returns which of a number of records lack a key, up to the first malformed one.
     *
     * @param most how many to return at most
     */
    static List<Integer> withoutKey(Compression codec, byte[] compressed, int count, int most)
            throws IOException {
        List<Integer> found = new ArrayList<>();
        try (RecordStream in = open(codec, compressed)) {
            for (int i = 0; i < count && found.size() < most; i++) {
                int record = skipRecord(in, i, true);
                if (record == MALFORMED) {
                    break;
                }
                if (record == WITHOUT_KEY) {
                    found.add(i);
                }
            }
        }
        return found;
    }

    /** Snappy's library holds a whole block on the heap, which one that is sent may make huge. */
    private static RecordStream open(Compression codec, byte[] compressed) throws IOException {
        return codec == Compression.SNAPPY
                ? RecordStream.openSmall(codec, ByteBuffer.wrap(compressed))
                : RecordStream.open(codec, compressed);
    }

    private static int skipRecord(RecordStream in, int index, boolean needsKey) throws IOException {
        try {
            long length = in.nextNumber();
            if (length < LEAST_RECORD_BYTES - 1 || length > BatchFormat.MAX_DECOMPRESSED) {
                return MALFORMED;
            }
            long end = in.position() + length;
            in.nextByte(); // attributes
            in.nextNumber(); // timestamp
            if (in.nextNumber() != index
                    || in.position() > end
                    || end > BatchFormat.MAX_DECOMPRESSED) {
                return MALFORMED;
            }
            boolean lacksKey = needsKey && in.nextNumber() < 0;
            if (in.position() > end) {
                return MALFORMED;
            }
            in.skipTo(end);
            return lacksKey ? WITHOUT_KEY : WELL_FORMED;
        } catch (EOFException e) {
            return MALFORMED;
        }
    }
}
