package io.firn.medium;

import java.io.IOException;
import java.util.function.ToLongFunction;

/**
 * A record that is kept in two slots, so that a torn write leaves one of them intact. The slots lie
 * in different pages. The rules, for every record that is kept this way:
 *
 * <ul>
 *   <li>Of the intact slots, the one with the higher sequence number is the newest.
 *   <li>A write overwrites the other slot and is durable before the next one begins.
 *   <li>A record found after a crash may so far exist only in a cache. It is stored again and
 *       forced ({@link #restore}) before the other slot is overwritten: a power failure could
 *       otherwise lose the one and tear the other.
 *   <li>A record that must not be superseded by an older one, should its slot be destroyed later,
 *       is written into both slots ({@link #writeBoth}).
 * </ul>
 *
 * A subclass reads and writes the slots of one record on one kind of medium. For one thread at a
 * time.
 *
 * @param <R> the record
 * @see io.firn.spi.StorageTier
 */
public abstract class TwoSlots<R> {
    /** The number of slots; they are numbered from 0. */
    public static final int COUNT = 2;

    private int newestSlot;

    /**
     * Creates the access to a record.
     *
     * @param newestSlot the slot that contains the newest record; −1 when no slot is intact
     */
    protected TwoSlots(int newestSlot) {
        this.newestSlot = Math.max(0, newestSlot);
    }

    /**
     * The newest record.
     *
     * @param record the record; null when no slot is intact
     * @param slot the slot that contains it; −1 when no slot is intact
     */
    public record Newest<R>(R record, int slot) {}

    /** Reads a slot. */
    @FunctionalInterface
    public interface Reader<R> {
        /** Returns the record in a slot; null when the slot is not intact. */
        R read(int slot) throws IOException;
    }

    /** Returns the newest record; of two equally new ones the first. */
    public static <R> Newest<R> newest(Reader<R> slots, ToLongFunction<R> sequence)
            throws IOException {
        Newest<R> newest = new Newest<>(null, -1);
        for (int slot = 0; slot < COUNT; slot++) {
            R found = slots.read(slot);
            if (found != null
                    && (newest.record() == null
                            || sequence.applyAsLong(found)
                                    > sequence.applyAsLong(newest.record()))) {
                newest = new Newest<>(found, slot);
            }
        }
        return newest;
    }

    /** Returns the record in a slot; null when the slot is not intact. */
    protected abstract R read(int slot) throws IOException;

    /** Stores a record into a slot; durable on return. */
    protected abstract void store(int slot, R record) throws IOException;

    /** Makes the newest record durable where it is; for a record that was found after a crash. */
    public final void restore() throws IOException {
        R record = read(newestSlot);
        if (record != null) {
            store(newestSlot, record);
        }
    }

    /** Writes the next record into the other slot; durable on return. */
    public final void write(R next) throws IOException {
        int other = COUNT - 1 - newestSlot;
        store(other, next);
        newestSlot = other;
    }

    /** Writes the next record into both slots, one durable before the other is touched. */
    public final void writeBoth(R next) throws IOException {
        write(next);
        write(next);
    }
}
