package io.firn.server.group;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.api.Waiting;
import io.firn.server.group.GroupCoordinator.SyncRequest;
import io.firn.server.group.GroupJoin.JoinRequest;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.apache.kafka.common.protocol.Errors;

/** A member of the group "readers" that does what a test says, without a connection. */
final class Actor {
    static final String GROUP = "readers";
    static final byte[] NOTHING = {};

    private final GroupCoordinator coordinator;
    private final String instance;
    private final Map<String, byte[]> protocols = new LinkedHashMap<>();
    private int sessionMs = 30_000;
    private int rebalanceMs = 60_000;
    private boolean needsIdFirst = true;
    private byte[] assignment;
    private String id = "";
    private int generation = -1;
    private boolean asked;
    private volatile JoinResult joined;
    private volatile SyncResult synced;

    Actor(GroupCoordinator coordinator) {
        this(coordinator, null);
    }

    /** A static member. */
    Actor(GroupCoordinator coordinator, String instance) {
        this.coordinator = coordinator;
        this.instance = instance;
        protocols.put("range", NOTHING);
    }

    Actor session(int ms) {
        sessionMs = ms;
        return this;
    }

    Actor rebalance(int ms) {
        rebalanceMs = ms;
        return this;
    }

    Actor withoutIdFirst() {
        needsIdFirst = false;
        return this;
    }

    Actor protocols(String... names) {
        protocols.clear();
        for (String each : names) {
            protocols.put(each, NOTHING);
        }
        return this;
    }

    Actor assigns(byte[] value) {
        assignment = value;
        return this;
    }

    Actor metadata(byte[] value) {
        protocols.replaceAll((name, before) -> value);
        return this;
    }

    String id() {
        return id;
    }

    int generation() {
        return generation;
    }

    // ---- join

    /** Asks to join; {@link #joined} is the answer, when it has come. */
    Actor join() {
        asked = true;
        joined = null;
        coordinator.join(
                new JoinRequest(
                        GROUP,
                        id,
                        instance,
                        "client",
                        "here",
                        sessionMs,
                        rebalanceMs,
                        "consumer",
                        protocols,
                        needsIdFirst,
                        true,
                        "actor"),
                answer -> joined = answer);
        JoinResult now = joined;
        if (now != null && now.error() == Errors.MEMBER_ID_REQUIRED) {
            id = now.memberId();
        }
        return this;
    }

    private boolean waits() {
        return asked && joined == null;
    }

    boolean hasJoined() {
        return joined != null;
    }

    Errors joinError() {
        return joined.error();
    }

    /** The answer to a join that was not refused. */
    JoinResult joined() {
        await("the answer to a join", this::hasJoined);
        assertTrue(joined.error() == Errors.NONE, joined.error().toString());
        id = joined.memberId();
        generation = joined.generation();
        return joined;
    }

    boolean leads() {
        return joined.leader().equals(id);
    }

    // ---- sync

    /** Asks for its assignment; a leader gives each member its own id. */
    Actor sync() {
        synced = null;
        Map<String, byte[]> assignments = new HashMap<>();
        joined.members()
                .forEach(
                        each ->
                                assignments.put(
                                        each.memberId(),
                                        assignment != null
                                                ? assignment
                                                : each.memberId()
                                                        .getBytes(
                                                                java.nio.charset.StandardCharsets
                                                                        .UTF_8)));
        coordinator.sync(
                new SyncRequest(GROUP, generation, id, instance, "consumer", "range", assignments),
                answer -> synced = answer);
        return this;
    }

    boolean hasSynced() {
        return synced != null;
    }

    SyncResult synced() {
        await("the answer to a sync", this::hasSynced);
        return synced;
    }

    // ---- later

    Errors heartbeat() {
        return coordinator.heartbeat(GROUP, generation, id, instance);
    }

    Errors leave() {
        return coordinator.leave(GROUP, id, instance);
    }

    static void await(String what, BooleanSupplier condition) {
        Waiting.await(what, condition);
    }

    /** Has all join that do not wait yet, and be given what the leader assigns. */
    static void settle(List<Actor> actors) {
        List<Actor> rest = actors.stream().filter(actor -> !actor.waits()).toList();
        rest.forEach(Actor::join); // the last one has all of them answered
        actors.forEach(Actor::joined);
        actors.forEach(Actor::sync);
        for (Actor each : actors) {
            assertTrue(each.synced().error() == Errors.NONE, each.synced().error().toString());
        }
    }
}
