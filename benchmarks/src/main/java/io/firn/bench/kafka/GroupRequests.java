package io.firn.bench.kafka;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.GroupSubscription;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.clients.consumer.internals.ConsumerProtocol;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.HeartbeatRequestData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupRequestData.JoinGroupRequestProtocol;
import org.apache.kafka.common.message.JoinGroupRequestData.JoinGroupRequestProtocolCollection;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.LeaveGroupRequestData;
import org.apache.kafka.common.message.LeaveGroupRequestData.MemberIdentity;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestPartition;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestTopic;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.apache.kafka.common.message.SyncGroupRequestData.SyncGroupRequestAssignment;
import org.apache.kafka.common.utils.Utils;

/** Creates the requests of a member of a consumer group, as the Java consumer sends them. */
final class GroupRequests {
    private static final String PROTOCOL_TYPE = "consumer";
    private static final int SESSION_MS = 45_000;
    private static final int REBALANCE_MS = 300_000;

    private final String group;
    private final Cluster cluster;
    private final String topic;
    private final ConsumerPartitionAssignor assignor;

    /** Creates the requests of members that subscribe to the only topic of a cluster. */
    GroupRequests(String group, Cluster cluster, ConsumerPartitionAssignor assignor) {
        this.group = group;
        this.cluster = cluster;
        this.topic = cluster.topics().iterator().next();
        this.assignor = assignor;
    }

    JoinGroupRequestData join(String memberId, Set<TopicPartition> owned) {
        ByteBuffer metadata =
                ConsumerProtocol.serializeSubscription(
                        new Subscription(
                                List.of(topic),
                                assignor.subscriptionUserData(Set.of(topic)),
                                List.copyOf(owned)));
        JoinGroupRequestProtocolCollection protocols = new JoinGroupRequestProtocolCollection();
        protocols.add(
                new JoinGroupRequestProtocol()
                        .setName(assignor.name())
                        .setMetadata(Utils.toArray(metadata)));
        return new JoinGroupRequestData()
                .setGroupId(group)
                .setMemberId(memberId)
                .setSessionTimeoutMs(SESSION_MS)
                .setRebalanceTimeoutMs(REBALANCE_MS)
                .setProtocolType(PROTOCOL_TYPE)
                .setProtocols(protocols)
                .setReason("measured");
    }

    /** Lets the leader assign the partitions to the members of a JoinGroup response. */
    List<SyncGroupRequestAssignment> assignments(JoinGroupResponseData answer) {
        Map<String, Subscription> subscriptions = new HashMap<>();
        answer.members()
                .forEach(
                        each ->
                                subscriptions.put(
                                        each.memberId(),
                                        ConsumerProtocol.deserializeSubscription(
                                                ByteBuffer.wrap(each.metadata()))));
        List<SyncGroupRequestAssignment> result = new ArrayList<>();
        assignor.assign(cluster, new GroupSubscription(subscriptions))
                .groupAssignment()
                .forEach(
                        (id, assignment) ->
                                result.add(
                                        new SyncGroupRequestAssignment()
                                                .setMemberId(id)
                                                .setAssignment(
                                                        ConsumerProtocol.serializeAssignment(
                                                                        assignment)
                                                                .array())));
        return result;
    }

    SyncGroupRequestData sync(
            String memberId, int generation, List<SyncGroupRequestAssignment> assignments) {
        return new SyncGroupRequestData()
                .setGroupId(group)
                .setGenerationId(generation)
                .setMemberId(memberId)
                .setProtocolType(PROTOCOL_TYPE)
                .setProtocolName(assignor.name())
                .setAssignments(assignments);
    }

    HeartbeatRequestData heartbeat(String memberId, int generation) {
        return new HeartbeatRequestData()
                .setGroupId(group)
                .setGenerationId(generation)
                .setMemberId(memberId);
    }

    OffsetCommitRequestData commit(
            String memberId, int generation, Set<TopicPartition> partitions, long offset) {
        OffsetCommitRequestTopic committed = new OffsetCommitRequestTopic().setName(topic);
        for (TopicPartition each : partitions) {
            committed
                    .partitions()
                    .add(
                            new OffsetCommitRequestPartition()
                                    .setPartitionIndex(each.partition())
                                    .setCommittedOffset(offset));
        }
        return new OffsetCommitRequestData()
                .setGroupId(group)
                .setGenerationIdOrMemberEpoch(generation)
                .setMemberId(memberId)
                .setTopics(List.of(committed));
    }

    LeaveGroupRequestData leave(String memberId) {
        return new LeaveGroupRequestData()
                .setGroupId(group)
                .setMembers(List.of(new MemberIdentity().setMemberId(memberId)));
    }
}
