package io.firn.server.group;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.protocol.Errors;

/**
 * Takes a group from one generation to the next. A rebalance begins when a member joins, leaves or
 * changes its protocols; it waits until all members have joined again, or their time is up; then
 * the leader receives the list of members and assigns, and its sync completes those of all others.
 * The caller holds the group's monitor.
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
final class Rebalances {
    private static final long LEAST_WAIT_NS = 1_000_000_000;

    private final GroupFiles files;
    private final GroupLimits limits;

    Rebalances(GroupFiles files, GroupLimits limits) {
        this.files = files;
        this.limits = limits;
    }

    /** Makes all members join again. */
    void begin(Group group) {
        boolean first = group.is(GroupState.EMPTY);
        long now = System.nanoTime();
        if (group.is(GroupState.COMPLETING)) {
            for (Member member : group.members()) {
                member.assignment(Member.NOTHING);
                refuseSync(group, member, Errors.REBALANCE_IN_PROGRESS, now);
            }
        }
        long wait = group.longestRebalanceMs() * 1_000_000L;
        long delay = limits.initialDelayMs() * 1_000_000L;
        if (first && delay > 0) {
            group.joinBy(now + Math.min(delay, wait), now + wait, true);
        } else {
            group.joinBy(now + wait, now + wait, false);
        }
        group.state(GroupState.PREPARING);
        tryComplete(group);
    }

    /** A member that waited was alive all the time, and gets a session's time to join again. */
    private static void refuseSync(Group group, Member member, Errors error, long nowNs) {
        if (member.isSyncing()) {
            group.heard(member, nowNs);
            member.synced(Synced.refused(error));
        }
    }

    /** Called when a member has joined or left while others are awaited. */
    void tryComplete(Group group) {
        if (group.is(GroupState.PREPARING) && !group.isInitialDelay() && group.haveAllJoined()) {
            complete(group);
        }
    }

    /** Begins a generation with the members that have joined. */
    private void complete(Group group) {
        for (Member member : List.copyOf(group.members())) {
            if (!member.isJoining() && !member.isStatic()) {
                group.remove(member);
            }
        }
        if (group.members().isEmpty()) {
            becomeEmpty(group);
            return;
        }
        if (!group.member(group.leader()).isJoining()) {
            Member present =
                    group.members().stream().filter(Member::isJoining).findFirst().orElse(null);
            if (present == null) {
                // Static members only, and none of them is back: their sessions decide.
                long wait = Math.max(LEAST_WAIT_NS, group.longestRebalanceMs() * 1_000_000L);
                long later = System.nanoTime() + wait; // who allows no time is not looked at often
                group.joinBy(later, later, false);
                return;
            }
            group.leader(present.id());
        }
        group.generation(group.generation() + 1);
        group.protocol(group.vote());
        group.state(GroupState.COMPLETING);
        long now = System.nanoTime();
        group.syncBy(now + group.longestRebalanceMs() * 1_000_000L);
        for (Member member : group.members()) {
            group.heard(member, now);
            member.joined(joined(group, member.id()));
        }
    }

    /** The answer to a member of the present generation. */
    Joined joined(Group group, String memberId) {
        return new Joined(
                Errors.NONE,
                group.generation(),
                group.protocolType(),
                group.protocol(),
                group.leader(),
                false,
                memberId,
                group.isLeader(memberId) ? group.participants() : List.of());
    }

    private void becomeEmpty(Group group) {
        group.generation(group.generation() + 1);
        group.protocol(null);
        group.leader(null);
        group.state(GroupState.EMPTY);
        group.emptySinceMs(System.currentTimeMillis());
        files.write(group);
    }

    /** Called with the leader's assignment, which is durable before any member receives it. */
    void assign(Group group, Map<String, byte[]> assignments) {
        for (Member member : group.members()) {
            member.assignment(assignments.get(member.id()));
        }
        try {
            files.write(group);
        } catch (RuntimeException e) {
            long now = System.nanoTime();
            for (Member member : group.members()) {
                refuseSync(group, member, Errors.COORDINATOR_NOT_AVAILABLE, now); // they try again
            }
            begin(group);
            throw e;
        }
        group.state(GroupState.STABLE);
        long now = System.nanoTime();
        for (Member member : group.members()) {
            if (member.isSyncing()) {
                group.heard(member, now);
                member.synced(synced(group, member));
            }
        }
    }

    Synced synced(Group group, Member member) {
        return new Synced(Errors.NONE, group.protocolType(), group.protocol(), member.assignment());
    }

    /** Called when a member leaves or its session has ended. */
    void remove(Group group, Member member, Errors told) {
        member.refuse(told);
        group.remove(member);
        afterRemoval(group);
    }

    private void afterRemoval(Group group) {
        switch (group.state()) {
            case STABLE, COMPLETING -> begin(group);
            case PREPARING -> tryComplete(group);
            default -> {}
        }
    }

    /** Ends what has timed out; returns true when something did. */
    void tick(Group group, long nowNs) {
        boolean forgot = group.forgetLateIds(nowNs);
        List<Member> gone = new ArrayList<>();
        for (Member member : group.members()) {
            boolean unsynced =
                    group.is(GroupState.COMPLETING)
                            && group.isSyncOver(nowNs)
                            && !member.isSyncing()
                            // A static member that is down keeps its place but does not lead.
                            && (!member.isStatic() || group.isLeader(member.id()));
            if (unsynced || member.isExpired(nowNs)) {
                gone.add(member);
            }
        }
        if (!gone.isEmpty()) {
            for (Member member : gone) {
                member.refuse(Errors.UNKNOWN_MEMBER_ID);
                group.remove(member);
            }
            afterRemoval(group);
        } else if (forgot) {
            tryComplete(group);
        }
        if (group.is(GroupState.PREPARING) && group.isJoinOver(nowNs)) {
            complete(group);
        }
    }
}
