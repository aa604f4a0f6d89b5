package io.firn.bench.kafka;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Selector;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Assignment;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.RebalanceProtocol;
import org.apache.kafka.clients.consumer.internals.ConsumerProtocol;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.HeartbeatResponseData;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.LeaveGroupResponseData;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.message.SyncGroupRequestData.SyncGroupRequestAssignment;
import org.apache.kafka.common.message.SyncGroupResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;

/**
 * A member of a consumer group that behaves like the Java consumer, with its assignors and
 * intervals, but only joins, syncs, sends heartbeats, and commits before it gives up partitions, as
 * the consumer's automatic commits do. Has no thread of its own: see {@link RawGroup}.
 */
final class RawMember {
    private static final long HEARTBEAT_NS = 3_000_000_000L;
    private static final long RETRY_NS = 100_000_000L;

    private final String group;
    private final GroupRequests requests;
    private final ConsumerPartitionAssignor assignor;
    private final Peer peer;
    private final Set<TopicPartition> assigned = new HashSet<>();
    private String memberId = "";
    private int generation = -1;
    private boolean stable;
    private boolean left;
    private boolean awaitsHeartbeat;
    private long nextNs = Long.MAX_VALUE;
    private int joins;
    private int commits;

    RawMember(
            Selector selector,
            InetSocketAddress server,
            String name,
            String group,
            Cluster cluster,
            ConsumerPartitionAssignor assignor)
            throws IOException {
        this.group = group;
        this.requests = new GroupRequests(group, cluster, assignor);
        this.assignor = assignor;
        this.peer = new Peer(selector, server, name);
        findCoordinator();
    }

    Peer peer() {
        return peer;
    }

    boolean isStable() {
        return stable;
    }

    int generation() {
        return generation;
    }

    /** Returns how many JoinGroup requests it has sent. */
    int joins() {
        return joins;
    }

    Set<TopicPartition> assigned() {
        return assigned;
    }

    private <T extends ApiMessage> void send(
            ApiKeys api, int version, ApiMessage request, Supplier<T> empty, Consumer<T> onAnswer) {
        try {
            peer.send(api, version, request, empty, onAnswer);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void findCoordinator() {
        send(
                ApiKeys.FIND_COORDINATOR,
                4,
                new FindCoordinatorRequestData().setCoordinatorKeys(List.of(group)),
                FindCoordinatorResponseData::new,
                answer -> {
                    if (answer.coordinators().get(0).errorCode() == 0) {
                        join();
                    } else {
                        nextNs = System.nanoTime() + RETRY_NS;
                    }
                });
    }

    // ---- join and sync

    private void join() {
        stable = false;
        joins++;
        nextNs = Long.MAX_VALUE;
        boolean eager = assignor.supportedProtocols().get(0) == RebalanceProtocol.EAGER;
        if (eager) {
            commit(assigned);
            assigned.clear();
        }
        send(
                ApiKeys.JOIN_GROUP,
                9,
                requests.join(memberId, assigned),
                JoinGroupResponseData::new,
                this::joined);
    }

    private void joined(JoinGroupResponseData answer) {
        switch (Errors.forCode(answer.errorCode())) {
            case NONE -> {
                memberId = answer.memberId();
                generation = answer.generationId();
                sync(answer.leader().equals(memberId) ? requests.assignments(answer) : List.of());
            }
            case MEMBER_ID_REQUIRED -> {
                memberId = answer.memberId();
                join();
            }
            case UNKNOWN_MEMBER_ID -> {
                memberId = "";
                join();
            }
            case COORDINATOR_NOT_AVAILABLE,
                    COORDINATOR_LOAD_IN_PROGRESS,
                    NOT_COORDINATOR,
                    REBALANCE_IN_PROGRESS ->
                    nextNs = System.nanoTime() + RETRY_NS;
            default -> throw failed(ApiKeys.JOIN_GROUP, answer.errorCode());
        }
    }

    private void sync(List<SyncGroupRequestAssignment> assignments) {
        send(
                ApiKeys.SYNC_GROUP,
                5,
                requests.sync(memberId, generation, assignments),
                SyncGroupResponseData::new,
                this::synced);
    }

    @SuppressWarnings("removal") // there is no other constructor
    private void synced(SyncGroupResponseData answer) {
        switch (Errors.forCode(answer.errorCode())) {
            case NONE -> {
                Assignment assignment =
                        ConsumerProtocol.deserializeAssignment(
                                ByteBuffer.wrap(answer.assignment()));
                assignor.onAssignment(
                        assignment,
                        new ConsumerGroupMetadata(group, generation, memberId, Optional.empty()));
                assignment.partitions().forEach(assigned::remove);
                boolean revoked = !assigned.isEmpty();
                commit(assigned);
                assigned.clear();
                assigned.addAll(assignment.partitions());
                if (revoked) {
                    join(); // the revoked partitions are assigned to others in the next generation
                } else {
                    stable = true;
                    nextNs = System.nanoTime() + HEARTBEAT_NS;
                }
            }
            case REBALANCE_IN_PROGRESS -> join();
            case UNKNOWN_MEMBER_ID, ILLEGAL_GENERATION -> {
                memberId = "";
                assigned.clear();
                join();
            }
            default -> throw failed(ApiKeys.SYNC_GROUP, answer.errorCode());
        }
    }

    private static IllegalStateException failed(ApiKeys api, short code) {
        return new IllegalStateException(api + " was answered with " + Errors.forCode(code));
    }

    // ---- commits

    /** Commits one more record of each partition, at most {@link Idlers#RECORDS}. */
    private void commit(Set<TopicPartition> partitions) {
        if (partitions.isEmpty()) {
            return;
        }
        commits = Math.min(commits + 1, Idlers.RECORDS);
        send(
                ApiKeys.OFFSET_COMMIT,
                8,
                requests.commit(memberId, generation, partitions, commits),
                OffsetCommitResponseData::new,
                answer -> {}); // a late commit is refused, as it is for a consumer
    }

    // ---- heartbeats

    /** Sends what is due, in most cases a heartbeat. */
    void tick(long nowNs) {
        if (left || nextNs == Long.MAX_VALUE || nowNs < nextNs || awaitsHeartbeat) {
            return;
        }
        if (!stable) {
            nextNs = Long.MAX_VALUE;
            findCoordinator();
            return;
        }
        awaitsHeartbeat = true;
        nextNs = nowNs + HEARTBEAT_NS;
        send(
                ApiKeys.HEARTBEAT,
                4,
                requests.heartbeat(memberId, generation),
                HeartbeatResponseData::new,
                this::heard);
    }

    private void heard(HeartbeatResponseData answer) {
        awaitsHeartbeat = false;
        if (left) {
            return;
        }
        switch (Errors.forCode(answer.errorCode())) {
            case NONE -> {}
            case REBALANCE_IN_PROGRESS -> join();
            case UNKNOWN_MEMBER_ID, ILLEGAL_GENERATION -> {
                memberId = "";
                assigned.clear();
                join();
            }
            default -> throw failed(ApiKeys.HEARTBEAT, answer.errorCode());
        }
    }

    // ---- leave

    /** Leaves the group; has left when {@link Peer#isQuiet} returns true. */
    void leave() {
        left = true;
        stable = false;
        commit(assigned);
        send(
                ApiKeys.LEAVE_GROUP,
                5,
                requests.leave(memberId),
                LeaveGroupResponseData::new,
                answer -> {});
    }
}
