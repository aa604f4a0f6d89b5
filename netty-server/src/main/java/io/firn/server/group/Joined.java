package io.firn.server.group;

import java.util.List;
import org.apache.kafka.common.protocol.Errors;

/** What a member is told when it has joined; members only for the leader. */
record Joined(
        Errors error,
        int generation,
        String protocolType,
        String protocol,
        String leader,
        boolean skipAssignment,
        String memberId,
        List<Participant> members) {

    /** A member as its leader sees it. */
    record Participant(String memberId, String instanceId, byte[] metadata) {}

    static Joined refused(Errors error, String memberId) {
        return new Joined(error, -1, null, null, "", false, memberId, List.of());
    }
}
