package io.firn.server.group;

import io.firn.server.group.Admission.JoinAsk;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Consumer;
import org.apache.kafka.common.protocol.Errors;

/**
 * Consumer groups with the classic protocol: members join, one of them assigns partitions, all
 * receive their assignment. Thread-safe; a group's requests take turns. Answers that have to wait
 * for other members come through callbacks, on the thread that completes them. Methods may write a
 * small file.
 */
public final class GroupCoordinator {
    private static final System.Logger LOG = System.getLogger("io.firn.server");

    private final Map<String, Group> groups = new ConcurrentHashMap<>();
    private final GroupFiles files;
    private final GroupLimits limits;
    private final Rebalances rebalances;
    private final Admission admission;
    private final Offsets offsets;
    private final GroupClock clock;

    GroupCoordinator(
            GroupFiles files,
            GroupLimits limits,
            Offsets offsets,
            ScheduledExecutorService background)
            throws java.io.IOException {
        this.files = files;
        this.limits = limits;
        this.offsets = offsets;
        this.rebalances = new Rebalances(files, limits);
        this.admission = new Admission(files, limits, rebalances);
        this.clock = new GroupClock(background, rebalances);
        for (Group group : files.readAll(System.nanoTime())) {
            groups.put(group.id(), clock.watch(group));
        }
    }

    Group find(String groupId) {
        return groups.get(groupId);
    }

    Iterable<Group> groups() {
        return groups.values();
    }

    int count() {
        return groups.size();
    }

    /** Returns the group, created if there is none; the caller holds no group's monitor. */
    Group findOrCreate(String groupId) {
        return groups.computeIfAbsent(groupId, id -> clock.watch(new Group(id, Group.NEVER_USED)));
    }

    // ---- join

    void join(JoinAsk ask, Consumer<Joined> reply) {
        Errors wrong = Errors.NONE;
        if (!Offsets.isGroupId(ask.groupId())) {
            wrong = Errors.INVALID_GROUP_ID;
        } else if (!limits.takesSession(ask.sessionMs())) {
            wrong = Errors.INVALID_SESSION_TIMEOUT;
        } else if (!ask.memberId().isEmpty() && !groups.containsKey(ask.groupId())) {
            wrong = Errors.UNKNOWN_MEMBER_ID;
        }
        if (wrong != Errors.NONE) {
            reply.accept(Joined.refused(wrong, ask.memberId()));
            return;
        }
        Group group = findOrCreate(ask.groupId());
        synchronized (group) {
            Errors error = admission.join(group, ask, reply);
            if (error != Errors.NONE) {
                reply.accept(Joined.refused(error, ask.memberId()));
            }
        }
    }

    // ---- sync

    /** A request for an assignment; the leader's contains those of all members. */
    record SyncAsk(
            String groupId,
            int generation,
            String memberId,
            String instanceId,
            String protocolType,
            String protocol,
            Map<String, byte[]> assignments) {}

    void sync(SyncAsk ask, Consumer<Synced> reply) {
        Group group = groups.get(ask.groupId);
        if (group == null) {
            reply.accept(Synced.refused(Errors.UNKNOWN_MEMBER_ID));
            return;
        }
        synchronized (group) {
            Errors error = check(group, ask.memberId, ask.instanceId, ask.generation);
            if (error == Errors.NONE) {
                error = sync(group, ask, reply);
            }
            if (error != Errors.NONE) {
                reply.accept(Synced.refused(error));
            }
        }
    }

    private Errors sync(Group group, SyncAsk ask, Consumer<Synced> reply) {
        boolean differs =
                (ask.protocolType != null && !ask.protocolType.equals(group.protocolType()))
                        || (ask.protocol != null && !ask.protocol.equals(group.protocol()));
        if (differs) {
            return Errors.INCONSISTENT_GROUP_PROTOCOL;
        }
        Member member = group.member(ask.memberId);
        switch (group.state()) {
            case PREPARING -> {
                return Errors.REBALANCE_IN_PROGRESS;
            }
            case COMPLETING -> {
                group.heard(member, System.nanoTime());
                // A client that lost its connection asks again, as in a join.
                member.synced(Synced.refused(Errors.UNKNOWN_MEMBER_ID));
                member.syncing(reply);
                if (group.isLeader(member.id())) {
                    rebalances.assign(group, ask.assignments);
                }
            }
            case STABLE -> {
                group.heard(member, System.nanoTime());
                reply.accept(rebalances.synced(group, member));
            }
            default -> {
                return Errors.UNKNOWN_MEMBER_ID;
            }
        }
        return Errors.NONE;
    }

    /** Returns what is wrong with a member's request, or NONE. */
    private static Errors check(Group group, String memberId, String instanceId, int generation) {
        Errors error = group.check(memberId, instanceId);
        if (error == Errors.NONE && generation != group.generation()) {
            return Errors.ILLEGAL_GENERATION;
        }
        return error;
    }

    // ---- heartbeat, leave

    Errors heartbeat(String groupId, int generation, String memberId, String instanceId) {
        Group group = groups.get(groupId);
        if (group == null) {
            return Errors.UNKNOWN_MEMBER_ID;
        }
        synchronized (group) {
            Errors error = check(group, memberId, instanceId, generation);
            if (error == Errors.NONE) {
                group.heard(group.member(memberId), System.nanoTime());
                if (group.is(GroupState.PREPARING)) {
                    return Errors.REBALANCE_IN_PROGRESS;
                }
            }
            return error;
        }
    }

    Errors leave(String groupId, String memberId, String instanceId) {
        Group group = groups.get(groupId);
        if (group == null) {
            return Errors.UNKNOWN_MEMBER_ID;
        }
        synchronized (group) {
            if (instanceId == null && group.forgetId(memberId)) {
                rebalances.tryComplete(group);
                return Errors.NONE;
            }
            String id = memberId;
            if (instanceId != null && memberId.isEmpty()) {
                id = group.memberOf(instanceId); // an operator names the instance only
                if (id == null) {
                    return Errors.UNKNOWN_MEMBER_ID;
                }
            }
            Errors error = group.check(id, instanceId);
            if (error == Errors.NONE) {
                rebalances.remove(group, group.member(id), Errors.UNKNOWN_MEMBER_ID);
            }
            return error;
        }
    }

    // ---- commits

    /** Returns whether a member, or a client without membership, may commit. */
    Errors mayCommit(Group group, String memberId, String instanceId, int generation) {
        synchronized (group) {
            if (group.is(GroupState.DEAD)) {
                return Errors.COORDINATOR_NOT_AVAILABLE;
            }
            if (generation < 0 && memberId.isEmpty() && group.members().isEmpty()) {
                return Errors.NONE;
            }
            if (group.members().isEmpty() && group.member(memberId) == null) {
                return generation < 0 ? Errors.UNKNOWN_MEMBER_ID : Errors.ILLEGAL_GENERATION;
            }
            Errors error = check(group, memberId, instanceId, generation);
            if (error == Errors.NONE) {
                group.heard(group.member(memberId), System.nanoTime());
                if (group.is(GroupState.COMPLETING)) {
                    return Errors.REBALANCE_IN_PROGRESS;
                }
            }
            return error;
        }
    }

    /** Records once, in the group's file, that a group without members is in use. */
    void keep(Group group, Map<String, String> notes) {
        synchronized (group) {
            Map<String, String> before = new HashMap<>();
            notes.forEach((place, note) -> before.put(place, group.note(place, note)));
            boolean noted =
                    notes.keySet().stream().anyMatch(each -> isChanged(group, each, before));
            long emptySinceMs = group.emptySinceMs();
            long now = System.currentTimeMillis();
            boolean aged =
                    group.members().isEmpty()
                            && now - group.emptySinceMs() > limits.retentionMs() / 100;
            if (aged) {
                group.emptySinceMs(now);
            }
            boolean isSettled = group.is(GroupState.EMPTY) || group.is(GroupState.STABLE);
            if (isSettled && (aged || noted)) {
                try {
                    files.write(group);
                } catch (RuntimeException e) {
                    // The commit is refused. When it comes again it is a change again.
                    before.forEach(group::note);
                    group.emptySinceMs(emptySinceMs);
                    throw e;
                }
            }
        }
    }

    private static boolean isChanged(Group group, String place, Map<String, String> before) {
        return !Objects.equals(group.notes().get(place), before.get(place));
    }

    /** Deletes a group without members, and where it stands. */
    Errors delete(String groupId) {
        Group group = groups.get(groupId);
        if (group == null) {
            return offsets.deleteAll(groupId) ? Errors.NONE : Errors.GROUP_ID_NOT_FOUND;
        }
        synchronized (group) {
            if (!group.members().isEmpty() || !group.is(GroupState.EMPTY)) {
                return Errors.NON_EMPTY_GROUP;
            }
            var unused = offsets.deleteAll(groupId);
            files.delete(groupId);
            group.state(GroupState.DEAD); // now only: a group that could not be deleted goes on
            groups.remove(groupId, group);
            return Errors.NONE;
        }
    }

    // ---- time

    /** Deletes groups that have been empty for too long; to be called every few minutes. */
    void expire() {
        long before = System.currentTimeMillis() - limits.retentionMs();
        for (Group group : groups.values()) {
            try {
                expire(group, before);
            } catch (RuntimeException e) {
                LOG.log(System.Logger.Level.ERROR, "group " + group.id() + " is kept", e);
            }
        }
    }

    private void expire(Group group, long beforeMs) {
        synchronized (group) {
            if (group.is(GroupState.EMPTY)
                    && group.pendingCount() == 0
                    && group.emptySinceMs() < beforeMs) {
                if (group.emptySinceMs() == Group.NEVER_USED) {
                    group.state(GroupState.DEAD);
                    groups.remove(group.id(), group); // somebody only knocked
                } else {
                    var unused = delete(group.id());
                }
            }
        }
    }
}
