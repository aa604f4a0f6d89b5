package io.firn.bench.kafka;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.record.internal.MemoryRecords;

/**
 * One load on a server.
 *
 * @param kind what is done
 * @param kib the size of a batch; each request has one
 * @param gb the most bytes, in 10⁹
 * @param seconds the longest time for a produce load
 * @param rate requests a second; 0 for as many as the server answers
 * @param fetchedGb the bytes that are fetched, in 10⁹, at least; the same records again and again
 * @param warmGb the bytes that are fetched before, at least
 * @param receiveBytes the receive buffer of a connection that fetches; 0 lets the system choose
 */
record ServerLoad(
        Kind kind,
        int kib,
        short acks,
        int partitions,
        double gb,
        int seconds,
        int rate,
        double fetchedGb,
        double warmGb,
        int receiveBytes) {
    private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(30);
    private static final int FETCH_BYTES = 1 << 20; // of a partition, as consumers ask for

    /** What a load does. */
    enum Kind {
        PRODUCE,
        FORCED,
        FETCH
    }

    String name() {
        String text = kind.name().toLowerCase(Locale.ROOT) + " " + kib + " KiB";
        if (kind != Kind.FETCH) {
            text += ", acks=" + (acks < 0 ? "all" : acks);
        }
        if (partitions > 1) {
            text += ", " + partitions + " partitions";
        }
        return rate == 0 ? text : text + ", " + rate + "/s";
    }

    /** Returns a load that produces. */
    static ServerLoad producing(
            Kind kind, int kib, short acks, int partitions, double gb, int seconds, int rate) {
        return new ServerLoad(kind, kib, acks, partitions, gb, seconds, rate, 0, 0, 0);
    }

    /** Returns a load that fetches what it has produced. */
    static ServerLoad fetching(
            int kib, double gb, int seconds, double fetchedGb, double warmGb, int receiveBytes) {
        return new ServerLoad(
                Kind.FETCH, kib, (short) 1, 1, gb, seconds, 0, fetchedGb, warmGb, receiveBytes);
    }

    /** Runs the load in a topic of its own, which is deleted afterwards. */
    ServerFigures run(Broker broker, String topic, int connections, int depth) throws Exception {
        if (broker.name().equals(Broker.FLOOR)) {
            return produce(broker, Uuid.randomUuid(), connections, depth);
        }
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrap()))) {
            Uuid id = create(broker, admin, topic);
            try {
                awaitLeaders(broker, id);
                ServerFigures produced = produce(broker, id, connections, depth);
                return kind == Kind.FETCH ? fetch(broker, id, produced) : produced;
            } finally {
                admin.deleteTopics(List.of(topic)).all().get();
            }
        }
    }

    private Uuid create(Broker broker, Admin admin, String topic)
            throws InterruptedException, ExecutionException {
        boolean isFirn = broker.name().startsWith("Firn");
        boolean isForced = kind == Kind.FORCED;
        Map<String, String> configs = Map.of();
        if (isFirn) {
            configs = Map.of("firn.durability", isForced ? "durable" : "written");
        } else if (isForced) {
            configs = Map.of("flush.messages", "1");
        }
        NewTopic asked = new NewTopic(topic, partitions, (short) 1).configs(configs);
        return admin.createTopics(List.of(asked)).topicId(topic).get();
    }

    /** Kafka answers the creation of a topic before it accepts batches for all partitions. */
    private void awaitLeaders(Broker broker, Uuid topic) throws IOException, InterruptedException {
        long start = System.nanoTime();
        for (int missing = 0; missing < partitions; ) {
            ByteBuffer[] one = {requests(topic)[missing]};
            try (ProduceLoad load = new ProduceLoad(broker, one, 1, 1)) {
                load.run(1, 1, 0);
                missing++;
            } catch (ProducingConnection.RefusedException e) {
                if (System.nanoTime() - start > PATIENCE_NS) {
                    throw e;
                }
                TimeUnit.MILLISECONDS.sleep(20);
            }
        }
    }

    private ByteBuffer[] requests(Uuid topic) {
        MemoryRecords batch = Requests.batch(kib);
        ByteBuffer[] requests = new ByteBuffer[partitions];
        for (int i = 0; i < partitions; i++) {
            requests[i] = Requests.produce(topic, i, batch, acks);
        }
        return requests;
    }

    private ServerFigures produce(Broker broker, Uuid topic, int connections, int depth)
            throws IOException {
        MemoryRecords batch = Requests.batch(kib);
        ByteBuffer[] requests = requests(topic);
        long most = Math.max(1, (long) (gb * 1e9) / batch.sizeInBytes());
        try (ProduceLoad load = new ProduceLoad(broker, requests, connections, depth)) {
            ServerFigures.Meter meter = new ServerFigures.Meter(broker);
            Histogram latency = load.run(most, seconds, rate);
            return meter.after(latency.getTotalCount() * batch.sizeInBytes() / 1e9, latency);
        }
    }

    private ServerFigures fetch(Broker broker, Uuid topic, ServerFigures produced)
            throws IOException {
        int bytes = Requests.batch(kib).sizeInBytes();
        try (FetchLoad load = new FetchLoad(broker, FETCH_BYTES, bytes, kib, receiveBytes)) {
            long end = produced.latency().getTotalCount() * kib;
            load.drain(topic, end, times(warmGb, produced));
            int times = times(fetchedGb, produced);
            ServerFigures.Meter meter = new ServerFigures.Meter(broker);
            return meter.after(times * produced.gb(), load.drain(topic, end, times));
        }
    }

    /** Returns how often all records are to be fetched. */
    private static int times(double gb, ServerFigures produced) {
        return (int) Math.max(1, Math.ceil(gb / produced.gb()));
    }
}
