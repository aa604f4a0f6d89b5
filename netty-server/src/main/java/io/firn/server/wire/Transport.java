package io.firn.server.wire;

import io.firn.InvalidOptionException;
import io.firn.server.security.ListenerSecurity;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.concurrent.EventExecutor;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import javax.annotation.concurrent.GuardedBy;

/** Listens, accepts, and runs the event loops: with epoll where it is available, else with NIO. */
public final class Transport implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("io.firn.server");
    private static final int END_WAIT_S = 15;
    private static final int LOW_WATER = 256 << 10;
    private static final int HIGH_WATER = 1 << 20;

    private final ServerContext server;
    private final EventLoopGroup acceptor;
    private final EventLoopGroup loops;
    private final boolean epoll;
    private final List<Channel> listening = new ArrayList<>();
    private final Map<String, LoopProbe> probes = new TreeMap<>();

    /**
     * Starts the event loops; nothing listens yet.
     *
     * @param acceptor makes the thread that accepts connections
     * @param threads makes those that serve them
     */
    public Transport(
            ServerContext server, int count, ThreadFactory acceptor, ThreadFactory threads) {
        this.server = server;
        this.epoll = Epoll.isAvailable();
        this.acceptor = group(1, acceptor);
        this.loops = group(count, threads);
        addProbes("firn-accept-", this.acceptor);
        addProbes("firn-net-", this.loops);
    }

    private void addProbes(String name, EventLoopGroup group) {
        int number = 0;
        for (EventExecutor each : group) {
            probes.put(name + ++number, new LoopProbe(each));
        }
    }

    /**
     * Returns for how long each event loop and the accepting thread have not run a task that they
     * were given by an earlier call; so call it every second.
     */
    public Map<String, Duration> threads() {
        Map<String, Duration> all = new TreeMap<>();
        probes.forEach((name, probe) -> all.put(name, probe.still()));
        return all;
    }

    private EventLoopGroup group(int count, ThreadFactory threads) {
        IoHandlerFactory io = epoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
        return new MultiThreadIoEventLoopGroup(count, threads, io);
    }

    /** Returns the kind of event loop: {@code epoll} or {@code NIO}. */
    public String kind() {
        return epoll ? "epoll" : "NIO";
    }

    /**
     * Listens on an address.
     *
     * @param listener how its connections are secured
     * @return the address with the actual port; port 0 stands for any free one
     * @throws IOException if the address is unknown or in use
     */
    public InetSocketAddress listen(
            InetSocketAddress address, int backlog, ListenerSecurity listener) throws IOException {
        ServerBootstrap bootstrap =
                new ServerBootstrap()
                        .group(acceptor, loops)
                        .handler(new AcceptGate(server))
                        .option(ChannelOption.SO_BACKLOG, backlog)
                        .option(ChannelOption.SO_REUSEADDR, true)
                        .childOption(ChannelOption.TCP_NODELAY, true)
                        .childOption(ChannelOption.SO_KEEPALIVE, true)
                        .childOption(ChannelOption.MESSAGE_SIZE_ESTIMATOR, LogFileRegion.ESTIMATOR)
                        .childOption(
                                ChannelOption.WRITE_BUFFER_WATER_MARK,
                                new WriteBufferWaterMark(LOW_WATER, HIGH_WATER))
                        .childHandler(new ConnectionInitializer(server, listener));
        String where = address.getHostString() + ":" + address.getPort();
        if (address.isUnresolved()) {
            throw new IOException("cannot listen on " + where + ": there is no such host");
        }
        if (epoll) {
            bootstrap.channel(EpollServerSocketChannel.class);
        } else {
            bootstrap.channel(NioServerSocketChannel.class);
        }
        var bound = bootstrap.bind(address).awaitUninterruptibly();
        if (bound.cause() instanceof InvalidOptionException e) {
            throw e; // the thread factory
        }
        if (!bound.isSuccess()) {
            throw new IOException(
                    "cannot listen on " + where + ": " + bound.cause().getMessage(), bound.cause());
        }
        listening.add(bound.channel());
        return (InetSocketAddress) bound.channel().localAddress();
    }

    /** Accepts no more connections; waits, for at most this time, until requests are answered. */
    public void drain(long maxMs) {
        listening.forEach(channel -> channel.close().awaitUninterruptibly());
        server.connections().shutDown();
        long deadline = System.nanoTime() + maxMs * 1_000_000;
        while (server.connections().count() > 0 && System.nanoTime() < deadline) {
            LockSupport.parkNanos(1_000_000);
        }
    }

    @Override
    public void close() {
        end(acceptor);
        end(loops);
    }

    /** Has a limit: an application's code, such as its authorizer, may not return. */
    private static void end(EventLoopGroup group) {
        var ended = group.shutdownGracefully(0, 2, TimeUnit.SECONDS);
        if (!ended.awaitUninterruptibly(END_WAIT_S, TimeUnit.SECONDS)) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "an event loop of the server has not ended after {0} s",
                    END_WAIT_S);
        }
    }

    /**
     * Finds out whether an event loop moves, by giving it a task that does nothing, and only when
     * its state is asked for. Thread-safe.
     */
    private static final class LoopProbe {
        private final EventExecutor loop;

        /** Whether it has not run yet what it was given. */
        @GuardedBy("this")
        private boolean isAsked;

        @GuardedBy("this")
        private long askedNs;

        LoopProbe(EventExecutor loop) {
            this.loop = loop;
        }

        /** Returns for how long it has not answered; 0 if it has, and is asked again. */
        synchronized Duration still() {
            if (isAsked) {
                return Duration.ofNanos(System.nanoTime() - askedNs);
            }
            askedNs = System.nanoTime();
            isAsked = true;
            try {
                loop.execute(this::answer);
            } catch (RejectedExecutionException e) {
                isAsked = false; // the server ends
            }
            return Duration.ZERO;
        }

        private synchronized void answer() {
            isAsked = false;
        }
    }
}
