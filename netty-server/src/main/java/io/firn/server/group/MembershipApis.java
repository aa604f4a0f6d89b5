package io.firn.server.group;

import io.firn.server.group.GroupCoordinator.SyncRequest;
import io.firn.server.group.GroupJoin.JoinRequest;
import io.firn.server.security.Right;
import io.firn.server.wire.ClientConnection;
import io.firn.server.wire.Exchange;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.message.HeartbeatRequestData;
import org.apache.kafka.common.message.HeartbeatResponseData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.JoinGroupResponseData.JoinGroupResponseMember;
import org.apache.kafka.common.message.LeaveGroupRequestData;
import org.apache.kafka.common.message.LeaveGroupResponseData;
import org.apache.kafka.common.message.LeaveGroupResponseData.MemberResponse;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.apache.kafka.common.message.SyncGroupResponseData;
import org.apache.kafka.common.protocol.Errors;

/** Handles JoinGroup, SyncGroup, Heartbeat and LeaveGroup. */
public final class MembershipApis {
    private static final short FIRST_WITH_ID_REQUIRED = 4;
    private static final short FIRST_WITH_SKIP_ASSIGNMENT = 9;
    private static final short FIRST_WITH_NULL_PROTOCOL = 7;
    private static final short FIRST_WITH_SEVERAL_LEAVING = 3;
    private static final short FIRST_WITH_PROTOCOL_IN_SYNC = 5;

    /** Called when a client has removed another member from a group, or could not. */
    @FunctionalInterface
    public interface RemovalListener {
        /** Called with the result, on the thread that handled the request. */
        void onRemoval(Exchange exchange, String group, String member, Errors result);
    }

    private final GroupCoordinator coordinator;

    /** Creates the handlers. */
    public MembershipApis(GroupCoordinator coordinator) {
        this.coordinator = coordinator;
    }

    /** Handles JoinGroup: answers when all members have joined. */
    public void join(Exchange exchange, JoinGroupRequestData request) {
        exchange.connection().access().demand(Right.JOIN_GROUP, request.groupId());
        Map<String, byte[]> protocols = new LinkedHashMap<>();
        request.protocols().forEach(each -> protocols.put(each.name(), each.metadata()));
        short version = exchange.version();
        JoinRequest ask =
                new JoinRequest(
                        request.groupId(),
                        request.memberId(),
                        request.groupInstanceId(),
                        exchange.clientId(),
                        "/" + exchange.connection().peerAddress(),
                        request.sessionTimeoutMs(),
                        request.rebalanceTimeoutMs() < 0
                                ? request.sessionTimeoutMs()
                                : request.rebalanceTimeoutMs(),
                        request.protocolType(),
                        protocols,
                        version >= FIRST_WITH_ID_REQUIRED,
                        version >= FIRST_WITH_SKIP_ASSIGNMENT,
                        exchange.connection().owner());
        coordinator.join(ask, joined -> exchange.reply(toWire(joined, version)));
        exchange.parkLater();
    }

    private static JoinGroupResponseData toWire(JoinResult joined, short version) {
        List<JoinGroupResponseMember> members = new ArrayList<>();
        for (JoinResult.Participant each : joined.members()) {
            members.add(
                    new JoinGroupResponseMember()
                            .setMemberId(each.memberId())
                            .setGroupInstanceId(each.instanceId())
                            .setMetadata(each.metadata()));
        }
        String protocol = joined.protocol();
        return new JoinGroupResponseData()
                .setErrorCode(joined.error().code())
                .setGenerationId(joined.generation())
                .setProtocolType(joined.protocolType())
                .setProtocolName(
                        protocol == null && version < FIRST_WITH_NULL_PROTOCOL ? "" : protocol)
                .setLeader(joined.leader())
                .setSkipAssignment(joined.skipAssignment())
                .setMemberId(joined.memberId())
                .setMembers(members);
    }

    /** Handles SyncGroup: answers when the leader has sent the assignment. */
    public void sync(Exchange exchange, SyncGroupRequestData request) {
        exchange.connection().access().demand(Right.SYNC_GROUP, request.groupId());
        Errors wrong = wrong(request.groupId());
        if (wrong == Errors.NONE
                && exchange.version() >= FIRST_WITH_PROTOCOL_IN_SYNC
                && (request.protocolType() == null || request.protocolName() == null)) {
            wrong = Errors.INCONSISTENT_GROUP_PROTOCOL;
        }
        if (wrong != Errors.NONE) {
            exchange.reply(new SyncGroupResponseData().setErrorCode(wrong.code()));
            return;
        }
        Map<String, byte[]> assignments = new HashMap<>();
        request.assignments().forEach(each -> assignments.put(each.memberId(), each.assignment()));
        SyncRequest ask =
                new SyncRequest(
                        request.groupId(),
                        request.generationId(),
                        request.memberId(),
                        request.groupInstanceId(),
                        request.protocolType(),
                        request.protocolName(),
                        assignments);
        coordinator.sync(
                ask,
                synced ->
                        exchange.reply(
                                new SyncGroupResponseData()
                                        .setErrorCode(synced.error().code())
                                        .setProtocolType(synced.protocolType())
                                        .setProtocolName(synced.protocol())
                                        .setAssignment(synced.assignment())));
        exchange.parkLater();
    }

    /** Members of a group without a name cannot be: the request itself is wrong. */
    private static Errors wrong(String groupId) {
        return groupId.isEmpty() ? Errors.INVALID_GROUP_ID : Errors.NONE;
    }

    /** Handles Heartbeat. */
    public void heartbeat(Exchange exchange, HeartbeatRequestData request) {
        exchange.connection().access().demand(Right.HEARTBEAT, request.groupId());
        Errors error = wrong(request.groupId());
        if (error == Errors.NONE) {
            error =
                    coordinator.heartbeat(
                            request.groupId(),
                            request.generationId(),
                            request.memberId(),
                            request.groupInstanceId());
        }
        exchange.reply(new HeartbeatResponseData().setErrorCode(error.code()));
    }

    private Errors leave(
            Exchange exchange,
            RemovalListener listener,
            String group,
            String member,
            String instance) {
        ClientConnection client = exchange.connection();
        boolean removal =
                coordinator.isRemoval(
                        group,
                        member,
                        client.owner(),
                        exchange.clientId(),
                        "/" + client.peerAddress());
        Errors error = coordinator.leave(group, member, instance);
        if (removal) {
            listener.onRemoval(exchange, group, instance == null ? member : instance, error);
        }
        return error;
    }

    /**
     * Handles LeaveGroup.
     *
     * @param listener is called for members that another client removes
     */
    public void leave(Exchange exchange, LeaveGroupRequestData request, RemovalListener listener) {
        exchange.connection().access().demand(Right.LEAVE_GROUP, request.groupId());
        Errors wrong = wrong(request.groupId());
        if (wrong != Errors.NONE) {
            exchange.reply(new LeaveGroupResponseData().setErrorCode(wrong.code()));
            return;
        }
        if (exchange.version() < FIRST_WITH_SEVERAL_LEAVING) {
            Errors error = leave(exchange, listener, request.groupId(), request.memberId(), null);
            exchange.reply(new LeaveGroupResponseData().setErrorCode(error.code()));
            return;
        }
        LeaveGroupResponseData response = new LeaveGroupResponseData();
        exchange.changeInSteps(
                request.members(),
                each -> {
                    Errors error =
                            leave(
                                    exchange,
                                    listener,
                                    request.groupId(),
                                    each.memberId(),
                                    each.groupInstanceId());
                    response.members()
                            .add(
                                    new MemberResponse()
                                            .setMemberId(each.memberId())
                                            .setGroupInstanceId(each.groupInstanceId())
                                            .setErrorCode(error.code()));
                },
                () -> exchange.reply(response));
    }
}
