package io.firn.server.wire;

import io.firn.server.security.Authentication;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLSession;

/**
 * The time until the client of a connection has authenticated, which includes the handshake of TLS.
 * Used on the event loop.
 */
final class AuthenticationPhase {
    private final Authentication client;
    private final FrameDecoder requests;
    private final Owner connection;
    private Future<?> deadline;
    private volatile String owner;

    /** What is told of it. */
    interface Owner {

        /** Returns the client's address. Thread-safe. */
        String peerAddress();

        /** Called once, when the client has done all that its listener asks for. */
        void onAuthenticated();

        /** Closes the connection at this time, by the clock of the event loop. */
        void endAt(long atNs);

        /** Closes the connection. */
        void close(String reason, Throwable cause);
    }

    AuthenticationPhase(Authentication client, FrameDecoder requests, Owner connection) {
        this.client = client;
        this.requests = requests;
        this.connection = connection;
        if (!client.isComplete()) {
            requests.limitTo(client.listener().limits().receiveBytes());
        }
    }

    Authentication client() {
        return client;
    }

    boolean isEncrypted() {
        return client.listener().tls() != null;
    }

    /** Returns whose memory the connection uses: the client's, or its address's. Thread-safe. */
    String owner() {
        String known = owner;
        if (known == null) {
            known = connection.peerAddress();
            owner = known;
        }
        return known;
    }

    /**
     * Called first when the connection is open. Closes it if it is refused.
     *
     * @param delayMs negative if the connection is refused
     */
    boolean admits(long delayMs) {
        if (delayMs < 0) {
            String why = "too many connections in a short time, by connection_creation_rate";
            connection.close(why, null);
        }
        return delayMs >= 0;
    }

    /**
     * Called when the connection is open and admitted.
     *
     * @param delayMs the time for which nothing is read, which is not the client's
     */
    void start(ChannelHandlerContext ctx, long delayMs, RequestQueue queue) {
        if (delayMs > 0) {
            queue.throttle(delayMs);
        }
        if (!client.isComplete()) {
            long ms = client.listener().limits().timeoutMs();
            deadline =
                    ctx.executor()
                            .schedule(
                                    () -> close("in " + ms + " ms"),
                                    delayMs + ms,
                                    TimeUnit.MILLISECONDS);
        }
    }

    /** Called with the events of the channel. */
    void onEvent(ChannelHandlerContext ctx, Object event) {
        if (event instanceof SslHandshakeCompletionEvent handshake && handshake.isSuccess()) {
            SSLSession session = ctx.pipeline().get(SslHandler.class).engine().getSession();
            client.onEncrypted(session, ctx.executor().ticker().nanoTime());
            if (client.isFailed()) {
                connection.close(client.failure(), null);
            } else {
                client.certificateEndNs().ifPresent(connection::endAt);
                proceed();
            }
        } else if (event instanceof SslHandshakeCompletionEvent handshake
                && ConnectionLog.isTlsFailure(handshake.cause())) {
            client.onEncryptionFailed();
        }
    }

    /** Called when the client may have done all. */
    void proceed() {
        if (client.isComplete()) {
            stop();
            requests.limitTo(Integer.MAX_VALUE);
            if (client.isKnown()) {
                owner = client.principal(); // nothing is in flight yet that counts as another's
            }
            connection.onAuthenticated();
        }
    }

    /** Called when the connection has to make room for a newer one. */
    void closeInFavourOfOthers() {
        close("before others came that had to");
    }

    private void close(String when) {
        if (!client.isComplete()) {
            connection.close("the client has not authenticated " + when, null);
        }
    }

    void stop() {
        if (deadline != null) {
            deadline.cancel(false);
            deadline = null;
        }
    }
}
