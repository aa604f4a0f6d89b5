package io.firn.spi;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;

/**
 * A segment's bytes for readers, held in place by pins. A reader pins the view while it looks at
 * the bytes (during a poll, or until a socket took them) and never in between. The owner retires a
 * view that is to go away; it is released (unmapped, its block freed) when it is retired and nobody
 * pins it any more.
 *
 * <p>Thread-safe. {@link #pin} and {@link #unpin} are wait-free: one atomic add each.
 */
public final class View {
    private static final int RETIRED = 1 << 30;
    private static final int RELEASED = RETIRED | 1 << 29;

    /** Nobody will ask for the release any more. */
    private static final int LEFT = 1 << 28;

    private static final VarHandle PINS;

    static {
        try {
            PINS = MethodHandles.lookup().findVarHandle(View.class, "pins", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final ByteBuffer buffer;
    private final Release release;
    private volatile int pins;
    private volatile boolean used = true;

    // Set before an unpin, read when there are no pins any more: their atomic adds order the two.
    private boolean handedOut;

    /** What is done when a view is retired and free of pins. */
    @FunctionalInterface
    public interface Release {
        /**
         * Does it, once.
         *
         * @param handedOut whether a user got buffers of the bytes and may still hold them
         */
        void run(boolean handedOut);
    }

    /**
     * Makes a view.
     *
     * @param buffer the bytes; big-endian
     * @param release what to do when the view is retired and free of pins; run once
     */
    public View(ByteBuffer buffer, Release release) {
        this.buffer = buffer;
        this.release = release;
    }

    /** The bytes; only to be touched between {@link #pin} and {@link #unpin}. */
    public ByteBuffer buffer() {
        return buffer;
    }

    /**
     * Holds the bytes in place.
     *
     * @return false when the view was retired: ask the segment for its current one
     */
    public boolean pin() {
        if ((int) PINS.getAndAdd(this, 1) >= RETIRED) {
            unpin();
            return false;
        }
        if (!used) {
            used = true;
        }
        return true;
    }

    /** Notes that a user gets buffers of the bytes; the caller pins the view. */
    public void handOut() {
        handedOut = true;
    }

    /** Gives up one hold. */
    public void unpin() {
        if ((int) PINS.getAndAdd(this, -1) == (RETIRED | LEFT) + 1) {
            tryRelease();
        }
    }

    /** Lets no further reader in. Idempotent; called by the owner of the segment only. */
    public void retire() {
        int before;
        do {
            before = pins;
        } while (before < RETIRED && !PINS.compareAndSet(this, before, before + RETIRED));
    }

    /**
     * Releases a retired view when nobody holds it.
     *
     * @return true when the view is released, by this call or an earlier one
     */
    public boolean tryRelease() {
        if (PINS.compareAndSet(this, RETIRED, RELEASED)
                || PINS.compareAndSet(this, RETIRED | LEFT, RELEASED | LEFT)) {
            release.run(handedOut);
            return true;
        }
        return pins >= RELEASED;
    }

    /**
     * Retires the view for an owner that goes away: it is released now or by whoever lets go of it
     * last.
     */
    public void leave() {
        retire();
        int before;
        do {
            before = pins;
        } while ((before & LEFT) == 0 && !PINS.compareAndSet(this, before, before | LEFT));
        tryRelease();
    }

    /** Whether somebody holds the bytes now. */
    public boolean isPinned() {
        return (pins & ~(RELEASED | LEFT)) != 0;
    }

    /**
     * Whether the view was pinned since the last call of this method; for eviction of idle views.
     */
    public boolean testAndClearUsed() {
        boolean was = used;
        used = false;
        return was;
    }
}
