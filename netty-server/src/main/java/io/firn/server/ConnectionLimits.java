package io.firn.server;

import com.sun.management.UnixOperatingSystemMXBean;
import io.firn.server.config.ServerConfig;
import java.lang.management.ManagementFactory;

/**
 * How many connections the process can have: at most half of the descriptors that it may have open,
 * because the store needs some for its files, and of these at most three quarters for one address.
 *
 * @param connections the connections
 * @param connectionsPerAddress the connections from one address
 */
record ConnectionLimits(int connections, int connectionsPerAddress) {
    private static final int LEAST = 16;
    private static final ServerConfig DEFAULTS = ServerConfig.defaults();

    /** Kafka's default, also where a configuration repeats it. */
    private static final int UNLIMITED = Integer.MAX_VALUE;

    static ConnectionLimits of(ServerConfig config) {
        boolean known =
                ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean;
        return of(config, known ? unixLimit() : Long.MAX_VALUE);
    }

    private static long unixLimit() {
        return ((UnixOperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
                .getMaxFileDescriptorCount();
    }

    static ConnectionLimits of(ServerConfig config, long descriptors) {
        boolean isLimited =
                config.has("max.connections") && config.integer("max.connections") != UNLIMITED;
        int wanted = (isLimited ? config : DEFAULTS).integer("max.connections");
        int connections = (int) Math.min(wanted, Math.max(LEAST, descriptors / 2));
        int most = config.integer("max.connections.per.ip");
        // Who chose a limit that is possible means it for all addresses.
        boolean isChosen = isLimited && connections == wanted;
        int share = isChosen ? connections : connections - connections / 4;
        return new ConnectionLimits(
                connections, config.has("max.connections.per.ip") ? most : Math.min(most, share));
    }
}
