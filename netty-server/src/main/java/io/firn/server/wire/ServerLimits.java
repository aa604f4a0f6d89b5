package io.firn.server.wire;

import com.sun.management.UnixOperatingSystemMXBean;
import io.firn.server.config.ServerConfig;
import java.lang.management.ManagementFactory;

/**
 * The limits of a server. Of the descriptors that the process may have open, connections get at
 * most half, because the store needs some for its files, and those from one address at most three
 * quarters of these.
 *
 * @param requestBytes the size of the largest produce request
 * @param requestsInFlight the requests of a connection that are read ahead of their responses
 * @param queuedBytes the memory of requests that are received or handled, on all connections
 * @param connections the open connections
 * @param connectionsPerAddress the open connections from one address
 * @param idleMs the time without a request after which a connection is closed
 * @param writeStallMs the time after which a connection is closed whose client does not read its
 *     responses
 */
public record ServerLimits(
        int requestBytes,
        int requestsInFlight,
        long queuedBytes,
        int connections,
        int connectionsPerAddress,
        long idleMs,
        long writeStallMs) {
    private static final int LEAST_CONNECTIONS = 16;
    private static final ServerConfig DEFAULTS = ServerConfig.defaults();

    /** Kafka's default, also where a configuration repeats it. */
    private static final int UNLIMITED = Integer.MAX_VALUE;

    /** Returns those that a configuration sets in this process. */
    public static ServerLimits of(ServerConfig config) {
        boolean known =
                ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean;
        return of(config, known ? unixLimit() : Long.MAX_VALUE);
    }

    private static long unixLimit() {
        return ((UnixOperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
                .getMaxFileDescriptorCount();
    }

    /** Returns the limits that a configuration sets in a process with this limit of descriptors. */
    public static ServerLimits of(ServerConfig config, long descriptors) {
        boolean isLimited =
                config.has("max.connections") && config.integer("max.connections") != UNLIMITED;
        int wanted = (isLimited ? config : DEFAULTS).integer("max.connections");
        int connections = (int) Math.min(wanted, Math.max(LEAST_CONNECTIONS, descriptors / 2));
        int most = config.integer("max.connections.per.ip");
        // Who chose a limit that is possible means it for all addresses.
        boolean isChosen = isLimited && connections == wanted;
        int share = isChosen ? connections : connections - connections / 4;
        return new ServerLimits(
                config.integer("socket.request.max.bytes"),
                config.integer("firn.max.requests.in.flight"),
                config.number("queued.max.request.bytes"),
                connections,
                config.has("max.connections.per.ip") ? most : Math.min(most, share),
                config.number("connections.max.idle.ms"),
                config.number("firn.write.stall.ms"));
    }
}
