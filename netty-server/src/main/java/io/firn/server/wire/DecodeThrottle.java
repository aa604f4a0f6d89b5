package io.firn.server.wire;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Clients whose requests took long to decode, on event loops that others use too. The next large
 * request of such a client is decoded after ten times as long, so that one client has about a tenth
 * of an event loop for this. Thread-safe.
 */
final class DecodeThrottle {
    /** What is smaller is decoded at once: also by the square it takes a ms. */
    private static final int SMALL_BYTES = 16_384;

    private static final long SHORT_NS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long MOST_NS = TimeUnit.SECONDS.toNanos(2);
    private static final int FACTOR = 10;

    /** When they end. Those that are over are removed when one begins. */
    private final Map<String, Long> endsNs = new ConcurrentHashMap<>();

    /** A request of a client took some processor time to decode. */
    void took(String owner, long ns, long nowNs) {
        if (ns > SHORT_NS) {
            endsNs.values().removeIf(endNs -> endNs - nowNs <= 0);
            long endNs = nowNs + Math.min(MOST_NS, FACTOR * ns);
            endsNs.merge(owner, endNs, (one, other) -> one - other > 0 ? one : other);
        }
    }

    /** Returns whether a request of a client has to wait. */
    boolean hasToWait(String owner, int bytes, long nowNs) {
        if (bytes <= SMALL_BYTES || endsNs.isEmpty()) {
            return false;
        }
        Long endNs = endsNs.get(owner);
        return endNs != null && endNs - nowNs > 0;
    }

    /** Returns the number of clients that are known. */
    int size() {
        return endsNs.size();
    }
}
