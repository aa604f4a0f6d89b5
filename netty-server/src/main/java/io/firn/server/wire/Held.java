package io.firn.server.wire;

/**
 * What a connection's requests hold of the server's memory, from their first byte on. On the event
 * loop, except where it says otherwise.
 */
final class Held {
    private final ServerContext server;
    private long bytes;
    private volatile int partialBytes;
    private volatile long partialSinceNs;
    private boolean ended;

    Held(ServerContext server) {
        this.server = server;
    }

    /** Holds so many more, or fewer. */
    void add(long more) {
        if (!ended) {
            bytes += more;
            server.held(more);
        }
    }

    /** Says how much has come of a request that is not whole yet. */
    void partial(int now, long nowNs) {
        add(now - partialBytes);
        partialSinceNs = nowNs; // before the other, for who looks at both
        partialBytes = now;
    }

    /** Whether others hold so much that this connection has to wait with what it wants to send. */
    boolean isOverBudget() {
        return server.isOverBudget(partialBytes);
    }

    /** Whether others could go on without the request that began to come. */
    boolean isInTheWay() {
        return partialBytes > 0 && server.isOverBudget(0);
    }

    /**
     * Bytes of a request that did not go on for so long, and is in the way; 0 for none. From any
     * thread.
     */
    int starvedBytes(long nowNs, long ms) {
        int bytes = partialBytes;
        boolean starved = bytes > 0 && nowNs - partialSinceNs > ms * 1_000_000;
        return starved && server.isOverBudget(0) ? bytes : 0;
    }

    /** Gives all back, for good. */
    void end() {
        add(-bytes);
        ended = true;
        partialBytes = 0;
    }
}
