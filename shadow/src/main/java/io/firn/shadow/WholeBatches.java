package io.firn.shadow;

import io.firn.InvalidBatchException;
import java.nio.ByteBuffer;

/** The batches of a fetch, of which the last one may have been cut off. */
final class WholeBatches {
    private static final int LENGTH = 8;
    private static final int MAGIC = 16;
    private static final int LENGTH_OVERHEAD = 12;
    private static final int LAST_OFFSET_DELTA = 23;
    private static final int COUNT = 57;
    private static final int SMALLEST = 61;

    private WholeBatches() {}

    /**
     * Returns the bytes up to the end of the last batch that is complete; they are the same memory.
     *
     * @throws InvalidBatchException when a batch has an older format than magic 2, or no length
     */
    static ByteBuffer of(ByteBuffer fetched) {
        int at = fetched.position();
        while (fetched.limit() - at >= SMALLEST) {
            byte magic = fetched.get(at + MAGIC);
            if (magic != 2) {
                throw new InvalidBatchException(
                        "the source has records of the format "
                                + magic
                                + " at offset "
                                + fetched.getLong(at)
                                + "; only format 2 can be copied, which Kafka writes since 0.11");
            }
            int length = fetched.getInt(at + LENGTH);
            if (length < SMALLEST - LENGTH_OVERHEAD) {
                throw new InvalidBatchException(
                        "the batch at offset " + fetched.getLong(at) + " has the length " + length);
            }
            if (length > fetched.limit() - at - LENGTH_OVERHEAD) {
                break;
            }
            at += LENGTH_OVERHEAD + length;
        }
        return fetched.duplicate().limit(at);
    }

    /**
     * Returns the same without what begins below an offset and has no records from there on:
     * batches that end before it, and an empty batch that reaches beyond it. A compaction at the
     * source may have put that in the place of several, of which the first were copied.
     */
    static ByteBuffer from(long offset, ByteBuffer fetched) {
        ByteBuffer batches = of(fetched);
        while (batches.hasRemaining() && firstOffset(batches) < offset) {
            int at = batches.position();
            long end = firstOffset(batches) + batches.getInt(at + LAST_OFFSET_DELTA) + 1;
            if (end > offset && batches.getInt(at + COUNT) > 0) {
                break; // the appender says that it does not fit
            }
            batches.position(at + LENGTH_OVERHEAD + batches.getInt(at + LENGTH));
        }
        return batches;
    }

    /** Returns the offset of the first batch. */
    static long firstOffset(ByteBuffer batches) {
        return batches.getLong(batches.position());
    }
}
