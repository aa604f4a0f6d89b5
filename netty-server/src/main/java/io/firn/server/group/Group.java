package io.firn.server.group;

import io.firn.server.wire.Alarm;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.common.protocol.Errors;

/**
 * A group's members and its state. Guarded by its own monitor; {@link Rebalances} describes the
 * changes of state.
 */
final class Group {
    /** The time since which a group that was never used is empty. */
    static final long NEVER_USED = 0;

    private final String id;
    private final Map<String, Member> members = new LinkedHashMap<>();
    private final Map<String, String> instances = new HashMap<>();

    /** How many members name a protocol. */
    private final Map<String, Integer> supporters = new HashMap<>();

    /** Ids that were given to clients that have not used them yet, with their deadlines. */
    private final Map<String, Long> pending = new HashMap<>();

    /** The metadata of commits, by topic id and partition; only where it is not empty. */
    private final Map<String, String> notes = new TreeMap<>();

    private long memberBytes;
    private final CommitForces commitForces = new CommitForces();
    private GroupState state = GroupState.EMPTY;
    private int generation;
    private String protocolType = "";
    private String protocol;
    private String leader;
    private long emptySinceMs;
    private long joinDeadlineNs;
    private long joinLatestNs;
    private boolean initialDelay;
    private long syncDeadlineNs;
    private Alarm alarm;

    Group(String id, long nowMs) {
        this.id = id;
        this.emptySinceMs = nowMs;
    }

    String id() {
        return id;
    }

    GroupState state() {
        return state;
    }

    void state(GroupState next) {
        state = next;
    }

    boolean is(GroupState other) {
        return state == other;
    }

    int generation() {
        return generation;
    }

    void generation(int value) {
        generation = value;
    }

    String protocolType() {
        return protocolType;
    }

    void protocolType(String value) {
        protocolType = value;
    }

    String protocol() {
        return protocol;
    }

    void protocol(String value) {
        protocol = value;
    }

    String leader() {
        return leader;
    }

    void leader(String value) {
        leader = value;
    }

    boolean isLeader(String memberId) {
        return memberId.equals(leader);
    }

    long emptySinceMs() {
        return emptySinceMs;
    }

    void emptySinceMs(long value) {
        emptySinceMs = value;
    }

    Map<String, String> notes() {
        return notes;
    }

    /** Sets or removes what was written beside an offset; returns what was there. */
    String note(String place, String note) {
        return note == null || note.isEmpty() ? notes.remove(place) : notes.put(place, note);
    }

    /** Thread-safe by itself: nobody holds the group while a force runs. */
    CommitForces commitForces() {
        return commitForces;
    }

    // ---- members

    Collection<Member> members() {
        return members.values();
    }

    Member member(String memberId) {
        return members.get(memberId);
    }

    String memberOf(String instanceId) {
        return instances.get(instanceId);
    }

    boolean isPending(String memberId) {
        return pending.containsKey(memberId);
    }

    int pendingCount() {
        return pending.size();
    }

    /** Waits for a client to join with the id that it was given. */
    void awaitId(String memberId, long deadlineNs) {
        pending.put(memberId, deadlineNs);
        wakeBy(deadlineNs);
    }

    /** Stops waiting for an id; returns false if it was not awaited. */
    boolean forgetId(String memberId) {
        return pending.remove(memberId) != null;
    }

    /** Forgets the ids whose time is up; true when there were any. */
    boolean forgetLateIds(long nowNs) {
        return pending.values().removeIf(deadline -> nowNs - deadline > 0);
    }

    /** Called when a member was heard from, or gets the answer that it waited for. */
    void heard(Member member, long nowNs) {
        allow(member, nowNs, member.sessionMs());
    }

    /** Sets how long a member may be silent. */
    void allow(Member member, long nowNs, long ms) {
        member.expireAt(nowNs + ms * 1_000_000L);
        wakeBy(nowNs + ms * 1_000_000L);
    }

    void add(Member member) {
        if (members.isEmpty()) {
            leader = member.id();
        }
        members.put(member.id(), member);
        count(member, 1);
        pending.remove(member.id());
        if (member.isStatic()) {
            instances.put(member.instanceId(), member.id());
        }
    }

    void remove(Member member) {
        members.remove(member.id());
        count(member, -1);
        if (member.isStatic()) {
            instances.remove(member.instanceId(), member.id());
        }
        if (isLeader(member.id())) {
            leader = members.isEmpty() ? null : members.keySet().iterator().next();
        }
    }

    /** Called when a member has joined again, perhaps with other protocols. */
    void update(Member member, Map<String, byte[]> protocols, int sessionMs, int rebalanceMs) {
        count(member, -1);
        member.update(protocols, sessionMs, rebalanceMs);
        count(member, 1);
    }

    private void count(Member member, int more) {
        for (String name : member.protocols().keySet()) {
            supporters.merge(name, more, (a, b) -> a + b == 0 ? null : a + b);
        }
        memberBytes += (long) more * member.bytes();
    }

    /**
     * Returns whether there is room for so many bytes, in the place of a member if one is given.
     */
    boolean hasRoomFor(int bytes, Member old) {
        return memberBytes - (old == null ? 0 : old.bytes()) + bytes
                <= GroupFiles.MOST_MEMBER_BYTES;
    }

    /** Replaces a static member's old process by its new one. */
    void replace(Member old, Member replacement) {
        boolean led = isLeader(old.id());
        members.remove(old.id());
        count(old, -1);
        members.put(replacement.id(), replacement);
        count(replacement, 1);
        instances.put(replacement.instanceId(), replacement.id());
        if (led) {
            leader = replacement.id();
        }
    }

    /** Returns what is wrong with a claimed membership, or {@link Errors#NONE}. */
    Errors check(String memberId, String instanceId) {
        if (instanceId != null) {
            String current = instances.get(instanceId);
            if (current == null) {
                return Errors.UNKNOWN_MEMBER_ID;
            }
            if (!current.equals(memberId)) {
                return Errors.FENCED_INSTANCE_ID;
            }
        }
        return members.containsKey(memberId) ? Errors.NONE : Errors.UNKNOWN_MEMBER_ID;
    }

    /** Returns whether a member with these protocols is compatible with the present members. */
    boolean takes(String type, Set<String> protocols) {
        if (members.isEmpty()) {
            return !type.isEmpty() && !protocols.isEmpty();
        }
        return type.equals(protocolType) && protocols.stream().anyMatch(this::isCommon);
    }

    private boolean isCommon(String name) {
        return supporters.getOrDefault(name, 0) == members.size();
    }

    /** Returns the protocol that most members prefer, of those that all support. */
    String vote() {
        Map<String, Integer> votes = new LinkedHashMap<>();
        for (Member member : members.values()) {
            for (String name : member.protocols().keySet()) {
                if (isCommon(name)) {
                    votes.merge(name, 1, Integer::sum);
                    break;
                }
            }
        }
        String best = null;
        for (Map.Entry<String, Integer> each : votes.entrySet()) {
            if (best == null || each.getValue() > votes.get(best)) {
                best = each.getKey();
            }
        }
        return best;
    }

    boolean haveAllJoined() {
        return pending.isEmpty() && members.values().stream().allMatch(Member::isJoining);
    }

    int longestRebalanceMs() {
        return members.values().stream().mapToInt(Member::rebalanceMs).max().orElse(0);
    }

    List<Joined.Participant> participants() {
        List<Joined.Participant> all = new ArrayList<>();
        for (Member member : members.values()) {
            all.add(
                    new Joined.Participant(
                            member.id(),
                            member.instanceId(),
                            member.protocols().getOrDefault(protocol, Member.NOTHING)));
        }
        return all;
    }

    // ---- deadlines, by nanoTime

    Alarm alarm() {
        return alarm;
    }

    void alarm(Alarm value) {
        alarm = value;
    }

    private void wakeBy(long deadlineNs) {
        if (alarm != null) {
            alarm.by(deadlineNs);
        }
    }

    /** Sets the alarm to the earliest of all deadlines. */
    void setAlarm(long nowNs) {
        long left = Long.MAX_VALUE;
        if (is(GroupState.PREPARING)) {
            left = joinDeadlineNs - nowNs;
        } else if (is(GroupState.COMPLETING) && !isSyncOver(nowNs)) {
            left = syncDeadlineNs - nowNs;
        }
        for (long deadlineNs : pending.values()) {
            left = Math.min(left, deadlineNs - nowNs);
        }
        for (Member member : members.values()) {
            if (!member.isWaiting()) {
                left = Math.min(left, member.leftNs(nowNs));
            }
        }
        if (left != Long.MAX_VALUE) {
            wakeBy(nowNs + left);
        }
    }

    void joinBy(long deadlineNs, long latestNs, boolean initial) {
        joinDeadlineNs = deadlineNs;
        joinLatestNs = latestNs;
        initialDelay = initial;
        wakeBy(deadlineNs);
    }

    /** The first rebalance of a group waits a little longer each time that another member joins. */
    void extendInitialDelay(long nowNs, long delayNs) {
        if (initialDelay) {
            joinDeadlineNs = Math.min(joinLatestNs, nowNs + delayNs);
        }
    }

    boolean isInitialDelay() {
        return initialDelay;
    }

    boolean isJoinOver(long nowNs) {
        return nowNs - joinDeadlineNs >= 0;
    }

    void syncBy(long deadlineNs) {
        syncDeadlineNs = deadlineNs;
        wakeBy(deadlineNs);
    }

    boolean isSyncOver(long nowNs) {
        return nowNs - syncDeadlineNs >= 0;
    }
}
