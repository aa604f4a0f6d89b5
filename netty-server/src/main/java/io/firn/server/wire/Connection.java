package io.firn.server.wire;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;

/**
 * A client's connection. Requests are read ahead of their answers, up to a limit, and answered in
 * order. Everything here runs on the connection's event loop; nothing here waits.
 *
 * <p>Reading stops while too many requests are under way, while the client does not take its
 * answers, while the server holds too many bytes, and while a produce request waits for a block
 * ({@link #block}): later requests of the same producer must not overtake it.
 */
public final class Connection extends ChannelInboundHandlerAdapter {
    private static final short API_VERSIONS_V0 = 0;
    private static final long BUDGET_RETRY_MS = 5;

    private final ServerContext server;
    private final ArrayDeque<ByteBuf> waiting = new ArrayDeque<>();
    private final ArrayDeque<Exchange> inFlight = new ArrayDeque<>();
    private final List<Runnable> onClose = new ArrayList<>();
    private final Map<Object, Object> attachments = new HashMap<>();
    private final Queue<Runnable> turns = new ConcurrentLinkedQueue<>();
    private final AtomicInteger turnsTaken = new AtomicInteger();
    private ChannelHandlerContext ctx;
    private boolean blocked;
    private boolean draining;
    private boolean inRead;
    private boolean unflushed;
    private boolean closed;
    private boolean retryPlanned;
    private boolean ending;
    private long heldBytes;
    private long lastRequestNs;
    private long pendingWrites;
    private long lastWriteNs;

    Connection(ServerContext server) {
        this.server = server;
    }

    // ---- for handlers

    /** The connection's thread. */
    public EventLoop eventLoop() {
        return ctx.channel().eventLoop();
    }

    /** Where the client is. */
    public String peerAddress() {
        return ctx.channel().remoteAddress() instanceof InetSocketAddress peer
                ? peer.getAddress().getHostAddress()
                : "?";
    }

    /** The name of the listener that it came to. */
    public String listener() {
        return "PLAINTEXT";
    }

    /** Who the client is; until there is authentication, nobody in particular. */
    public String principal() {
        return "User:ANONYMOUS";
    }

    /** Something that a handler keeps for a connection; on the event loop. */
    public Map<Object, Object> attachments() {
        return attachments;
    }

    /** Has something run on the event loop when the connection ends; on the event loop. */
    public void onClose(Runnable action) {
        if (closed) {
            action.run();
        } else {
            onClose.add(action);
        }
    }

    /** Forgets an action; on the event loop. */
    public void forget(Runnable action) {
        onClose.remove(action);
    }

    /** Handles no further request until {@link #unblock}; on the event loop. */
    public void block() {
        blocked = true;
    }

    /** Goes on; on the event loop. */
    public void unblock() {
        blocked = false;
        drain();
    }

    /** Closes the connection because that is the only answer that can be given. */
    public void closeAfterFailure(String reason) {
        close(reason, null);
    }

    /** Runs something elsewhere, after what this connection has had run before. */
    void inTurn(Executor executor, Runnable work) {
        turns.add(
                () -> {
                    try {
                        work.run();
                    } finally {
                        nextTurn(executor);
                    }
                });
        if (turnsTaken.getAndIncrement() == 0) {
            executor.execute(turns.poll());
        }
    }

    private void nextTurn(Executor executor) {
        if (turnsTaken.decrementAndGet() > 0) {
            try {
                executor.execute(turns.poll());
            } catch (RejectedExecutionException e) {
                turns.clear(); // the server ends, and its connections with it
            }
        }
    }

    WireErrors errors() {
        return server.errors();
    }

    // ---- requests

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        ctx = context;
        lastRequestNs = System.nanoTime();
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        if (!server.connections().admit(this)) {
            close("too many connections", null);
            return;
        }
        context.fireChannelActive();
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf frame = (ByteBuf) message;
        if (closed || ending) {
            frame.release();
            return;
        }
        inRead = true;
        lastRequestNs = System.nanoTime();
        waiting.add(frame);
        hold(frame.readableBytes());
        drain();
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        inRead = false;
        if (unflushed) {
            unflushed = false;
            context.flush();
        }
    }

    private void hold(long bytes) {
        heldBytes += bytes;
        server.held(bytes);
    }

    private boolean mayHandle() {
        return !blocked
                && inFlight.size() < server.limits().requestsInFlight()
                && (closed || ctx.channel().isWritable());
    }

    /** Handles what was read, as far as allowed, and reads on or not. */
    @SuppressWarnings("FutureReturnValueIgnored") // it ends with the event loop
    private void drain() {
        if (draining) {
            return;
        }
        draining = true;
        try {
            while (!waiting.isEmpty() && mayHandle()) {
                ByteBuf frame = waiting.poll();
                if (!closed || frame.getShort(frame.readerIndex()) == ApiKeys.PRODUCE.id) {
                    handle(frame);
                } else {
                    frame.release();
                }
            }
        } finally {
            draining = false;
        }
        if (!closed) {
            boolean overBudget = server.isOverBudget();
            ctx.channel().config().setAutoRead(waiting.isEmpty() && mayHandle() && !overBudget);
            if (overBudget && !retryPlanned) {
                retryPlanned = true;
                eventLoop().schedule(this::retry, BUDGET_RETRY_MS, TimeUnit.MILLISECONDS);
            }
        }
    }

    private void retry() {
        retryPlanned = false;
        drain();
    }

    private void handle(ByteBuf frame) {
        Exchange exchange = null;
        try {
            exchange = open(frame);
            if (exchange != null) {
                ApiMessage message =
                        server.apis().parse(exchange.key(), exchange.version(), exchange.body());
                if (server.authorizer().isAllowed(exchange)) {
                    server.apis().dispatch(exchange, message);
                } else {
                    exchange.fail(Errors.CLUSTER_AUTHORIZATION_FAILED.exception());
                }
                if (closed) {
                    exchange.abandon(); // what was sent counts, but nobody waits for an answer
                }
            }
        } catch (RuntimeException e) {
            if (exchange == null) {
                frame.release();
            }
            close("a request that cannot be read", e);
        }
    }

    /** Reads the header; null when the request is answered already. */
    private Exchange open(ByteBuf frame) {
        ByteBuffer buffer = frame.nioBuffer();
        short id = buffer.getShort(buffer.position());
        short version = buffer.getShort(buffer.position() + 2);
        if (!ApiKeys.hasId(id)) {
            throw new BadRequestException("no API " + id);
        }
        ApiKeys key = ApiKeys.forId(id);
        boolean served = server.apis().isServed(key, version);
        if (!served && key != ApiKeys.API_VERSIONS) {
            throw new BadRequestException(key + " v" + version + " is not served");
        }
        RequestHeaderData header = new RequestHeaderData();
        if (served) {
            header.read(new ByteBufferAccessor(buffer), key.requestHeaderVersion(version));
        } else {
            header.setCorrelationId(buffer.getInt(buffer.position() + 4));
        }
        int bodyIndex = frame.readerIndex() + buffer.position();
        Exchange exchange = new Exchange(this, key, version, header, frame, bodyIndex);
        if (!closed) {
            inFlight.add(exchange);
        }
        server.counters().onRequest(key);
        if (!served) {
            exchange.replyAs(API_VERSIONS_V0, server.apis().unsupportedVersions());
            return null;
        }
        return exchange;
    }

    // ---- answers

    /** Sends the answers that are next in line. */
    void answered() {
        if (closed) {
            return;
        }
        boolean wrote = false;
        while (!inFlight.isEmpty() && inFlight.peek().isAnswered()) {
            Exchange exchange = inFlight.poll();
            hold(-exchange.frameBytes());
            exchange.release();
            if (exchange.response() != null) {
                if (!write(exchange)) {
                    return;
                }
                wrote = true;
            }
        }
        if (wrote) {
            if (inRead) {
                unflushed = true;
            } else {
                ctx.flush();
            }
        }
        if (ending && inFlight.isEmpty()) {
            ctx.writeAndFlush(ctx.alloc().buffer(0)).addListener(future -> close(null, null));
            return;
        }
        drain();
    }

    private boolean write(Exchange exchange) {
        short version = exchange.responseVersion();
        List<WireWriter.Part> parts;
        try {
            parts =
                    WireWriter.encode(
                            ctx.alloc(),
                            new ResponseHeaderData().setCorrelationId(exchange.correlationId()),
                            exchange.key().responseHeaderVersion(version),
                            exchange.response(),
                            version);
        } catch (RuntimeException e) {
            Exchange.discard(exchange.response());
            close("an answer to " + exchange.key() + " v" + version + " cannot be written", e);
            return false;
        }
        for (WireWriter.Part part : parts) {
            if (pendingWrites++ == 0) {
                lastWriteNs = System.nanoTime();
            }
            ctx.write(part.bytes()).addListener(future -> onWritten(part));
        }
        return true;
    }

    /** Taken by the socket, or never to be: the log's bytes need not be held any more. */
    private void onWritten(WireWriter.Part part) {
        if (part.run() != null) {
            part.run().close();
        }
        pendingWrites--;
        lastWriteNs = System.nanoTime();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        if (context.channel().isWritable()) {
            drain();
        }
        context.fireChannelWritabilityChanged();
    }

    // ---- the end

    /** Closes a connection that does nothing, or whose client does not take its answers. */
    void checkTimes(long nowNs) {
        ServerLimits limits = server.limits();
        boolean stuck =
                pendingWrites > 0 && nowNs - lastWriteNs > limits.writeStallMs() * 1_000_000;
        boolean idle =
                inFlight.isEmpty()
                        && pendingWrites == 0
                        && nowNs - lastRequestNs > limits.idleMs() * 1_000_000;
        if (stuck) {
            close("it took nothing of its answers for " + limits.writeStallMs() + " ms", null);
        } else if (idle) {
            close(null, null);
        }
    }

    /** Takes no more requests, answers those that are under way, then closes. */
    void end() {
        ending = true;
        if (closed) {
            return;
        }
        ctx.channel().config().setAutoRead(false);
        waiting.forEach(this::drop);
        waiting.clear();
        if (inFlight.isEmpty() && pendingWrites == 0) {
            close(null, null);
        } else {
            answered();
        }
    }

    private void drop(ByteBuf frame) {
        hold(-frame.readableBytes());
        frame.release();
    }

    @SuppressWarnings("FutureReturnValueIgnored") // channelInactive comes when it is closed
    void close(String reason, Throwable cause) {
        if (reason != null) {
            server.complaints().say(peerAddress(), reason, cause);
        }
        ctx.close();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        boolean common = cause instanceof java.io.IOException; // the client went away
        close(common ? null : "a request that cannot be read", cause);
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        closed = true;
        server.connections().dismiss(this);
        drain(); // what else was sent
        List<Exchange> abandoned = new ArrayList<>(inFlight);
        inFlight.clear();
        abandoned.forEach(Exchange::abandon);
        hold(-heldBytes);
        List.copyOf(onClose).forEach(Runnable::run);
        onClose.clear();
        context.fireChannelInactive();
    }
}
