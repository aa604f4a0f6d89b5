package io.firn.server.group;

import io.firn.server.config.GroupIds;
import io.firn.server.group.GroupJoin.JoinRequest;
import java.io.IOException;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Consumer;
import javax.annotation.concurrent.GuardedBy;
import org.apache.kafka.common.errors.CoordinatorNotAvailableException;
import org.apache.kafka.common.protocol.Errors;

/**
 * Coordinates consumer groups with the classic protocol: members join, one of them assigns
 * partitions, all receive their assignment. Thread-safe; the requests of one group run one after
 * another. Responses that wait for other members are passed to callbacks, on the thread that
 * completes them. Methods may write a small file.
 */
public final class GroupCoordinator {
    private static final System.Logger LOG = System.getLogger("io.firn.server");

    private final GroupRegistry groups;
    private final GroupFiles files;
    private final GroupLimits limits;
    private final Rebalance rebalances;
    private final GroupJoin admission;
    private final GroupOffsets offsets;
    private final GroupTimers timers;

    GroupCoordinator(
            GroupFiles files,
            GroupLimits limits,
            GroupOffsets offsets,
            ScheduledExecutorService background)
            throws IOException {
        this.files = files;
        this.limits = limits;
        this.offsets = offsets;
        this.rebalances = new Rebalance(files, limits);
        this.admission = new GroupJoin(files, limits, rebalances);
        this.timers = new GroupTimers(background, rebalances);
        this.groups = new GroupRegistry(files, limits.memory(), timers::start);
        groups.open();
    }

    /** Returns a group, see {@link GroupRegistry#find}. */
    Group find(String groupId) {
        return groups.find(groupId);
    }

    /** Returns a group whose offsets are to be read, which may need memory. */
    Group findToRead(String groupId) {
        groups.makeSomeRoom();
        return groups.find(groupId);
    }

    /** Returns a group to look at, see {@link GroupRegistry#look}. */
    Group look(String groupId) {
        return groups.look(groupId);
    }

    /** Returns whether there is a group. */
    boolean has(String groupId) {
        return groups.has(groupId);
    }

    /** Returns the ids of all groups. */
    Set<String> ids() {
        Set<String> ids = new LinkedHashSet<>();
        groups.loaded().forEach(group -> ids.add(group.id()));
        ids.addAll(groups.storedIds());
        return ids;
    }

    int count() {
        return groups.count();
    }

    /** Returns a group, and creates it if necessary, see {@link GroupRegistry#findOrCreate}. */
    Group findOrCreate(String groupId, String owner) {
        return groups.findOrCreate(groupId, owner);
    }

    /** Forgets a group that a request has mentioned, and that nobody uses. */
    void forgetIfUnused(Group group) {
        synchronized (group) {
            if (group.isUnused()) {
                end(group);
            }
        }
    }

    @GuardedBy("group")
    private void end(Group group) {
        group.state(GroupState.DEAD);
        group.countMemory();
        groups.remove(group);
    }

    // ---- join

    void join(JoinRequest ask, Consumer<JoinResult> reply) {
        Errors wrong = Errors.NONE;
        if (!GroupIds.isValid(ask.groupId())) {
            wrong = Errors.INVALID_GROUP_ID;
        } else if (!limits.allowsSession(ask.sessionMs())) {
            wrong = Errors.INVALID_SESSION_TIMEOUT;
        } else if (!ask.memberId().isEmpty() && groups.find(ask.groupId()) == null) {
            wrong = Errors.UNKNOWN_MEMBER_ID;
        }
        if (wrong != Errors.NONE) {
            reply.accept(JoinResult.refused(wrong, ask.memberId()));
            return;
        }
        Group group = findOrCreate(ask.groupId(), ask.owner());
        if (group == null) {
            reply.accept(JoinResult.refused(Errors.COORDINATOR_NOT_AVAILABLE, ask.memberId()));
            return;
        }
        synchronized (group) {
            Errors error = admission.join(group, ask, reply);
            group.countMemory();
            if (error != Errors.NONE) {
                forgetIfUnused(group);
                reply.accept(JoinResult.refused(error, ask.memberId()));
            }
        }
    }

    // ---- sync

    /** A request for an assignment; the leader's contains those of all members. */
    record SyncRequest(
            String groupId,
            int generation,
            String memberId,
            String instanceId,
            String protocolType,
            String protocol,
            Map<String, byte[]> assignments) {}

    void sync(SyncRequest ask, Consumer<SyncResult> reply) {
        Group group = groups.find(ask.groupId);
        if (group == null) {
            reply.accept(SyncResult.refused(Errors.UNKNOWN_MEMBER_ID));
            return;
        }
        synchronized (group) {
            Errors error = group.check(ask.memberId, ask.instanceId, ask.generation);
            if (error == Errors.NONE) {
                error = sync(group, ask, reply);
                group.countMemory();
            }
            if (error != Errors.NONE) {
                reply.accept(SyncResult.refused(error));
            }
        }
    }

    @GuardedBy("group")
    private Errors sync(Group group, SyncRequest ask, Consumer<SyncResult> reply) {
        boolean differs =
                (ask.protocolType != null && !ask.protocolType.equals(group.protocolType()))
                        || (ask.protocol != null && !ask.protocol.equals(group.protocol()));
        if (differs) {
            return Errors.INCONSISTENT_GROUP_PROTOCOL;
        }
        Member member = group.members().find(ask.memberId);
        switch (group.state()) {
            case PREPARING -> {
                return Errors.REBALANCE_IN_PROGRESS;
            }
            case COMPLETING -> {
                group.renewSession(member, System.nanoTime());
                boolean leads = group.members().isLeader(member.id());
                if (leads && !hasRoomFor(group, ask.assignments)) {
                    return Errors.COORDINATOR_NOT_AVAILABLE; // the client joins again
                }
                // A client that lost its connection asks again: its first request is obsolete.
                member.completeSync(SyncResult.refused(Errors.UNKNOWN_MEMBER_ID));
                member.syncing(reply);
                if (leads) {
                    rebalances.assign(group, ask.assignments);
                }
            }
            case STABLE -> {
                group.renewSession(member, System.nanoTime());
                reply.accept(rebalances.syncResult(group, member));
            }
            default -> {
                return Errors.UNKNOWN_MEMBER_ID;
            }
        }
        return Errors.NONE;
    }

    @GuardedBy("group")
    private boolean hasRoomFor(Group group, Map<String, byte[]> assignments) {
        long more = 0;
        for (Member member : group.members()) {
            byte[] next = assignments.get(member.id());
            more += (next == null ? 0 : next.length) - member.assignment().length;
        }
        return more <= 0
                || (group.hasMemoryFor(more) && group.mayGrow(more, limits.maxGroupBytes()));
    }

    // ---- heartbeat, leave

    Errors heartbeat(String groupId, int generation, String memberId, String instanceId) {
        Group group = groups.find(groupId);
        if (group == null) {
            return Errors.UNKNOWN_MEMBER_ID;
        }
        synchronized (group) {
            Errors error = group.check(memberId, instanceId, generation);
            if (error == Errors.NONE) {
                group.renewSession(group.members().find(memberId), System.nanoTime());
                if (group.is(GroupState.PREPARING)) {
                    return Errors.REBALANCE_IN_PROGRESS;
                }
            }
            return error;
        }
    }

    /**
     * Returns whether a request that a member leaves comes from somebody else.
     *
     * @param memberId empty if only the instance is named, as only administrators do
     */
    boolean isRemoval(
            String groupId, String memberId, String owner, String clientId, String clientHost) {
        if (memberId.isEmpty()) {
            return true;
        }
        Group group = groups.find(groupId);
        if (group == null) {
            return false;
        }
        synchronized (group) {
            Member member = group.members().find(memberId);
            return member != null && !member.isOf(owner, clientId, clientHost);
        }
    }

    Errors leave(String groupId, String memberId, String instanceId) {
        Group group = groups.find(groupId);
        if (group == null) {
            return Errors.UNKNOWN_MEMBER_ID;
        }
        synchronized (group) {
            if (instanceId == null && group.members().removePending(memberId)) {
                rebalances.tryComplete(group);
                return Errors.NONE;
            }
            String id = memberId;
            if (instanceId != null && memberId.isEmpty()) {
                id = group.members().idOf(instanceId); // an administrator names only the instance
                if (id == null) {
                    return Errors.UNKNOWN_MEMBER_ID;
                }
            }
            Errors error = group.members().check(id, instanceId);
            if (error == Errors.NONE) {
                rebalances.remove(group, group.members().find(id), Errors.UNKNOWN_MEMBER_ID);
                group.countMemory();
            }
            return error;
        }
    }

    // ---- delete

    /** Deletes a group without members, and its committed offsets. */
    Errors delete(String groupId) {
        return delete(groupId, true);
    }

    /**
     * Deletes a group without members, and its committed offsets.
     *
     * @param mayHaveOffsets false if it had none shortly before
     */
    Errors delete(String groupId, boolean mayHaveOffsets) {
        Group group;
        try {
            group = groups.find(groupId);
        } catch (CoordinatorNotAvailableException e) {
            return deleteStored(groupId, Long.MAX_VALUE); // it needs no memory
        }
        if (group == null) {
            return offsets.deleteAll(groupId) ? Errors.NONE : Errors.GROUP_ID_NOT_FOUND;
        }
        return delete(group, mayHaveOffsets);
    }

    private static boolean isEmpty(Group group) {
        synchronized (group) {
            return group.members().isEmpty() && group.is(GroupState.EMPTY);
        }
    }

    private Errors deleteStored(String groupId, long emptyBeforeMs) {
        Boolean deleted =
                groups.deleteStored(
                        groupId,
                        group -> isExpired(group, emptyBeforeMs),
                        () -> offsets.deleteAll(groupId));
        if (deleted == null) {
            return Errors.COORDINATOR_NOT_AVAILABLE; // just loaded: the client tries again
        }
        return deleted ? Errors.NONE : Errors.NON_EMPTY_GROUP;
    }

    private static boolean isExpired(Group group, long emptyBeforeMs) {
        synchronized (group) {
            return isEmpty(group) && group.emptySinceMs() < emptyBeforeMs;
        }
    }

    private Errors delete(Group group, boolean mayHaveOffsets) {
        synchronized (group) {
            if (group.is(GroupState.DEAD)) {
                return Errors.COORDINATOR_NOT_AVAILABLE; // just deleted: the client tries again
            }
            if (!isEmpty(group)) {
                return Errors.NON_EMPTY_GROUP;
            }
            if (mayHaveOffsets || group.emptySinceMs() != Group.NEVER_USED) {
                var unused = offsets.deleteAll(group.id());
                files.delete(group.id());
            }
            end(group); // last: a group that could not be deleted remains
            return Errors.NONE;
        }
    }

    /**
     * Deletes groups that have been empty for too long, and forgets what groups have of deleted
     * topics; to be called every few minutes.
     */
    void expire() {
        long before = System.currentTimeMillis() - limits.retentionMs();
        for (Group group : groups.loaded()) {
            expire(group.id(), () -> expire(group, before));
        }
        for (String id : groups.storedIds()) {
            expire(id, () -> expireStored(id, before));
        }
        forgetDeletedTopics(); // last: whatever fails in it, the groups expire
    }

    /** A group that reads ever new topics would use up what it may have. */
    private void forgetDeletedTopics() {
        Set<UUID> named = new HashSet<>();
        for (Group group : groups.loaded()) {
            synchronized (group) {
                named.addAll(group.commits().topics().keySet());
            }
        }
        // After these were gathered: one that is created meanwhile would count as deleted.
        Set<UUID> deleted = offsets.deletedOf(named);
        if (!deleted.isEmpty()) {
            for (Group group : groups.loaded()) {
                synchronized (group) {
                    group.forgetTopics(deleted);
                }
            }
        }
    }

    private static void expire(String id, Runnable step) {
        try {
            step.run();
        } catch (RuntimeException e) {
            LOG.log(
                    System.Logger.Level.ERROR,
                    "group " + id + " has expired and could not be deleted; tried again later",
                    e);
        }
    }

    private void expireStored(String id, long beforeMs) {
        Group copy = groups.look(id);
        if (copy == null || (isEmpty(copy) && !isExpired(copy, beforeMs))) {
            return;
        }
        try {
            Group loaded = groups.find(id); // from now on its members have deadlines
            if (loaded != null) {
                expire(loaded, beforeMs);
            }
        } catch (CoordinatorNotAvailableException e) {
            var unused = deleteStored(id, beforeMs);
        }
    }

    private void expire(Group group, long beforeMs) {
        synchronized (group) {
            if (group.is(GroupState.EMPTY)
                    && group.members().pendingCount() == 0
                    && group.emptySinceMs() < beforeMs) {
                if (group.emptySinceMs() == Group.NEVER_USED) {
                    end(group); // it was never used
                } else {
                    var unused = delete(group, true);
                }
            }
        }
    }
}
