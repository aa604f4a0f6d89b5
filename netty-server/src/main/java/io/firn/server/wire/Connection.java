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
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.message.RequestHeaderData;
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
    private static final long LONGEST_IDLE_NS = Long.MAX_VALUE / 4;

    private final ServerContext server;
    private final ArrayDeque<ByteBuf> waiting = new ArrayDeque<>();
    private final ArrayDeque<Exchange> inFlight = new ArrayDeque<>();
    private final List<Runnable> onClose = new ArrayList<>();
    private final Map<Object, Object> attachments = new HashMap<>();
    private final Turns turns = new Turns();
    private final Held held;
    private final long idleNs;
    private ChannelHandlerContext ctx;
    private Outbox outbox;
    private Alarm alarm;
    private boolean blocked;
    private boolean draining;
    private boolean inRead;
    private boolean unflushed;
    private boolean closed;
    private boolean retryPlanned;
    private boolean ending;
    private boolean broken;
    private long lastRequestNs;

    Connection(ServerContext server, FrameDecoder frames) {
        this.server = server;
        this.held = new Held(server);
        long idle = TimeUnit.MILLISECONDS.toNanos(server.limits().idleMs());
        this.idleNs = Math.min(LONGEST_IDLE_NS, idle);
        frames.onPartial(this::onPartial);
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
        turns.run(executor, work);
    }

    WireErrors errors() {
        return server.errors();
    }

    // ---- requests

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        ctx = context;
        outbox = new Outbox(context);
        alarm = new Alarm(context.executor(), this::nowNs, this::checkTimes);
        lastRequestNs = nowNs();
    }

    private long nowNs() {
        return ctx.executor().ticker().nanoTime();
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        if (!server.connections().admit(this)) {
            close("too many connections", null);
            return;
        }
        alarm.by(lastRequestNs + idleNs);
        context.fireChannelActive();
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf frame = (ByteBuf) message;
        if (closed || ending || broken) {
            frame.release();
            return;
        }
        inRead = true;
        lastRequestNs = nowNs();
        waiting.add(frame);
        held.add(frame.readableBytes());
        drain();
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        inRead = false;
        if (unflushed) {
            unflushed = false;
            flush();
        }
    }

    private void flush() {
        ctx.flush();
        if (!outbox.isEmpty()) {
            alarm.by(stuckAtNs());
        }
    }

    private void onPartial(int bytes) {
        held.partial(bytes, nowNs());
        if (bytes > 0) {
            drain(); // reads on, or not
        }
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
            while (!waiting.isEmpty() && (broken || mayHandle())) {
                ByteBuf frame = waiting.poll();
                boolean counts =
                        !closed || frame.getShort(frame.readerIndex()) == ApiKeys.PRODUCE.id;
                if (counts && !broken) {
                    handle(frame);
                } else {
                    drop(frame);
                }
            }
        } finally {
            draining = false;
        }
        if (!closed) {
            boolean overBudget = held.isOverBudget();
            ctx.channel().config().setAutoRead(waiting.isEmpty() && mayHandle() && !overBudget);
            if (overBudget && !retryPlanned) {
                retryPlanned = true;
                eventLoop().schedule(this::retry, BUDGET_RETRY_MS, TimeUnit.MILLISECONDS);
            }
        }
    }

    private void retry() {
        retryPlanned = false;
        if (!closed && held.isOverBudget()) {
            server.connections().relieve(nowNs());
        }
        drain();
    }

    private void handle(ByteBuf frame) {
        Exchange exchange = null;
        try {
            exchange = open(frame);
            if (exchange != null) {
                GuardedReader reader = new GuardedReader(exchange.body());
                ApiMessage message =
                        server.apis().parse(exchange.key(), exchange.version(), reader);
                server.counters().onTrailingBytes(reader.unreadBytes());
                exchange.decodedBytes(reader.decodedBytes());
                held.add(reader.decodedBytes());
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
            broken = true; // what came after it cannot be trusted either
            if (exchange == null) {
                drop(frame);
            } else if (closed) {
                exchange.abandon();
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
            held.add(-exchange.heldBytes());
            exchange.release();
            if (exchange.response() != null) {
                try {
                    outbox.write(exchange);
                } catch (RuntimeException e) {
                    close("an answer to " + exchange + " cannot be written", e);
                    return;
                }
                wrote = true;
            }
        }
        if (wrote) {
            lastRequestNs = nowNs(); // one that took long was no idle time
            if (inRead) {
                unflushed = true;
            } else {
                flush();
            }
        }
        if (ending && inFlight.isEmpty()) {
            ctx.writeAndFlush(ctx.alloc().buffer(0)).addListener(future -> close(null, null));
            return;
        }
        drain();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        if (context.channel().isWritable()) {
            drain();
        }
        context.fireChannelWritabilityChanged();
    }

    // ---- the end

    /**
     * Closes a connection that does nothing, or whose client does not take its answers. Runs when
     * one of these may be so and not before: a connection that does nothing costs nothing.
     */
    private void checkTimes(long which) {
        if (!alarm.rang(which) || closed) {
            return;
        }
        long now = nowNs();
        long stallMs = server.limits().writeStallMs();
        boolean busy = !inFlight.isEmpty() || !outbox.isEmpty();
        if (outbox.isStuck(now, stallMs)) {
            close("it took nothing of its answers for " + stallMs + " ms", null);
        } else if (!busy && now - lastRequestNs >= idleNs) {
            close(null, null);
        } else {
            alarm.by((busy ? now : lastRequestNs) + idleNs);
            if (!outbox.isEmpty()) {
                alarm.by(stuckAtNs());
            }
        }
    }

    private long stuckAtNs() {
        return outbox.lastWriteNs() + TimeUnit.MILLISECONDS.toNanos(server.limits().writeStallMs());
    }

    /**
     * Bytes of a request that makes no progress while others wait for its memory; from any thread.
     */
    int starvedBytes(long nowNs) {
        return held.starvedBytes(nowNs, server.limits().writeStallMs());
    }

    /** Gives way, so that others can go on; when that is still needed. */
    void giveWay() {
        if (held.isInTheWay()) {
            close("too many requests come in; queued.max.request.bytes limits their sum", null);
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
        if (inFlight.isEmpty() && outbox.isEmpty()) {
            close(null, null);
        } else {
            answered();
        }
    }

    private void drop(ByteBuf frame) {
        held.add(-frame.readableBytes());
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
        alarm.cancel();
        server.connections().dismiss(this);
        List<Exchange> abandoned = new ArrayList<>(inFlight);
        inFlight.clear();
        abandoned.forEach(Exchange::abandon);
        drain(); // what else was sent
        held.end();
        List.copyOf(onClose).forEach(Runnable::run);
        onClose.clear();
        context.fireChannelInactive();
    }
}
