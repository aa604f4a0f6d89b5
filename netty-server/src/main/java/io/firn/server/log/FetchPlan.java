package io.firn.server.log;

import io.firn.IsolationLevel;
import io.firn.Partition;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;

/**
 * A fetch request with its topics and partitions looked up, and its limits. One plan serves every
 * step of a request: whether a disk is needed, the read, and the wait for records. It is replaced
 * when a topic was deleted or created meanwhile. Used by one thread at a time.
 */
final class FetchPlan {
    private static final short FIRST_WITH_IDS = 13;

    /** Of a request; more of it is read in the background, wherever it is. */
    private static final int MOST_LOOKED_FOR = 4 << 20;

    private final ServedTopics topics;
    private final boolean byId;
    private final IsolationLevel isolation;
    private final int limit;
    private final PartitionReaderCache readers;
    private final List<FetchTopic> asked;
    private final ServedTopic[] found; // null: there is no such topic
    private final ServedPartition[][] partitions; // null: there is no such partition

    /**
     * Looks up what a request names.
     *
     * @param maxBytes the server's limit for a response
     * @param readers the readers that the connection keeps between fetches
     */
    FetchPlan(
            ServedTopics topics,
            short version,
            FetchRequestData request,
            int maxBytes,
            PartitionReaderCache readers) {
        this.topics = topics;
        this.byId = version >= FIRST_WITH_IDS;
        this.isolation = isolationOf(request);
        this.limit = Math.min(request.maxBytes(), maxBytes);
        this.readers = readers;
        this.asked = request.topics();
        this.found = new ServedTopic[asked.size()];
        this.partitions = new ServedPartition[found.length][];
        for (int i = 0; i < found.length; i++) {
            found[i] = find(asked.get(i));
            partitions[i] = partitions(found[i], asked.get(i).partitions());
        }
    }

    static IsolationLevel isolationOf(FetchRequestData request) {
        return request.isolationLevel() == 0
                ? IsolationLevel.READ_UNCOMMITTED
                : IsolationLevel.READ_COMMITTED;
    }

    /** As in Kafka, the last mention of a partition counts, and it is answered once. */
    static void mergeDuplicates(short version, FetchRequestData request) {
        Map<Object, FetchTopic> topics = new LinkedHashMap<>();
        Map<Object, Map<Integer, FetchPartition>> partitions = new HashMap<>();
        for (FetchTopic topic : request.topics()) {
            Object key = version >= FIRST_WITH_IDS ? topic.topicId() : topic.topic();
            topics.putIfAbsent(key, topic);
            Map<Integer, FetchPartition> once =
                    partitions.computeIfAbsent(key, each -> new LinkedHashMap<>());
            topic.partitions().forEach(each -> once.put(each.partition(), each));
        }
        topics.forEach(
                (key, topic) -> topic.setPartitions(new ArrayList<>(partitions.get(key).values())));
        request.setTopics(new ArrayList<>(topics.values()));
    }

    private ServedTopic find(FetchTopic topic) {
        return byId ? topics.find(topic.topicId()) : topics.find(topic.topic());
    }

    private static ServedPartition[] partitions(ServedTopic topic, List<FetchPartition> asked) {
        ServedPartition[] found = new ServedPartition[asked.size()];
        for (int i = 0; topic != null && i < found.length; i++) {
            found[i] = topic.partition(asked.get(i).partition());
        }
        return found;
    }

    /** Returns whether the topics are still those that it has found. */
    boolean isCurrent() {
        for (int i = 0; i < found.length; i++) {
            if (find(asked.get(i)) != found[i]) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether the request names topics by their ids. */
    boolean isById() {
        return byId;
    }

    /** Returns which records the client wants. */
    IsolationLevel isolation() {
        return isolation;
    }

    /** Returns the most bytes of batches in the response. */
    int limit() {
        return limit;
    }

    /** Returns the readers that the connection keeps between fetches. */
    PartitionReaderCache readers() {
        return readers;
    }

    /** Returns the topics of the request, in its order. */
    List<FetchTopic> asked() {
        return asked;
    }

    /** Returns the topic at an index of the request; null if there is none. */
    ServedTopic topic(int index) {
        return found[index];
    }

    /** Returns the partition at an index of a topic of the request; null if there is none. */
    ServedPartition partition(int topic, int index) {
        return partitions[topic][index];
    }

    /** Returns whether records of the request may have to be read from a disk. */
    boolean isCold() {
        long looked = 0;
        for (int i = 0; i < found.length; i++) {
            List<FetchPartition> wanted = asked.get(i).partitions();
            for (int j = 0; j < wanted.size(); j++) {
                FetchPartition each = wanted.get(j);
                ServedPartition served = partitions[i][j];
                if (served == null || each.fetchOffset() >= served.partition().activeOffset()) {
                    continue;
                }
                int room = Math.min(each.partitionMaxBytes(), limit);
                looked += Math.max(room, 0);
                if (looked > MOST_LOOKED_FOR
                        || isolation == IsolationLevel.READ_COMMITTED // reads which are aborted
                        || !isInMemory(served, each.fetchOffset(), room)) {
                    return true;
                }
            }
        }
        return false;
    }

    private boolean isInMemory(ServedPartition served, long from, int room) {
        PartitionReader reader = readers.take(served); // a background thread may use it
        if (reader == null) {
            return false;
        }
        boolean isInMemory = reader.isInMemory(from, room);
        readers.keep(served, reader);
        return isInMemory;
    }

    /**
     * Returns the sum of the ends that a response tells: it changes when any of them advances, also
     * when a transaction was decided and nothing was appended for readers of all records.
     */
    long visible() {
        long sum = 0;
        for (ServedPartition[] each : partitions) {
            for (ServedPartition served : each) {
                sum += served == null ? 0 : visible(served.partition());
            }
        }
        return sum;
    }

    private static long visible(Partition partition) {
        return partition.visibleOffset(IsolationLevel.READ_UNCOMMITTED)
                + partition.visibleOffset(IsolationLevel.READ_COMMITTED)
                + 1;
    }

    /** Registers an action that is called whenever more is visible, until {@link #unwatch}. */
    void watch(Runnable wakeUp) {
        for (ServedPartition[] each : partitions) {
            for (ServedPartition served : each) {
                if (served != null) {
                    served.watch(wakeUp);
                }
            }
        }
    }

    /** Removes an action. */
    void unwatch(Runnable wakeUp) {
        for (ServedPartition[] each : partitions) {
            for (ServedPartition served : each) {
                if (served != null) {
                    served.unwatch(wakeUp);
                }
            }
        }
    }
}
