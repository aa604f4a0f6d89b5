package io.firn.server.wire;

import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * The memory that the responses of one connection use, from before they are made until the socket
 * has taken them. Requests have numbers in the order of their responses. Thread-safe.
 */
final class ConnectionResponseMemory {
    private final ResponseMemory all;
    private final Supplier<String> owner;

    // Guarded by this.
    private final TreeMap<Long, Long> byRequest = new TreeMap<>();
    private long encodedBytes;
    private boolean inLine;
    private boolean closed;

    /** The client; it does not change while its memory counts. */
    private String client;

    private long requests; // on the event loop

    /**
     * Creates the memory of a connection, which uses none.
     *
     * @param owner the client
     */
    ConnectionResponseMemory(ResponseMemory all, Supplier<String> owner) {
        this.all = all;
        this.owner = owner;
    }

    /** Returns the number of the next request. On the event loop. */
    long nextNumber() {
        return requests++;
    }

    /** Counts memory that the response to a request is about to use. */
    synchronized void add(long number, long bytes) {
        all.add(client(), bytes);
        byRequest.merge(number, bytes, Long::sum);
    }

    /** The response to a request uses no memory any more, or counts as encoded. */
    synchronized void release(long number) {
        Long bytes = byRequest.remove(number);
        if (bytes != null) {
            all.add(client, -bytes);
        }
        leaveIfUnused();
    }

    /** Counts an encoded response until the socket has taken it, when they are subtracted. */
    synchronized void addEncoded(long bytes) {
        all.add(client(), bytes);
        encodedBytes += bytes;
        leaveIfUnused();
    }

    /**
     * Returns whether the response to a request has to wait for memory. What it uses itself does
     * not count, and what later requests of the connection use does not either if it is the turn of
     * this connection: their responses wait for this one.
     */
    synchronized boolean mustWait(long number) {
        boolean isExceeded = all.isExceeded(client(), byRequest.getOrDefault(number, 0L));
        if (closed || !isExceeded) {
            return false;
        }
        inLine = true;
        boolean isNext = byRequest.headMap(number).isEmpty() && encodedBytes == 0;
        return !all.isFirst(client, this) || !isNext;
    }

    /** Returns whether the client has to wait with new requests. */
    boolean isExceeded() {
        return all.isExceeded(owner.get(), 0);
    }

    /** The connection has ended: from now on nothing waits. */
    synchronized void close() {
        closed = true;
        leave();
    }

    private String client() {
        if (client == null) {
            client = owner.get();
        }
        return client;
    }

    private void leaveIfUnused() {
        if (byRequest.isEmpty() && encodedBytes == 0) {
            leave();
            client = null;
        }
    }

    private void leave() {
        if (inLine) {
            inLine = false;
            all.leave(client, this);
        }
    }
}
