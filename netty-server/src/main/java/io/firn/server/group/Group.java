package io.firn.server.group;

import io.firn.server.wire.DeadlineTimer;
import java.util.Set;
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

    private final String id;

    /** Thread-safe by itself: nobody holds the group's monitor while a force runs. */
    private final SharedCommitForce commitForces = new SharedCommitForce();

    @GuardedBy("this")
    private final Members members = new Members();

    @GuardedBy("this")
    private final GroupCommits commits = new GroupCommits();

    @GuardedBy("this")
    private GroupMemory memory;

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

    /** Returns what it remembers of the offsets that were committed. */
    @GuardedBy("this")
    GroupCommits commits() {
        return commits;
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
        boolean fits = commits.memoryBytes() + members.protocolBytes() + more <= mostBytes;
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
        return fixed + commits.memoryBytes() + members.memoryBytes();
    }

    /** Called when the group's file has everything. */
    @GuardedBy("this")
    void wrote() {
        unwritten = false;
        commits.wrote();
    }

    /** Returns whether the group's file lacks something. */
    @GuardedBy("this")
    boolean isUnwritten() {
        return unwritten || commits.isUnwritten();
    }

    /** Returns whether the group may leave the memory once its file has everything. */
    @GuardedBy("this")
    boolean isIdle() {
        return state == GroupState.EMPTY
                && emptySinceMs != NEVER_USED
                && members.pendingCount() == 0;
    }

    /**
     * Leaves the memory if the group is idle and its file has everything. The group then is dead:
     * requests that have it already are to be tried again. The store keeps its offsets.
     */
    @GuardedBy("this")
    boolean leaveMemory() {
        if (!isIdle() || isUnwritten()) {
            return false;
        }
        countMemory(); // what is subtracted when it comes back is what its file has
        memory.store(commits.topicBytes());
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
        return note(topic, bytes, commits.has(topic) || hasMemoryFor(bytes));
    }

    /**
     * As the other method, of offsets that the store has already, as an earlier version has left
     * them: for these there only has to be memory, also if their client has more than its share.
     */
    @GuardedBy("this")
    boolean noteStoredCursor(UUID topic, long bytes) {
        boolean isKnown = commits.has(topic) || memory == null;
        return note(topic, bytes, isKnown || memory.hasMemoryFor(bytes));
    }

    @GuardedBy("this")
    private boolean note(UUID topic, long bytes, boolean isAllowed) {
        if (isAllowed && !commits.has(topic)) {
            commits.addTopic(topic, bytes);
            countMemory();
        }
        return isAllowed;
    }

    /** Forgets topics that were deleted, with the metadata of their offsets. */
    @GuardedBy("this")
    void forgetTopics(Set<UUID> deleted) {
        commits.forget(deleted);
        countMemory();
    }

    /** Returns whether nothing is known of the group but its id. */
    @GuardedBy("this")
    boolean isUnused() {
        return state == GroupState.EMPTY
                && emptySinceMs == NEVER_USED
                && members.pendingCount() == 0
                && commits.isEmpty();
    }

    // ---- members

    @GuardedBy("this")
    Members members() {
        return members;
    }

    /** Adds a member. */
    @GuardedBy("this")
    void add(Member member) {
        members.add(member);
        unwritten = true;
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

    /** Waits for a client to join with the id that it was given. */
    @GuardedBy("this")
    void awaitId(String memberId, long deadlineNs) {
        members.awaitId(memberId, deadlineNs);
        runBy(deadlineNs);
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
        long left = Math.min(deadlines.leftNs(state, nowNs), members.pendingLeftNs(nowNs));
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
