package io.firn.medium;

import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Mappings that were released but stay mapped until the garbage collector finds that no user holds
 * a buffer of them; see {@link Mapping#abandon}. A deleted file among them occupies its space until
 * then. Thread-safe.
 */
public final class Uncollected {
    /** Guarded by its own monitor. */
    private final List<Abandoned> left = new ArrayList<>();

    /** Creates an empty collection. */
    public Uncollected() {}

    private record Abandoned(WeakReference<ByteBuffer> buffer, long bytes) {}

    /**
     * Releases a mapping.
     *
     * @param handedOut whether a user may still hold a buffer of it
     */
    public void release(Mapping mapping, boolean handedOut) {
        if (!handedOut) {
            mapping.unmap();
            return;
        }
        // Slices and duplicates of it keep it reachable.
        ByteBuffer buffer = mapping.buffer();
        if (mapping.abandon()) {
            synchronized (left) {
                left.add(new Abandoned(new WeakReference<>(buffer), buffer.capacity()));
            }
        }
    }

    /** Returns how many bytes are still mapped. */
    public long bytes() {
        synchronized (left) {
            left.removeIf(each -> each.buffer.get() == null);
            return left.stream().mapToLong(Abandoned::bytes).sum();
        }
    }
}
