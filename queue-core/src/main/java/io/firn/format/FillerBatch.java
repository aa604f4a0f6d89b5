package io.firn.format;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * A filler: an empty batch that takes the place of batches that compaction has removed. It covers
 * their offsets, so that each batch of a segment still begins at the offset where the one before
 * ends. It is a header and nothing else:
 *
 * <ul>
 *   <li>no records, and the last offset delta of the range that it covers;
 *   <li>the epoch of a batch that it replaces. Never a fresh epoch: a copy that was not published
 *       would then pass as a reserved block with a valid first batch;
 *   <li>no attributes. In particular it is no control batch: some clients fail on an empty one;
 *   <li>−1 as both timestamps and as producer id, producer epoch and sequence.
 * </ul>
 *
 * <p>Kafka's cleaner writes such batches, too, and its clients skip them.
 */
public final class FillerBatch {
    /** Bytes of a filler. */
    public static final int LENGTH = BatchFormat.HEADER_LENGTH;

    /** The most offsets that a filler covers. */
    public static final long MOST_OFFSETS = 1L << 31;

    private static final int NONE = -1;

    private FillerBatch() {}

    /**
     * Puts a filler for a range of offsets. Changes neither position nor limit of the buffer.
     *
     * @param target a big-endian buffer
     * @param at where the filler begins; {@link #LENGTH} bytes from there on are overwritten
     * @param baseOffset the first offset of the range
     * @param endOffset the offset after the range
     * @param epochBits the low 31 bits of the epoch, as in a batch that the filler replaces
     * @throws IllegalArgumentException when the range is empty or longer than {@link #MOST_OFFSETS}
     * @throws IndexOutOfBoundsException when the bytes do not fit below the buffer's limit
     */
    public static void put(
            ByteBuffer target, int at, long baseOffset, long endOffset, int epochBits) {
        long offsets = endOffset - baseOffset;
        if (offsets < 1 || offsets > MOST_OFFSETS) {
            throw new IllegalArgumentException(
                    "a filler covers 1 to "
                            + MOST_OFFSETS
                            + " offsets, not "
                            + baseOffset
                            + " to "
                            + endOffset);
        }
        byte[] b = new byte[LENGTH];
        HeaderBytes.write(b, LENGTH, 0, 0, NONE, NONE, NONE, NONE, NONE);
        HeaderBytes.putLong(b, BatchFormat.BASE_OFFSET, baseOffset);
        HeaderBytes.putInt(b, BatchFormat.EPOCH, epochBits);
        HeaderBytes.putInt(b, BatchFormat.LAST_OFFSET_DELTA, (int) (offsets - 1));
        HeaderBytes.putInt(b, BatchFormat.CRC, BatchFormat.computeCrc(new CRC32C(), b, 0, LENGTH));
        target.put(at, b);
    }

    /**
     * Returns whether the batch at a position is a filler: only its header is read, which the
     * caller has checked.
     */
    public static boolean isAt(ByteBuffer bytes, int at) {
        return bytes.getInt(at + BatchFormat.LENGTH) == LENGTH - BatchFormat.LENGTH_OVERHEAD
                && bytes.getInt(at + BatchFormat.COUNT) == 0;
    }
}
