package io.firn.tools;

import static io.firn.tools.ServerConnection.get;

import io.firn.InvalidOptionException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.GroupListing;
import org.apache.kafka.clients.admin.MemberDescription;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;

/** The consumer groups of a server. */
final class ServerGroups implements Groups {
    private static final Duration WAIT = Duration.ofMillis(500);
    private static final int MOST_POLLS = 10;

    private final ServerConnection connection;
    private final Admin admin;
    private final KafkaConsumer<byte[], byte[]> consumer;

    ServerGroups(ServerConnection connection) {
        this.connection = connection;
        this.admin = connection.admin();
        var config = connection.config();
        config.setProperty("max.poll.records", "100");
        this.consumer = ServerRecords.consumer(config);
    }

    @Override
    public List<String> names() {
        return get(admin.listGroups().all()).stream().map(GroupListing::groupId).sorted().toList();
    }

    @Override
    public List<Lag> lags(String group) {
        Map<TopicPartition, OffsetAndMetadata> offsets =
                get(admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata());
        offsets.values().removeIf(each -> each == null);
        Map<TopicPartition, Long> ends = consumer.endOffsets(offsets.keySet());
        Map<TopicPartition, Long> times = nextTimestamps(offsets, ends);
        Map<TopicPartition, String> members = members(group);
        long now = System.currentTimeMillis();
        List<Lag> lags = new ArrayList<>();
        offsets.forEach(
                (key, offset) -> {
                    long end = ends.get(key);
                    Duration age = null;
                    if (offset.offset() >= end) {
                        age = Duration.ZERO;
                    } else if (times.containsKey(key)) {
                        age = Duration.ofMillis(Math.max(0, now - times.get(key)));
                    }
                    Place place = new Place(key.topic(), key.partition());
                    lags.add(new Lag(group, place, offset.offset(), end, age, members.get(key)));
                });
        lags.sort((one, other) -> one.place().compareTo(other.place()));
        return lags;
    }

    /**
     * Reads the next record of each partition that has one; what does not come in time is left out.
     */
    private Map<TopicPartition, Long> nextTimestamps(
            Map<TopicPartition, OffsetAndMetadata> offsets, Map<TopicPartition, Long> ends) {
        Set<TopicPartition> wanted = new HashSet<>();
        offsets.forEach(
                (key, offset) -> {
                    if (offset.offset() < ends.get(key)) {
                        wanted.add(key);
                    }
                });
        consumer.assign(wanted);
        wanted.forEach(key -> consumer.seek(key, offsets.get(key).offset()));
        Map<TopicPartition, Long> times = new HashMap<>();
        for (int i = 0; i < MOST_POLLS && times.size() < wanted.size(); i++) {
            for (ConsumerRecord<byte[], byte[]> each : consumer.poll(WAIT)) {
                TopicPartition key = new TopicPartition(each.topic(), each.partition());
                if (times.putIfAbsent(key, each.timestamp()) == null) {
                    consumer.pause(List.of(key));
                }
            }
        }
        return times;
    }

    private Map<TopicPartition, String> members(String group) {
        Map<TopicPartition, String> members = new HashMap<>();
        ConsumerGroupDescription found = description(group);
        if (found != null) {
            for (MemberDescription each : found.members()) {
                for (TopicPartition key : each.assignment().topicPartitions()) {
                    members.put(key, each.clientId() + each.host());
                }
            }
        }
        return members;
    }

    /** Returns null for a group of another kind, or one that has offsets only. */
    private ConsumerGroupDescription description(String group) {
        try {
            return get(admin.describeConsumerGroups(List.of(group)).all()).get(group);
        } catch (KafkaException | IllegalArgumentException e) {
            return null;
        }
    }

    @Override
    public String state(String group) {
        ConsumerGroupDescription found = description(group);
        return found == null ? null : found.groupState().toString();
    }

    @Override
    public Ends ends(String topic) {
        List<PartitionInfo> partitions = consumer.partitionsFor(topic);
        if (partitions.isEmpty()) {
            throw new InvalidOptionException("the server has no topic '" + topic + "'");
        }
        return new Ends() {
            private TopicPartition key(int partition) {
                return new TopicPartition(topic, partition);
            }

            @Override
            public int partitions() {
                return partitions.size();
            }

            @Override
            public long start(int partition) {
                return consumer.beginningOffsets(List.of(key(partition))).get(key(partition));
            }

            @Override
            public long end(int partition) {
                return consumer.endOffsets(List.of(key(partition))).get(key(partition));
            }

            @Override
            public long at(int partition, long timestampMs) {
                OffsetAndTimestamp found =
                        consumer.offsetsForTimes(Map.of(key(partition), timestampMs))
                                .get(key(partition));
                return found == null ? end(partition) : found.offset();
            }
        };
    }

    @Override
    public void reset(String group, Map<Place, Long> offsets) {
        Map<TopicPartition, OffsetAndMetadata> wanted = new HashMap<>();
        offsets.forEach(
                (place, offset) ->
                        wanted.put(
                                new TopicPartition(place.topic(), place.partition()),
                                new OffsetAndMetadata(offset)));
        get(admin.alterConsumerGroupOffsets(group, wanted).all());
    }

    @Override
    public void close() {
        consumer.close();
        connection.close();
    }
}
