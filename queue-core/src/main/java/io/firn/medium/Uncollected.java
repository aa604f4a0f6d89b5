package io.firn.medium;

import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Mappings that were let go but stay mapped until the garbage collector has found that no user
 * holds a buffer of them; see {@link Mapping#abandon}. A deleted file among them keeps its space
 * that long. Thread-safe.
 */
public final class Uncollected {
    private final List<Left> left = new ArrayList<>();

    /** None yet. */
    public Uncollected() {}

    private record Left(WeakReference<ByteBuffer> buffer, long bytes) {}

    /**
     * Lets go of a mapping.
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
                left.add(new Left(new WeakReference<>(buffer), buffer.capacity()));
            }
        }
    }

    /** Returns how many bytes are still mapped. */
    public long bytes() {
        synchronized (left) {
            left.removeIf(each -> each.buffer.get() == null);
            return left.stream().mapToLong(Left::bytes).sum();
        }
    }
}
