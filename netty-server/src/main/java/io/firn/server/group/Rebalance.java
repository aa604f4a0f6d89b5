package io.firn.server.group;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.annotation.concurrent.GuardedBy;
import org.apache.kafka.common.protocol.Errors;

/**
 * Takes a group from one generation to the next. A rebalance begins when a member joins, leaves or
 * changes its protocols. It waits until all members have joined again, or their time is up. Then
 * the leader receives the list of members and sends the assignment with its SyncGroup request,
 * which completes those of all others. The caller holds the group's monitor.
 *
 * <pre>
 *            member comes or goes            all joined, or time is up
 *  STABLE ─────────────────────▶ PREPARING ────────────────────────────▶ COMPLETING
 *    ▲                            ▲    │ nobody joined                     │  │
 *    │                            │    ▼                                   │  │
 *    │                            │  EMPTY          member comes or goes   │  │
 *    │                            └────────────────────────────────────────┘  │
 *    └──────────────────────────── the leader's sync ─────────────────────────┘
 * </pre>
 */
final class Rebalance {
    private static final long MIN_WAIT_NS = 1_000_000_000;

    private final GroupFiles files;
    private final GroupLimits limits;

    Rebalance(GroupFiles files, GroupLimits limits) {
        this.files = files;
        this.limits = limits;
    }

    /** Begins a rebalance: all members have to join again. */
    @GuardedBy("group")
    void begin(Group group) {
        boolean first = group.is(GroupState.EMPTY);
        long now = System.nanoTime();
        if (group.is(GroupState.COMPLETING)) {
            for (Member member : group.members()) {
                member.assignment(Member.NOTHING);
                refuseSync(group, member, Errors.REBALANCE_IN_PROGRESS, now);
            }
        }
        long wait = group.members().longestRebalanceMs() * 1_000_000L;
        long delay = limits.initialDelayMs() * 1_000_000L;
        if (first && delay > 0) {
            group.joinBy(now + Math.min(delay, wait), now + wait, true);
        } else {
            group.joinBy(now + wait, now + wait, false);
        }
        group.state(GroupState.PREPARING);
        tryComplete(group);
    }

    /** A member that waits is alive: its session is renewed, so that it has time to join again. */
    @GuardedBy("group")
    private static void refuseSync(Group group, Member member, Errors error, long nowNs) {
        if (member.isSyncing()) {
            group.renewSession(member, nowNs);
            member.completeSync(SyncResult.refused(error));
        }
    }

    /** Completes the join phase if no other member is awaited. */
    @GuardedBy("group")
    void tryComplete(Group group) {
        if (group.is(GroupState.PREPARING)
                && !group.deadlines().isInitialDelay()
                && group.members().haveAllJoined()) {
            complete(group);
        }
    }

    /** Begins a new generation with the members that have joined. */
    @GuardedBy("group")
    private void complete(Group group) {
        for (Member member : group.members().copy()) {
            if (!member.isJoining() && !member.isStatic()) {
                group.members().remove(member);
            }
        }
        if (group.members().isEmpty()) {
            becomeEmpty(group);
            return;
        }
        if (!group.members().find(group.members().leader()).isJoining()) {
            Member present = group.members().firstJoined();
            if (present == null) {
                // Only static members, and none has returned: they stay until their sessions
                // expire.
                long wait =
                        Math.max(MIN_WAIT_NS, group.members().longestRebalanceMs() * 1_000_000L);
                long later = System.nanoTime() + wait;
                group.joinBy(later, later, false);
                return;
            }
            group.members().leader(present.id());
        }
        group.generation(group.generation() + 1);
        group.protocol(group.members().vote());
        group.state(GroupState.COMPLETING);
        long now = System.nanoTime();
        group.syncBy(now + group.members().longestRebalanceMs() * 1_000_000L);
        for (Member member : group.members()) {
            group.renewSession(member, now);
            member.completeJoin(joinResult(group, member.id()));
        }
    }

    /** Returns the response to a member of the present generation. */
    @GuardedBy("group")
    JoinResult joinResult(Group group, String memberId) {
        return new JoinResult(
                Errors.NONE,
                group.generation(),
                group.protocolType(),
                group.protocol(),
                group.members().leader(),
                false,
                memberId,
                group.members().isLeader(memberId)
                        ? group.members().participants(group.protocol())
                        : List.of());
    }

    @GuardedBy("group")
    private void becomeEmpty(Group group) {
        group.generation(group.generation() + 1);
        group.protocol(null);
        group.members().leader(null);
        group.state(GroupState.EMPTY);
        group.emptySinceMs(System.currentTimeMillis());
        files.write(group);
    }

    /** Stores the leader's assignment, which is durable before any member receives it. */
    @GuardedBy("group")
    void assign(Group group, Map<String, byte[]> assignments) {
        for (Member member : group.members()) {
            member.assignment(assignments.get(member.id()));
        }
        try {
            files.write(group);
        } catch (RuntimeException e) {
            long now = System.nanoTime();
            for (Member member : group.members()) {
                refuseSync(group, member, Errors.COORDINATOR_NOT_AVAILABLE, now);
            }
            begin(group);
            throw e;
        }
        group.state(GroupState.STABLE);
        long now = System.nanoTime();
        for (Member member : group.members()) {
            if (member.isSyncing()) {
                group.renewSession(member, now);
                member.completeSync(syncResult(group, member));
            }
        }
    }

    @GuardedBy("group")
    SyncResult syncResult(Group group, Member member) {
        return new SyncResult(
                Errors.NONE, group.protocolType(), group.protocol(), member.assignment());
    }

    /** Removes a member that leaves or whose session has expired. */
    @GuardedBy("group")
    void remove(Group group, Member member, Errors reason) {
        member.refuse(reason);
        group.members().remove(member);
        afterRemoval(group);
    }

    @GuardedBy("group")
    private void afterRemoval(Group group) {
        switch (group.state()) {
            case STABLE, COMPLETING -> begin(group);
            case PREPARING -> tryComplete(group);
            default -> {}
        }
    }

    /** Ends the sessions, joins and syncs that have timed out. */
    @GuardedBy("group")
    void expire(Group group, long nowNs) {
        boolean expiredIds = group.members().removeExpiredPending(nowNs);
        List<Member> gone = new ArrayList<>();
        for (Member member : group.members()) {
            boolean unsynced =
                    group.is(GroupState.COMPLETING)
                            && group.deadlines().isSyncOver(nowNs)
                            && !member.isSyncing()
                            // A static member that is down stays, but does not lead.
                            && (!member.isStatic() || group.members().isLeader(member.id()));
            if (unsynced || member.isExpired(nowNs)) {
                gone.add(member);
            }
        }
        if (!gone.isEmpty()) {
            for (Member member : gone) {
                member.refuse(Errors.UNKNOWN_MEMBER_ID);
                group.members().remove(member);
            }
            afterRemoval(group);
        } else if (expiredIds) {
            tryComplete(group);
        }
        if (group.is(GroupState.PREPARING) && group.deadlines().isJoinOver(nowNs)) {
            complete(group);
        }
    }
}
