package io.firn.server.wire;

import io.netty.channel.ChannelHandlerContext;
import java.util.List;
import org.apache.kafka.common.message.ResponseHeaderData;

/**
 * Writes a connection's answers, and knows for how long the client has read none of them. On the
 * event loop.
 */
final class Outbox {
    private final ChannelHandlerContext ctx;
    private long pendingWrites;
    private long lastWriteNs;

    Outbox(ChannelHandlerContext ctx) {
        this.ctx = ctx;
    }

    /**
     * Writes an answer; flushed by the caller. When it throws nothing was written, and the answer's
     * records are let go of.
     */
    void write(Exchange exchange) {
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
            throw e;
        }
        for (WireWriter.Part part : parts) {
            if (pendingWrites++ == 0) {
                lastWriteNs = nowNs();
            }
            ctx.write(part.bytes()).addListener(future -> onWritten(part));
        }
    }

    /** Taken by the socket, or never to be: the log's bytes need not be held any more. */
    private void onWritten(WireWriter.Part part) {
        if (part.run() != null) {
            part.run().close();
        }
        pendingWrites--;
        lastWriteNs = nowNs();
    }

    private long nowNs() {
        return ctx.executor().ticker().nanoTime();
    }

    boolean isEmpty() {
        return pendingWrites == 0;
    }

    /** When the client has last read something, or was given something to read. */
    long lastWriteNs() {
        return lastWriteNs;
    }

    /** Whether the client has read nothing for so long, although there is something to read. */
    boolean isStuck(long nowNs, long ms) {
        return pendingWrites > 0 && nowNs - lastWriteNs >= ms * 1_000_000;
    }
}
