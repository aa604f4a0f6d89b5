package io.firn.server.wire;

import io.firn.host.BatchRun;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import org.apache.kafka.common.message.ResponseHeaderData;

/**
 * The requests of a connection that are not answered yet, in order, and the responses that the
 * client has not received yet. Used on the event loop.
 */
final class ResponseQueue {
    private static final int MOST_ENCODED = 64 << 10;

    /** Fewer bytes are written together with what is around them, from the mapping. */
    private static final int LEAST_FROM_FILE = 64 << 10;

    private final ChannelHandlerContext ctx;
    private final ConnectionResponseMemory answers;
    private final boolean encrypted;
    private final BiConsumer<String, Throwable> onFailure;
    private final ArrayDeque<Exchange> inFlight = new ArrayDeque<>();
    private long pendingWrites;
    private long lastWriteNs;
    private long lastUnsentBytes;

    /** Null as long as nothing has failed but the peer. */
    private SendFailure failure;

    /** Responses that are encoded and not written yet: small ones are written together. */
    private ByteBuf encoded;

    /**
     * Creates an empty queue.
     *
     * @param answers counts the memory of large responses
     * @param encrypted whether the connection encrypts what is written
     * @param onFailure closes the connection when a part of a response was not sent, which does not
     *     go on then; is told why, or null if it is the peer that has gone
     */
    ResponseQueue(
            ChannelHandlerContext ctx,
            ConnectionResponseMemory answers,
            boolean encrypted,
            BiConsumer<String, Throwable> onFailure) {
        this.ctx = ctx;
        this.answers = answers;
        this.encrypted = encrypted;
        this.onFailure = onFailure;
    }

    // ---- requests

    void add(Exchange exchange) {
        inFlight.add(exchange);
    }

    /** Returns the number of requests that are not answered yet. */
    int inFlight() {
        return inFlight.size();
    }

    /** Returns whether the responses of the client use too much memory to make others. */
    boolean isMemoryExceeded() {
        return answers.isExceeded();
    }

    /** Removes the oldest request if it is answered; returns null otherwise. */
    Exchange pollAnswered() {
        return !inFlight.isEmpty() && !inFlight.peek().isOpen() ? inFlight.poll() : null;
    }

    /** Gives up all requests: the connection has ended. */
    void abandonAll() {
        List<Exchange> abandoned = new ArrayList<>(inFlight);
        inFlight.clear();
        abandoned.forEach(Exchange::abandon);
        if (encoded != null) {
            encoded.release();
            encoded = null;
        }
    }

    // ---- responses

    /**
     * Encodes a response, which {@link #flush} sends. If it throws, this and the responses that are
     * not sent yet are lost, and the response's records are released.
     */
    void write(Exchange exchange) {
        try {
            if (exchange.time().isCounted()) {
                exchange.time().run(true, () -> encode(exchange));
            } else {
                encode(exchange);
            }
        } finally {
            exchange.releaseAnswer(); // not before: the encoded bytes count already
        }
    }

    private void encode(Exchange exchange) {
        short version = exchange.responseVersion();
        List<ResponseEncoder.Part> parts;
        ByteBuf before = encoded;
        encoded = null; // taken over
        try {
            parts =
                    new ResponseEncoder(ctx.alloc(), before)
                            .encode(
                                    new ResponseHeaderData()
                                            .setCorrelationId(exchange.correlationId()),
                                    exchange.key().responseHeaderVersion(version),
                                    exchange.response(),
                                    version);
        } catch (RuntimeException e) {
            LogRecords.discard(exchange.response());
            throw e;
        }
        int last = parts.size() - 1;
        for (int i = 0; i <= last; i++) {
            ResponseEncoder.Part part = parts.get(i);
            if (i == last && part.run() == null && part.bytes().readableBytes() < MOST_ENCODED) {
                encoded = part.bytes();
            } else {
                write(part);
            }
        }
    }

    private void write(ResponseEncoder.Part part) {
        if (pendingWrites++ == 0) {
            lastWriteNs = nowNs();
        }
        int large = part.run() == null ? part.bytes().readableBytes() : 0;
        if (large < MOST_ENCODED) {
            ctx.write(messageOf(part)).addListener(future -> onWritten(part, future.cause()));
        } else {
            answers.addEncoded(large);
            ctx.write(part.bytes())
                    .addListener(
                            future -> {
                                answers.addEncoded(-large);
                                onWritten(part, future.cause());
                            });
        }
    }

    private Object messageOf(ResponseEncoder.Part part) {
        Object message = null;
        if (encrypted && part.run() != null) {
            message = new LogChunks(part.run().bytes());
        } else if (part.sendable()) {
            message = fromFile(part.run());
        }
        if (message == null) {
            return part.bytes();
        }
        part.bytes().release(); // a view
        return message;
    }

    /** Returns null for bytes that the socket is to read from the mapping. */
    private static LogFileRegion fromFile(BatchRun run) {
        int length = run.bytes().remaining();
        BatchRun.FileRange range = length < LEAST_FROM_FILE ? null : run.fileRange();
        return range == null ? null : new LogFileRegion(range, length);
    }

    /** Sends what was written. */
    void flush() {
        if (encoded != null) {
            ByteBuf bytes = encoded;
            encoded = null;
            write(new ResponseEncoder.Part(bytes));
        }
        ctx.flush();
    }

    /** Called when the socket has taken a part, or never will: its log bytes can be unpinned. */
    private void onWritten(ResponseEncoder.Part part, Throwable cause) {
        BatchRun run = part.run();
        if (cause != null) {
            onNotWritten(run, cause);
        }
        if (run != null) {
            run.close();
        }
        pendingWrites--;
        lastWriteNs = nowNs();
    }

    private void onNotWritten(BatchRun run, Throwable cause) {
        if (SendFailure.isOfPeer(cause)) {
            onFailure.accept(null, cause);
            return;
        }
        if (failure == null) {
            SendFailure begun = new SendFailure();
            failure = begun;
            // All parts that were to be written together have failed by then.
            ctx.executor().execute(() -> onFailure.accept(begun.reason(), cause));
        }
        if (run != null) {
            failure.add(run);
        }
    }

    private long nowNs() {
        return ctx.executor().ticker().nanoTime();
    }

    /** Returns whether the client has not received everything that was written. */
    boolean hasUnsent() {
        return pendingWrites > 0 || encoded != null;
    }

    private long unsentBytes() {
        ChannelOutboundBuffer out = ctx.channel().unsafe().outboundBuffer();
        return out == null ? 0 : out.totalPendingWriteBytes() - out.currentProgress();
    }

    /** Returns whether requests are not answered, or responses not received. */
    boolean isBusy() {
        return !inFlight.isEmpty() || hasUnsent();
    }

    /** Returns when the client last received something, or something was written for it. */
    long lastWriteNs() {
        return lastWriteNs;
    }

    /**
     * Returns whether the client has received nothing for some time although there is data. A part
     * may be large, so that a slow client takes long for it; what the socket has taken of it
     * counts.
     */
    boolean isStalled(long nowNs, long ms) {
        long unsent = unsentBytes();
        if (unsent != lastUnsentBytes) {
            lastUnsentBytes = unsent;
            lastWriteNs = nowNs;
        }
        return pendingWrites > 0 && nowNs - lastWriteNs >= ms * 1_000_000;
    }
}
