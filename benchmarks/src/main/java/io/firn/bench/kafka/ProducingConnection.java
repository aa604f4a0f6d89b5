package io.firn.bench.kafka;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.Arrays;
import org.HdrHistogram.Histogram;
import org.apache.kafka.common.protocol.Errors;

/**
 * A connection that sends produce requests that were encoded before, a few ahead of their
 * responses. Used by the thread of its selector.
 */
final class ProducingConnection implements AutoCloseable {
    private static final int IN_BYTES = 64 << 10;
    private static final int MOST_WAITING = 1 << 20;

    /** The server answered a batch with an error. */
    static final class RefusedException extends IOException {
        private static final long serialVersionUID = 1;

        RefusedException(Errors error) {
            super("the server refused a batch: " + error + " (" + error.message() + ")");
        }
    }

    private final LoadChannel channel;
    private final SelectionKey key;
    private final ByteBuffer[] requests;
    private final int depth;
    private final Histogram latency;
    private final ByteBuffer in = ByteBuffer.allocateDirect(IN_BYTES);
    private final ByteBuffer[] out;

    /** When each request was due, from the oldest that is not answered to the newest. */
    private final long[] dueNs = new long[MOST_WAITING];

    private int outFrom;
    private int outTo;
    private int next;
    private long offered;
    private long sent;
    private long answered;

    /**
     * Uses a connection, and closes it.
     *
     * @param requests are sent in turns
     * @param depth the most requests that are sent and not answered
     * @param latency receives the time from when a request was due to its response, in ns
     */
    ProducingConnection(
            Selector selector,
            LoadChannel channel,
            ByteBuffer[] requests,
            int depth,
            Histogram latency)
            throws IOException {
        this.requests = requests;
        this.depth = depth;
        this.latency = latency;
        this.out = new ByteBuffer[depth];
        this.channel = channel;
        channel.channel().configureBlocking(false);
        key = channel.channel().register(selector, SelectionKey.OP_READ, this);
    }

    long waiting() {
        return offered - answered;
    }

    long answered() {
        return answered;
    }

    boolean hasRoom() {
        return waiting() < depth;
    }

    /** Adds a request that is due at a time; {@link #write} sends it. */
    void offer(long due) throws IOException {
        if (waiting() == MOST_WAITING) {
            throw new IOException("the server does not keep up with the rate; give a lower --rate");
        }
        dueNs[(int) (offered++ % MOST_WAITING)] = due;
    }

    /** Sends what was offered, as far as the depth and the socket allow. */
    void write() throws IOException {
        if (outFrom == outTo) {
            outFrom = 0;
            outTo = 0;
        }
        for (; sent < offered && sent - answered < depth && outTo < depth; sent++) {
            out[outTo++] = requests[next].duplicate();
            next = (next + 1) % requests.length;
        }
        if (outFrom < outTo) {
            channel.write(out, outFrom, outTo - outFrom);
            while (outFrom < outTo && !out[outFrom].hasRemaining()) {
                out[outFrom++] = null;
            }
        }
        channel.flush();
        int ops =
                outFrom < outTo || channel.isBlocked()
                        ? SelectionKey.OP_READ | SelectionKey.OP_WRITE
                        : 1;
        if (key.interestOps() != ops) {
            key.interestOps(ops);
        }
    }

    /** Reads responses. */
    void read() throws IOException {
        while (channel.read(in) > 0) {
            count();
        }
    }

    private void count() throws RefusedException {
        long now = System.nanoTime();
        in.flip();
        while (in.remaining() >= 4 && in.remaining() >= 4 + in.getInt(in.position())) {
            int end = in.position() + 4 + in.getInt(in.position());
            short error = in.getShort(in.position() + 4 + Requests.PRODUCE_ERROR);
            if (error != 0) {
                throw new RefusedException(Errors.forCode(error));
            }
            in.position(end);
            latency.recordValue(Math.max(0, now - dueNs[(int) (answered++ % MOST_WAITING)]));
        }
        in.compact();
    }

    /** Reads and writes after its key was selected. */
    void ready() throws IOException {
        if (key.isReadable()) {
            read();
        }
        if (key.isWritable()) {
            write();
        }
    }

    @Override
    public void close() throws IOException {
        Arrays.fill(out, null);
        channel.close();
    }
}
