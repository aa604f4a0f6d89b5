package io.firn.server.wire;

/**
 * What a connection's requests hold of the server's memory, from their first byte on. On the event
 * loop, except where it says otherwise.
 */
final class Held {
    private final ServerContext server;
    private long bytes;
    private int partialBytes;
    private long partialSinceNs;
    private boolean ended;
    private volatile int starvedBytes;

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
    void partial(int now) {
        add(now - partialBytes);
        partialBytes = now;
        partialSinceNs = System.nanoTime();
    }

    /** Whether others hold so much that this connection has to wait with what it wants to send. */
    boolean isOverBudget() {
        return server.isOverBudget(partialBytes);
    }

    /**
     * Looks whether a request that began to come has not gone on for too long, and is in the way.
     */
    void checkStarved(long nowNs, long ms) {
        starvedBytes = isInTheWay() && nowNs - partialSinceNs > ms * 1_000_000 ? partialBytes : 0;
    }

    /** Whether others could go on without the request that began to come. */
    boolean isInTheWay() {
        return partialBytes > 0 && server.isOverBudget(0);
    }

    /** Bytes of a request that did not go on for too long, and is in the way; from any thread. */
    int starvedBytes() {
        return starvedBytes;
    }

    /** Gives all back, for good. */
    void end() {
        add(-bytes);
        ended = true;
        starvedBytes = 0;
    }
}
