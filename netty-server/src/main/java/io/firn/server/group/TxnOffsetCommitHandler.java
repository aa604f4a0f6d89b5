package io.firn.server.group;

import io.firn.BusyException;
import io.firn.ProducerFencedException;
import io.firn.Topic;
import io.firn.UnknownTopicException;
import io.firn.host.ProducerIdentity;
import io.firn.host.TransactionCoordinator;
import io.firn.host.TransactionCoordinator.CursorMove;
import io.firn.host.TransactionCoordinator.NamedProducer;
import io.firn.host.TransactionStateException;
import io.firn.host.UnknownProducerException;
import io.firn.server.config.GroupIds;
import io.firn.server.log.ErrorMapper;
import io.firn.server.log.ServedTopic;
import io.firn.server.log.ServedTopics;
import io.firn.server.log.TransactionMemory;
import io.firn.server.security.Access;
import io.firn.server.security.Right;
import io.firn.server.wire.Exchange;
import io.firn.server.wire.Handler;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.message.TxnOffsetCommitRequestData;
import org.apache.kafka.common.message.TxnOffsetCommitRequestData.TxnOffsetCommitRequestPartition;
import org.apache.kafka.common.message.TxnOffsetCommitRequestData.TxnOffsetCommitRequestTopic;
import org.apache.kafka.common.message.TxnOffsetCommitResponseData;
import org.apache.kafka.common.message.TxnOffsetCommitResponseData.TxnOffsetCommitResponsePartition;
import org.apache.kafka.common.message.TxnOffsetCommitResponseData.TxnOffsetCommitResponseTopic;
import org.apache.kafka.common.protocol.Errors;

/**
 * Handles TxnOffsetCommit: offsets of a group that are committed when the transaction is. They are
 * durable, as moves of the transaction, when it is answered.
 */
public final class TxnOffsetCommitHandler implements Handler<TxnOffsetCommitRequestData> {
    private static final short FIRST_WITH_NO_GROUP = 6;
    private static final short FIRST_WITH_IDS = 6;

    private final GroupCoordinator groups;
    private final OffsetCommitValidator commits;
    private final ServedTopics topics;
    private final TransactionCoordinator coordinator;
    private final StaleRequests late;
    private final TransactionMemory memory;
    private final int maxMetadataChars;

    TxnOffsetCommitHandler(
            GroupCoordinator groups,
            OffsetCommitValidator commits,
            ServedTopics topics,
            StaleRequests late,
            int maxMetadataChars) {
        this.groups = groups;
        this.commits = commits;
        this.topics = topics;
        this.coordinator = topics.store().transactions();
        this.late = late;
        this.memory = topics.transactionMemory();
        this.maxMetadataChars = maxMetadataChars;
    }

    /**
     * What is gathered of a request before it is carried out as a whole. If it did not come from a
     * producer that there is, it will be refused, and nothing is kept for the group.
     */
    private static final class Gathered {
        private final boolean isOfProducer;
        private final List<CursorMove> moves = new ArrayList<>();
        private final List<TxnOffsetCommitResponsePartition> accepted = new ArrayList<>();

        /** What the metadata will add to that of the group. */
        private long growth;

        Gathered(boolean isOfProducer) {
            this.isOfProducer = isOfProducer;
        }

        /** Returns about how much memory it uses until the transaction ends. */
        long bytes() {
            long bytes = (long) TransactionMemory.OFFSET_BYTES * moves.size();
            for (CursorMove each : moves) {
                bytes += each.note() == null ? 0 : 2L * each.note().length();
            }
            return bytes;
        }
    }

    @Override
    public void handle(Exchange exchange, TxnOffsetCommitRequestData request) {
        Access access = exchange.connection().access();
        access.demand(Right.COMMIT_IN_TRANSACTION, request.transactionalId());
        access.demand(Right.COMMIT_IN_TRANSACTION_GROUP, request.groupId());
        Group group = null;
        Errors error = Errors.INVALID_GROUP_ID;
        if (GroupIds.isValid(request.groupId())) {
            group = groups.findOrCreate(request.groupId(), exchange.connection().owner());
            error =
                    group == null
                            ? Errors.COORDINATOR_NOT_AVAILABLE
                            : commits.checkInTransaction(
                                    group,
                                    request.memberId(),
                                    request.groupInstanceId(),
                                    request.generationIdOrMemberEpoch(),
                                    exchange.version() >= FIRST_WITH_NO_GROUP);
        }
        TxnOffsetCommitResponseData response = new TxnOffsetCommitResponseData();
        Gathered gathered = new Gathered(isPresent(request));
        Group committer = group;
        Errors ofGroup = error;
        exchange.changeInSteps(
                request.topics(),
                topic -> {
                    TxnOffsetCommitResponseTopic results =
                            new TxnOffsetCommitResponseTopic()
                                    .setName(topic.name())
                                    .setTopicId(topic.topicId());
                    response.topics().add(results);
                    CommittedTopic found = find(exchange, topic);
                    ServedTopic served = found.served();
                    for (TxnOffsetCommitRequestPartition each : topic.partitions()) {
                        var result =
                                new TxnOffsetCommitResponsePartition()
                                        .setPartitionIndex(each.partitionIndex());
                        results.partitions().add(result);
                        Errors outcome =
                                GroupOffsets.refusal(
                                        found.refusal(), served, each.partitionIndex(), ofGroup);
                        if (outcome == Errors.NONE) {
                            outcome = gather(committer, served.topic(), each, gathered);
                        }
                        if (outcome == Errors.NONE) {
                            gathered.accepted.add(result);
                        }
                        result.setErrorCode(outcome.code());
                    }
                },
                () ->
                        late.refuseOr(
                                exchange,
                                request.transactionalId(),
                                producerOf(request),
                                () -> commit(exchange, request, committer, gathered, response)));
    }

    private static ProducerIdentity producerOf(TxnOffsetCommitRequestData request) {
        return new ProducerIdentity(request.producerId(), request.producerEpoch());
    }

    private boolean isPresent(TxnOffsetCommitRequestData request) {
        NamedProducer present = coordinator.find(request.transactionalId());
        return present != null && present.identity().equals(producerOf(request));
    }

    private CommittedTopic find(Exchange exchange, TxnOffsetCommitRequestTopic asked) {
        Access access = exchange.connection().access();
        Right right = Right.COMMIT_IN_TRANSACTION_TOPIC;
        return exchange.version() >= FIRST_WITH_IDS
                ? CommittedTopic.withId(topics, asked.topicId(), access, right)
                : CommittedTopic.named(topics, asked.name(), access, right);
    }

    private Errors gather(
            Group group, Topic topic, TxnOffsetCommitRequestPartition asked, Gathered to) {
        int partition = asked.partitionIndex();
        long offset = asked.committedOffset();
        String text = asked.committedMetadata();
        if (text != null && text.length() > maxMetadataChars) {
            return Errors.OFFSET_METADATA_TOO_LARGE;
        }
        String place = GroupOffsets.place(topic, partition);
        String note = null;
        synchronized (group) {
            if (to.isOfProducer
                    && (group.is(GroupState.DEAD) || !GroupOffsets.mayCommit(topic, group))) {
                return Errors.COORDINATOR_NOT_AVAILABLE; // the client tries again
            }
            long more = group.commits().growth(place, text);
            if (more > 0) {
                Errors refusal = commits.refusal(group, to.growth + more);
                if (refusal != Errors.NONE) {
                    return refusal;
                }
                to.growth += more;
            }
            if ((text != null && !text.isEmpty())
                    || group.commits().metadata().containsKey(place)) {
                note = text == null ? "" : text;
            }
        }
        to.moves.add(new CursorMove(topic, group.id(), partition, offset, note));
        return Errors.NONE;
    }

    private void commit(
            Exchange exchange,
            TxnOffsetCommitRequestData request,
            Group group,
            Gathered gathered,
            TxnOffsetCommitResponseData response) {
        Errors outcome = Errors.NONE;
        if (!gathered.moves.isEmpty()) {
            outcome = commit(exchange, request, group, gathered);
        }
        if (group != null && (gathered.moves.isEmpty() || outcome != Errors.NONE)) {
            groups.forgetIfUnused(group);
        }
        for (TxnOffsetCommitResponsePartition each : gathered.accepted) {
            each.setErrorCode(outcome.code());
        }
        exchange.reply(response);
    }

    private Errors commit(
            Exchange exchange, TxnOffsetCommitRequestData request, Group group, Gathered gathered) {
        String name = request.transactionalId();
        long bytes = gathered.bytes();
        if (!memory.add(name, exchange.connection().owner(), bytes)) {
            return Errors.COORDINATOR_NOT_AVAILABLE; // the client tries again
        }
        ProducerIdentity producer = producerOf(request);
        if (!gathered.isOfProducer && isPresent(request)) {
            memory.giveBack(name, bytes);
            return Errors.COORDINATOR_NOT_AVAILABLE; // it has come meanwhile, and tries again
        }
        try {
            if (gathered.isOfProducer) {
                commits.record(group, Map.of()); // before: a group that has offsets has its file
            }
            coordinator.commitCursors(name, producer, gathered.moves); // or says what is wrong
        } catch (ProducerFencedException e) {
            memory.giveBack(name, bytes);
            return Errors.INVALID_PRODUCER_EPOCH; // as a partition says
        } catch (BusyException | TransactionStateException e) {
            memory.giveBack(name, bytes);
            return Errors.CONCURRENT_TRANSACTIONS;
        } catch (UnknownProducerException | UnknownTopicException e) {
            memory.giveBack(name, bytes);
            return ErrorMapper.codeOf(e);
        } catch (RuntimeException e) {
            return ErrorMapper.codeOf(e); // the offsets may belong to the transaction
        }
        return Errors.NONE;
    }
}
