package io.firn.server.wire;

import java.util.concurrent.atomic.AtomicLong;

/** What the connections of a server share. Thread-safe. */
public final class ServerContext {
    private final ApiTable apis;
    private final ServerLimits limits;
    private final WireErrors errors;
    private final Authorizer authorizer;
    private final Connections connections;
    private final Complaints complaints = new Complaints();
    private final Counters counters = new Counters();
    private final AtomicLong heldBytes = new AtomicLong();

    /** Names its parts. */
    public ServerContext(
            ApiTable apis, ServerLimits limits, WireErrors errors, Authorizer authorizer) {
        this.apis = apis;
        this.limits = limits;
        this.errors = errors;
        this.authorizer = authorizer;
        this.connections = new Connections(limits);
    }

    ApiTable apis() {
        return apis;
    }

    ServerLimits limits() {
        return limits;
    }

    WireErrors errors() {
        return errors;
    }

    Authorizer authorizer() {
        return authorizer;
    }

    /** Who is connected. */
    public Connections connections() {
        return connections;
    }

    Complaints complaints() {
        return complaints;
    }

    /** Requests so far. */
    public Counters counters() {
        return counters;
    }

    void held(long bytes) {
        heldBytes.addAndGet(bytes);
    }

    /** Bytes of requests that are coming in, wait, or are being handled. */
    public long heldBytes() {
        return heldBytes.get();
    }

    /** Whether too much is held, leaving out some bytes: a single request always fits. */
    boolean isOverBudget(long without) {
        return heldBytes.get() - without > limits.queuedBytes();
    }
}
