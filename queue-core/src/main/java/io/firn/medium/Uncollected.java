package io.firn.medium;

import io.firn.medium.MediumFile.Mapping;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import javax.annotation.concurrent.GuardedBy;

/**
 * Mappings that were released but stay mapped until the garbage collector finds that no user holds
 * a buffer of them; see {@link Mapping#abandon}. A deleted file among them occupies its space until
 * then. Thread-safe.
 *
 * @see io.firn.spi.StorageTier
 */
public final class Uncollected {
    private static final long MIN_PAUSE_NS = 1_000_000_000;

    /** At most one part of these of the time goes to collections that are asked for here. */
    private static final int COST_SHARE = 50;

    private final Runnable collector;
    private final LongSupplier clock;

    @GuardedBy("left")
    private final List<Abandoned> left = new ArrayList<>();

    @GuardedBy("left")
    private boolean wasAsked;

    @GuardedBy("left")
    private long nextNs;

    /** Creates an empty collection. */
    public Uncollected() {
        this(System::gc, System::nanoTime);
    }

    /** Creates an empty collection of another garbage collector. */
    Uncollected(Runnable collector, LongSupplier clock) {
        this.collector = collector;
        this.clock = clock;
    }

    private record Abandoned(WeakReference<ByteBuffer> buffer, long bytes) {}

    /**
     * Releases a mapping.
     *
     * @param handedOut whether a user may still hold a buffer of it
     * @return whether it is unmapped, so that no user sees its bytes any more
     */
    public boolean release(Mapping mapping, boolean handedOut) {
        if (!handedOut) {
            mapping.unmap();
            return true;
        }
        // Slices and duplicates of it keep it reachable.
        ByteBuffer buffer = mapping.buffer();
        if (!mapping.abandon()) {
            return true;
        }
        synchronized (left) {
            left.add(new Abandoned(new WeakReference<>(buffer), buffer.capacity()));
        }
        return false;
    }

    /** Returns how many bytes are still mapped. */
    public long bytes() {
        synchronized (left) {
            left.removeIf(each -> each.buffer.get() == null);
            return left.stream().mapToLong(Abandoned::bytes).sum();
        }
    }

    /**
     * Runs the garbage collector if it may unmap as much as is missing: in a process that does
     * nothing else because its disk is full, it would not run by itself. What it finds is unmapped
     * soon afterwards. Does nothing if the last time was too short ago, since users may hold all of
     * it.
     *
     * @param missing the bytes that the file system lacks
     */
    public void collect(long missing) {
        synchronized (left) {
            if (bytes() < missing || (wasAsked && clock.getAsLong() - nextNs < 0)) {
                return;
            }
            wasAsked = true;
            nextNs = clock.getAsLong() + MIN_PAUSE_NS; // for others, while it runs
        }
        long begun = clock.getAsLong();
        collector.run();
        long ended = clock.getAsLong();
        synchronized (left) {
            nextNs = ended + Math.max(MIN_PAUSE_NS, COST_SHARE * (ended - begun));
        }
    }
}
