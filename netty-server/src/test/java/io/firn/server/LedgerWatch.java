package io.firn.server;

import io.firn.server.Ledger.Row;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsOptions;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsSpec;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;

/**
 * Looks at the ledger while it is written: a consumer that reads committed records, and an
 * administrator who sees that neither the stable offset of a partition nor an offset of the group
 * ever falls.
 */
final class LedgerWatch {
    private static final Duration POLL = Duration.ofMillis(50);

    private final Supplier<Map<String, Object>> client;
    private final List<List<Row>> seen = new ArrayList<>();
    private final Thread reader = new Thread(this::read, "reader");
    private final Thread administrator = new Thread(this::look, "administrator");
    private final Map<TopicPartition, Long> stable = new HashMap<>();
    private final Map<TopicPartition, Long> offsets = new HashMap<>();
    private volatile boolean isEnded;
    private volatile Throwable failure;
    private int looks;

    LedgerWatch(Supplier<Map<String, Object>> client) {
        this.client = client;
        for (int i = 0; i < LedgerWriter.PARTITIONS; i++) {
            seen.add(new ArrayList<>());
        }
        for (Thread each : List.of(reader, administrator)) {
            each.setDaemon(true);
            each.start();
        }
    }

    static List<TopicPartition> partitions() {
        List<TopicPartition> all = new ArrayList<>();
        for (int i = 0; i < LedgerWriter.PARTITIONS; i++) {
            all.add(new TopicPartition(LedgerWriter.TOPIC, i));
        }
        return all;
    }

    static KafkaConsumer<String, String> consumer(Map<String, Object> client) {
        Map<String, Object> all = new HashMap<>(client);
        all.put("isolation.level", "read_committed");
        KafkaConsumer<String, String> consumer =
                new KafkaConsumer<>(all, new StringDeserializer(), new StringDeserializer());
        consumer.assign(partitions());
        consumer.seekToBeginning(partitions());
        return consumer;
    }

    /** Adds what a poll returns to the rows of its partitions. */
    static void poll(KafkaConsumer<String, String> consumer, List<List<Row>> rows) {
        for (ConsumerRecord<String, String> each : consumer.poll(POLL)) {
            rows.get(each.partition()).add(new Row(each.offset(), each.value()));
        }
    }

    private void read() {
        try (KafkaConsumer<String, String> consumer = consumer(client.get())) {
            while (!isEnded) {
                poll(consumer, seen);
            }
        } catch (RuntimeException | Error e) {
            failure = e;
        }
    }

    private void look() {
        try (Admin admin = Admin.create(client.get())) {
            while (!isEnded) {
                try {
                    rise("the stable offset", stable, ends(admin, IsolationLevel.READ_COMMITTED));
                    rise("the group's offset", offsets, offsets(admin));
                    looks++;
                } catch (ExecutionException | KafkaException e) {
                    continue; // the server is dead just now
                } finally {
                    Thread.sleep(50);
                }
            }
        } catch (Exception | Error e) {
            failure = e;
        }
    }

    private static void rise(
            String what, Map<TopicPartition, Long> known, Map<TopicPartition, Long> found) {
        found.forEach(
                (place, offset) -> {
                    Long before = known.put(place, offset);
                    if (before != null && before > offset) {
                        throw new IllegalStateException(
                                what + " of " + place + " fell from " + before + " to " + offset);
                    }
                });
    }

    static Map<TopicPartition, Long> ends(Admin admin, IsolationLevel isolation) throws Exception {
        Map<TopicPartition, OffsetSpec> asked = new HashMap<>();
        partitions().forEach(each -> asked.put(each, OffsetSpec.latest()));
        Map<TopicPartition, Long> found = new HashMap<>();
        admin.listOffsets(asked, new ListOffsetsOptions(isolation))
                .all()
                .get(Running.HANGS_AFTER_S, TimeUnit.SECONDS)
                .forEach((place, each) -> found.put(place, each.offset()));
        return found;
    }

    static Map<TopicPartition, Long> offsets(Admin admin) throws Exception {
        Map<TopicPartition, Long> found = new HashMap<>();
        admin.listConsumerGroupOffsets(
                        Map.of(LedgerWriter.GROUP, new ListConsumerGroupOffsetsSpec()),
                        new ListConsumerGroupOffsetsOptions().requireStable(true))
                .partitionsToOffsetAndMetadata(LedgerWriter.GROUP)
                .get(Running.HANGS_AFTER_S, TimeUnit.SECONDS)
                .forEach(
                        (place, each) -> {
                            if (each != null) {
                                found.put(place, each.offset());
                            }
                        });
        return found;
    }

    static Map<Integer, Long> byIndex(Map<TopicPartition, Long> places) {
        Map<Integer, Long> found = new TreeMap<>();
        places.forEach((place, offset) -> found.put(place.partition(), offset));
        return found;
    }

    /** Throws what it has found so far. */
    void check() {
        if (failure != null) {
            throw new IllegalStateException("what was seen is wrong", failure);
        }
    }

    /** Ends, and compares what was seen with the log as it is now. */
    String end(List<List<Row>> log) throws InterruptedException {
        isEnded = true;
        reader.join(TimeUnit.SECONDS.toMillis(Running.HANGS_AFTER_S));
        administrator.join(TimeUnit.SECONDS.toMillis(Running.HANGS_AFTER_S));
        check();
        int rows = 0;
        for (int i = 0; i < seen.size(); i++) {
            Ledger.checkSeen(i, seen.get(i), log.get(i));
            rows += seen.get(i).size();
        }
        return rows + " records seen meanwhile, " + looks + " looks at stable offsets";
    }
}
