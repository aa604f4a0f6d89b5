package io.firn.server.group;

import io.firn.Cursor;
import io.firn.FirnException;
import io.firn.Topic;
import io.firn.server.config.GroupIds;
import io.firn.server.log.ErrorMapper;
import io.firn.server.log.ServedTopic;
import io.firn.server.log.ServedTopics;
import io.firn.server.security.Access;
import io.firn.server.security.Right;
import io.firn.server.wire.Exchange;
import io.firn.server.wire.Handler;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestPartition;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestTopic;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.message.OffsetCommitResponseData.OffsetCommitResponsePartition;
import org.apache.kafka.common.message.OffsetCommitResponseData.OffsetCommitResponseTopic;
import org.apache.kafka.common.protocol.Errors;

/** Handles OffsetCommit. A commit is durable when it is answered. */
public final class OffsetCommitHandler implements Handler<OffsetCommitRequestData> {
    private static final short FIRST_WITH_NO_GROUP = 9;
    private static final short FIRST_WITH_IDS = 10;

    private final GroupCoordinator coordinator;
    private final OffsetCommitValidator commits;
    private final ServedTopics topics;
    private final int maxMetadataChars;

    OffsetCommitHandler(
            GroupCoordinator coordinator,
            OffsetCommitValidator commits,
            ServedTopics topics,
            int maxMetadataChars) {
        this.coordinator = coordinator;
        this.commits = commits;
        this.topics = topics;
        this.maxMetadataChars = maxMetadataChars;
    }

    /** What is gathered of a request before it is made durable. */
    private static final class Gathered {
        private final Set<Cursor> moved = new LinkedHashSet<>();
        private final Map<String, String> metadata = new HashMap<>();

        /** What the metadata adds to that of the group. */
        private long bytes;
    }

    @Override
    public void handle(Exchange exchange, OffsetCommitRequestData request) {
        Access access = exchange.connection().access();
        access.demand(Right.COMMIT, request.groupId());
        Errors error = Errors.INVALID_GROUP_ID;
        Group group = null;
        if (GroupIds.isValid(request.groupId())) {
            group = coordinator.findOrCreate(request.groupId(), exchange.connection().owner());
            error =
                    group == null
                            ? Errors.COORDINATOR_NOT_AVAILABLE
                            : commits.check(
                                    group,
                                    request.memberId(),
                                    request.groupInstanceId(),
                                    request.generationIdOrMemberEpoch(),
                                    exchange.version() >= FIRST_WITH_NO_GROUP);
        }
        OffsetCommitResponseData response = new OffsetCommitResponseData();
        Gathered gathered = new Gathered();
        Group committer = group;
        Errors ofGroup = error;
        exchange.changeInSteps(
                request.topics(),
                topic -> {
                    CommittedTopic found = find(exchange, topic);
                    ServedTopic served = found.served();
                    OffsetCommitResponseTopic results =
                            new OffsetCommitResponseTopic()
                                    .setName(topic.name())
                                    .setTopicId(topic.topicId());
                    response.topics().add(results);
                    for (OffsetCommitRequestPartition each : topic.partitions()) {
                        Errors outcome =
                                GroupOffsets.refusal(
                                        found.refusal(), served, each.partitionIndex(), ofGroup);
                        if (outcome == Errors.NONE) {
                            outcome = commit(committer, served.topic(), each, gathered);
                        }
                        results.partitions()
                                .add(
                                        new OffsetCommitResponsePartition()
                                                .setPartitionIndex(each.partitionIndex())
                                                .setErrorCode(outcome.code()));
                    }
                },
                () -> force(exchange, response, committer, gathered));
    }

    private CommittedTopic find(Exchange exchange, OffsetCommitRequestTopic asked) {
        Access access = exchange.connection().access();
        return exchange.version() >= FIRST_WITH_IDS
                ? CommittedTopic.withId(topics, asked.topicId(), access, Right.COMMIT_TOPIC)
                : CommittedTopic.named(topics, asked.name(), access, Right.COMMIT_TOPIC);
    }

    private void force(
            Exchange exchange, OffsetCommitResponseData response, Group group, Gathered gathered) {
        if (gathered.moved.isEmpty()) {
            if (group != null) {
                coordinator.forgetIfUnused(group);
            }
            exchange.reply(response);
            return;
        }
        group.commitForces()
                .force(
                        gathered.moved,
                        exchange::laterInBackground,
                        failure -> answer(exchange, response, group, gathered.metadata, failure));
    }

    /** Called when the offsets are durable, or could not be forced. */
    private void answer(
            Exchange exchange,
            OffsetCommitResponseData response,
            Group group,
            Map<String, String> metadata,
            FirnException failure) {
        try {
            if (failure != null) {
                throw failure;
            }
            commits.record(group, metadata);
            exchange.reply(response);
        } catch (RuntimeException e) {
            exchange.fail(e);
        } catch (Error e) {
            exchange.fail(e);
            throw e;
        }
    }

    private Errors commit(
            Group group, Topic topic, OffsetCommitRequestPartition asked, Gathered gathered) {
        int partition = asked.partitionIndex();
        String text = asked.committedMetadata();
        if (text != null && text.length() > maxMetadataChars) {
            return Errors.OFFSET_METADATA_TOO_LARGE;
        }
        try {
            String place = GroupOffsets.place(topic, partition);
            synchronized (group) {
                if (group.is(GroupState.DEAD) || !GroupOffsets.mayCommit(topic, group)) {
                    return Errors.COORDINATOR_NOT_AVAILABLE; // the client tries again
                }
                long more = group.commits().growth(place, text);
                if (more > 0) {
                    Errors refusal = commits.refusal(group, gathered.bytes + more);
                    if (refusal != Errors.NONE) {
                        return refusal;
                    }
                    gathered.bytes += more;
                }
            }
            gathered.moved.add(
                    GroupOffsets.commit(topic, group.id(), partition, asked.committedOffset()));
            gathered.metadata.put(place, text);
            return Errors.NONE;
        } catch (RuntimeException e) {
            return ErrorMapper.codeOf(e);
        }
    }
}
