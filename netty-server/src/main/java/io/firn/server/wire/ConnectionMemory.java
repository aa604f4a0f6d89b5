package io.firn.server.wire;

/**
 * The memory that the requests of one connection use, from their first byte on. Used on the event
 * loop, except where a method says otherwise.
 */
final class ConnectionMemory {
    private final MemoryBudget budget;
    private MemoryBudget.Client client = MemoryBudget.nobody();
    private long bytes;
    private long decodedBytes;
    private volatile int partialBytes;
    private volatile long partialSinceNs;
    private boolean released;

    ConnectionMemory(MemoryBudget budget) {
        this.budget = budget;
    }

    /** From now on it is the memory of this client, until {@link #release}. */
    void belongTo(String owner) {
        if (!released) {
            MemoryBudget.Client before = client;
            client = budget.join(owner);
            budget.add(before, -bytes, -decodedBytes);
            budget.add(client, bytes, decodedBytes);
            budget.leave(before);
        }
    }

    /** Adds to the bytes in use, or subtracts from them. */
    void add(long more) {
        add(more, 0);
    }

    /**
     * Adds to the bytes in use, or subtracts from them.
     *
     * @param decoded how many of them are those of requests as objects
     */
    void add(long more, long decoded) {
        if (!released) {
            bytes += more;
            decodedBytes += decoded;
            budget.add(client, more, decoded);
        }
    }

    /** Sets how many bytes the buffer of an incomplete request has. */
    void partial(int now, long nowNs) {
        add(now - partialBytes);
        partialSinceNs = nowNs; // before the other: stalledBytes reads them in the reverse order
        partialBytes = now;
    }

    /** What the server has not read for a while is read again: it has not stalled meanwhile. */
    void resume(long nowNs) {
        partialSinceNs = nowNs;
    }

    /**
     * Returns whether requests use too much memory for this connection to read on. Its own
     * incomplete request does not count.
     */
    boolean isOverBudget() {
        return budget.isExceededFor(client, partialBytes);
    }

    /** Returns the name of the client. */
    String owner() {
        return client.name();
    }

    /** Returns whether requests use too much memory as objects to decode one of this connection. */
    boolean isDecodedOverBudget() {
        return budget.isDecodedExceededFor(client);
    }

    /** Returns whether its incomplete request may have a buffer of so many bytes. */
    boolean mayHave(int bufferBytes) {
        return !budget.isExceeded(partialBytes - bufferBytes) || budget.usedBytes() == bytes;
    }

    /** Returns whether this connection's incomplete request keeps others from being read. */
    boolean blocksOthers() {
        return partialBytes > 0 && budget.isExceeded(0);
    }

    /**
     * Returns the size of an incomplete request that has not grown for some time and keeps others
     * from being read; 0 if there is none. Thread-safe.
     */
    int stalledBytes(long nowNs, long ms) {
        int bytes = partialBytes;
        boolean stalled = bytes > 0 && nowNs - partialSinceNs > ms * 1_000_000;
        return stalled && budget.isExceeded(0) ? bytes : 0;
    }

    /**
     * Keeps bytes in use beyond {@link #release}: those of a request, as objects, that is carried
     * out to its end although its connection has ended.
     *
     * @return gives the bytes back; to be run once, on any thread
     */
    Runnable keep(long some) {
        MemoryBudget.Client of = budget.joinAgain(client);
        budget.add(of, some, some);
        return () -> {
            budget.add(of, -some, -some);
            budget.leave(of);
        };
    }

    /** Returns everything to the budget; what is added later does not count. */
    void release() {
        if (!released) {
            add(-bytes, -decodedBytes);
            budget.leave(client);
        }
        released = true;
        partialBytes = 0;
    }
}
