package io.firn.server.group;

import io.firn.server.config.ServerConfig;

/** The limits and times of groups. */
record GroupLimits(
        int minSessionMs, int maxSessionMs, int maxMembers, int initialDelayMs, long retentionMs) {

    static GroupLimits of(ServerConfig config) {
        return new GroupLimits(
                config.integer("group.min.session.timeout.ms"),
                config.integer("group.max.session.timeout.ms"),
                config.integer("group.max.size"),
                config.integer("group.initial.rebalance.delay.ms"),
                config.integer("offsets.retention.minutes") * 60_000L);
    }

    boolean allowsSession(int ms) {
        return ms >= minSessionMs && ms <= maxSessionMs;
    }
}
