package io.firn.bench.kafka;

import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Creates the partitions, connections and consumers that an idle server holds. */
final class Idlers {
    private static final int TOPIC = 100;

    /**
     * The number of connections that wait for their first response at the same time. Less than a
     * server's backlog: when it overflows, Linux sends SYN cookies and resets late connections.
     */
    private static final int UNANSWERED = 20;

    /** The number of records in each partition. */
    static final int RECORDS = 5;

    /** The first record of each partition takes a server several forces. */
    private static final int SENDING_MS = 600_000;

    private static final long PATIENCE_NS = TimeUnit.MINUTES.toNanos(1);

    private Idlers() {}

    /** Creates a number of partitions, in topics of 100, with a few records each. */
    static void fill(Broker broker, int partitions)
            throws InterruptedException, ExecutionException {
        for (int first = 0; first < partitions; first += TOPIC) {
            fill(broker, "idle-" + first / TOPIC, Math.min(TOPIC, partitions - first));
        }
    }

    /** Creates a topic with a few records in each partition. */
    static void fill(Broker broker, String topic, int partitions)
            throws InterruptedException, ExecutionException {
        Servers.createTopic(broker, topic, partitions);
        send(broker, topic, partitions);
    }

    /** Appends a few records to each partition of a topic. */
    static void send(Broker broker, String topic, int partitions)
            throws InterruptedException, ExecutionException {
        List<Future<?>> sent = new ArrayList<>();
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(
                        Map.of(
                                "bootstrap.servers",
                                broker.bootstrap(),
                                "linger.ms",
                                5,
                                "delivery.timeout.ms",
                                SENDING_MS),
                        new ByteArraySerializer(),
                        new ByteArraySerializer())) {
            for (int i = 0; i < RECORDS * partitions; i++) {
                sent.add(
                        producer.send(
                                new ProducerRecord<>(topic, i % partitions, null, new byte[100])));
            }
        }
        for (Future<?> each : sent) {
            each.get();
        }
    }

    /** Opens a number of connections that send two requests and are then idle. */
    static AutoCloseable connect(Broker broker, int count) throws IOException {
        Selector selector = Selector.open();
        List<Peer> peers = new ArrayList<>();
        long start = System.nanoTime();
        while (peers.size() < count || !peers.stream().allMatch(Peer::isQuiet)) {
            if (System.nanoTime() - start > PATIENCE_NS) {
                throw new IOException("not all of " + count + " connections were answered");
            }
            long unanswered = peers.stream().filter(peer -> !peer.isQuiet()).count();
            for (long i = unanswered; i < UNANSWERED && peers.size() < count; i++) {
                Peer peer = new Peer(selector, broker.address(), "idle-" + peers.size());
                peers.add(peer);
                peer.send(
                        ApiKeys.API_VERSIONS,
                        3,
                        new ApiVersionsRequestData()
                                .setClientSoftwareName("idle")
                                .setClientSoftwareVersion("1"),
                        ApiVersionsResponseData::new,
                        answer -> {});
                peer.send(
                        ApiKeys.METADATA,
                        12,
                        new MetadataRequestData().setTopics(List.of()),
                        MetadataResponseData::new,
                        answer -> {});
            }
            selector.select(10);
            for (SelectionKey key : selector.selectedKeys()) {
                ((Peer) key.attachment()).ready();
            }
            selector.selectedKeys().clear();
        }
        return () -> {
            for (Peer peer : peers) {
                peer.close();
            }
            selector.close();
        };
    }
}
