package io.firn.server.group;

import java.util.List;
import org.apache.kafka.common.protocol.Errors;

/** The response to a member that has joined; only the leader's contains the members. */
record JoinResult(
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

    static JoinResult refused(Errors error, String memberId) {
        return new JoinResult(error, -1, null, null, "", false, memberId, List.of());
    }
}
