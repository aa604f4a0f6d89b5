package io.firn.log;

import io.firn.background.Duty;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts how often blocks went back to the tiers of a store, and calls the duties that found no
 * room before. Thread-safe.
 */
public final class FreedBlocks {
    private final AtomicLong count = new AtomicLong();
    private final Set<Duty> waiting = ConcurrentHashMap.newKeySet();

    /** Grows whenever blocks went back to their tiers. */
    public long count() {
        return count.get();
    }

    /** Notes that blocks went back to their tiers: who found no room looks again. */
    public void onFreed() {
        count.incrementAndGet();
        for (Duty duty : waiting) {
            waiting.remove(duty);
            duty.call();
        }
    }

    /**
     * Has a duty called when something is freed, or now if something was freed meanwhile.
     *
     * @param known the count before the duty looked for room
     */
    public void onNoRoom(Duty duty, long known) {
        waiting.add(duty);
        if (known != count.get() && waiting.remove(duty)) {
            duty.call();
        }
    }
}
