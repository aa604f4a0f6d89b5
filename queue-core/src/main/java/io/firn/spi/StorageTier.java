package io.firn.spi;

import io.firn.Survives;
import io.firn.Tier;
import io.firn.medium.SendableFile;
import io.firn.spi.BlockCopy.ReservedCopy;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;

/**
 * A level of storage that provides blocks for segments. A tier has these obligations:
 *
 * <ul>
 *   <li><b>Presence is truth.</b> {@link #list} returns what it finds on the medium; there is no
 *       separate catalogue.
 *   <li>Where a block that {@link #reserve} returned may be stored to, its space is really
 *       allocated. The block reads as zeros or as stale bytes of an older epoch. After a crash it
 *       is reserved or does not exist.
 *   <li>Everything is keyed by topic id and partition.
 *   <li>{@link #usedBytes} is counted from the blocks themselves.
 *   <li>A tier that is opened read-only changes nothing.
 * </ul>
 *
 * {@code StorageTierContract} in the module test-support verifies these. Methods are thread-safe:
 * they are called by the store's background threads, by {@code open}, and by users who ask for
 * metrics or move a segment.
 *
 * <pre>{@code
 * StorageTier tier = FileTier.at(dir.resolve("segments"));
 * try (LogStore store = LogStore.at(dir).tier("ssd", tier).open()) {
 *     // ...
 * }
 * }</pre>
 */
public interface StorageTier extends Tier, AutoCloseable {

    /**
     * Returns the kind and place of the tier, for log lines and messages: {@code file /data/log}.
     */
    String name();

    /**
     * Returns the directories in which the tier keeps its files, each of which one tier of a store
     * can use. The default is for a tier without files.
     */
    default List<Path> directories() {
        return List.of();
    }

    /**
     * Opens or creates the tier; called once, by the store.
     *
     * @throws IOException when it is foreign, damaged, of a newer version or not reachable; the
     *     message says what was expected and what was found
     * @throws io.firn.StoreLockedException when it is to be opened for writing and is already open
     *     for writing
     */
    void open(TierContext context) throws IOException;

    /** Returns the tier's identity, assigned at its creation. */
    UUID id();

    /**
     * Looks whether the tier, open for writing, still has its lock ({@link
     * io.firn.medium.FileMedium.MediumLock#lost}); the default has none. The store asks often, and
     * changes nothing any more when it is lost.
     *
     * @return null while it has; otherwise what was expected and found
     */
    default String lost() {
        return null;
    }

    /** Returns what a forced byte survives here. */
    Survives survives();

    /**
     * Returns the type of the tier's file system if it is not known what a forced byte survives
     * there; {@link #survives} is then the weakest.
     *
     * @return null when it is known or was declared, which is the default
     */
    default String unknownFileSystem() {
        return null;
    }

    /** Returns whether each segment that is being written keeps a file open. */
    default boolean hasOpenFiles() {
        return false;
    }

    /** Returns the bytes that the tier may use; empty when only the file system limits it. */
    OptionalLong capacityBytes();

    /** Returns the bytes of all blocks in use, and of those that are kept for new segments. */
    long usedBytes();

    /** Frees blocks that are kept for new segments ({@link Block#recycle}): there will be none. */
    default void dropSpares() {}

    /**
     * Returns the bytes that can still be written, by what limits them first: the capacity or the
     * file system. Empty when that is not known.
     */
    default OptionalLong freeBytes() {
        OptionalLong capacity = capacityBytes();
        return capacity.isEmpty()
                ? capacity
                : OptionalLong.of(Math.max(0, capacity.getAsLong() - usedBytes()));
    }

    /**
     * Returns the bytes that are still mapped although their segments were deleted, moved, or idle:
     * on Java 17 to 21, until the garbage collector finds that no user holds a buffer of them. A
     * deleted file occupies its space until then.
     */
    default long uncollectedBytes() {
        return 0;
    }

    /** Returns the bytes that even the shortest segment occupies. */
    default long blockBytes() {
        return 1;
    }

    /** Returns the size in bytes of the largest segment that a block can hold. */
    int maxSegmentBytes();

    /** Returns all segments found here, in any state and of any topic. */
    List<Block> list() throws IOException;

    /**
     * Returns the segments of one partition, as {@link #list} does; costs less where they can be
     * found without a look at all others. For a read-only store.
     */
    default List<Block> list(UUID topicId, int partition) throws IOException {
        List<Block> found = new ArrayList<>();
        for (Block block : list()) {
            Mark mark = block.mark();
            if (mark != null && mark.topicId().equals(topicId) && mark.partition() == partition) {
                found.add(block);
            }
        }
        return found;
    }

    /**
     * Returns the block that was reserved for a partition with an epoch, while its mark has that
     * epoch. For a read-only store, which looks for the segment that another process has just
     * begun.
     *
     * @return null when it was not found
     */
    default Block find(UUID topicId, int partition, long epoch) throws IOException {
        for (Block block : list(topicId, partition)) {
            if (block.mark() != null && block.mark().epoch() == epoch) {
                return block;
            }
        }
        return null;
    }

    /** Returns what was found here that is not a segment, one line each; it is not touched. */
    List<String> strangers();

    /**
     * Sets whom to tell what is found damaged and can be rebuilt, a line for each file; called
     * once, before the tier is opened. It may be called by any thread.
     */
    default void reportDamage(Consumer<String> onDamage) {
        // by default, there is nothing that can be rebuilt
    }

    /**
     * Returns the highest epoch of stale batches that may be in free blocks, outside of the listed
     * segments; −1 when blocks are never reused.
     */
    default long highestFreeEpoch() {
        return -1;
    }

    /**
     * Reserves a block, durably. Stores into its memory find space, except where it is written by
     * calls and not prepared; see {@link Block#isWrittenByCalls}.
     *
     * @param bytes the space wanted for batches
     * @throws IllegalArgumentException when bytes are below 1 or above {@link #maxSegmentBytes}
     * @throws io.firn.StoreFullException when there is no room
     * @throws IOException when the medium fails
     */
    Block reserve(UUID topicId, int partition, int bytes, long epoch) throws IOException;

    /**
     * Begins a copy of a sealed segment of another tier, or one that replaces segments of any tier
     * with what compaction leaves of them. The default makes it in a block of {@link #reserve}.
     *
     * <p>While it is made, and after it was published, a segment of another generation with the
     * same base offset may exist in this tier; a segment of the same generation may not.
     *
     * @param sealed the mark that the copy is to get, in state SEALED; its position is the number
     *     of bytes to be written, or an upper bound of it
     * @param epoch a fresh epoch for the block; batches and mark keep theirs
     * @throws IllegalArgumentException when the segment is larger than {@link #maxSegmentBytes}
     * @throws io.firn.StoreFullException when there is no room
     * @throws IOException when the medium fails
     */
    default BlockCopy beginCopy(Mark sealed, long epoch) throws IOException {
        return new ReservedCopy(
                reserve(
                        sealed.topicId(),
                        sealed.partition(),
                        Math.max(1, sealed.position()),
                        epoch),
                sealed);
    }

    /**
     * Removes what the tier keeps for a deleted topic beside its segments; the default keeps
     * nothing. Called when no segment, reserved block or copy of the topic is left, and none is
     * begun any more. What is not the tier's own stays. Nothing depends on the outcome: what
     * remains, after a failure or a power cut, is removed by the next open.
     *
     * @throws IOException when the medium fails
     */
    default void forgetTopic(UUID topicId) throws IOException {}

    /** Releases all resources; segments must not be used any more. Idempotent. */
    @Override
    void close() throws IOException;

    /** The parameters with which a store opens a tier. Immutable. */
    final class TierContext {
        private final UUID storeId;
        private final boolean mayCreate;
        private final boolean isReadOnly;
        private final Semaphore filesToSend;
        private final boolean isAfterCleanClose;

        /**
         * Creates the parameters for a tier that shares places for files with other tiers.
         *
         * @param storeId see {@link #storeId}
         * @param mayCreate see {@link #mayCreate}
         * @param isReadOnly see {@link #isReadOnly}
         * @param filesToSend see {@link #filesToSend}
         */
        public TierContext(
                UUID storeId, boolean mayCreate, boolean isReadOnly, Semaphore filesToSend) {
            this(storeId, mayCreate, isReadOnly, filesToSend, false);
        }

        private TierContext(
                UUID storeId,
                boolean mayCreate,
                boolean isReadOnly,
                Semaphore filesToSend,
                boolean isAfterCleanClose) {
            this.isAfterCleanClose = isAfterCleanClose;
            this.storeId = storeId;
            this.mayCreate = mayCreate;
            this.isReadOnly = isReadOnly;
            this.filesToSend = filesToSend;
        }

        /** Creates the parameters for a tier that shares no places with others. */
        public TierContext(UUID storeId, boolean mayCreate, boolean isReadOnly) {
            this(storeId, mayCreate, isReadOnly, SendableFile.places());
        }

        /** Returns the same parameters for a tier of a store that was closed cleanly. */
        public TierContext afterCleanClose() {
            return new TierContext(storeId, mayCreate, isReadOnly, filesToSend, true);
        }

        /**
         * Returns whether the last process closed the store and left nothing in a cache, so that
         * the tier need not make durable again what it finds.
         */
        public boolean isAfterCleanClose() {
            return isAfterCleanClose;
        }

        /** Returns the store's identity; a tier that belongs to another store refuses to open. */
        public UUID storeId() {
            return storeId;
        }

        /** Returns whether a tier that does not exist yet may be created. */
        public boolean mayCreate() {
            return mayCreate;
        }

        /** Returns whether nothing may be changed, because another process may be writing. */
        public boolean isReadOnly() {
            return isReadOnly;
        }

        /**
         * Returns what has a place for each file that may be open for the system to send it; the
         * tiers of a store share them.
         */
        public Semaphore filesToSend() {
            return filesToSend;
        }
    }
}
