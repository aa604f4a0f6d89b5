package io.firn.bench.kafka;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;

/**
 * Sends a number of produce requests over several connections, on the calling thread: each
 * connection as many as it may have in flight (a closed loop), or all together at a fixed rate
 * whatever the server does (an open loop; the latency then counts from when a request was due).
 */
final class ProduceLoad implements AutoCloseable {
    private static final long PATIENCE_NS = TimeUnit.MINUTES.toNanos(1);
    private static final long STEP_NS = TimeUnit.MICROSECONDS.toNanos(50);
    private static final int SELECT_MS = 1_000;

    private final Selector selector = Selector.open();
    private final List<ProducingConnection> connections = new ArrayList<>();
    private final Histogram latency = new Histogram(TimeUnit.MINUTES.toNanos(5), 3);
    private long dueBefore;

    /**
     * Connects.
     *
     * @param requests one for each partition, sent in turns
     */
    ProduceLoad(Broker server, ByteBuffer[] requests, int count, int depth) throws IOException {
        for (int i = 0; i < count; i++) {
            // Each connection begins with another partition.
            ByteBuffer[] own = new ByteBuffer[requests.length];
            for (int j = 0; j < own.length; j++) {
                own[j] = requests[(i * requests.length / count + j) % requests.length];
            }
            connections.add(
                    new ProducingConnection(selector, server.connect(), own, depth, latency));
        }
    }

    /**
     * Sends requests; returns when all of them are answered.
     *
     * @param most the most requests
     * @param seconds sends no more after this time
     * @param rate requests a second; 0 for as many as the server answers
     * @return the latencies in ns
     */
    Histogram run(long most, int seconds, int rate) throws IOException {
        long requests = rate == 0 ? most : Math.min(most, (long) rate * seconds);
        long offered = 0;
        long start = System.nanoTime();
        long lastAnswered = 0;
        long lastNs = start;
        for (long answered = 0; answered < requests; answered = answered()) {
            long now = System.nanoTime();
            if (rate == 0 && now - start > TimeUnit.SECONDS.toNanos(seconds)) {
                requests = offered;
            }
            offered += rate == 0 ? fill(requests - offered, now) : due(requests, rate, start, now);
            if (answered != lastAnswered) {
                lastAnswered = answered;
                lastNs = now;
            } else if (now - lastNs > PATIENCE_NS) {
                throw new IOException("the server has not answered for a minute: see its log");
            }
            if (answered < requests) {
                select(rate > 0 && offered < requests);
            }
        }
        return latency;
    }

    private long answered() {
        long sum = 0;
        for (ProducingConnection each : connections) {
            sum += each.answered();
        }
        return sum;
    }

    private long fill(long most, long now) throws IOException {
        long added = 0;
        for (ProducingConnection each : connections) {
            for (; each.hasRoom() && added < most; added++) {
                each.offer(now);
            }
            each.write();
        }
        return added;
    }

    private long due(long requests, int rate, long start, long now) throws IOException {
        long from = dueBefore;
        while (dueBefore < requests) {
            long due = start + dueBefore * TimeUnit.SECONDS.toNanos(1) / rate;
            if (due > now) {
                break;
            }
            connections.get((int) (dueBefore++ % connections.size())).offer(due);
        }
        for (ProducingConnection each : connections) {
            each.write();
        }
        return dueBefore - from;
    }

    private void select(boolean isPaced) throws IOException {
        if (!isPaced) {
            selector.select(SELECT_MS);
        } else if (selector.selectNow() == 0) {
            LockSupport.parkNanos(STEP_NS); // a selector waits for whole milliseconds
        }
        for (SelectionKey key : selector.selectedKeys()) {
            ((ProducingConnection) key.attachment()).ready();
        }
        selector.selectedKeys().clear();
    }

    @Override
    public void close() throws IOException {
        for (ProducingConnection each : connections) {
            each.close();
        }
        selector.close();
    }
}
