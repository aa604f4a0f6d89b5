package io.firn.spi;

import io.firn.spi.BlockReader.BlockReusedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * A block of a tier with a segment in it. One thread at a time writes to {@link #memory}; {@link
 * #force} may run concurrently with it. One background thread at a time changes the segment's
 * state. Any thread may read.
 *
 * @see StorageTier
 */
public interface Block {

    /** Returns the tier that the block belongs to. */
    StorageTier tier();

    /** Returns the name and place of the block, for messages. */
    String name();

    /** Returns the space for batches in bytes; for a sealed segment its length. */
    int capacity();

    /** Returns the bytes that the block occupies in its tier. */
    default long usedBytes() {
        return capacity();
    }

    /**
     * Returns the newest valid mark.
     *
     * @return the mark; null when none could be read, so that the block is unusable
     */
    Mark mark();

    /** Reads the mark from the medium again; for a reader in another process. */
    Mark refreshMark() throws IOException;

    /**
     * Returns the writer's view, {@code [0, capacity)}. Readers of an active segment see the same
     * bytes.
     *
     * @throws IllegalStateException when the segment is sealed, deleted, damaged, or open read-only
     */
    ByteBuffer memory();

    /**
     * Returns whether a store into {@link #memory} may need space that the medium does not have, or
     * costs more than a call for all but small batches, so that {@link #write} is used instead.
     */
    default boolean isWrittenByCalls() {
        return false;
    }

    /**
     * Writes the bytes between a buffer's position and limit at a position. On return readers of
     * {@link #memory} and of views see them; {@link #force} makes them durable. For the one thread
     * that writes; is not affected by interrupts, and allocates nothing.
     *
     * @throws io.firn.StoreFullException when there is no room; some of the bytes may be written
     * @throws IOException when the medium fails
     */
    default void write(int position, ByteBuffer source) throws IOException {
        memory().put(position, source, source.position(), source.remaining());
        source.position(source.limit());
    }

    /**
     * Makes sure that stores into {@code [from, to)} of {@link #memory} find space and cause no
     * page fault: pages them in, and where the block is written by calls, writes zeros there
     * before. Nothing else may write there meanwhile. Called by one background thread at a time,
     * while a view is pinned, or before the writer gets the block.
     *
     * @param durably whether the zeros are forced, so that a later force of a store costs less
     * @throws io.firn.StoreFullException when there is not enough space
     * @throws IOException when the medium fails
     */
    default void prepare(int from, int to, boolean durably) throws IOException {}

    /**
     * Returns whether bytes that were not stored since the block was reserved may be other than
     * zero, because the block was used before.
     */
    default boolean mayHoldStaleBytes() {
        return false;
    }

    /**
     * Makes the stores into {@code [from, to)} durable. May be called by a user's thread, by one
     * thread at a time; is not affected by interrupts.
     *
     * @throws IOException when it is not certain that they are durable; the caller must not
     *     acknowledge anything
     */
    void force(int from, int to) throws IOException;

    /** Writes a mark into the older slot; durable on return. */
    void writeMark(Mark mark) throws IOException;

    /**
     * Writes a mark into both slots, durable on return; for recovery, so that no older mark can
     * become valid again.
     */
    void rewriteMark(Mark mark) throws IOException;

    /**
     * Declares the segment complete at {@code mark.position()}, durably. Its bytes were forced
     * before. The segment stays readable through its current view.
     */
    void seal(Mark mark) throws IOException;

    /**
     * Brings a sealed segment into its final form: truncated, with its sidecars, under its final
     * name. Can be repeated after a crash.
     */
    void finishSeal(byte[] index, byte[] timeIndex) throws IOException;

    /**
     * Ends a sealed and finished segment earlier, durably: its mark says so, its bytes stay ({@link
     * #dropTail}). Sidecars then have entries for batches that are gone. No reader begins to read
     * behind the new end.
     */
    default void shorten(Mark shorter) throws IOException {
        if (!shorter.equals(mark())) {
            rewriteMark(shorter);
        }
    }

    /**
     * As {@link #refreshMark}, also of a finished segment: only {@link #shorten} in the writing
     * process changes its mark.
     */
    default Mark rereadMark() throws IOException {
        return refreshMark();
    }

    /**
     * Removes the bytes behind the end of a sealed and finished segment, if there are any. No
     * reader pins a view that was made before the segment was shortened. A segment that was deleted
     * stays deleted.
     */
    default void dropTail() throws IOException {}

    /** Returns whether {@link #finishSeal} has completed. */
    boolean isFinished();

    /**
     * Returns the bytes for readers; maps them first if necessary. Pin the view before use; if the
     * pin fails, call this method again.
     */
    View view() throws IOException;

    /**
     * Compares what the present view shows of some bytes, which do not change any more, with what
     * the file has now. They differ when the file was replaced by another one, or copied by an
     * overlay file system before a write, while it was mapped: the identity of a file does not tell
     * the latter. The view is then retired, so that {@link #view} maps what the file has now.
     *
     * @return whether there is something else to read, with another view
     */
    default boolean renewView(int position, int length) throws IOException {
        return false;
    }

    /**
     * Returns a reader of the bytes of pinned views, for one thread. It shows them in place, unless
     * another segment may be stored over them meanwhile. That may happen where another process owns
     * the block, because pins of this process do not keep it from reusing the block.
     */
    default BlockReader reader() {
        return BlockReader.IN_PLACE;
    }

    /**
     * Retires the readers' view if it can be recreated, for example to unmap an idle file.
     *
     * @return the retired view, to be released when it is no longer pinned; null when there is none
     */
    View detachView();

    /**
     * Copies bytes out, without touching a mapping.
     *
     * @return the number of bytes read; fewer than requested only at the end
     * @throws BlockReusedException when another process has reused the block, as {@link
     *     BlockReader#bytes} does
     */
    int read(int position, byte[] target, int offset, int length) throws IOException;

    /**
     * Gives the file of a finished segment a second name, for a backup. The caller checks that the
     * bytes do not change any more.
     *
     * @return false when the segment has no file of its own, or it cannot have the name there
     * @throws IOException when the medium fails
     */
    default boolean linkTo(Path second) throws IOException {
        return false;
    }

    /** Returns a sidecar's bytes, or null when there is none, or one that cannot be its own. */
    byte[] readSidecar(Sidecar kind) throws IOException;

    /**
     * Returns whether a checksum shows that what {@link #readSidecar} returns is what was written.
     */
    default boolean verifiesSidecars() {
        return false;
    }

    /** Rewrites a missing or damaged sidecar; need not be durable. */
    void rewriteSidecar(Sidecar kind, byte[] bytes) throws IOException;

    /**
     * Deletes the segment, durably, and frees its block. The caller has retired its views, and no
     * pin is left. Idempotent.
     */
    void delete() throws IOException;

    /**
     * Deletes the segment as {@link #delete} does. If its bytes are no longer visible to any
     * reader, the block may be kept for the partition's next segment, which then {@link
     * #mayHoldStaleBytes}.
     */
    default void recycle() throws IOException {
        delete();
    }

    /** Derived data beside a sealed segment. It is rebuilt when missing or damaged. */
    enum Sidecar {
        /** Maps offsets to positions, in Kafka's format. */
        INDEX(8),
        /** Maps timestamps to offsets, in Kafka's format. */
        TIMEINDEX(12);

        /** A segment has at most one entry for so many bytes, and one more for its end. */
        public static final int INTERVAL_BYTES = 4096;

        private final int entryBytes;

        Sidecar(int entryBytes) {
            this.entryBytes = entryBytes;
        }

        /** Returns the bytes of an entry. */
        public int entryBytes() {
            return entryBytes;
        }

        /**
         * Returns how many bytes the sidecar of a segment can have: a longer one was not written
         * for it, and is not read.
         */
        public int mostBytes(int segmentBytes) {
            return (segmentBytes / INTERVAL_BYTES + 2) * entryBytes;
        }
    }
}
