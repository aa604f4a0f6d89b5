package io.firn.server.wire;

import io.firn.server.quota.TimeQuota;
import java.util.function.ToLongFunction;

/** What the connections of a server share. Thread-safe. */
public final class ServerContext {
    private final ApiTable apis;
    private final ServerLimits limits;
    private final WireErrors errors;
    private final Connections connections;
    private final MemoryBudget memory;
    private final ClientShares parked;
    private final ResponseMemory answers;
    private final ToLongFunction<String> connectionDelays;
    private final TimeQuota times;
    private final FairExecution turns = new FairExecution();
    private final DecodeThrottle decodePauses = new DecodeThrottle();
    private final ConnectionLog log = new ConnectionLog();
    private final RequestCounters counters = new RequestCounters();

    /** Creates the context of a server without connections. */
    public ServerContext(ApiTable apis, ServerLimits limits, WireErrors errors) {
        this(apis, limits, errors, address -> 0, TimeQuota.NONE);
    }

    /**
     * Creates the context of a server without connections.
     *
     * @param connectionDelays is told of each new connection by its address, and returns for how
     *     many ms nothing may be read from it, or a negative number to refuse it. Thread-safe
     * @param times is told of the time that requests take
     */
    public ServerContext(
            ApiTable apis,
            ServerLimits limits,
            WireErrors errors,
            ToLongFunction<String> connectionDelays,
            TimeQuota times) {
        this.connectionDelays = connectionDelays;
        this.times = times;
        this.apis = apis;
        this.limits = limits;
        this.errors = errors;
        this.connections = new Connections(limits);
        this.memory = new MemoryBudget(limits.queuedBytes(), limits.requestBytes());
        this.parked = new ClientShares(limits.queuedBytes() / 2);
        this.answers = new ResponseMemory(limits.queuedBytes() / 2);
    }

    /** Counts a new connection; returns for how many ms it is not read, negative to refuse it. */
    long delayMs(String address) {
        return connectionDelays.applyAsLong(address);
    }

    TimeQuota times() {
        return times;
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

    /** Returns the open connections. */
    public Connections connections() {
        return connections;
    }

    ConnectionLog log() {
        return log;
    }

    /** Returns the counts of requests. */
    public RequestCounters counters() {
        return counters;
    }

    MemoryBudget memory() {
        return memory;
    }

    /** Returns the memory of requests that wait for records or for members of their group. */
    ClientShares parked() {
        return parked;
    }

    /** Returns the memory of large responses until they are sent. */
    ResponseMemory answers() {
        return answers;
    }

    /** Returns the turns of clients on threads in the background. */
    FairExecution turns() {
        return turns;
    }

    /** Returns the clients whose requests took long to decode. */
    DecodeThrottle decodePauses() {
        return decodePauses;
    }

    /** Returns the bytes of requests that are being received, wait, or are being handled. */
    public long heldBytes() {
        return memory.usedBytes() + parked.usedBytes();
    }
}
