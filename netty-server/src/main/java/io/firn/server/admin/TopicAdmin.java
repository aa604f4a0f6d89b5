package io.firn.server.admin;

import io.firn.server.log.DuplicateNames;
import io.firn.server.log.ErrorMapper;
import io.firn.server.log.MutationQuota;
import io.firn.server.log.ServedPartition;
import io.firn.server.log.ServedTopic;
import io.firn.server.log.ServedTopics;
import io.firn.server.quota.QuotaUsage;
import io.firn.server.security.Access;
import io.firn.server.security.Right;
import io.firn.server.wire.Exchange;
import io.firn.server.wire.ResponseElements;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.message.CreatePartitionsRequestData;
import org.apache.kafka.common.message.CreatePartitionsRequestData.CreatePartitionsTopic;
import org.apache.kafka.common.message.CreatePartitionsResponseData;
import org.apache.kafka.common.message.CreatePartitionsResponseData.CreatePartitionsTopicResult;
import org.apache.kafka.common.message.DeleteRecordsRequestData;
import org.apache.kafka.common.message.DeleteRecordsRequestData.DeleteRecordsTopic;
import org.apache.kafka.common.message.DeleteRecordsResponseData;
import org.apache.kafka.common.message.DeleteRecordsResponseData.DeleteRecordsPartitionResult;
import org.apache.kafka.common.message.DeleteRecordsResponseData.DeleteRecordsPartitionResultCollection;
import org.apache.kafka.common.message.DeleteRecordsResponseData.DeleteRecordsTopicResult;
import org.apache.kafka.common.message.DeleteRecordsResponseData.DeleteRecordsTopicResultCollection;
import org.apache.kafka.common.message.DeleteTopicsRequestData;
import org.apache.kafka.common.message.DeleteTopicsRequestData.DeleteTopicState;
import org.apache.kafka.common.message.DeleteTopicsResponseData;
import org.apache.kafka.common.message.DeleteTopicsResponseData.DeletableTopicResult;
import org.apache.kafka.common.message.DeleteTopicsResponseData.DeletableTopicResultCollection;
import org.apache.kafka.common.protocol.Errors;

/** Deletes topics, adds partitions to them, and deletes records. */
public final class TopicAdmin {
    private static final int FIRST_STRICT_DELETION = 5;
    private static final int FIRST_STRICT_CREATION = 3;

    private final ServedTopics topics;
    private final QuotaUsage rates;

    /**
     * Creates the handlers.
     *
     * @param rates how much of their quotas clients have used
     */
    public TopicAdmin(ServedTopics topics, QuotaUsage rates) {
        this.topics = topics;
        this.rates = rates;
    }

    // ---- delete

    /** Handles DeleteTopics. */
    public void delete(Exchange exchange, DeleteTopicsRequestData request) {
        Access access = exchange.connection().access();
        boolean all = access.has(Right.DELETE_TOPICS);
        MutationQuota quota = new MutationQuota(rates, exchange, FIRST_STRICT_DELETION);
        List<DeleteTopicState> asked = new ArrayList<>(request.topics());
        request.topicNames().forEach(name -> asked.add(new DeleteTopicState().setName(name)));
        DeleteTopicsResponseData response = new DeleteTopicsResponseData();
        response.setResponses(new DeletableTopicResultCollection(asked.size()));
        DuplicateNames<String> duplicates =
                new DuplicateNames<>(
                        asked.stream().map(DeleteTopicState::name).filter(Objects::nonNull));
        exchange.changeInSteps(
                asked,
                each -> {
                    if (duplicates.isAnswered(each.name())) {
                        return;
                    }
                    DeletableTopicResult result =
                            new ResponseElements.DeletedTopic()
                                    .setName(each.name())
                                    .setTopicId(each.topicId());
                    try {
                        duplicates.check(each.name(), each.name());
                        delete(each, result, all ? null : access, quota);
                    } catch (RuntimeException e) {
                        result.setErrorCode(ErrorMapper.codeOf(e).code())
                                .setErrorMessage(ErrorMapper.textOf(e));
                    }
                    response.responses().add(result);
                },
                () -> exchange.reply(response.setThrottleTimeMs(quota.throttle())));
    }

    /** The access is null if all topics may be deleted. */
    private void delete(
            DeleteTopicState asked,
            DeletableTopicResult result,
            Access access,
            MutationQuota quota) {
        if (!topics.config().flag("delete.topic.enable")) {
            throw Errors.TOPIC_DELETION_DISABLED.exception();
        }
        boolean byName = asked.name() != null;
        if (byName != asked.topicId().equals(Uuid.ZERO_UUID)) {
            throw Errors.INVALID_REQUEST.exception(
                    "A topic must be named either by its name or by its id.");
        }
        ServedTopic topic = byName ? topics.find(asked.name()) : topics.find(asked.topicId());
        if (access != null && byName) {
            access.demand(Right.DELETE_TOPIC_NAME, asked.name());
        }
        if (access != null && topic != null) {
            checkDelete(access, topic.name(), result);
        }
        if (topic == null) {
            throw byName
                    ? Errors.UNKNOWN_TOPIC_OR_PARTITION.exception()
                    : Errors.UNKNOWN_TOPIC_ID.exception();
        }
        quota.record(topic.topic().partitionCount());
        topics.delete(topic.name());
        result.setName(topic.name()).setTopicId(topic.id());
    }

    /** As in Kafka, who may not describe a topic whose id it knows is not told its name. */
    private static void checkDelete(Access access, String name, DeletableTopicResult result) {
        if (!access.may(Right.DELETE_TOPIC, name)) {
            if (access.has(Right.DELETE_TOPIC_NAME, name)) {
                result.setName(name);
            }
            throw Errors.TOPIC_AUTHORIZATION_FAILED.exception();
        }
    }

    // ---- partitions

    /** Handles CreatePartitions. */
    public void createPartitions(Exchange exchange, CreatePartitionsRequestData request) {
        CreatePartitionsResponseData response = new CreatePartitionsResponseData();
        MutationQuota quota = new MutationQuota(rates, exchange, FIRST_STRICT_CREATION);
        DuplicateNames<String> duplicates =
                new DuplicateNames<>(request.topics().stream().map(CreatePartitionsTopic::name));
        exchange.changeInSteps(
                request.topics(),
                asked -> {
                    if (duplicates.isAnswered(asked.name())) {
                        return;
                    }
                    CreatePartitionsTopicResult result =
                            new CreatePartitionsTopicResult().setName(asked.name());
                    try {
                        duplicates.check(asked.name(), asked.name());
                        exchange.connection()
                                .access()
                                .demand(Right.CREATE_PARTITIONS, asked.name());
                        addPartitions(asked, request.validateOnly() ? null : quota);
                    } catch (RuntimeException e) {
                        result.setErrorCode(ErrorMapper.codeOf(e).code())
                                .setErrorMessage(ErrorMapper.textOf(e));
                    }
                    response.results().add(result);
                },
                () -> exchange.reply(response.setThrottleTimeMs(quota.throttle())));
    }

    /** The quota is null only to validate. */
    private void addPartitions(CreatePartitionsTopic asked, MutationQuota quota) {
        ServedTopic topic = topics.find(asked.name());
        if (topic == null) {
            throw Errors.UNKNOWN_TOPIC_OR_PARTITION.exception();
        }
        int now = topic.topic().partitionCount();
        if (asked.count() <= now || asked.count() > ServedTopics.MAX_PARTITIONS) {
            Errors error =
                    asked.count() <= now ? Errors.INVALID_PARTITIONS : Errors.POLICY_VIOLATION;
            throw error.exception(
                    "The topic currently has "
                            + now
                            + " partitions; it can have more, up to "
                            + ServedTopics.MAX_PARTITIONS
                            + ", not "
                            + asked.count()
                            + ".");
        }
        if (asked.assignments() != null) {
            boolean fits =
                    asked.assignments().size() == asked.count() - now
                            && asked.assignments().stream()
                                    .allMatch(
                                            each ->
                                                    each.brokerIds()
                                                            .equals(List.of(topics.nodeId())));
            if (!fits) {
                throw Errors.INVALID_REPLICA_ASSIGNMENT.exception(
                        "Each new partition must be assigned to node "
                                + topics.nodeId()
                                + " alone.");
            }
        }
        if (quota != null) {
            quota.record(asked.count() - now);
            topic.topic().addPartitions(asked.count());
        }
    }

    // ---- records

    /** Handles DeleteRecords. */
    public void deleteRecords(Exchange exchange, DeleteRecordsRequestData request) {
        DeleteRecordsResponseData response = new DeleteRecordsResponseData();
        response.setTopics(new DeleteRecordsTopicResultCollection(request.topics().size()));
        exchange.changeInSteps(
                () ->
                        request.topics().stream()
                                .flatMap(topic -> deletions(exchange, response, topic))
                                .iterator(),
                Runnable::run,
                () -> exchange.reply(response));
    }

    /** Returns the work for each partition of a topic. */
    private Stream<Runnable> deletions(
            Exchange exchange, DeleteRecordsResponseData response, DeleteRecordsTopic topic) {
        DeleteRecordsTopicResult results =
                new ResponseElements.DeletedRecordsTopic().setName(topic.name());
        results.setPartitions(
                new DeleteRecordsPartitionResultCollection(topic.partitions().size()));
        response.topics().add(results);
        boolean allowed = exchange.connection().access().may(Right.DELETE_RECORDS, topic.name());
        ServedTopic served = topics.find(topic.name());
        Set<Integer> once = new HashSet<>(); // each is answered once
        return topic.partitions().stream()
                .filter(each -> once.add(each.partitionIndex()))
                .map(
                        each ->
                                () ->
                                        results.partitions()
                                                .add(
                                                        deleteRecords(
                                                                allowed,
                                                                served,
                                                                each.partitionIndex(),
                                                                each.offset())));
    }

    private static DeleteRecordsPartitionResult deleteRecords(
            boolean allowed, ServedTopic topic, int index, long before) {
        DeleteRecordsPartitionResult result =
                new ResponseElements.DeletedRecordsPartition()
                        .setPartitionIndex(index)
                        .setLowWatermark(-1);
        ServedPartition served = topic == null ? null : topic.partition(index);
        try {
            if (!allowed) {
                throw Errors.TOPIC_AUTHORIZATION_FAILED.exception();
            }
            if (served == null) {
                throw Errors.UNKNOWN_TOPIC_OR_PARTITION.exception();
            }
            if (!topic.settings().isDeleted()) {
                throw Errors.POLICY_VIOLATION.exception();
            }
            var partition = served.partition();
            long offset = before == -1 ? partition.visibleOffset() : before;
            if (offset < 0 || offset > partition.visibleOffset()) {
                throw Errors.OFFSET_OUT_OF_RANGE.exception();
            }
            if (offset > partition.durableOffset()) {
                partition.force();
            }
            return result.setLowWatermark(partition.deleteRecordsBefore(offset));
        } catch (ApiException e) {
            return result.setErrorCode(Errors.forException(e).code());
        } catch (RuntimeException e) {
            return result.setErrorCode(ErrorMapper.codeOf(e).code());
        }
    }
}
