package io.firn.server.group;

import org.apache.kafka.common.protocol.Errors;

/** The response to a member that has asked for its assignment. */
record SyncResult(Errors error, String protocolType, String protocol, byte[] assignment) {
    private static final byte[] NOTHING = {};

    static SyncResult refused(Errors error) {
        return new SyncResult(error, null, null, NOTHING);
    }
}
