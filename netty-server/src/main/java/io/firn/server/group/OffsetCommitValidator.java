package io.firn.server.group;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import javax.annotation.concurrent.GuardedBy;
import org.apache.kafka.common.protocol.Errors;

/**
 * Decides who may commit offsets for a group, and records commits in the group's file where that is
 * necessary. The offsets themselves are cursors. Thread-safe.
 */
final class OffsetCommitValidator {
    private final GroupFiles files;
    private final GroupLimits limits;

    OffsetCommitValidator(GroupFiles files, GroupLimits limits) {
        this.files = files;
        this.limits = limits;
    }

    /**
     * Returns whether a member, or a client without membership, may commit.
     *
     * @param knowsNoGroup whether the version of the request has an error for an unknown group
     */
    Errors check(
            Group group, String memberId, String instanceId, int generation, boolean knowsNoGroup) {
        synchronized (group) {
            if (group.is(GroupState.DEAD)) {
                return Errors.COORDINATOR_NOT_AVAILABLE;
            }
            if (group.members().isEmpty()) {
                return checkWithoutMembers(group, generation, knowsNoGroup);
            }
            Errors error = group.check(memberId, instanceId, generation);
            if (error == Errors.NONE) {
                group.renewSession(group.members().find(memberId), System.nanoTime());
                if (group.is(GroupState.COMPLETING)) {
                    return Errors.REBALANCE_IN_PROGRESS;
                }
            }
            return error;
        }
    }

    /**
     * Returns whether a member may commit in a transaction; older clients do not say which one.
     *
     * @param knowsNoGroup whether the version of the request has an error for an unknown group
     */
    Errors checkInTransaction(
            Group group, String memberId, String instanceId, int generation, boolean knowsNoGroup) {
        synchronized (group) {
            if (group.is(GroupState.DEAD)) {
                return Errors.COORDINATOR_NOT_AVAILABLE;
            }
            if (generation < 0 && memberId.isEmpty() && instanceId == null) {
                return Errors.NONE;
            }
            if (group.members().isEmpty()) {
                return checkWithoutMembers(group, generation, knowsNoGroup);
            }
            return group.check(memberId, instanceId, generation);
        }
    }

    /** Whoever names no generation may commit, also with the id of a member that is gone. */
    @GuardedBy("group")
    private static Errors checkWithoutMembers(Group group, int generation, boolean knowsNoGroup) {
        if (generation < 0) {
            return Errors.NONE;
        }
        if (!group.isUnused()) {
            return Errors.UNKNOWN_MEMBER_ID;
        }
        return knowsNoGroup ? Errors.GROUP_ID_NOT_FOUND : Errors.ILLEGAL_GENERATION;
    }

    /**
     * Records the metadata of a commit in the group's file, and that a group without members is in
     * use. Writes the file only if something has changed.
     *
     * @param metadata what the client has committed beside the offsets, by place
     * @return whether it is durable; otherwise it will be when the group's rebalance is over
     * @throws org.apache.kafka.common.errors.CoordinatorNotAvailableException if there is no room
     *     for the metadata, or the group has just left the memory; nothing is recorded
     */
    boolean record(Group group, Map<String, String> metadata) {
        synchronized (group) {
            long more = group.commits().growth(metadata);
            if (more > 0 && refusal(group, more) != Errors.NONE) {
                throw Errors.COORDINATOR_NOT_AVAILABLE.exception();
            }
            return recordAll(group, metadata);
        }
    }

    /** Returns why a group does not remember a number of bytes more of metadata, or NONE. */
    @GuardedBy("group")
    Errors refusal(Group group, long more) {
        if (!group.mayGrow(more, limits.maxGroupBytes())) {
            return Errors.OFFSET_METADATA_TOO_LARGE;
        }
        return group.hasMemoryFor(more) ? Errors.NONE : Errors.COORDINATOR_NOT_AVAILABLE;
    }

    /** As {@link #record}, of what was counted when it was put into a transaction. */
    boolean recordCommitted(Group group, Map<String, String> metadata) {
        return recordAll(group, metadata);
    }

    private boolean recordAll(Group group, Map<String, String> metadata) {
        synchronized (group) {
            if (group.is(GroupState.DEAD)) {
                throw Errors.COORDINATOR_NOT_AVAILABLE.exception();
            }
            Map<String, String> before = new HashMap<>();
            boolean changed = false;
            for (Map.Entry<String, String> each : metadata.entrySet()) {
                String place = each.getKey();
                String old = group.commits().metadata(place, each.getValue());
                before.put(place, old);
                changed |= !Objects.equals(group.commits().metadata().get(place), old);
            }
            group.countMemory();
            long emptySinceMs = group.emptySinceMs();
            long now = System.currentTimeMillis();
            boolean aged =
                    group.members().isEmpty() && now - emptySinceMs > limits.retentionMs() / 100;
            if (aged) {
                group.emptySinceMs(now);
            }
            boolean isSettled = group.is(GroupState.EMPTY) || group.is(GroupState.STABLE);
            if (isSettled && (aged || changed || group.isUnwritten())) {
                try {
                    files.write(group);
                } catch (RuntimeException e) {
                    // The commit is refused. If the client repeats it, it is a change again.
                    for (Map.Entry<String, String> each : before.entrySet()) {
                        group.commits().metadata(each.getKey(), each.getValue());
                    }
                    group.countMemory();
                    group.emptySinceMs(emptySinceMs);
                    throw e;
                }
            }
            return isSettled;
        }
    }
}
