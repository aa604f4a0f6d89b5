package io.firn.server.group;

import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;
import org.apache.kafka.common.protocol.Errors;

/**
 * Decides which clients become members of a group: new members, members that join again, and static
 * members that return under their instance's name. The caller holds the group's monitor.
 */
final class Admission {
    private static final int FIRST_JOIN_MS = 5 * 60 * 1000;

    private final GroupFiles files;
    private final GroupLimits limits;
    private final Rebalances rebalances;

    Admission(GroupFiles files, GroupLimits limits, Rebalances rebalances) {
        this.files = files;
        this.limits = limits;
        this.rebalances = rebalances;
    }

    /** A request to join. */
    record JoinAsk(
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
            boolean maySkipAssignment) {}

    /** Returns NONE when the reply was given or will be. */
    Errors join(Group group, JoinAsk ask, Consumer<Joined> reply) {
        if (group.is(GroupState.DEAD)) {
            return Errors.COORDINATOR_NOT_AVAILABLE; // deleted just now: ask again
        }
        if (!group.takes(ask.protocolType, ask.protocols.keySet())) {
            return Errors.INCONSISTENT_GROUP_PROTOCOL;
        }
        Member before = group.member(ask.memberId);
        if (before == null && ask.instanceId != null) {
            before = group.member(group.memberOf(ask.instanceId));
        }
        if (before == null && group.members().size() >= limits.mostMembers()) {
            return Errors.GROUP_MAX_SIZE_REACHED;
        }
        int bytes = Member.bytesOf(ask.memberId, ask.instanceId, ask.clientId, ask.protocols);
        if (!group.hasRoomFor(bytes, before)) {
            return Errors.GROUP_MAX_SIZE_REACHED;
        }
        if (ask.memberId.isEmpty()) {
            return joinNew(group, ask, reply);
        }
        if (group.isPending(ask.memberId)) {
            if (ask.instanceId != null) {
                return Errors.UNKNOWN_MEMBER_ID; // static members never wait for an id
            }
            addAndRebalance(group, ask, ask.memberId, reply);
            return Errors.NONE;
        }
        Errors error = group.check(ask.memberId, ask.instanceId);
        if (error == Errors.NONE) {
            joinAgain(group, ask, group.member(ask.memberId), reply);
        }
        return error;
    }

    private Errors joinNew(Group group, JoinAsk ask, Consumer<Joined> reply) {
        String name = ask.instanceId == null ? ask.clientId : ask.instanceId;
        String id = name + "-" + UUID.randomUUID();
        if (ask.instanceId != null) {
            String before = group.memberOf(ask.instanceId);
            if (before == null) {
                addAndRebalance(group, ask, id, reply);
            } else {
                replaceStatic(group, ask, group.member(before), id, reply);
            }
        } else if (ask.needsIdFirst) {
            // A client that is refused because it is slow must not leave a member behind each time.
            if (group.pendingCount() + group.members().size() >= limits.mostMembers()) {
                return Errors.GROUP_MAX_SIZE_REACHED;
            }
            group.awaitId(id, System.nanoTime() + ask.sessionMs * 1_000_000L);
            reply.accept(Joined.refused(Errors.MEMBER_ID_REQUIRED, id));
        } else {
            addAndRebalance(group, ask, id, reply);
        }
        return Errors.NONE;
    }

    private static Member member(JoinAsk ask, String id) {
        return new Member(
                id,
                ask.instanceId,
                ask.clientId,
                ask.clientHost,
                ask.sessionMs,
                ask.rebalanceMs,
                ask.protocols);
    }

    private void addAndRebalance(Group group, JoinAsk ask, String id, Consumer<Joined> reply) {
        if (group.members().isEmpty()) {
            group.protocolType(ask.protocolType);
        }
        Member member = member(ask, id);
        member.isNew(true);
        member.joining(reply);
        group.add(member);
        group.allow(member, System.nanoTime(), Math.max(FIRST_JOIN_MS, ask.sessionMs));
        if (group.is(GroupState.PREPARING)) {
            group.extendInitialDelay(System.nanoTime(), limits.initialDelayMs() * 1_000_000L);
            rebalances.tryComplete(group);
        } else {
            rebalances.begin(group);
        }
    }

    private void replaceStatic(
            Group group, JoinAsk ask, Member old, String id, Consumer<Joined> reply) {
        String leaderBefore = group.leader();
        old.refuse(Errors.FENCED_INSTANCE_ID);
        Member member = member(ask, id);
        member.assignment(old.assignment());
        group.replace(old, member);
        group.heard(member, System.nanoTime());
        boolean sameProtocol = group.is(GroupState.STABLE) && group.vote().equals(group.protocol());
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
        boolean leads = group.isLeader(id);
        Joined now = rebalances.joined(group, id);
        reply.accept(
                new Joined(
                        Errors.NONE,
                        now.generation(),
                        now.protocolType(),
                        now.protocol(),
                        // A client that cannot skip the assignment must not believe that it has to
                        // assign.
                        ask.maySkipAssignment ? now.leader() : leaderBefore,
                        ask.maySkipAssignment && leads,
                        id,
                        ask.maySkipAssignment && leads ? now.members() : List.of()));
    }

    private void joinAgain(Group group, JoinAsk ask, Member member, Consumer<Joined> reply) {
        boolean same = member.hasProtocols(ask.protocols);
        boolean answerNow =
                switch (group.state()) {
                    case COMPLETING -> same;
                    case STABLE -> same && !group.isLeader(member.id());
                    default -> false;
                };
        group.heard(member, System.nanoTime());
        if (answerNow) {
            reply.accept(rebalances.joined(group, member.id()));
            return;
        }
        group.update(member, ask.protocols, ask.sessionMs, ask.rebalanceMs);
        // A client that lost its connection asks again: nobody waits for the first request any
        // more.
        member.joined(Joined.refused(Errors.UNKNOWN_MEMBER_ID, member.id()));
        member.joining(reply);
        if (group.is(GroupState.PREPARING)) {
            rebalances.tryComplete(group);
        } else {
            rebalances.begin(group);
        }
    }
}
