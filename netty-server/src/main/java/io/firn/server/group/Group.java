package io.firn.server.group;

import io.firn.server.wire.DeadlineTimer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import javax.annotation.concurrent.GuardedBy;
import org.apache.kafka.common.protocol.Errors;

/**
 * A group: its state, its members and their deadlines. Guarded by its own monitor; {@link
 * Rebalance} describes the changes of state. Deadlines are those of {@link System#nanoTime}.
 */
final class Group {
    /** The time since which a group is empty that was never used. */
    static final long NEVER_USED = 0;

    // About what is used beside the characters.
    static final int FIXED_BYTES = 1_500;
    private static final int ENTRY_BYTES = 200;

    private final String id;

    /** Thread-safe by itself: nobody holds the group's monitor while a force runs. */
    private final SharedCommitForce commitForces = new SharedCommitForce();

    @GuardedBy("this")
    private final Members members = new Members();

    /** Ids that were given to clients that have not joined with them yet, with their deadlines. */
    @GuardedBy("this")
    private final Map<String, Long> pendingIds = new HashMap<>();

    /** The metadata of commits, by topic id and partition; only where it is not empty. */
    @GuardedBy("this")
    private final Map<String, String> commitMetadata = new TreeMap<>();

    /** What its offsets use, by topic, as far as it is known. */
    @GuardedBy("this")
    private final Map<UUID, Long> topics = new TreeMap<>();

    @GuardedBy("this")
    private GroupMemory memory;

    @GuardedBy("this")
    private long pendingBytes;

    @GuardedBy("this")
    private long metadataBytes;

    @GuardedBy("this")
    private long cursorBytes;

    /** Whether something has changed since the group's file was written. */
    @GuardedBy("this")
    private boolean unwritten;

    private volatile String storedOwner = GroupMemory.NOBODY;
    private volatile long usedNs = System.nanoTime();

    @GuardedBy("this")
    private final RebalanceDeadlines deadlines = new RebalanceDeadlines();

    @GuardedBy("this")
    private GroupState state = GroupState.EMPTY;

    @GuardedBy("this")
    private int generation;

    @GuardedBy("this")
    private String protocolType = "";

    @GuardedBy("this")
    private String protocol;

    @GuardedBy("this")
    private long emptySinceMs;

    @GuardedBy("this")
    private DeadlineTimer timer;

    Group(String id, long nowMs) {
        this.id = id;
        this.emptySinceMs = nowMs;
    }

    String id() {
        return id;
    }

    SharedCommitForce commitForces() {
        return commitForces;
    }

    @GuardedBy("this")
    GroupState state() {
        return state;
    }

    @GuardedBy("this")
    void state(GroupState next) {
        state = next;
    }

    @GuardedBy("this")
    boolean is(GroupState other) {
        return state == other;
    }

    @GuardedBy("this")
    int generation() {
        return generation;
    }

    @GuardedBy("this")
    void generation(int value) {
        generation = value;
    }

    @GuardedBy("this")
    String protocolType() {
        return protocolType;
    }

    @GuardedBy("this")
    void protocolType(String value) {
        protocolType = value;
    }

    /** Returns the protocol of the present generation; null if there is none. */
    @GuardedBy("this")
    String protocol() {
        return protocol;
    }

    @GuardedBy("this")
    void protocol(String value) {
        protocol = value;
    }

    @GuardedBy("this")
    long emptySinceMs() {
        return emptySinceMs;
    }

    @GuardedBy("this")
    void emptySinceMs(long value) {
        emptySinceMs = value;
        unwritten = true;
    }

    /** The metadata of commits, by place; changed by the other method only. */
    @GuardedBy("this")
    Map<String, String> commitMetadata() {
        return Collections.unmodifiableMap(commitMetadata);
    }

    /** Sets or removes the metadata of a commit; returns what was there. */
    @GuardedBy("this")
    String commitMetadata(String place, String value) {
        String before =
                value == null || value.isEmpty()
                        ? commitMetadata.remove(place)
                        : commitMetadata.put(place, value);
        metadataBytes += bytesOf(value) - bytesOf(before);
        unwritten |= bytesOf(value) > 0 || bytesOf(before) > 0;
        return before;
    }

    /** Returns how many bytes more the metadata of commits would use, or fewer. */
    @GuardedBy("this")
    long growth(Map<String, String> metadata) {
        long more = 0;
        for (Map.Entry<String, String> each : metadata.entrySet()) {
            more += growth(each.getKey(), each.getValue());
        }
        return more;
    }

    /** Returns how many bytes more the metadata of a commit would use, or fewer. */
    @GuardedBy("this")
    long growth(String place, String value) {
        return bytesOf(value) - bytesOf(commitMetadata.get(place));
    }

    private static long bytesOf(String metadata) {
        return metadata == null || metadata.isEmpty() ? 0 : ENTRY_BYTES + 2L * metadata.length();
    }

    // ---- memory

    @GuardedBy("this")
    void memory(GroupMemory value) {
        memory = value;
        countMemory();
    }

    /** Sets for which client its memory is to count. */
    @GuardedBy("this")
    void storedOwner(String value) {
        storedOwner = value;
    }

    /** Returns for which client its memory counted when it came into memory. */
    String storedOwner() {
        return storedOwner;
    }

    /** Returns for which client its memory counts. */
    @GuardedBy("this")
    String owner() {
        return memory == null ? storedOwner : memory.owner();
    }

    /** Charges a client, if it has room, for what no client was charged for. */
    @GuardedBy("this")
    void adopt(String client) {
        if (owner().equals(GroupMemory.NOBODY) && memory != null && memory.moveTo(client)) {
            unwritten = true;
        }
    }

    /** Returns whether a number of bytes may be added to what is remembered. */
    @GuardedBy("this")
    boolean hasMemoryFor(long more) {
        return memory == null || memory.hasRoomFor(more);
    }

    /** Returns whether the group's file may have a number of bytes more. */
    @GuardedBy("this")
    boolean mayGrow(long more, long mostBytes) {
        boolean fits = metadataBytes + cursorBytes + members.protocolBytes() + more <= mostBytes;
        return fits || (memory != null && memory.refuse());
    }

    /** Counts what the group uses now; to be called after changes. */
    @GuardedBy("this")
    void countMemory() {
        if (memory != null) {
            memory.set(state == GroupState.DEAD ? 0 : memoryBytes());
        }
    }

    /** Returns about how much memory the group uses. */
    @GuardedBy("this")
    long memoryBytes() {
        long fixed = FIXED_BYTES + 2L * id.length();
        return fixed + pendingBytes + metadataBytes + cursorBytes + members.memoryBytes();
    }

    /** Called when the group's file has everything. */
    @GuardedBy("this")
    void wrote() {
        unwritten = false;
    }

    /** Returns whether the group's file lacks something. */
    @GuardedBy("this")
    boolean isUnwritten() {
        return unwritten;
    }

    /** Returns whether the group may leave the memory once its file has everything. */
    @GuardedBy("this")
    boolean isIdle() {
        return state == GroupState.EMPTY && emptySinceMs != NEVER_USED && pendingIds.isEmpty();
    }

    /**
     * Leaves the memory if the group is idle and its file has everything. The group then is dead:
     * requests that have it already are to be tried again. The store keeps its offsets.
     */
    @GuardedBy("this")
    boolean leaveMemory() {
        if (!isIdle() || unwritten) {
            return false;
        }
        countMemory(); // what is subtracted when it comes back is what its file has
        memory.store(cursorBytes);
        state = GroupState.DEAD;
        return true;
    }

    /** Notes that a request has named the group. Thread-safe. */
    void used() {
        usedNs = System.nanoTime();
    }

    /** Returns when a request has named the group last. Thread-safe. */
    long usedNs() {
        return usedNs;
    }

    /**
     * Notes that the group has offsets in a topic.
     *
     * @param bytes what they use
     * @return false if there is no room for them
     */
    @GuardedBy("this")
    boolean noteCursor(UUID topic, long bytes) {
        if (topics.containsKey(topic)) {
            return true;
        }
        if (!hasMemoryFor(bytes)) {
            return false;
        }
        addTopic(topic, bytes);
        countMemory();
        return true;
    }

    /** Adds a topic in which the group has offsets. */
    @GuardedBy("this")
    void addTopic(UUID topic, long bytes) {
        topics.put(topic, bytes);
        cursorBytes += bytes;
        unwritten = true;
    }

    /**
     * As the other method, of offsets that the store has already, as an earlier version has left
     * them: for these there only has to be memory, also if their client has more than its share.
     */
    @GuardedBy("this")
    boolean noteStoredCursor(UUID topic, long bytes) {
        if (topics.containsKey(topic)) {
            return true;
        }
        if (memory != null && !memory.hasMemoryFor(bytes)) {
            return false;
        }
        addTopic(topic, bytes);
        countMemory();
        return true;
    }

    /** Returns what its offsets use. */
    @GuardedBy("this")
    long cursorBytes() {
        return cursorBytes;
    }

    /** Returns what its offsets use, by topic. */
    @GuardedBy("this")
    Map<UUID, Long> topics() {
        return topics;
    }

    /** Forgets topics that were deleted, with the metadata of their offsets. */
    @GuardedBy("this")
    void forgetTopics(Set<UUID> deleted) {
        for (UUID topic : deleted) {
            Long bytes = topics.remove(topic);
            if (bytes != null) {
                cursorBytes -= bytes;
                unwritten = true;
                String places = topic + ".";
                commitMetadata.keySet().stream()
                        .filter(each -> each.startsWith(places))
                        .toList()
                        .forEach(each -> commitMetadata(each, null));
            }
        }
        countMemory();
    }

    /** Returns whether nothing is known of the group but its id. */
    @GuardedBy("this")
    boolean isUnused() {
        return state == GroupState.EMPTY
                && emptySinceMs == NEVER_USED
                && pendingIds.isEmpty()
                && topics.isEmpty()
                && commitMetadata.isEmpty();
    }

    // ---- members

    @GuardedBy("this")
    Members members() {
        return members;
    }

    /** Adds a member; its id is not pending any more. */
    @GuardedBy("this")
    void add(Member member) {
        members.add(member);
        unwritten = true;
        removePending(member.id());
    }

    /** Returns whether a member with these protocols is compatible with the present members. */
    @GuardedBy("this")
    boolean accepts(String type, Set<String> protocols) {
        return members.isEmpty()
                ? !type.isEmpty() && !protocols.isEmpty()
                : type.equals(protocolType) && members.haveInCommon(protocols);
    }

    /** Returns what is wrong with a member's request in a generation, or {@link Errors#NONE}. */
    @GuardedBy("this")
    Errors check(String memberId, String instanceId, int inGeneration) {
        Errors error = members.check(memberId, instanceId);
        return error == Errors.NONE && inGeneration != generation
                ? Errors.ILLEGAL_GENERATION
                : error;
    }

    @GuardedBy("this")
    boolean haveAllJoined() {
        return pendingIds.isEmpty() && members.haveAllJoined();
    }

    @GuardedBy("this")
    boolean isPending(String memberId) {
        return pendingIds.containsKey(memberId);
    }

    @GuardedBy("this")
    int pendingCount() {
        return pendingIds.size();
    }

    /** Waits for a client to join with the id that it was given. */
    @GuardedBy("this")
    void awaitId(String memberId, long deadlineNs) {
        if (pendingIds.put(memberId, deadlineNs) == null) {
            pendingBytes += bytesOf(memberId);
        }
        runBy(deadlineNs);
    }

    /** Stops waiting for an id; returns false if it was not pending. */
    @GuardedBy("this")
    boolean removePending(String memberId) {
        boolean was = pendingIds.remove(memberId) != null;
        pendingBytes -= was ? bytesOf(memberId) : 0;
        return was;
    }

    /** Removes the pending ids whose deadlines have passed; returns whether there were any. */
    @GuardedBy("this")
    boolean removeExpiredPending(long nowNs) {
        List<String> expired = new ArrayList<>();
        pendingIds.forEach(
                (memberId, deadline) -> {
                    if (nowNs - deadline > 0) {
                        expired.add(memberId);
                    }
                });
        expired.forEach(this::removePending);
        return !expired.isEmpty();
    }

    // ---- deadlines

    @GuardedBy("this")
    RebalanceDeadlines deadlines() {
        return deadlines;
    }

    /** Renews a member's session: it was heard from, or receives what it waited for. */
    @GuardedBy("this")
    void renewSession(Member member, long nowNs) {
        renewSession(member, nowNs, member.sessionMs());
    }

    /** Sets for how long a member may be silent. */
    @GuardedBy("this")
    void renewSession(Member member, long nowNs, long ms) {
        member.expireAt(nowNs + ms * 1_000_000L);
        runBy(nowNs + ms * 1_000_000L);
    }

    @GuardedBy("this")
    void joinBy(long deadlineNs, long latestNs, boolean initial) {
        deadlines.join(deadlineNs, latestNs, initial);
        runBy(deadlineNs);
    }

    @GuardedBy("this")
    void syncBy(long deadlineNs) {
        deadlines.sync(deadlineNs);
        runBy(deadlineNs);
    }

    @GuardedBy("this")
    DeadlineTimer timer() {
        return timer;
    }

    @GuardedBy("this")
    void timer(DeadlineTimer value) {
        timer = value;
    }

    @GuardedBy("this")
    private void runBy(long deadlineNs) {
        if (timer != null) {
            timer.runBy(deadlineNs);
        }
    }

    /** Sets the timer to the earliest of all deadlines. */
    @GuardedBy("this")
    void setTimer(long nowNs) {
        long left = deadlines.leftNs(state, nowNs);
        for (long deadlineNs : pendingIds.values()) {
            left = Math.min(left, deadlineNs - nowNs);
        }
        for (Member member : members) {
            if (!member.isWaiting()) {
                left = Math.min(left, member.leftNs(nowNs));
            }
        }
        if (left != Long.MAX_VALUE) {
            runBy(nowNs + left);
        }
    }
}
