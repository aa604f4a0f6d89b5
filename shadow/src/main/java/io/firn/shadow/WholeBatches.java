package io.firn.shadow;

import io.firn.host.InvalidBatchException;
import java.nio.ByteBuffer;

/**
 * The batches of an answer to a fetch, of which the last one may have been cut off.
 *
 * <p>The base offset, the length and the leader epoch of a batch are outside its CRC, and this copy
 * finds its way by them. So they are compared with what else is known before any batch of the
 * answer is appended: with each other, with the leader epoch that the fetch was sent for, and with
 * the high watermark in the answer.
 *
 * <p>A broker reads its high watermark before it reads the batches, so these may end above it. Such
 * a batch is not taken; it is fetched again, and is then below a newer watermark.
 */
final class WholeBatches {
    private static final int LENGTH = 8;
    private static final int EPOCH = 12;
    private static final int MAGIC = 16;
    private static final int LENGTH_OVERHEAD = 12;
    private static final int LAST_OFFSET_DELTA = 23;
    private static final int COUNT = 57;
    private static final int SMALLEST = 61;

    private final ByteBuffer fetched;
    private final int leaderEpoch;
    private final long highWatermark;
    private long end;
    private int epoch = Integer.MIN_VALUE;

    private WholeBatches(ByteBuffer fetched, int leaderEpoch, long highWatermark) {
        this.fetched = fetched;
        this.leaderEpoch = leaderEpoch;
        this.highWatermark = highWatermark;
    }

    /**
     * Returns the bytes up to the end of the last batch that is complete and below the high
     * watermark; they are the same memory.
     *
     * @param leaderEpoch the epoch of the leader that answered; −1 if the source has no epochs
     * @param highWatermark that of the answer
     * @param mayBeAbove whether also the first batch may be above the high watermark, so that no
     *     bytes are returned; not in an answer that comes after such a one
     * @throws InvalidBatchException when a batch has an older format than magic 2, when what the
     *     headers say cannot be, or when the first batch is above the high watermark and may not be
     */
    static ByteBuffer of(
            ByteBuffer fetched, int leaderEpoch, long highWatermark, boolean mayBeAbove) {
        return new WholeBatches(fetched, leaderEpoch, highWatermark).checked(mayBeAbove);
    }

    private ByteBuffer checked(boolean mayBeAbove) {
        int start = fetched.position();
        int at = start;
        int taken = start;
        while (fetched.limit() - at >= SMALLEST) {
            int size = LENGTH_OVERHEAD + checkLength(at);
            if (size > fetched.limit() - at) {
                break;
            }
            checkOffsets(at);
            checkEpoch(at);
            at += size;
            if (end <= highWatermark) {
                taken = at;
            } else if (taken == start && !mayBeAbove) {
                throw refused(
                        start,
                        "ends at offset " + end + ", above the high watermark " + highWatermark);
            }
        }
        return fetched.duplicate().limit(taken);
    }

    private int checkLength(int at) {
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
        if (length < SMALLEST - LENGTH_OVERHEAD || length > Integer.MAX_VALUE - LENGTH_OVERHEAD) {
            throw refused(at, "has the length " + length);
        }
        return length;
    }

    private void checkOffsets(int at) {
        long base = fetched.getLong(at);
        int delta = fetched.getInt(at + LAST_OFFSET_DELTA);
        if (base < 0 || delta < 0 || base > Long.MAX_VALUE - 1 - delta) {
            throw refused(at, "has the last offset delta " + delta);
        }
        if (base < end) {
            throw refused(at, "comes after one that ends at offset " + end);
        }
        end = base + delta + 1;
    }

    private void checkEpoch(int at) {
        int found = fetched.getInt(at + EPOCH);
        if (found < epoch) {
            throw refused(at, "has leader epoch " + found + ", the one before it has " + epoch);
        }
        if (leaderEpoch >= 0 && found > leaderEpoch) {
            throw refused(
                    at, "has leader epoch " + found + ", and its leader has only " + leaderEpoch);
        }
        epoch = found;
    }

    private InvalidBatchException refused(int at, String found) {
        return new InvalidBatchException(
                "the batch at offset "
                        + fetched.getLong(at)
                        + " "
                        + found
                        + ": nothing of the answer is copied, and it is fetched again. If it stays"
                        + " so, look for damage at the source (kafka-dump-log.sh)");
    }

    /**
     * Returns checked batches without what begins below an offset and has no records from there on:
     * batches that end before it, and an empty batch that reaches beyond it. A compaction at the
     * source may have put that in the place of several, of which the first were copied.
     */
    static ByteBuffer from(long offset, ByteBuffer checked) {
        ByteBuffer batches = checked.duplicate();
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
