package io.firn.server.wire;

/** What the connections of a server share. Thread-safe. */
public final class ServerContext {
    private final ApiTable apis;
    private final ServerLimits limits;
    private final WireErrors errors;
    private final Authorizer authorizer;
    private final Connections connections;
    private final MemoryBudget memory;
    private final ConnectionLog log = new ConnectionLog();
    private final Counters counters = new Counters();

    /** Creates the context of a server without connections. */
    public ServerContext(
            ApiTable apis, ServerLimits limits, WireErrors errors, Authorizer authorizer) {
        this.apis = apis;
        this.limits = limits;
        this.errors = errors;
        this.authorizer = authorizer;
        this.connections = new Connections(limits);
        this.memory = new MemoryBudget(limits.queuedBytes());
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

    /** Returns the open connections. */
    public Connections connections() {
        return connections;
    }

    ConnectionLog log() {
        return log;
    }

    /** Returns the counts of requests. */
    public Counters counters() {
        return counters;
    }

    MemoryBudget memory() {
        return memory;
    }

    /** Returns the bytes of requests that are being received, wait, or are being handled. */
    public long heldBytes() {
        return memory.usedBytes();
    }
}
