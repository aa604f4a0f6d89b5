package io.firn.server.group;

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
 * A group's members and where it is between rebalances. Guarded by its own monitor; {@link
 * Rebalances} says what happens when.
 */
final class Group {
    /** As the time since when it is empty. */
    static final long NEVER_USED = 0;

    private final String id;
    private final Map<String, Member> members = new LinkedHashMap<>();
    private final Map<String, String> instances = new HashMap<>();

    /** Ids that were given to clients that have not come back with them, by deadline. */
    private final Map<String, Long> pending = new HashMap<>();

    /** What committers wrote beside their offsets, by topic id and partition; where not empty. */
    private final Map<String, String> notes = new TreeMap<>();

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

    Map<String, Long> pending() {
        return pending;
    }

    void add(Member member) {
        if (members.isEmpty()) {
            leader = member.id();
        }
        members.put(member.id(), member);
        pending.remove(member.id());
        if (member.isStatic()) {
            instances.put(member.instanceId(), member.id());
        }
    }

    void remove(Member member) {
        members.remove(member.id());
        if (member.isStatic()) {
            instances.remove(member.instanceId(), member.id());
        }
        if (isLeader(member.id())) {
            leader = members.isEmpty() ? null : members.keySet().iterator().next();
        }
    }

    /** Puts a static member's new process in the place of its old one. */
    void replace(Member old, Member replacement) {
        boolean led = isLeader(old.id());
        members.remove(old.id());
        members.put(replacement.id(), replacement);
        instances.put(replacement.instanceId(), replacement.id());
        if (led) {
            leader = replacement.id();
        }
    }

    /** What is wrong with who says to be a member, or {@link Errors#NONE}. */
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

    /** Whether a member with these protocols fits to those that are there. */
    boolean takes(String type, Set<String> protocols) {
        if (members.isEmpty()) {
            return !type.isEmpty() && !protocols.isEmpty();
        }
        return type.equals(protocolType) && protocols.stream().anyMatch(this::isCommon);
    }

    private boolean isCommon(String name) {
        return members.values().stream().allMatch(m -> m.protocols().containsKey(name));
    }

    /** The protocol that most members would rather have, of those that all have. */
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

    void joinBy(long deadlineNs, long latestNs, boolean initial) {
        joinDeadlineNs = deadlineNs;
        joinLatestNs = latestNs;
        initialDelay = initial;
    }

    /** The first members of a group are given a little longer each time that one more comes. */
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
    }

    boolean isSyncOver(long nowNs) {
        return nowNs - syncDeadlineNs >= 0;
    }
}
