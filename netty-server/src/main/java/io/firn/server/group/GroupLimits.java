package io.firn.server.group;

import io.firn.server.config.ServerConfig;

/** The limits and times of groups. */
record GroupLimits(
        int leastSessionMs,
        int mostSessionMs,
        int mostMembers,
        int initialDelayMs,
        long retentionMs) {

    static GroupLimits of(ServerConfig config) {
        return new GroupLimits(
                config.integer("group.min.session.timeout.ms"),
                config.integer("group.max.session.timeout.ms"),
                config.integer("group.max.size"),
                config.integer("group.initial.rebalance.delay.ms"),
                config.integer("offsets.retention.minutes") * 60_000L);
    }

    boolean takesSession(int ms) {
        return ms >= leastSessionMs && ms <= mostSessionMs;
    }
}
