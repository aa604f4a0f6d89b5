package io.firn.server.security;

import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.Date;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;

/**
 * The certificate that the client of a TLS connection has shown, and when it ends. A handshake that
 * resumes a session does not verify it again, and one that is in the trust store itself is not
 * looked at for its end by the JDK. Those of its issuers, which do not end earlier as a rule, are
 * verified once in {@code firn.ssl.session.timeout.ms}.
 */
final class ClientCertificate {
    private static final long FAR_NS = Long.MAX_VALUE / 4;

    private final String subject;
    private final Date end;
    private final long endNs;

    private ClientCertificate(X509Certificate shown, long nowMs, long nowNs) {
        subject = shown.getSubjectX500Principal().getName();
        end = shown.getNotAfter();
        // Before the multiplication: it may be valid, or over, for thousands of years.
        long farMs = FAR_NS / 1_000_000;
        long leftMs = Math.max(-farMs, Math.min(end.getTime() - nowMs, farMs));
        endNs = nowNs + TimeUnit.MILLISECONDS.toNanos(leftMs);
    }

    /**
     * Returns that of a session; null if the client has shown none.
     *
     * @param nowMs the time in ms since 1970
     * @param nowNs the same time, by the clock of the event loop
     */
    static ClientCertificate of(SSLSession session, long nowMs, long nowNs) {
        try {
            Certificate[] chain = session.getPeerCertificates();
            return chain.length > 0 && chain[0] instanceof X509Certificate shown
                    ? new ClientCertificate(shown, nowMs, nowNs)
                    : null;
        } catch (SSLPeerUnverifiedException e) {
            return null;
        }
    }

    /** Returns the name of its owner. */
    String subject() {
        return subject;
    }

    /** Returns when it ends, by the clock of the event loop. */
    long endNs() {
        return endNs;
    }

    boolean isOver(long nowNs) {
        return nowNs - endNs >= 0;
    }

    /** Says when it ended. */
    String expiry() {
        return "its certificate has expired on " + end.toInstant();
    }
}
