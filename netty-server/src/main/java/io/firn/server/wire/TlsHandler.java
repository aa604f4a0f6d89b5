package io.firn.server.wire;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.ssl.SslHandler;
import java.util.List;
import java.util.concurrent.Executor;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;

/**
 * Encrypts a connection. Refuses to negotiate again, which the JDK would do for each client of TLS
 * 1.2 that asks, at a cost that is the server's.
 */
final class TlsHandler extends SslHandler {
    private static final int HANDSHAKE_RECORD = 22;

    /**
     * Creates the handler of a connection.
     *
     * @param engine its engine
     * @param longTasks runs what takes long in a handshake
     */
    TlsHandler(SSLEngine engine, Executor longTasks) {
        super(engine, longTasks);
        setHandshakeTimeoutMillis(0); // the connection has a limit for all of the authentication
    }

    @Override
    protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out)
            throws SSLException {
        if (isNegotiatedAgain(in)) {
            in.skipBytes(in.readableBytes());
            // Without close_notify, after which a client would take the refusal for a regular end
            // of the connection, and which testssl.sh takes for consent.
            var unused = ctx.close();
            throw new SSLException("the client wants to negotiate TLS again, which is refused");
        }
        super.decode(ctx, in, out);
    }

    /** The buffer begins with a record. In TLS 1.3 those after the handshake have another type. */
    private boolean isNegotiatedAgain(ByteBuf in) {
        return in.isReadable()
                && in.getByte(in.readerIndex()) == HANDSHAKE_RECORD
                && handshakeFuture().isSuccess()
                && "TLSv1.2".equals(engine().getSession().getProtocol());
    }
}
