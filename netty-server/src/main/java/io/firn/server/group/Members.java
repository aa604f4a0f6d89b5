package io.firn.server.group;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.protocol.Errors;

/**
 * The members of a group, in the order in which they joined, and their leader; and the clients that
 * are about to join. Guarded by the group.
 */
final class Members implements Iterable<Member> {
    /**
     * Limit for the names and metadata of all members together: with assignments as large as a
     * request can be, the group's file can still be read.
     */
    private static final long MAX_BYTES = 8 << 20;

    private static final int FIXED_BYTES = 500;
    private static final int PENDING_BYTES = 200;

    private final Map<String, Member> byId = new LinkedHashMap<>();
    private final Map<String, String> idsByInstance = new HashMap<>();

    /** How many members name a protocol. */
    private final Map<String, Integer> supporters = new HashMap<>();

    /** Ids that were given to clients that have not joined with them yet, with their deadlines. */
    private final Map<String, Long> pendingIds = new HashMap<>();

    private long bytes;
    private long pendingBytes;
    private String leader;

    @Override
    public Iterator<Member> iterator() {
        return byId.values().iterator();
    }

    List<Member> copy() {
        return List.copyOf(byId.values());
    }

    boolean isEmpty() {
        return byId.isEmpty();
    }

    int size() {
        return byId.size();
    }

    /** Returns a member; null if there is none. */
    Member find(String memberId) {
        return byId.get(memberId);
    }

    /** Returns the id of the member that a static instance is; null if there is none. */
    String idOf(String instanceId) {
        return idsByInstance.get(instanceId);
    }

    /** Returns the leader's id; null without members. */
    String leader() {
        return leader;
    }

    void leader(String memberId) {
        leader = memberId;
    }

    boolean isLeader(String memberId) {
        return memberId.equals(leader);
    }

    // ---- changes

    /** Adds a member, whose id is not pending any more; the first one leads. */
    void add(Member member) {
        removePending(member.id());
        if (byId.isEmpty()) {
            leader = member.id();
        }
        byId.put(member.id(), member);
        count(member, 1);
        if (member.isStatic()) {
            idsByInstance.put(member.instanceId(), member.id());
        }
    }

    /** Removes a member; if it led, the one that joined first of the others leads. */
    void remove(Member member) {
        byId.remove(member.id());
        count(member, -1);
        if (member.isStatic()) {
            idsByInstance.remove(member.instanceId(), member.id());
        }
        if (isLeader(member.id())) {
            leader = byId.isEmpty() ? null : byId.keySet().iterator().next();
        }
    }

    /** Called when a member has joined again, perhaps with other protocols. */
    void update(Member member, Map<String, byte[]> protocols, int sessionMs, int rebalanceMs) {
        count(member, -1);
        member.update(protocols, sessionMs, rebalanceMs);
        count(member, 1);
    }

    /** Replaces the old process of a static member by its new one. */
    void replace(Member old, Member replacement) {
        boolean led = isLeader(old.id());
        byId.remove(old.id());
        count(old, -1);
        byId.put(replacement.id(), replacement);
        count(replacement, 1);
        idsByInstance.put(replacement.instanceId(), replacement.id());
        if (led) {
            leader = replacement.id();
        }
    }

    private void count(Member member, int more) {
        for (String name : member.protocols().keySet()) {
            supporters.merge(name, more, (a, b) -> a + b == 0 ? null : a + b);
        }
        bytes += (long) more * member.bytes();
    }

    // ---- clients that are about to join

    /** Waits for a client to join with the id that it was given. */
    void awaitId(String memberId, long deadlineNs) {
        if (pendingIds.put(memberId, deadlineNs) == null) {
            pendingBytes += pendingBytes(memberId);
        }
    }

    /** Stops waiting for an id; returns false if it was not pending. */
    boolean removePending(String memberId) {
        boolean was = pendingIds.remove(memberId) != null;
        pendingBytes -= was ? pendingBytes(memberId) : 0;
        return was;
    }

    /** Removes the pending ids whose deadlines have passed; returns whether there were any. */
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

    boolean isPending(String memberId) {
        return pendingIds.containsKey(memberId);
    }

    int pendingCount() {
        return pendingIds.size();
    }

    /** Returns the time until the first deadline of a pending id; the maximum if none is. */
    long pendingLeftNs(long nowNs) {
        long left = Long.MAX_VALUE;
        for (long deadlineNs : pendingIds.values()) {
            left = Math.min(left, deadlineNs - nowNs);
        }
        return left;
    }

    private static long pendingBytes(String memberId) {
        return PENDING_BYTES + 2L * memberId.length();
    }

    // ---- questions

    /** Returns whether there is room for more bytes, in the place of a member if one is given. */
    boolean hasRoomFor(int more, Member old) {
        return bytes - (old == null ? 0 : old.bytes()) + more <= MAX_BYTES;
    }

    /** Returns about how much memory the names and metadata of the members use. */
    long protocolBytes() {
        return 2 * bytes;
    }

    /** Returns about how much memory the members use, with assignments and pending ids. */
    long memoryBytes() {
        long sum = 2 * bytes + pendingBytes;
        for (Member member : byId.values()) {
            sum += FIXED_BYTES + member.assignment().length;
        }
        return sum;
    }

    /** Returns what is wrong with a claimed membership, or {@link Errors#NONE}. */
    Errors check(String memberId, String instanceId) {
        if (instanceId != null) {
            String current = idsByInstance.get(instanceId);
            if (current == null) {
                return Errors.UNKNOWN_MEMBER_ID;
            }
            if (!current.equals(memberId)) {
                return Errors.FENCED_INSTANCE_ID;
            }
        }
        return byId.containsKey(memberId) ? Errors.NONE : Errors.UNKNOWN_MEMBER_ID;
    }

    /** Returns whether all members support one of these protocols. */
    boolean haveInCommon(Set<String> protocols) {
        return protocols.stream().anyMatch(this::isCommon);
    }

    private boolean isCommon(String protocol) {
        return supporters.getOrDefault(protocol, 0) == byId.size();
    }

    /** Returns the protocol that most members prefer, of those that all support. */
    String vote() {
        Map<String, Integer> votes = new LinkedHashMap<>();
        for (Member member : byId.values()) {
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

    /** Returns whether no member is waited for. */
    boolean haveAllJoined() {
        return pendingIds.isEmpty() && byId.values().stream().allMatch(Member::isJoining);
    }

    /** Returns the first member that has joined again; null if there is none. */
    Member firstJoined() {
        return byId.values().stream().filter(Member::isJoining).findFirst().orElse(null);
    }

    int longestRebalanceMs() {
        return byId.values().stream().mapToInt(Member::rebalanceMs).max().orElse(0);
    }

    /** Returns the members as their leader sees them when a protocol was chosen. */
    List<JoinResult.Participant> participants(String protocol) {
        List<JoinResult.Participant> all = new ArrayList<>();
        for (Member member : byId.values()) {
            all.add(
                    new JoinResult.Participant(
                            member.id(),
                            member.instanceId(),
                            member.protocols().getOrDefault(protocol, Member.NOTHING)));
        }
        return all;
    }
}
