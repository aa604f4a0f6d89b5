package io.firn.server.wire;

import io.firn.server.security.Authentication;
import io.firn.server.security.ListenerSecurity;
import io.firn.server.security.Tls;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.handler.stream.ChunkedWriteHandler;
import java.net.InetSocketAddress;

/** Gives a new connection of a listener its handlers. */
final class ConnectionInitializer extends ChannelInitializer<Channel> {
    private final ServerContext server;
    private final ListenerSecurity listener;

    ConnectionInitializer(ServerContext server, ListenerSecurity listener) {
        this.server = server;
        this.listener = listener;
    }

    @Override
    protected void initChannel(Channel channel) {
        FrameDecoder frames = new FrameDecoder(server.limits().requestBytes());
        InetSocketAddress peer = (InetSocketAddress) channel.remoteAddress();
        if (peer == null) {
            channel.close().addListener(future -> {}); // has gone already
            return;
        }
        Authentication client = new Authentication(listener, peer.getAddress());
        Tls tls = listener.tls();
        if (tls == null) {
            // Large requests are read into the buffers of the decoder.
            channel.config().setRecvByteBufAllocator(frames.buffers());
        } else {
            channel.pipeline()
                    .addLast(
                            new TlsHandler(
                                    tls.newEngine(
                                            peer.getAddress().getHostAddress(), peer.getPort()),
                                    listener.handshakes()),
                            new ChunkedWriteHandler());
        }
        channel.pipeline().addLast(frames, new Connection(server, frames, client));
    }
}
