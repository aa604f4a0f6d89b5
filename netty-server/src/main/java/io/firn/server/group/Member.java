package io.firn.server.group;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.common.protocol.Errors;

/** A member of a group. Guarded by the group. */
final class Member {
    static final byte[] NOTHING = {};
    private static final int FIXED_BYTES = 100;

    private final Identity identity;
    private int sessionMs;
    private int rebalanceMs;
    private Map<String, byte[]> protocols;
    private byte[] assignment = NOTHING;
    private Consumer<JoinResult> joining;
    private Consumer<SyncResult> syncing;
    private long deadlineNs;
    private boolean isNew;

    /** Who it is, if that is known; it is not in the group's file. */
    private String owner;

    /**
     * Who a member is.
     *
     * @param instanceId the name of a static member; null for a dynamic one
     */
    record Identity(String id, String instanceId, String clientId, String clientHost) {}

    Member(Identity identity, int sessionMs, int rebalanceMs, Map<String, byte[]> protocols) {
        this.identity = identity;
        this.sessionMs = sessionMs;
        this.rebalanceMs = rebalanceMs;
        this.protocols = new LinkedHashMap<>(protocols);
    }

    String id() {
        return identity.id;
    }

    /** Returns the name of a static member; null for a dynamic one. */
    String instanceId() {
        return identity.instanceId;
    }

    boolean isStatic() {
        return identity.instanceId != null;
    }

    String clientId() {
        return identity.clientId;
    }

    String clientHost() {
        return identity.clientHost;
    }

    void owner(String value) {
        owner = value;
    }

    /** Returns whether a request seems to come from the same client as its join. */
    boolean isOf(String otherOwner, String otherClientId, String otherHost) {
        return (owner == null || owner.equals(otherOwner))
                && identity.clientId.equals(otherClientId)
                && identity.clientHost.equals(otherHost);
    }

    int sessionMs() {
        return sessionMs;
    }

    int rebalanceMs() {
        return rebalanceMs;
    }

    /** Returns the metadata by protocol, the most preferred first. */
    Map<String, byte[]> protocols() {
        return protocols;
    }

    void update(Map<String, byte[]> newProtocols, int newSessionMs, int newRebalanceMs) {
        protocols = new LinkedHashMap<>(newProtocols);
        sessionMs = newSessionMs;
        rebalanceMs = newRebalanceMs;
    }

    /** Returns roughly its size in the group's file, without its assignment. */
    int bytes() {
        return bytesOf(identity.id, identity.instanceId, identity.clientId, protocols);
    }

    static int bytesOf(
            String id, String instanceId, String clientId, Map<String, byte[]> protocols) {
        int bytes = FIXED_BYTES + id.length() + clientId.length();
        bytes += instanceId == null ? 0 : instanceId.length();
        for (Map.Entry<String, byte[]> each : protocols.entrySet()) {
            bytes += each.getKey().length() + each.getValue().length;
        }
        return bytes;
    }

    boolean hasProtocols(Map<String, byte[]> others) {
        if (!List.copyOf(protocols.keySet()).equals(List.copyOf(others.keySet()))) {
            return false;
        }
        return protocols.entrySet().stream()
                .allMatch(each -> Arrays.equals(each.getValue(), others.get(each.getKey())));
    }

    byte[] assignment() {
        return assignment;
    }

    void assignment(byte[] value) {
        assignment = value == null ? NOTHING : value;
    }

    // ---- responses that it waits for

    boolean isJoining() {
        return joining != null;
    }

    void joining(Consumer<JoinResult> reply) {
        joining = reply;
    }

    void completeJoin(JoinResult result) {
        Consumer<JoinResult> reply = joining;
        joining = null;
        isNew = false;
        if (reply != null) {
            reply.accept(result);
        }
    }

    boolean isSyncing() {
        return syncing != null;
    }

    void syncing(Consumer<SyncResult> reply) {
        syncing = reply;
    }

    void completeSync(SyncResult result) {
        Consumer<SyncResult> reply = syncing;
        syncing = null;
        if (reply != null) {
            reply.accept(result);
        }
    }

    /** Refuses the requests that wait for a response. A member that is gone has no id any more. */
    void refuse(Errors error) {
        completeJoin(JoinResult.refused(error, error == Errors.UNKNOWN_MEMBER_ID ? "" : id()));
        completeSync(SyncResult.refused(error));
    }

    // ---- session

    void isNew(boolean value) {
        isNew = value;
    }

    /** Sets until when it may be silent; see {@link Group#renewSession}. */
    void expireAt(long nanoTime) {
        deadlineNs = nanoTime;
    }

    /**
     * Returns whether it waits for a response: then it sends no heartbeats, except in its first
     * join.
     */
    boolean isWaiting() {
        return (isJoining() && !isNew) || isSyncing();
    }

    boolean isExpired(long nowNs) {
        return !isWaiting() && leftNs(nowNs) < 0;
    }

    /** Returns for how long it may still be silent, in ns. */
    long leftNs(long nowNs) {
        return deadlineNs - nowNs;
    }
}
