package io.firn.server.wire;

import io.firn.server.security.Authentication;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A client's connection. Requests are read ahead of their responses, up to a limit, and answered in
 * order. Everything here runs on the connection's event loop; nothing here waits.
 *
 * <p>Reading stops while too many requests are in flight, while the client does not read its
 * responses, while requests use too much memory, and while a produce request waits for a block
 * ({@link #block}): later requests of the same producer must not overtake it.
 *
 * <pre>
 *         shutDown           all answered, or the channel closes
 *  OPEN ───────────▶ ENDING ─────────────────────────────────────▶ CLOSED
 *    │                 ▲                                              ▲
 *    │ invalid request │ shutDown                                     │
 *    ├──────────────▶ BROKEN ─────────────────────────────────────────┤
 *    └────────────────────────────── the channel closes ──────────────┘
 * </pre>
 */
final class Connection extends ChannelInboundHandlerAdapter
        implements ExchangeOwner,
                Connections.Entry,
                ConnectionTimeouts.TimeoutListener,
                AuthenticationPhase.Owner {
    /** Frames are accepted in {@code OPEN} only. */
    private enum State {
        OPEN,
        /** The server closes: requests in flight are still answered. */
        ENDING,
        /** A request was invalid, and nothing after it can be trusted; the channel is closing. */
        BROKEN,
        /** The channel is closed. Produce requests that had arrived are still handled. */
        CLOSED
    }

    private final long openedNs = System.nanoTime();
    private final ServerContext server;
    private final AuthenticationPhase entrance;
    private final List<Runnable> onClose = new ArrayList<>();
    private final Map<Object, Object> attachments = new HashMap<>();
    private final SerialExecutor background;
    private final ConnectionMemory memory;
    private final ConnectionResponseMemory answers;
    private final RequestReader reader;
    private ChannelHandlerContext ctx;
    private RequestQueue requests;
    private ResponseQueue responses;
    private ConnectionTimeouts timeouts;
    private State state = State.OPEN;
    private boolean inRead;
    private boolean unflushed;
    private boolean reported;
    private volatile Introduction introduction = Introduction.NONE;

    Connection(ServerContext server, FrameDecoder decoder, Authentication client) {
        this.server = server;
        this.entrance = new AuthenticationPhase(client, decoder, this);
        this.memory = new ConnectionMemory(server.memory());
        this.answers = new ConnectionResponseMemory(server.answers(), this::owner);
        this.reader = new RequestReader(server, memory);
        this.background = new SerialExecutor(server.turns().of(this));
        decoder.onPartial(bytes -> requests.onPartial(bytes));
        decoder.buffers().limit(memory::mayHave);
    }

    // ---- for handlers

    @Override
    public EventLoop eventLoop() {
        return ctx.channel().eventLoop();
    }

    @Override
    public long openedNs() {
        return openedNs;
    }

    @Override
    public String peerAddress() {
        return ctx.channel().remoteAddress() instanceof InetSocketAddress peer
                ? Connections.addressOf(peer)
                : "?";
    }

    @Override
    public String owner() {
        return entrance.owner();
    }

    @Override
    public Authentication authentication() {
        return entrance.client();
    }

    @Override
    public void introduce(Introduction value) {
        introduction = value;
    }

    @Override
    public Introduction introduction() {
        return introduction;
    }

    @Override
    public Map<Object, Object> attachments() {
        return attachments;
    }

    @Override
    public void onClose(Runnable action) {
        if (state == State.CLOSED) {
            action.run();
        } else {
            onClose.add(action);
        }
    }

    @Override
    public void removeOnClose(Runnable action) {
        onClose.remove(action);
    }

    @Override
    public void block() {
        requests.block();
    }

    @Override
    public void unblock() {
        requests.unblock();
    }

    @Override
    public void throttle(long ms) {
        server.counters().onThrottle(ms);
        requests.throttle(ms);
    }

    @Override
    public void closeAfterFailure(String reason) {
        close(reason, null);
    }

    @Override
    public SerialExecutor background() {
        return background;
    }

    @Override
    public ConnectionResponseMemory answers() {
        return answers;
    }

    @Override
    public ClientShares parked() {
        return server.parked();
    }

    @Override
    public Runnable keepRequestBytes(long bytes) {
        return memory.keep(bytes);
    }

    @Override
    public void addRequestBytes(long bytes, long decoded) {
        memory.add(bytes, decoded);
    }

    @Override
    public WireErrors errors() {
        return server.errors();
    }

    // ---- begin

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        ctx = context;
        responses = new ResponseQueue(context, answers, entrance.isEncrypted(), this::close);
        requests = new RequestQueue(server, context, memory, responses, this::handle);
        timeouts =
                new ConnectionTimeouts(
                        server.limits(), requests, responses, this, context.executor());
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        memory.belongTo(owner());
        long delayMs = server.delayMs(peerAddress());
        if (entrance.admits(delayMs)) { // who is refused takes nobody's place
            server.connections().add(this, entrance.client().isComplete());
            timeouts.start();
            entrance.start(context, delayMs, requests);
        }
        context.fireChannelActive();
    }

    // ---- authentication

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        entrance.onEvent(context, event);
        context.fireUserEventTriggered(event);
    }

    @Override
    public void onAuthenticated() {
        memory.belongTo(owner());
        server.connections().onAuthenticated(this);
    }

    @Override
    public void endAt(long atNs) {
        timeouts.endAt(atNs);
    }

    @Override
    public void onProgress() {
        entrance.proceed();
    }

    @Override
    public void endAfterAnswers(String reason) {
        server.log().closed(peerAddress(), reason, null);
        shutDown();
    }

    @Override
    public void closeIfUnauthenticated() {
        entrance.closeInFavourOfOthers();
    }

    // ---- requests

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf frame = (ByteBuf) message;
        if (state != State.OPEN) {
            frame.release();
            return;
        }
        inRead = true;
        requests.add(frame);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        if (inRead) {
            inRead = false;
            timeouts.onActivity();
        }
        if (unflushed) {
            flush();
        }
    }

    private void handle(ByteBuf frame) {
        Exchange exchange = null;
        try {
            exchange = reader.readHeader(this, frame);
            if (state != State.CLOSED) {
                responses.add(exchange);
            }
            reader.dispatch(exchange);
            if (state == State.CLOSED) {
                exchange.abandon(); // its records are stored, but nobody waits for the response
            }
        } catch (RuntimeException e) {
            if (exchange == null) {
                requests.drop(frame);
            } else if (state == State.CLOSED) {
                exchange.abandon();
            }
            requests.clear(); // what follows an invalid request cannot be trusted either
            if (state != State.CLOSED) {
                state = State.BROKEN;
            }
            close("a request that cannot be read", e);
        }
    }

    // ---- responses

    /** Writes the responses that are next in order. */
    @Override
    public void onAnswered() {
        if (state == State.CLOSED) {
            return;
        }
        boolean wrote = false;
        for (Exchange next = responses.pollAnswered();
                next != null;
                next = responses.pollAnswered()) {
            memory.add(-next.heldBytes(), -next.decodedBytes());
            next.take();
            next.release();
            server.counters().onAnswer(next.key(), System.nanoTime() - next.readNs());
            if (next.response() != null) {
                try {
                    responses.write(next);
                } catch (RuntimeException e) {
                    close("the response to " + next + " cannot be written", e);
                    return;
                }
                wrote = true;
            }
        }
        if (wrote) {
            flushSoon();
        }
        if (state == State.ENDING && responses.inFlight() == 0) {
            flush();
            ctx.write(ctx.alloc().buffer(0)).addListener(future -> close(null, null));
            ctx.flush();
            return;
        }
        requests.handleNext();
    }

    /**
     * Sends at the end of the read, or after the tasks that the event loop has been given so far:
     * one force answers many requests, which then share a system call.
     */
    private void flushSoon() {
        if (!unflushed && !inRead) {
            eventLoop().execute(this::flushIfOpen);
        }
        unflushed = true;
    }

    private void flushIfOpen() {
        if (unflushed && state != State.CLOSED) {
            flush();
        }
    }

    private void flush() {
        unflushed = false;
        responses.flush();
        timeouts.onActivity(); // the time until a late response was not idle time
        timeouts.onFlush();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        if (context.channel().isWritable()) {
            requests.handleNext();
        }
        context.fireChannelWritabilityChanged();
    }

    // ---- the end

    @Override
    public void onWriteStall(long ms) {
        close("the client has not read its responses for " + ms + " ms", null);
    }

    @Override
    public void onIdle() {
        close(null, null);
    }

    @Override
    public void onEnd() {
        close("the client's certificate has expired", null);
    }

    @Override
    public int stalledBytes(long nowNs) {
        return memory.stalledBytes(nowNs, server.limits().writeStallMs());
    }

    @Override
    public void closeIfBlocking() {
        if (memory.blocksOthers()) {
            close("too many requests come in; queued.max.request.bytes limits their sum", null);
        }
    }

    @Override
    public void shutDown() {
        if (state == State.CLOSED) {
            return;
        }
        state = State.ENDING;
        ctx.channel().config().setAutoRead(false);
        requests.clear();
        if (responses.isBusy()) {
            onAnswered();
        } else {
            close(null, null);
        }
    }

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // channelInactive follows
    public void close(String reason, Throwable cause) {
        if (reason != null && !reported) {
            reported = true;
            server.log().closed(peerAddress(), reason, cause);
        }
        ctx.close();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        Throwable why = ConnectionLog.unwrap(cause);
        close(ConnectionLog.reasonOf(why), why);
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        state = State.CLOSED;
        timeouts.stop();
        entrance.stop();
        server.connections().remove(this);
        responses.abandonAll();
        requests.onChannelClosed();
        memory.release();
        answers.close();
        List.copyOf(onClose).forEach(Runnable::run);
        onClose.clear();
        context.fireChannelInactive();
    }
}
