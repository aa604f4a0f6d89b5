package io.firn.background;

import java.util.concurrent.atomic.AtomicReference;

/**
 * The duties that were called and not looked at since: a stack that is linked through the duties
 * themselves, pushed by compare-and-set and taken as a whole (R. K. Treiber, "Systems Programming:
 * Coping with Parallelism", 1986), so that a call allocates nothing. Thread-safe.
 */
final class CalledDuties {
    private final AtomicReference<Duty> last = new AtomicReference<>();

    boolean isAny() {
        return last.get() != null;
    }

    /** Adds a duty that is not among them. */
    void add(Duty duty) {
        Duty before;
        do {
            before = last.get();
            duty.next = before;
        } while (!last.compareAndSet(before, duty));
    }

    /** Takes all of them, linked in the order of the calls; null when there are none. */
    Duty takeAll() {
        Duty first = null;
        for (Duty each = isAny() ? last.getAndSet(null) : null; each != null; ) {
            Duty before = each.next;
            each.next = first;
            first = each;
            each = before;
        }
        return first;
    }
}
