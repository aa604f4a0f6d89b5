package io.firn.server.wire;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The memory that the requests of all connections use, and how much they may use. What is in use
 * may exceed that by a single large request, since each request fits if it is alone. Clients that
 * use little need not wait for it, as long as all of them together use little more. Thread-safe.
 */
final class MemoryBudget {
    private static final int LITTLE = 16;
    private static final int MORE = 4;

    private final long maxBytes;
    private final long littleBytes;
    private final long mostBytes;
    private final AtomicLong usedBytes = new AtomicLong();
    private final AtomicLong decodedBytes = new AtomicLong();
    private final ConcurrentHashMap<String, Client> clients = new ConcurrentHashMap<>();

    /** What the connections of a client use. */
    static final class Client {
        private final String name;
        private final AtomicLong usedBytes = new AtomicLong();
        private final AtomicLong decodedBytes = new AtomicLong();
        private int connections; // changed within compute of the map

        private Client(String name) {
            this.name = name;
        }

        String name() {
            return name;
        }
    }

    /**
     * Creates a budget.
     *
     * @param maxBytes how much may be used
     * @param requestBytes the size of the largest request
     */
    MemoryBudget(long maxBytes, long requestBytes) {
        this.maxBytes = maxBytes;
        this.littleBytes = maxBytes / LITTLE;
        this.mostBytes = maxBytes + requestBytes + maxBytes / MORE;
    }

    /** Returns a client that is not known yet, of a connection that uses nothing. */
    static Client nobody() {
        return new Client("");
    }

    /** Returns a client for one more of its connections, which {@link #leave} gives back. */
    Client join(String name) {
        return clients.compute(
                name,
                (key, known) -> {
                    Client client = known == null ? new Client(key) : known;
                    client.connections++;
                    return client;
                });
    }

    /** Returns a client for something else that uses memory as its connections do. */
    Client joinAgain(Client client) {
        return join(client.name);
    }

    void leave(Client client) {
        clients.computeIfPresent(
                client.name, (key, known) -> --known.connections == 0 ? null : known);
    }

    /**
     * Adds to the bytes in use by a client, or subtracts from them.
     *
     * @param decoded how many of them are those of requests as objects
     */
    void add(Client client, long bytes, long decoded) {
        client.usedBytes.addAndGet(bytes);
        usedBytes.addAndGet(bytes);
        if (decoded != 0) {
            client.decodedBytes.addAndGet(decoded);
            decodedBytes.addAndGet(decoded);
        }
    }

    long usedBytes() {
        return usedBytes.get();
    }

    /** Returns whether too much is in use, without some bytes: a single request always fits. */
    boolean isExceeded(long without) {
        return usedBytes.get() - without > maxBytes;
    }

    /**
     * Returns whether requests use too much as objects for a client to have another one decoded,
     * which may use ten times what it has on the wire. Requests that are decoded are answered
     * whether or not others are, so this ends; a client that uses little need not wait for it.
     */
    boolean isDecodedExceededFor(Client client) {
        return decodedBytes.get() > maxBytes / 2 && client.decodedBytes.get() > littleBytes;
    }

    /** As {@link #isExceeded(long)}, for a client: one that uses little may use it nevertheless. */
    boolean isExceededFor(Client client, long without) {
        return isExceeded(without)
                && (client.usedBytes.get() > littleBytes || usedBytes.get() > mostBytes);
    }
}
