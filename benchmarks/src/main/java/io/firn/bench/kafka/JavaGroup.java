package io.firn.bench.kafka;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.RangeAssignor;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * A group of the Java client's consumers with their defaults, each polled by a thread of its own.
 */
final class JavaGroup implements MeasuredGroup {
    private static final long PATIENCE_NS = TimeUnit.MINUTES.toNanos(4);
    private static final Duration POLL = Duration.ofMillis(200);

    private final List<Member> members = new ArrayList<>();
    private final Map<String, Object> settings = new HashMap<>();
    private final String topic;
    private final int partitions;
    private int named;

    JavaGroup(Broker broker, String group, String topic, int partitions, String assignor) {
        this.topic = topic;
        this.partitions = partitions;
        settings.put("bootstrap.servers", broker.bootstrap());
        settings.put("group.id", group);
        settings.put(
                "partition.assignment.strategy",
                (assignor.equals("range") ? RangeAssignor.class : CooperativeStickyAssignor.class)
                        .getName());
    }

    /** A consumer and its thread. */
    private final class Member extends Thread {
        private volatile boolean ends;
        private volatile int generation = -1;
        private volatile Set<TopicPartition> assigned = Set.of();
        private volatile RuntimeException failure;

        Member(String name) {
            super(name);
            setDaemon(true);
        }

        @Override
        public void run() {
            Map<String, Object> own = new HashMap<>(settings);
            own.put("client.id", getName());
            try (KafkaConsumer<byte[], byte[]> consumer =
                    new KafkaConsumer<>(
                            own, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
                consumer.subscribe(List.of(topic));
                while (!ends) {
                    consumer.poll(POLL);
                    assigned = Set.copyOf(consumer.assignment());
                    generation = consumer.groupMetadata().generationId();
                }
                consumer.close(CloseOptions.timeout(Duration.ofSeconds(30)));
            } catch (RuntimeException e) {
                failure = e;
            }
        }
    }

    @Override
    public void add(int count) {
        for (int i = 0; i < count; i++) {
            Member member = new Member("consumer-" + named++);
            members.add(member);
            member.start();
        }
    }

    @Override
    public void remove(int count) throws IOException {
        List<Member> going = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            going.add(members.remove(i * members.size() / count));
        }
        going.forEach(member -> member.ends = true);
        try {
            for (Member member : going) {
                member.join();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    @Override
    public void awaitStable() throws IOException {
        long start = System.nanoTime();
        while (!isStable()) {
            for (Member member : members) {
                if (member.failure != null) {
                    throw new IOException("a consumer failed", member.failure);
                }
            }
            if (System.nanoTime() - start > PATIENCE_NS) {
                throw new IOException("the group did not become stable in time");
            }
            LockSupport.parkNanos(5_000_000);
        }
    }

    private boolean isStable() {
        Set<TopicPartition> all = new HashSet<>();
        int sum = 0;
        for (Member member : members) {
            if (member.generation < 0 || member.generation != generation()) {
                return false;
            }
            Set<TopicPartition> assigned = member.assigned;
            all.addAll(assigned);
            sum += assigned.size();
        }
        return all.size() == partitions && sum == partitions;
    }

    @Override
    public int generation() {
        return members.isEmpty() ? 0 : members.get(0).generation;
    }

    @Override
    public int joins() {
        return -1;
    }

    @Override
    public void close() throws IOException {
        remove(members.size());
    }
}
