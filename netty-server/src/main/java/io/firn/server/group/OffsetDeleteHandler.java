package io.firn.server.group;

import io.firn.Cursor;
import io.firn.FirnException;
import io.firn.server.log.ServedTopic;
import io.firn.server.log.ServedTopics;
import io.firn.server.security.Access;
import io.firn.server.security.Right;
import io.firn.server.wire.Exchange;
import io.firn.server.wire.Handler;
import io.firn.server.wire.ResponseElements;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.stream.Stream;
import javax.annotation.concurrent.GuardedBy;
import org.apache.kafka.clients.consumer.internals.ConsumerProtocol;
import org.apache.kafka.common.message.OffsetDeleteRequestData;
import org.apache.kafka.common.message.OffsetDeleteRequestData.OffsetDeleteRequestTopic;
import org.apache.kafka.common.message.OffsetDeleteResponseData;
import org.apache.kafka.common.message.OffsetDeleteResponseData.OffsetDeleteResponsePartitionCollection;
import org.apache.kafka.common.message.OffsetDeleteResponseData.OffsetDeleteResponseTopic;
import org.apache.kafka.common.message.OffsetDeleteResponseData.OffsetDeleteResponseTopicCollection;
import org.apache.kafka.common.protocol.Errors;

/** Handles OffsetDelete. What was deleted is durable when it is answered. Writes files. */
final class OffsetDeleteHandler implements Handler<OffsetDeleteRequestData> {
    /** About what the result for a partition uses, as an object. */
    private static final int RESULT_BYTES = 60;

    private final GroupCoordinator coordinator;
    private final GroupOffsets offsets;
    private final ServedTopics topics;

    OffsetDeleteHandler(GroupCoordinator coordinator, GroupOffsets offsets, ServedTopics topics) {
        this.coordinator = coordinator;
        this.offsets = offsets;
        this.topics = topics;
    }

    @Override
    public void handle(Exchange exchange, OffsetDeleteRequestData request) {
        exchange.connection().access().demand(Right.DELETE_OFFSETS, request.groupId());
        Group group = coordinator.find(request.groupId());
        Errors error = refusal(group, request.groupId());
        if (error != Errors.NONE) {
            exchange.reply(new OffsetDeleteResponseData().setErrorCode(error.code()));
            return;
        }
        Subscribed subscribed = group == null ? Subscribed.NOTHING : subscribed(group);
        Deletion deletion = new Deletion(exchange, request, subscribed);
        exchange.changeInSteps(deletion::work, Runnable::run, deletion::answer);
    }

    private Errors refusal(Group group, String groupId) {
        if (groupId.isEmpty()) {
            return Errors.INVALID_GROUP_ID;
        }
        if (group == null) {
            return offsets.groupIds().contains(groupId) ? Errors.NONE : Errors.GROUP_ID_NOT_FOUND;
        }
        synchronized (group) {
            // What members of another kind read is not known, as of Connect's workers.
            return group.members().isEmpty() || isOfConsumers(group)
                    ? Errors.NONE
                    : Errors.NON_EMPTY_GROUP;
        }
    }

    @GuardedBy("group")
    private static boolean isOfConsumers(Group group) {
        return group.protocolType().equals(ConsumerProtocol.PROTOCOL_TYPE);
    }

    /** What members subscribe to: these topics, or perhaps any. */
    private record Subscribed(Set<String> names, boolean isUnknown) {
        static final Subscribed NOTHING = new Subscribed(Set.of(), false);

        boolean contains(String topic) {
            return isUnknown || names.contains(topic);
        }
    }

    /** Returns what a group's members subscribe to; what cannot be read may be any topic. */
    private static Subscribed subscribed(Group group) {
        Set<String> names = new HashSet<>();
        boolean isUnknown = false;
        synchronized (group) {
            for (Member member : group.members()) {
                for (byte[] metadata : member.protocols().values()) {
                    try {
                        names.addAll(
                                ConsumerProtocol.deserializeSubscription(ByteBuffer.wrap(metadata))
                                        .topics());
                    } catch (RuntimeException e) {
                        isUnknown = true; // not in the form of Kafka's consumers
                    }
                }
            }
        }
        return new Subscribed(names, isUnknown);
    }

    /** The work of one request, on one thread at a time. */
    private final class Deletion {
        private final Exchange exchange;
        private final OffsetDeleteRequestData request;
        private final Subscribed subscribed;
        private final OffsetDeleteResponseData response = new OffsetDeleteResponseData();
        private final Set<Cursor> changed = new LinkedHashSet<>();
        private FirnException failure;

        Deletion(Exchange exchange, OffsetDeleteRequestData request, Subscribed subscribed) {
            this.exchange = exchange;
            this.request = request;
            this.subscribed = subscribed;
            response.setTopics(new OffsetDeleteResponseTopicCollection(request.topics().size()));
        }

        /** Each partition, and then each cursor that has changed, which waits for a disk. */
        Iterator<Runnable> work() {
            return Stream.concat(
                            request.topics().stream().flatMap(this::deletions),
                            Stream.of(changed)
                                    .flatMap(Set::stream)
                                    .map(cursor -> () -> force(cursor)))
                    .iterator();
        }

        private Stream<Runnable> deletions(OffsetDeleteRequestTopic asked) {
            OffsetDeleteResponseTopic results =
                    new ResponseElements.DeletedOffsetsTopic().setName(asked.name());
            response.topics().add(results);
            Access access = exchange.connection().access();
            boolean allowed = access.may(Right.DELETE_OFFSETS_TOPIC, asked.name());
            ServedTopic served = topics.find(asked.name());
            // As in Kafka, each once.
            Collection<Integer> once = new LinkedHashSet<>();
            asked.partitions().forEach(each -> once.add(each.partitionIndex()));
            results.setPartitions(new OffsetDeleteResponsePartitionCollection(once.size()));
            if (!allowed) {
                return refusals(results, once, Errors.TOPIC_AUTHORIZATION_FAILED);
            }
            if (served == null) {
                return refusals(results, once, Errors.UNKNOWN_TOPIC_OR_PARTITION);
            }
            Cursor cursor = GroupOffsets.find(served.topic(), request.groupId());
            boolean isSubscribed = subscribed.contains(asked.name());
            int count = served.topic().partitionCount();
            return once.stream()
                    .map(
                            index ->
                                    () -> {
                                        Errors error = Errors.NONE;
                                        if (index < 0 || index >= count) {
                                            error = Errors.UNKNOWN_TOPIC_OR_PARTITION;
                                        } else if (isSubscribed) {
                                            error = Errors.GROUP_SUBSCRIBED_TO_TOPIC;
                                        } else if (cursor != null) {
                                            cursor.clear(index);
                                            changed.add(cursor);
                                        }
                                        add(results, index, error);
                                    });
        }

        private Stream<Runnable> refusals(
                OffsetDeleteResponseTopic results, Collection<Integer> indexes, Errors error) {
            return indexes.stream().map(index -> () -> add(results, index, error));
        }

        private void add(OffsetDeleteResponseTopic results, int index, Errors error) {
            exchange.addAnswerBytes(RESULT_BYTES);
            results.partitions()
                    .add(
                            new ResponseElements.DeletedOffset()
                                    .setPartitionIndex(index)
                                    .setErrorCode(error.code()));
        }

        private void force(Cursor cursor) {
            try {
                cursor.force();
            } catch (FirnException e) {
                failure = e; // the others are forced nevertheless
            }
        }

        void answer() {
            if (failure == null) {
                exchange.reply(response);
            } else {
                exchange.fail(failure);
            }
        }
    }
}
