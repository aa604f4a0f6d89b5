package io.firn.follow;

import io.firn.log.PublishedOffsets.OffsetPublisher;
import java.nio.ByteBuffer;
import java.util.UUID;

/**
 * The offsets of one partition, which its writer publishes for readers in other processes. Each
 * method is a few stores into a mapping, which must not be undone meanwhile, see {@link
 * PublishedOffsetsFile#pin}. When it is known that a program has truncated the file, they do
 * nothing; until then a store may throw an {@link InternalError}, which the system may report some
 * instructions late: {@link PublishedLog} catches it.
 *
 * <p>{@link #end} is for the thread that has the append turn, {@link #durable} for the holder of
 * the force gate, the others for one thread at a time.
 */
public final class OffsetSlot {
    private final PublishedOffsetsFile file;
    private ByteBuffer bytes; // another one, which is no file, after the file was lost
    private final int at;
    private final int slot;
    private volatile Assignment assignment = Assignment.NONE;

    // What was missing at the last look; for PublishedOffsetsFile.check.
    private long missedEnd = -1;
    private long missedDurable = -1;

    /** Publishes the offsets of one partition. */
    public interface Log {

        /** Publishes all of it again, see {@link #publish}, unless it is closed. */
        void publishAgain(OffsetSlot slot);

        /** Calls {@link #raise} with what it should have published, unless it is closed. */
        void publishMissed(OffsetSlot slot);
    }

    /** Whose the slot is. */
    private record Assignment(UUID topic, int partition, Log log) {
        private static final Assignment NONE = new Assignment(new UUID(0, 0), -1, null);
    }

    OffsetSlot(PublishedOffsetsFile file, ByteBuffer bytes, int slot) {
        this.file = file;
        this.bytes = bytes;
        this.slot = slot;
        this.at = PublishedOffsetsFormat.placeInPiece(slot);
    }

    /**
     * Publishes how far the present segment is written. The bytes below are stored before (O21).
     *
     * @param end a position and, in the upper half, the offset there minus the segment's base
     */
    public void end(long end) {
        PublishedOffsetsFormat.set(bytes, at + PublishedOffsetsFormat.END, end);
    }

    /** Publishes the durable offset. The bytes below were forced before (O21). */
    public void durable(long offset) {
        PublishedOffsetsFormat.set(bytes, at + PublishedOffsetsFormat.DURABLE, offset);
    }

    /** Publishes the log start, which is durable. */
    public void start(long offset) {
        PublishedOffsetsFormat.set(bytes, at + PublishedOffsetsFormat.START, offset);
    }

    /**
     * Publishes that another segment is written to, of which nothing is written yet.
     *
     * @param epoch of the segment
     * @param baseBefore the base offset of the segment before it
     * @param endBefore the final end of that
     */
    public void begin(long base, long epoch, long baseBefore, long endBefore) {
        long sequence = open();
        PublishedOffsetsFormat.set(bytes, at + PublishedOffsetsFormat.BASE, base);
        PublishedOffsetsFormat.set(bytes, at + PublishedOffsetsFormat.EPOCH, epoch);
        PublishedOffsetsFormat.set(bytes, at + PublishedOffsetsFormat.BASE_BEFORE, baseBefore);
        PublishedOffsetsFormat.set(bytes, at + PublishedOffsetsFormat.END_BEFORE, endBefore);
        PublishedOffsetsFormat.set(bytes, at + PublishedOffsetsFormat.END, 0);
        PublishedOffsetsFormat.set(bytes, at + PublishedOffsetsFormat.SEQUENCE, sequence + 1);
    }

    /** Publishes that segments were begun, sealed, renamed, moved or deleted. */
    public void changed() {
        PublishedOffsetsFormat.increment(bytes, at + PublishedOffsetsFormat.SLOT_CHANGES);
        file.changed();
    }

    /** Publishes that the slot changes, so that readers believe nothing in it; see O22. */
    private long open() {
        long sequence = PublishedOffsetsFormat.get(bytes, at + PublishedOffsetsFormat.SEQUENCE) | 1;
        PublishedOffsetsFormat.set(bytes, at + PublishedOffsetsFormat.SEQUENCE, sequence);
        return sequence;
    }

    /** Publishes into memory that is not read from now on. Other threads notice it later. */
    void publishInto(ByteBuffer nobodyReads) {
        bytes = nobodyReads;
    }

    /** Makes the slot that of a partition, which {@link #publish} publishes. */
    void assign(UUID topic, int partition, Log log) {
        assignment = new Assignment(topic, partition, log);
    }

    /** Makes the slot that of no log. */
    void release() {
        assignment = Assignment.NONE;
    }

    /** Publishes all that there is to say of the partition. */
    public void publish(OffsetPublisher.State state) {
        Assignment mine = assignment;
        long sequence = open();
        PublishedOffsetsFormat.set(
                bytes, at + PublishedOffsetsFormat.TOPIC, mine.topic.getMostSignificantBits());
        PublishedOffsetsFormat.set(
                bytes, at + PublishedOffsetsFormat.TOPIC + 8, mine.topic.getLeastSignificantBits());
        PublishedOffsetsFormat.set(bytes, at + PublishedOffsetsFormat.PARTITION, mine.partition);
        PublishedOffsetsFormat.set(bytes, at + PublishedOffsetsFormat.BASE, state.base());
        PublishedOffsetsFormat.set(bytes, at + PublishedOffsetsFormat.EPOCH, state.epoch());
        PublishedOffsetsFormat.set(bytes, at + PublishedOffsetsFormat.BASE_BEFORE, -1);
        PublishedOffsetsFormat.set(bytes, at + PublishedOffsetsFormat.END_BEFORE, 0);
        PublishedOffsetsFormat.set(bytes, at + PublishedOffsetsFormat.END, state.end());
        PublishedOffsetsFormat.set(bytes, at + PublishedOffsetsFormat.DURABLE, state.durable());
        PublishedOffsetsFormat.set(bytes, at + PublishedOffsetsFormat.START, state.start());
        PublishedOffsetsFormat.set(bytes, at + PublishedOffsetsFormat.SEQUENCE, sequence + 1);
    }

    /** Makes the slot that of no partition. */
    void clear() {
        long sequence = open();
        PublishedOffsetsFormat.set(bytes, at + PublishedOffsetsFormat.TOPIC, 0);
        PublishedOffsetsFormat.set(bytes, at + PublishedOffsetsFormat.TOPIC + 8, 0);
        PublishedOffsetsFormat.set(bytes, at + PublishedOffsetsFormat.PARTITION, -1);
        PublishedOffsetsFormat.set(bytes, at + PublishedOffsetsFormat.SEQUENCE, sequence + 1);
    }

    /** Has the log publish all of itself in another file. */
    void publishAgain() {
        Log log = assignment.log;
        if (log != null) {
            log.publishAgain(this);
        }
    }

    /** Has the log look for ends that were published in an earlier file. */
    void publishMissed() {
        Log log = assignment.log;
        if (log != null) {
            log.publishMissed(this);
        }
    }

    /**
     * Raises ends that are too low, if they should have been as high at the last call already: then
     * no thread that appends or forces is about to publish them.
     *
     * @param state what should be published, loaded before this call
     */
    public void raise(OffsetPublisher.State state) {
        if (PublishedOffsetsFormat.get(bytes, at + PublishedOffsetsFormat.BASE) != state.base()
                || PublishedOffsetsFormat.get(bytes, at + PublishedOffsetsFormat.EPOCH)
                        != state.epoch()) {
            return; // another segment is just being begun
        }
        long end = PublishedOffsetsFormat.get(bytes, at + PublishedOffsetsFormat.END);
        if (end < state.end() && missedEnd == state.end()) {
            end(state.end());
        }
        missedEnd = state.end();
        long durable = PublishedOffsetsFormat.get(bytes, at + PublishedOffsetsFormat.DURABLE);
        if (durable < state.durable() && missedDurable == state.durable()) {
            durable(state.durable());
        }
        missedDurable = state.durable();
    }

    /** Returns the number of the slot. */
    int slot() {
        return slot;
    }
}
