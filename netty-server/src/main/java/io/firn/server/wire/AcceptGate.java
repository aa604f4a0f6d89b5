package io.firn.server.wire;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.net.InetSocketAddress;

/**
 * Closes connections beyond the limits as they are accepted. Later, on their event loops, is too
 * late: many that come at once would use up the descriptors, and after that nobody is accepted for
 * a second. Called by the accepting thread.
 */
@Sharable
final class AcceptGate extends ChannelInboundHandlerAdapter {
    private final ServerContext server;

    AcceptGate(ServerContext server) {
        this.server = server;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object accepted) {
        Channel channel = (Channel) accepted;
        InetSocketAddress peer = (InetSocketAddress) channel.remoteAddress();
        if (peer == null) {
            channel.unsafe().closeForcibly(); // has gone already
            return;
        }
        String address = Connections.addressOf(peer);
        Connections connections = server.connections();
        if (connections.reserve(address)) {
            channel.closeFuture().addListener(future -> connections.release(address));
            ctx.fireChannelRead(channel);
        } else {
            server.log().closed(address, "too many connections", null);
            channel.unsafe().closeForcibly();
        }
    }
}
