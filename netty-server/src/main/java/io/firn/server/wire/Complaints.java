package io.firn.server.wire;

import java.util.concurrent.atomic.AtomicLong;

/** Says why a connection was closed: a line each, a few lines a second. Thread-safe. */
final class Complaints {
    private static final System.Logger LOG = System.getLogger("io.firn.server");
    private static final int A_SECOND = 5;
    private static final int LONGEST = 300;

    private final AtomicLong second = new AtomicLong();
    private final AtomicLong said = new AtomicLong();
    private final AtomicLong unsaid = new AtomicLong();

    void say(String peer, String reason, Throwable cause) {
        long now = System.nanoTime() / 1_000_000_000;
        if (second.getAndSet(now) != now) {
            said.set(0);
        }
        if (said.incrementAndGet() > A_SECOND) {
            unsaid.incrementAndGet();
            return;
        }
        long left = unsaid.getAndSet(0);
        String why = cause == null ? "" : ": " + cause;
        LOG.log(
                System.Logger.Level.WARNING,
                "{0}: connection closed: {1}{2}{3}",
                peer,
                reason,
                why.length() > LONGEST ? why.substring(0, LONGEST) + "…" : why,
                left == 0 ? "" : " (and " + left + " others were closed, not logged)");
    }
}
