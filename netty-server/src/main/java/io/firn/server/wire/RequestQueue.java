package io.firn.server.wire;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.util.concurrent.Future;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.kafka.common.protocol.ApiKeys;

/**
 * The requests of a connection that have arrived and are not handled yet, in order. Decides when
 * the next one is handled, and whether the channel reads on. Used on the event loop.
 */
final class RequestQueue {
    private static final long MEMORY_RETRY_MS = 5;

    /** While nothing is read, nobody sees that the quota is raised, or that the peer has gone. */
    private static final long MOST_THROTTLE_MS = 30_000;

    private final ServerContext server;
    private final ChannelHandlerContext ctx;
    private final ConnectionMemory memory;
    private final ResponseQueue responses;
    private final Consumer<ByteBuf> handler;
    private final ArrayDeque<ByteBuf> frames = new ArrayDeque<>();
    private boolean blocked;
    private boolean handling;
    private boolean reading = true;
    private boolean retryScheduled;
    private boolean channelClosed;
    private boolean wasThrottled;
    private long throttledUntilNs;
    private Future<?> throttling;

    /**
     * Creates an empty queue.
     *
     * @param handler takes over the frame of each request
     */
    RequestQueue(
            ServerContext server,
            ChannelHandlerContext ctx,
            ConnectionMemory memory,
            ResponseQueue responses,
            Consumer<ByteBuf> handler) {
        this.server = server;
        this.ctx = ctx;
        this.memory = memory;
        this.responses = responses;
        this.handler = handler;
    }

    /** Adds a request that has arrived. */
    void add(ByteBuf frame) {
        frames.add(frame);
        memory.add(frame.readableBytes());
        handleNext();
    }

    /** Called after each read with the size of the buffer of a request that is incomplete, or 0. */
    void onPartial(int bytes) {
        memory.partial(bytes, nowNs());
        if (bytes > 0) {
            handleNext(); // decides whether to read on
        }
    }

    private long nowNs() {
        return ctx.executor().ticker().nanoTime();
    }

    /** Handles no request until {@link #unblock}. */
    void block() {
        blocked = true;
    }

    void unblock() {
        blocked = false;
        handleNext();
    }

    /**
     * Handles and reads no request for some time, or for longer if it was told so before, but for
     * 30 s from now at most.
     */
    void throttle(long ms) {
        long untilNs = nowNs() + TimeUnit.MILLISECONDS.toNanos(Math.min(MOST_THROTTLE_MS, ms));
        if (!wasThrottled || untilNs - throttledUntilNs > 0) {
            wasThrottled = true;
            throttledUntilNs = untilNs;
        }
        if (throttling == null && !channelClosed) {
            wakeUpAfterThrottling();
        }
        handleNext();
    }

    private void wakeUpAfterThrottling() {
        long leftNs = throttledUntilNs - nowNs();
        if (leftNs > 0) {
            throttling =
                    ctx.executor()
                            .schedule(this::wakeUpAfterThrottling, leftNs, TimeUnit.NANOSECONDS);
        } else {
            throttling = null;
            memory.resume(nowNs());
            handleNext();
        }
    }

    /** Returns when the client was or will be free to go on, if that is later than a time. */
    long endOfThrottling(long timeNs) {
        return wasThrottled && throttledUntilNs - timeNs > 0 ? throttledUntilNs : timeNs;
    }

    /** From now on handles produce requests only: what a producer has sent is stored. */
    void onChannelClosed() {
        channelClosed = true;
        if (throttling != null) {
            throttling.cancel(false);
        }
        handleNext();
    }

    /** Handles requests as far as allowed; then makes the channel read on, or stops it. */
    void handleNext() {
        if (handling) {
            return;
        }
        handling = true;
        boolean hasToWait = hasToWait();
        try {
            while (!frames.isEmpty() && mayHandle() && !hasToWait) {
                ByteBuf frame = frames.poll();
                if (!channelClosed || frame.getShort(frame.readerIndex()) == ApiKeys.PRODUCE.id) {
                    handler.accept(frame);
                } else {
                    drop(frame);
                }
                hasToWait = hasToWait();
            }
        } finally {
            handling = false;
        }
        if (!channelClosed) {
            // Other threads change the memory in use: one look at it decides both whether to go on
            // and whether to look again. With two, the second may find memory that was freed since
            // the first; then nobody would ever read on.
            boolean waits = hasToWait || memory.isOverBudget();
            readOn(frames.isEmpty() && mayHandle() && !waits);
            if (waits) {
                retryLater();
            }
        }
    }

    private void readOn(boolean now) {
        if (now != reading) { // setting it again has a cost
            reading = now;
            ctx.channel().config().setAutoRead(now);
        }
    }

    /** What changes this, on this thread, calls {@link #handleNext}. */
    private boolean mayHandle() {
        return !blocked
                && (throttling == null || channelClosed)
                && responses.inFlight() < server.limits().requestsInFlight()
                && (channelClosed || ctx.channel().isWritable());
    }

    /**
     * Answers of the client, on all of its connections, use too much memory to make others, or
     * requests do as objects to decode others, or the last ones took long to decode.
     */
    private boolean hasToWait() {
        return !channelClosed
                && (responses.isMemoryExceeded() || memory.isDecodedOverBudget() || isPaused());
    }

    private boolean isPaused() {
        ByteBuf next = frames.peek();
        return next != null
                && server.decodePauses().hasToWait(memory.owner(), next.readableBytes(), nowNs());
    }

    @SuppressWarnings("FutureReturnValueIgnored") // it ends with the event loop
    private void retryLater() {
        if (!retryScheduled) {
            retryScheduled = true;
            ctx.channel().eventLoop().schedule(this::retry, MEMORY_RETRY_MS, TimeUnit.MILLISECONDS);
        }
    }

    private void retry() {
        retryScheduled = false;
        if (!channelClosed && memory.isOverBudget()) {
            server.connections().reclaim(nowNs());
        }
        handleNext();
    }

    /** Releases a request that is not handled. */
    void drop(ByteBuf frame) {
        memory.add(-frame.readableBytes());
        frame.release();
    }

    /** Drops all requests that are not handled yet. */
    void clear() {
        frames.forEach(this::drop);
        frames.clear();
    }
}
