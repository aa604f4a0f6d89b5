package io.firn.server.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.server.quota.TimeQuota;
import io.firn.server.security.Authentication;
import io.firn.server.security.ListenerSecurity;
import io.netty.channel.embedded.EmbeddedChannel;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class AcceptGateTest {
    private static final int MOST = 3;
    private static final int MOST_OF_ONE = 2;

    private final ServerContext server =
            new ServerContext(
                    null, new ServerLimits(1_000, 1, 1_000, MOST, MOST_OF_ONE, 1_000, 1_000), null);
    private final EmbeddedChannel listening = new EmbeddedChannel(new AcceptGate(server));

    /** A connection that was accepted and that no event loop knows yet. */
    private static EmbeddedChannel from(String address) {
        return new EmbeddedChannel() {
            @Override
            protected SocketAddress remoteAddress0() {
                return address == null ? null : new InetSocketAddress(address, 1);
            }
        };
    }

    private EmbeddedChannel accept(String address) {
        EmbeddedChannel channel = from(address);
        listening.writeInbound(channel);
        return channel;
    }

    private void assertPassedOn(EmbeddedChannel channel) {
        assertSame(channel, listening.readInbound());
        assertTrue(channel.isOpen());
    }

    private void assertClosed(EmbeddedChannel channel) {
        assertNull(listening.readInbound());
        assertFalse(channel.isOpen());
    }

    @Test
    void shouldCloseWhatIsTooMuchBeforeAnEventLoopKnowsOfIt() {
        EmbeddedChannel first = accept("10.0.0.1");
        assertPassedOn(first);
        assertPassedOn(accept("10.0.0.1"));
        assertClosed(accept("10.0.0.1"));
        assertPassedOn(accept("10.0.0.2"));
        assertClosed(accept("10.0.0.3"));
        first.close().syncUninterruptibly();
        assertPassedOn(accept("10.0.0.1"));
        assertClosed(accept("10.0.0.1"));
    }

    /** A quota of an address has no interface, and Kafka does not tell them apart either. */
    @Test
    void shouldCountAnAddressOfALinkWhateverTheInterfaceThatItComesBy() {
        List<String> counted = new ArrayList<>();
        assertPassedOn(accept("fe80::1%1"));
        assertPassedOn(accept("fe80::1%2"));
        assertClosed(accept("fe80::1%3"));
        ServerContext asked =
                new ServerContext(
                        null,
                        server.limits(),
                        null,
                        address -> {
                            counted.add(address);
                            return 0;
                        },
                        TimeQuota.NONE);
        FrameDecoder frames = new FrameDecoder(1_000);
        EmbeddedChannel channel = from("fe80::1%1");
        channel.pipeline()
                .addLast(
                        frames,
                        new Connection(
                                asked, frames, new Authentication(ListenerSecurity.PLAIN, null)));
        channel.pipeline().fireChannelActive();
        assertEquals(List.of("fe80:0:0:0:0:0:0:1"), counted);
        channel.finishAndReleaseAll();
    }

    @Test
    void shouldCloseWhoHasGoneAlready() {
        assertClosed(accept(null));
        assertPassedOn(accept("10.0.0.1"));
    }
}
