package io.firn.spi;

import io.firn.DurabilityClass;
import java.io.IOException;
import java.util.List;
import java.util.UUID;

/**
 * A level of storage: blocks for segments. A tier's obligations:
 *
 * <ul>
 *   <li><b>Presence is truth.</b> {@link #list} finds what lies there by looking; there is no
 *       catalogue beside it.
 *   <li>A block that {@link #reserve} returned has its space for real, reads as zeros or as remains
 *       of an older epoch, and survives a crash as reserved or not at all.
 *   <li>Everything is keyed by topic id and partition.
 *   <li>{@link #usedBytes} is counted from the blocks themselves.
 *   <li>Nothing is changed when opened read-only.
 * </ul>
 *
 * {@code StorageTierContract} in the test-jar checks all of this. Methods are called by the store's
 * background threads and by {@code open}; they are thread-safe.
 */
public interface StorageTier extends AutoCloseable {

    /** What the tier is and where, for log lines and messages: {@code file /data/log}. */
    String name();

    /**
     * Opens or creates the tier; called once, by the store.
     *
     * @throws IOException when it is foreign, damaged, newer or not reachable; the message says
     *     what was expected and what was found
     * @throws io.firn.StoreLockedException when it is to be opened for writing, and somebody has it
     *     open for writing
     */
    void open(TierContext context) throws IOException;

    /** The tier's identity, given at its creation. */
    UUID id();

    /** What a forced byte survives here. */
    DurabilityClass durabilityClass();

    /** Bytes that the tier may use; {@link Long#MAX_VALUE} when only the file system limits it. */
    long capacityBytes();

    /** Bytes of all blocks in use. */
    long usedBytes();

    /** The bytes that a segment occupies at least, however short it is. */
    default long blockBytes() {
        return 1;
    }

    /** The largest segment that a block can hold, in bytes. */
    int maxSegmentBytes();

    /** All segments that lie here, in any state and of any topic. */
    List<Segment> list() throws IOException;

    /**
     * What lies here and is not a segment of ours, one line each; it is reported and left alone.
     */
    List<String> strangers();

    /**
     * The highest epoch of batches that may lie here and are not in a listed segment, in blocks
     * that are free now; −1 when no block is used twice.
     */
    default long highestFreeEpoch() {
        return -1;
    }

    /**
     * Sets a block aside, durably, with its space reserved and brought into memory.
     *
     * @param bytes room wanted for batches
     * @throws IllegalArgumentException when bytes are below 1 or above {@link #maxSegmentBytes}
     * @throws io.firn.StoreFullException when there is no room
     * @throws IOException when the medium fails
     */
    Segment reserve(UUID topicId, int partition, int bytes, long epoch) throws IOException;

    /**
     * Begins a copy of a sealed segment that lies in another tier. The default makes it in a block
     * of {@link #reserve}.
     *
     * @param sealed the segment's mark: SEALED, its end known
     * @param epoch a fresh one, for the block; batches and mark keep theirs
     * @throws IllegalArgumentException when the segment is larger than {@link #maxSegmentBytes}
     * @throws io.firn.StoreFullException when there is no room
     * @throws IOException when the medium fails
     */
    default SegmentCopy beginCopy(Mark sealed, long epoch) throws IOException {
        return new ReservedCopy(this, sealed, epoch);
    }

    /** Releases what the tier holds; segments must not be used any more. Idempotent. */
    @Override
    void close() throws IOException;
}
