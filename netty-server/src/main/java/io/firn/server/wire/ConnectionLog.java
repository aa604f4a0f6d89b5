package io.firn.server.wire;

import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.SslClosedEngineException;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLException;

/** Logs why connections were closed, one line each and a few lines a second. Thread-safe. */
final class ConnectionLog {
    private static final System.Logger LOG = System.getLogger("io.firn.server");
    private static final int MAX_LINES_PER_SECOND = 5;
    private static final int MAX_CAUSE_CHARS = 300;

    private final AtomicLong second = new AtomicLong();
    private final AtomicLong lines = new AtomicLong();
    private final AtomicLong suppressed = new AtomicLong();

    /** Returns what a decoder has failed with. */
    static Throwable unwrap(Throwable cause) {
        boolean isWrapped = cause instanceof DecoderException && cause.getCause() != null;
        return isWrapped ? cause.getCause() : cause;
    }

    /**
     * Returns whether TLS has failed, rather than that the client went away: an answer to its
     * handshake could not be sent, or it said good-bye before the end of it.
     */
    static boolean isTlsFailure(Throwable cause) {
        Throwable below = cause.getCause();
        boolean isTransport = below instanceof IOException && !(below instanceof SSLException);
        return cause instanceof SSLException
                && !(cause instanceof SslClosedEngineException)
                && !isTransport
                && !String.valueOf(cause.getMessage()).contains("Received close_notify");
    }

    /** Returns why a failed connection is closed; null if there is nothing to be said. */
    static String reasonOf(Throwable cause) {
        if (isTlsFailure(cause)) {
            return "TLS failed";
        }
        boolean common = cause instanceof IOException; // the client went away
        return common ? null : "a request that cannot be read";
    }

    void closed(String peer, String reason, Throwable cause) {
        long now = System.nanoTime() / 1_000_000_000;
        if (second.getAndSet(now) != now) {
            lines.set(0);
        }
        if (lines.incrementAndGet() > MAX_LINES_PER_SECOND) {
            suppressed.incrementAndGet();
            return;
        }
        long others = suppressed.getAndSet(0);
        String why = cause == null ? "" : ": " + cause;
        LOG.log(
                System.Logger.Level.WARNING,
                "{0}: connection closed: {1}{2}{3}",
                peer,
                reason,
                why.length() > MAX_CAUSE_CHARS ? why.substring(0, MAX_CAUSE_CHARS) + "…" : why,
                others == 0 ? "" : " (and " + others + " others were closed, not logged)");
    }
}
