package io.firn.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollDomainDatagramChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.unix.DomainSocketAddress;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Reports the state of the process to the service manager that has started it, by the protocol of
 * sd_notify: datagrams to the socket that the environment names. Without one it reports nothing.
 * Thread-safe.
 */
final class ServiceManager implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("io.firn.server");
    private static final int PATIENCE_S = 5;

    private final boolean isWatching;
    private final EventLoopGroup loop;
    private final Channel channel;
    private final AtomicBoolean hasFailed = new AtomicBoolean();
    private final AtomicBoolean hasGivenUp = new AtomicBoolean();

    private ServiceManager(boolean isWatching, EventLoopGroup loop, Channel channel) {
        this.isWatching = isWatching;
        this.loop = loop;
        this.channel = channel;
    }

    /**
     * Returns the one that an environment describes.
     *
     * @throws IOException if it waits for reports that cannot be sent
     */
    static ServiceManager of(Map<String, String> environment) throws IOException {
        String socket = environment.get("NOTIFY_SOCKET");
        if (socket == null) {
            return new ServiceManager(false, null, null);
        }
        if (!socket.startsWith("/") && !socket.startsWith("@")) {
            throw new IOException(
                    "NOTIFY_SOCKET: expected a path, or a name after @, found '" + socket + "'");
        }
        if (!Epoll.isAvailable()) {
            throw new IOException(
                    "NOTIFY_SOCKET is set, but reports to the service manager need Netty's epoll,"
                            + " which is not available here; use Type=exec without WatchdogSec",
                    Epoll.unavailabilityCause());
        }
        EventLoopGroup loop =
                new MultiThreadIoEventLoopGroup(
                        1,
                        new NamedThreadFactory(NamedThreadFactory::daemon, "firn-notify-"),
                        EpollIoHandler.newFactory());
        ChannelFuture connected =
                new Bootstrap()
                        .group(loop)
                        .channel(EpollDomainDatagramChannel.class)
                        .handler(new ChannelInboundHandlerAdapter())
                        .connect(new DomainSocketAddress(socket.replaceFirst("^@", "\0")))
                        .awaitUninterruptibly();
        if (!connected.isSuccess()) {
            loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
            throw new IOException(
                    "NOTIFY_SOCKET: cannot reach the service manager at "
                            + socket
                            + ": "
                            + connected.cause().getMessage(),
                    connected.cause());
        }
        return new ServiceManager(isWatching(environment), loop, connected.channel());
    }

    /** The process that started this one may be the one that is watched. */
    private static boolean isWatching(Map<String, String> environment) {
        String pid = environment.get("WATCHDOG_PID");
        return environment.containsKey("WATCHDOG_USEC")
                && (pid == null || pid.equals(Long.toString(ProcessHandle.current().pid())));
    }

    /** Returns whether it ends this process when there is no sign of life. */
    boolean isWatching() {
        return isWatching;
    }

    /**
     * Reports that clients are served.
     *
     * @throws IOException if it cannot be sent: it would be waited for
     */
    void ready(String status) throws IOException {
        if (channel != null) {
            send("READY=1\nSTATUS=" + status);
        }
    }

    /** Reports that the process is about to end. */
    void stopping() {
        report("STOPPING=1\nSTATUS=Stopping");
    }

    /** Gives a sign of life; with reasons why only a restart helps, asks for one instead. */
    void watch(List<String> reasonsToEnd) {
        if (reasonsToEnd.isEmpty()) {
            report("WATCHDOG=1");
        } else if (hasGivenUp.compareAndSet(false, true)) {
            String reasons = String.join("; ", reasonsToEnd).replace('\n', ' ');
            LOG.log(System.Logger.Level.ERROR, "only a restart helps: {0}", reasons);
            report("STATUS=" + reasons + "\nWATCHDOG=trigger");
        }
    }

    private void report(String state) {
        if (channel == null) {
            return;
        }
        try {
            send(state);
            hasFailed.set(false);
        } catch (IOException e) {
            if (!hasFailed.getAndSet(true)) {
                LOG.log(System.Logger.Level.WARNING, e.getMessage(), e);
            }
        }
    }

    private void send(String state) throws IOException {
        ChannelFuture sent = channel.writeAndFlush(Unpooled.copiedBuffer(state, UTF_8));
        boolean isDone = sent.awaitUninterruptibly(PATIENCE_S, TimeUnit.SECONDS);
        if (!isDone || !sent.isSuccess()) {
            String why = isDone ? sent.cause().getMessage() : "not sent in " + PATIENCE_S + " s";
            throw new IOException("the service manager cannot be notified: " + why, sent.cause());
        }
    }

    @Override
    public void close() {
        if (loop != null) {
            channel.close().awaitUninterruptibly();
            loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
        }
    }
}
