package io.firn.server.wire;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A limit for memory that clients use, with a share for each client: one client may use half of the
 * limit, so that others find room. A client is an address, or a principal where clients are
 * authenticated ({@link ClientConnection#owner}). Thread-safe; sums may exceed the limit by what
 * several threads add at once.
 */
public final class ClientShares {
    private static final int LITTLE = 16;

    private final long most;
    private final long share;
    private final long little;
    private final AtomicLong total = new AtomicLong();
    private final ConcurrentHashMap<String, Long> byOwner = new ConcurrentHashMap<>();

    /** Creates a limit of so many bytes. */
    public ClientShares(long most) {
        this.most = most;
        this.share = most / 2;
        this.little = most / LITTLE;
    }

    /** Adds bytes if there is room for them; returns false otherwise. */
    public boolean tryAdd(String owner, long bytes) {
        boolean fits = hasRoomFor(owner, bytes);
        if (fits) {
            add(owner, bytes);
        }
        return fits;
    }

    /** Returns whether a client may add bytes. */
    public boolean hasRoomFor(String owner, long bytes) {
        return total.get() + bytes <= most && byOwner.getOrDefault(owner, 0L) + bytes <= share;
    }

    /** Returns whether there is memory for bytes, whatever the share of their client. */
    public boolean hasMemoryFor(long bytes) {
        return total.get() + bytes <= most;
    }

    /** Adds bytes that are in use already, or subtracts them. */
    public void add(String owner, long bytes) {
        total.addAndGet(bytes);
        addStored(owner, bytes);
    }

    /** Adds bytes that a client has on a disk only: they count in its share and use no memory. */
    public void addStored(String owner, long bytes) {
        if (bytes != 0) {
            byOwner.compute(
                    owner,
                    (key, before) -> {
                        long now = (before == null ? 0 : before) + bytes;
                        return now == 0 ? null : now;
                    });
        }
    }

    /**
     * Returns whether a client has to wait: it uses more than its share, or more than a little
     * while all together use too much. Bytes of its own that the caller names do not count.
     */
    boolean isExceeded(String owner, long without) {
        if (total.get() <= share) {
            return false; // the common case
        }
        long own = byOwner.getOrDefault(owner, 0L) - without;
        return own > share || (own > little && total.get() - without > most);
    }

    /** Returns the limit. */
    public long mostBytes() {
        return most;
    }

    /** Returns the bytes of a client, with those on a disk. */
    public long usedBytes(String owner) {
        return byOwner.getOrDefault(owner, 0L);
    }

    /** Returns the bytes of all clients, without those on a disk. */
    public long usedBytes() {
        return total.get();
    }
}
