package io.firn.spi;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A block of a tier with a segment in it. One thread at a time writes ({@link #memory}, {@link
 * #force} may run beside it), one background thread at a time changes its state; any thread reads.
 */
public interface Segment {

    /** The tier that it lies in. */
    StorageTier tier();

    /** Where it lies, for messages. */
    String name();

    /** Room for batches, in bytes; of a sealed segment its length. */
    int capacity();

    /** Bytes of its tier that it takes. */
    default long usedBytes() {
        return capacity();
    }

    /**
     * The newest mark that is whole.
     *
     * @return null when no mark could be read: the block is damaged beyond use
     */
    Mark mark();

    /** Reads the mark from the medium again; for a reader in another process. */
    Mark refreshMark() throws IOException;

    /**
     * The writer's view: stores into {@code [0, capacity)}. Readers of an active segment look at
     * the same bytes.
     *
     * @throws IllegalStateException when the segment is sealed, deleted, damaged, or open read-only
     */
    ByteBuffer memory();

    /**
     * Whether bytes that nobody stored since the block was reserved may be other than zero: the
     * block was used before.
     */
    default boolean mayHoldStaleBytes() {
        return false;
    }

    /**
     * Makes the stores into {@code [from, to)} durable. May be called by a user's thread, by one
     * thread at a time; is not disturbed by interrupts.
     *
     * @throws IOException when it is not certain that they are; nothing may be acknowledged
     */
    void force(int from, int to) throws IOException;

    /** Writes a mark into the older slot; durable on return. */
    void writeMark(Mark mark) throws IOException;

    /**
     * Writes a mark into both slots, durable on return; for recovery, after which no older mark may
     * come back.
     */
    void rewriteMark(Mark mark) throws IOException;

    /**
     * Declares the segment complete at {@code mark.position()}, durably. Its bytes were forced
     * before. The segment stays readable through its present view.
     */
    void seal(Mark mark) throws IOException;

    /**
     * Brings a sealed segment into its final form: cut to length, with its sidecars, under its
     * final name. Can be repeated after a crash.
     */
    void finishSeal(byte[] index, byte[] timeIndex) throws IOException;

    /** Whether {@link #finishSeal} has run. */
    boolean isFinished();

    /**
     * The bytes for readers, brought into memory when they are not. Pin before use; when the pin
     * fails, ask again.
     */
    View view() throws IOException;

    /**
     * Whether the bytes of a view may become another segment's under a reader's eyes: they belong
     * to another process, which pins in this one do not keep from using the block again. Such bytes
     * are copied first, and the copy used only when {@link #isStillThere} says so afterwards.
     */
    default boolean mayBeReused() {
        return false;
    }

    /**
     * Whether the segment is still in its block, so that whatever was read of it before the call
     * was its own. Never goes back to true.
     */
    default boolean isStillThere() {
        return true;
    }

    /**
     * Lets go of the readers' view when it can be brought back, for example to unmap a file that
     * nobody reads.
     *
     * @return the retired view, to be released when its pins are gone; null when there is none
     */
    View detachView();

    /**
     * Copies bytes out, without touching a mapping.
     *
     * @return bytes read, fewer than asked for only at the end
     */
    int read(int position, byte[] target, int offset, int length) throws IOException;

    /** A sidecar's bytes, or null when it is not there. */
    byte[] readSidecar(Sidecar kind) throws IOException;

    /** Writes a sidecar again that was missing or damaged; need not be durable. */
    void rewriteSidecar(Sidecar kind, byte[] bytes) throws IOException;

    /**
     * Takes the segment away, durably, and gives its block back. Its views are retired and free of
     * pins. Idempotent.
     */
    void delete() throws IOException;
}
