package io.firn.server.group;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.common.protocol.Errors;

/** A member of a group. Guarded by its group. */
final class Member {
    static final byte[] NOTHING = {};

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

    void heard(long nowNs) {
        deadlineNs = nowNs + sessionMs * 1_000_000L;
    }

    /** A client that never comes back from its first join is not waited for so long. */
    void allow(long nowNs, long ms) {
        deadlineNs = nowNs + ms * 1_000_000L;
    }

    /** While it waits for us it need not send heartbeats. */
    boolean isExpired(long nowNs) {
        boolean waits = (isJoining() && !isNew) || isSyncing();
        return !waits && nowNs - deadlineNs > 0;
    }
}
