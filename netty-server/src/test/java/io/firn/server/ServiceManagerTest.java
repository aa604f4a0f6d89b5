package io.firn.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollDomainDatagramChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.unix.DomainDatagramPacket;
import io.netty.channel.unix.DomainSocketAddress;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServiceManagerTest {
    private static final String PID = Long.toString(ProcessHandle.current().pid());

    @TempDir Path directory;
    private final BlockingQueue<String> reports = new LinkedBlockingQueue<>();
    private EventLoopGroup loop;

    @BeforeEach
    void listen() {
        assumeTrue(Epoll.isAvailable());
        loop = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
    }

    @AfterEach
    void end() {
        loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    /** Listens as a service manager does. */
    private void listen(String name) {
        new Bootstrap()
                .group(loop)
                .channel(EpollDomainDatagramChannel.class)
                .handler(
                        new SimpleChannelInboundHandler<DomainDatagramPacket>() {
                            @Override
                            protected void channelRead0(
                                    ChannelHandlerContext context, DomainDatagramPacket packet) {
                                reports.add(packet.content().toString(StandardCharsets.UTF_8));
                            }
                        })
                .bind(new DomainSocketAddress(name))
                .syncUninterruptibly();
    }

    private Map<String, String> environment() {
        String socket = directory.resolve("notify").toString();
        listen(socket);
        return Map.of("NOTIFY_SOCKET", socket, "WATCHDOG_USEC", "20000000", "WATCHDOG_PID", PID);
    }

    @Test
    void shouldReportThatClientsAreServedAndThatItStops() throws Exception {
        try (ServiceManager manager = ServiceManager.of(environment())) {
            manager.ready("Serving");
            assertEquals("READY=1\nSTATUS=Serving", reports.take());
            manager.stopping();
            assertEquals("STOPPING=1\nSTATUS=Stopping", reports.take());
        }
    }

    @Test
    void shouldGiveSignsOfLifeUntilOnlyARestartHelps() throws Exception {
        try (ServiceManager manager = ServiceManager.of(environment())) {
            assertTrue(manager.isWatching());
            manager.watch(List.of());
            assertEquals("WATCHDOG=1", reports.take());
            manager.watch(List.of("firn-net-1 has stood still for 10001 ms", "another"));
            manager.watch(List.of("firn-net-1 has stood still for 11002 ms"));
            manager.stopping();
            assertEquals(
                    "STATUS=firn-net-1 has stood still for 10001 ms; another\nWATCHDOG=trigger",
                    reports.take());
            assertEquals("STOPPING=1\nSTATUS=Stopping", reports.take());
        }
    }

    @Test
    void shouldFindASocketWithoutAFile() throws Exception {
        String name = "firn-test-" + PID;
        listen("\0" + name);
        try (ServiceManager manager = ServiceManager.of(Map.of("NOTIFY_SOCKET", "@" + name))) {
            assertFalse(manager.isWatching());
            manager.ready("Serving");
            assertEquals("READY=1\nSTATUS=Serving", reports.take());
        }
    }

    @Test
    void shouldReportNothingWithoutAServiceManager() throws Exception {
        try (ServiceManager manager = ServiceManager.of(Map.of("WATCHDOG_USEC", "1000"))) {
            manager.ready("Serving");
            manager.stopping();
        }
        Map<String, String> ofParent =
                Map.of("WATCHDOG_USEC", "1000", "WATCHDOG_PID", "1", "NOTIFY_SOCKET", "@firn-no");
        listen("\0firn-no");
        try (ServiceManager manager = ServiceManager.of(ofParent)) {
            assertFalse(manager.isWatching());
        }
    }

    @Test
    void shouldRefuseASocketThatCannotBeUsed() {
        for (String each : List.of(directory.resolve("none").toString(), "vsock:2:1234")) {
            IOException e =
                    assertThrows(
                            IOException.class,
                            () -> ServiceManager.of(Map.of("NOTIFY_SOCKET", each)));
            assertTrue(e.getMessage().startsWith("NOTIFY_SOCKET: "), e::getMessage);
            assertTrue(e.getMessage().contains(each), e::getMessage);
        }
    }
}
