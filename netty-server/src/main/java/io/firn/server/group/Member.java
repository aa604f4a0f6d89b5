package io.firn.server.group;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.common.protocol.Errors;

/** A member of a group. Guarded by its group. */
final class Member {
    static final byte[] NOTHING = {};
    private static final int FIXED_BYTES = 100;

    private final String id;
    private final String instanceId;
    private final String clientId;
    private final String clientHost;
    private int sessionMs;
    private int rebalanceMs;
    private Map<String, byte[]> protocols;
    private byte[] assignment = NOTHING;
    private Consumer<Joined> joining;
    private Consumer<Synced> syncing;
    private long deadlineNs;
    private boolean isNew;

    Member(
            String id,
            String instanceId,
            String clientId,
            String clientHost,
            int sessionMs,
            int rebalanceMs,
            Map<String, byte[]> protocols) {
        this.id = id;
        this.instanceId = instanceId;
        this.clientId = clientId;
        this.clientHost = clientHost;
        this.sessionMs = sessionMs;
        this.rebalanceMs = rebalanceMs;
        this.protocols = new LinkedHashMap<>(protocols);
    }

    String id() {
        return id;
    }

    /** Null for a dynamic member. */
    String instanceId() {
        return instanceId;
    }

    boolean isStatic() {
        return instanceId != null;
    }

    String clientId() {
        return clientId;
    }

    String clientHost() {
        return clientHost;
    }

    int sessionMs() {
        return sessionMs;
    }

    int rebalanceMs() {
        return rebalanceMs;
    }

    /** Metadata by protocol, most wanted first. */
    Map<String, byte[]> protocols() {
        return protocols;
    }

    void update(Map<String, byte[]> newProtocols, int newSessionMs, int newRebalanceMs) {
        protocols = new LinkedHashMap<>(newProtocols);
        sessionMs = newSessionMs;
        rebalanceMs = newRebalanceMs;
    }

    /** What it takes of the group's file, roughly, without its assignment. */
    int bytes() {
        return bytesOf(id, instanceId, clientId, protocols);
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
        if (!java.util.List.copyOf(protocols.keySet())
                .equals(java.util.List.copyOf(others.keySet()))) {
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

    // ---- what it waits for

    boolean isJoining() {
        return joining != null;
    }

    void joining(Consumer<Joined> reply) {
        joining = reply;
    }

    void joined(Joined result) {
        Consumer<Joined> reply = joining;
        joining = null;
        isNew = false;
        if (reply != null) {
            reply.accept(result);
        }
    }

    boolean isSyncing() {
        return syncing != null;
    }

    void syncing(Consumer<Synced> reply) {
        syncing = reply;
    }

    void synced(Synced result) {
        Consumer<Synced> reply = syncing;
        syncing = null;
        if (reply != null) {
            reply.accept(result);
        }
    }

    /** Tells it why it gets nothing. */
    void refuse(Errors error) {
        joined(Joined.refused(error, id));
        synced(Synced.refused(error));
    }

    // ---- whether it lives

    void isNew(boolean value) {
        isNew = value;
    }

    /** Sets until when it may be silent; see {@link Group#heard}. */
    void expireAt(long nanoTime) {
        deadlineNs = nanoTime;
    }

    /** While it waits for us it need not send heartbeats, except in its first join. */
    boolean isWaiting() {
        return (isJoining() && !isNew) || isSyncing();
    }

    boolean isExpired(long nowNs) {
        return !isWaiting() && leftNs(nowNs) < 0;
    }

    /** How long it may still be silent. */
    long leftNs(long nowNs) {
        return deadlineNs - nowNs;
    }
}
