package io.firn.server.group;

import org.apache.kafka.common.protocol.Errors;

/** What a member is told when the leader has assigned. */
record Synced(Errors error, String protocolType, String protocol, byte[] assignment) {
    private static final byte[] NOTHING = {};

    static Synced refused(Errors error) {
        return new Synced(error, null, null, NOTHING);
    }
}
