package io.firn.server.security;

import java.net.InetAddress;
import javax.net.ssl.SSLSession;
import org.apache.kafka.common.security.auth.KafkaPrincipal;
import org.apache.kafka.common.security.auth.SslAuthenticationContext;

/**
 * Who the client of a connection is, and what is missing until that is known. Changed on the
 * connection's event loop; read by any thread.
 */
public final class Authentication {
    private static final String ANONYMOUS = KafkaPrincipal.ANONYMOUS.toString();

    private final ListenerSecurity listener;
    private final InetAddress peer;
    private volatile String principal = ANONYMOUS;
    private volatile boolean complete;

    /**
     * Begins with nothing known.
     *
     * @param peer the address of the client
     */
    public Authentication(ListenerSecurity listener, InetAddress peer) {
        this.listener = listener;
        this.peer = peer;
        this.complete = listener.tls() == null && !listener.isSasl();
    }

    /** Returns how the listener is secured. */
    public ListenerSecurity listener() {
        return listener;
    }

    /**
     * Returns whether the client has done all that its listener asks for: its requests are handled.
     */
    public boolean isComplete() {
        return complete;
    }

    /** Returns who the client is, such as {@code User:alice}. */
    public String principal() {
        return principal;
    }

    /** Returns whether the client has proved who it is. */
    public boolean isKnown() {
        return !principal.equals(ANONYMOUS);
    }

    /** Called when the connection is encrypted; takes the name of the client's certificate. */
    public void onEncrypted(SSLSession session) {
        if (!listener.isSasl()) {
            principal =
                    listener.names()
                            .build(new SslAuthenticationContext(session, peer, listener.name()))
                            .toString();
            complete = true;
        }
    }
}
