package io.firn.server.group;

import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;
import javax.annotation.concurrent.GuardedBy;
import org.apache.kafka.common.protocol.Errors;

/**
 * Handles the clients that join a group: new members, members that join again, and static members
 * that return under their instance's name. The caller holds the group's monitor.
 */
final class GroupJoin {
    private static final int FIRST_JOIN_MS = 5 * 60 * 1000;

    private final GroupFiles files;
    private final GroupLimits limits;
    private final Rebalance rebalances;

    GroupJoin(GroupFiles files, GroupLimits limits, Rebalance rebalances) {
        this.files = files;
        this.limits = limits;
        this.rebalances = rebalances;
    }

    /** A request to join. */
    record JoinRequest(
            String groupId,
            String memberId,
            String instanceId,
            String clientId,
            String clientHost,
            int sessionMs,
            int rebalanceMs,
            String protocolType,
            Map<String, byte[]> protocols,
            boolean needsIdFirst,
            boolean maySkipAssignment,
            String owner) {}

    /** Returns NONE if the request was answered or will be; otherwise the error to answer with. */
    @GuardedBy("group")
    Errors join(Group group, JoinRequest ask, Consumer<JoinResult> reply) {
        if (group.is(GroupState.DEAD)) {
            return Errors.COORDINATOR_NOT_AVAILABLE; // just deleted: the client tries again
        }
        if (!group.accepts(ask.protocolType, ask.protocols.keySet())) {
            return Errors.INCONSISTENT_GROUP_PROTOCOL;
        }
        Member before = group.members().find(ask.memberId);
        if (before == null && ask.instanceId != null) {
            before = group.members().find(group.members().idOf(ask.instanceId));
        }
        if (before == null && group.members().size() >= limits.maxMembers()) {
            return Errors.GROUP_MAX_SIZE_REACHED;
        }
        int bytes = Member.bytesOf(ask.memberId, ask.instanceId, ask.clientId, ask.protocols);
        if (!group.members().hasRoomFor(bytes, before)) {
            return Errors.GROUP_MAX_SIZE_REACHED;
        }
        long more = 2L * (bytes - (before == null ? 0 : before.bytes()));
        if (more > 0
                && !(group.hasMemoryFor(more) && group.mayGrow(more, limits.maxGroupBytes()))) {
            return Errors.COORDINATOR_NOT_AVAILABLE; // the client tries again
        }
        if (ask.memberId.isEmpty()) {
            return joinNew(group, ask, reply);
        }
        if (group.members().isPending(ask.memberId)) {
            if (ask.instanceId != null) {
                return Errors.UNKNOWN_MEMBER_ID; // static members are not given an id first
            }
            addAndRebalance(group, ask, ask.memberId, reply);
            return Errors.NONE;
        }
        Errors error = group.members().check(ask.memberId, ask.instanceId);
        if (error == Errors.NONE) {
            joinAgain(group, ask, group.members().find(ask.memberId), reply);
        }
        return error;
    }

    @GuardedBy("group")
    private Errors joinNew(Group group, JoinRequest ask, Consumer<JoinResult> reply) {
        String name = ask.instanceId == null ? ask.clientId : ask.instanceId;
        String id = name + "-" + UUID.randomUUID();
        if (ask.instanceId != null) {
            String before = group.members().idOf(ask.instanceId);
            if (before == null) {
                addAndRebalance(group, ask, id, reply);
            } else {
                replaceStatic(group, ask, group.members().find(before), id, reply);
            }
        } else if (ask.needsIdFirst) {
            // A client that times out and tries again must not leave a member behind each time.
            if (group.members().pendingCount() + group.members().size() >= limits.maxMembers()) {
                return Errors.GROUP_MAX_SIZE_REACHED;
            }
            if (!group.hasMemoryFor(2L * id.length())) {
                return Errors.COORDINATOR_NOT_AVAILABLE; // the client tries again
            }
            group.awaitId(id, System.nanoTime() + ask.sessionMs * 1_000_000L);
            reply.accept(JoinResult.refused(Errors.MEMBER_ID_REQUIRED, id));
        } else {
            addAndRebalance(group, ask, id, reply);
        }
        return Errors.NONE;
    }

    private static Member member(JoinRequest ask, String id) {
        Member member =
                new Member(
                        new Member.Identity(id, ask.instanceId, ask.clientId, ask.clientHost),
                        ask.sessionMs,
                        ask.rebalanceMs,
                        ask.protocols);
        member.owner(ask.owner);
        return member;
    }

    @GuardedBy("group")
    private void addAndRebalance(
            Group group, JoinRequest ask, String id, Consumer<JoinResult> reply) {
        if (group.members().isEmpty()) {
            group.protocolType(ask.protocolType);
        }
        Member member = member(ask, id);
        member.isNew(true);
        member.joining(reply);
        group.add(member);
        group.renewSession(member, System.nanoTime(), Math.max(FIRST_JOIN_MS, ask.sessionMs));
        if (group.is(GroupState.PREPARING)) {
            group.deadlines()
                    .extendInitialDelay(System.nanoTime(), limits.initialDelayMs() * 1_000_000L);
            rebalances.tryComplete(group);
        } else {
            rebalances.begin(group);
        }
    }

    @GuardedBy("group")
    private void replaceStatic(
            Group group, JoinRequest ask, Member old, String id, Consumer<JoinResult> reply) {
        String leaderBefore = group.members().leader();
        old.refuse(Errors.FENCED_INSTANCE_ID);
        Member member = member(ask, id);
        member.assignment(old.assignment());
        group.members().replace(old, member);
        group.renewSession(member, System.nanoTime());
        boolean sameProtocol =
                group.is(GroupState.STABLE) && group.members().vote().equals(group.protocol());
        if (!sameProtocol) {
            member.joining(reply);
            if (group.is(GroupState.PREPARING)) {
                rebalances.tryComplete(group);
            } else {
                rebalances.begin(group);
            }
            return;
        }
        files.write(group);
        boolean leads = group.members().isLeader(id);
        JoinResult now = rebalances.joinResult(group, id);
        reply.accept(
                new JoinResult(
                        Errors.NONE,
                        now.generation(),
                        now.protocolType(),
                        now.protocol(),
                        // An older client would assign if it were told that it leads.
                        ask.maySkipAssignment ? now.leader() : leaderBefore,
                        ask.maySkipAssignment && leads,
                        id,
                        ask.maySkipAssignment && leads ? now.members() : List.of()));
    }

    @GuardedBy("group")
    private void joinAgain(
            Group group, JoinRequest ask, Member member, Consumer<JoinResult> reply) {
        boolean same = member.hasProtocols(ask.protocols);
        boolean answerNow =
                switch (group.state()) {
                    case COMPLETING -> same;
                    case STABLE -> same && !group.members().isLeader(member.id());
                    default -> false;
                };
        group.renewSession(member, System.nanoTime());
        if (answerNow) {
            reply.accept(rebalances.joinResult(group, member.id()));
            return;
        }
        group.members().update(member, ask.protocols, ask.sessionMs, ask.rebalanceMs);
        // A client that lost its connection asks again: its first request is obsolete.
        member.completeJoin(JoinResult.refused(Errors.UNKNOWN_MEMBER_ID, member.id()));
        member.joining(reply);
        if (group.is(GroupState.PREPARING)) {
            rebalances.tryComplete(group);
        } else {
            rebalances.begin(group);
        }
    }
}
