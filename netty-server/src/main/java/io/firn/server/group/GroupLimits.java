package io.firn.server.group;

import io.firn.server.config.ServerConfig;
import io.firn.server.wire.ClientShares;

/** The limits and times of groups, and the memory that all of them use. */
record GroupLimits(
        int minSessionMs,
        int maxSessionMs,
        int maxMembers,
        int initialDelayMs,
        long retentionMs,
        ClientShares memory) {

    static GroupLimits of(ServerConfig config) {
        return new GroupLimits(
                config.integer("group.min.session.timeout.ms"),
                config.integer("group.max.session.timeout.ms"),
                config.integer("group.max.size"),
                config.integer("group.initial.rebalance.delay.ms"),
                config.integer("offsets.retention.minutes") * 60_000L,
                new ClientShares(config.number("firn.groups.max.bytes")));
    }

    /** Returns what one group may use: its file is read and written as a whole. */
    long maxGroupBytes() {
        return maxGroupBytes(memory);
    }

    /** Returns the same of a memory. */
    static long maxGroupBytes(ClientShares memory) {
        return memory.mostBytes() / 4;
    }

    boolean allowsSession(int ms) {
        return ms >= minSessionMs && ms <= maxSessionMs;
    }
}
