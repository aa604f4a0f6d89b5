package io.firn.spi;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.function.Supplier;

/**
 * The bytes of a segment for readers, kept in place by pins. A reader pins the view only while it
 * uses the bytes: during a poll, or until a socket has taken them. The owner retires a view that is
 * to be removed; once a retired view is no longer pinned, it is released (unmapped, its block
 * freed).
 *
 * <p>Thread-safe. {@link #pin} and {@link #unpin} are wait-free: one atomic add each.
 *
 * @see StorageTier
 */
public final class View {
    private static final int RETIRED = 1 << 30;
    private static final int RELEASED = RETIRED | 1 << 29;

    /** The owner no longer releases the view: the thread that unpins it last does. */
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
    private final Supplier<FileChannel> file;
    private final VerifiedRange verified = new VerifiedRange();
    private final VerifiedRange walked = new VerifiedRange();
    private volatile int pins;
    private volatile boolean used = true;

    // Set before an unpin and read when no pin is left: the atomic adds order the two.
    private boolean handedOut;

    /** The action for a view that is retired and no longer pinned. */
    @FunctionalInterface
    public interface Release {
        /**
         * Releases the bytes; called once.
         *
         * @param handedOut whether a user was given buffers of the bytes and may still hold them
         */
        void run(boolean handedOut);
    }

    /**
     * Creates a view.
     *
     * @param buffer the bytes; big-endian
     * @param release run once, when the view is retired and no longer pinned
     */
    public View(ByteBuffer buffer, Release release) {
        this(buffer, release, () -> null);
    }

    /**
     * Creates a view of the first bytes of a file.
     *
     * @param buffer the bytes; big-endian
     * @param release run once, when the view is retired and no longer pinned
     * @param file returns the file, see {@link #file}
     */
    public View(ByteBuffer buffer, Release release, Supplier<FileChannel> file) {
        this.buffer = buffer;
        this.release = release;
        this.file = file;
    }

    /**
     * Returns the bytes; use them only between {@link #pin} and {@link #unpin}. What is read here
     * directly has to be confirmed ({@link BlockReader#confirm}) before it is used.
     */
    public ByteBuffer buffer() {
        return buffer;
    }

    /**
     * Returns a file that begins with the bytes, open for reading as long as the view is pinned;
     * for {@link FileChannel#transferTo} only.
     *
     * @return null when there is none, or not now
     */
    public FileChannel file() {
        return file.get();
    }

    /** Returns the part of the bytes whose batches were verified, or stored by this process. */
    public VerifiedRange verified() {
        return verified;
    }

    /**
     * Returns the part of the bytes whose batches were walked over in order: each header, and the
     * CRC of each control batch.
     */
    public VerifiedRange walked() {
        return walked;
    }

    /**
     * Keeps the bytes in place until {@link #unpin}.
     *
     * @return false when the view was retired: get the current one from the segment
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

    /** Records that a user is given buffers of the bytes; the caller has pinned the view. */
    public void handOut() {
        handedOut = true;
    }

    /** Removes one pin. */
    public void unpin() {
        if ((int) PINS.getAndAdd(this, -1) == (RETIRED | LEFT) + 1) {
            tryRelease();
        }
    }

    /** Refuses further pins. Idempotent; called only by the owner of the segment. */
    public void retire() {
        int before;
        do {
            before = pins;
        } while (before < RETIRED && !PINS.compareAndSet(this, before, before + RETIRED));
    }

    /**
     * Releases a retired view if it has no pin.
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
     * Retires the view for an owner that will not release it later: it is released now, or by the
     * thread that unpins it last.
     */
    public void leave() {
        retire();
        int before;
        do {
            before = pins;
        } while ((before & LEFT) == 0 && !PINS.compareAndSet(this, before, before | LEFT));
        tryRelease();
    }

    /** Returns whether the bytes are pinned now. */
    public boolean isPinned() {
        return (pins & ~(RELEASED | LEFT)) != 0;
    }

    /** Returns whether the view was pinned since the last call; for the eviction of idle views. */
    public boolean testAndClearUsed() {
        boolean was = used;
        used = false;
        return was;
    }
}
