package io.firn.bench.peers;

import io.firn.bench.peers.PeerLog.LogReader;
import io.firn.bench.peers.PeerLog.Shape;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/** Reads a log from its start, several times. */
final class ReplayWork extends Work {
    private static final long WARM_NS = 900_000_000;
    private static final long MS = 600;
    private static final long STUCK_NS = TimeUnit.SECONDS.toNanos(20);

    private byte[] target;

    ReplayWork(Order order) {
        super(order);
    }

    @Override
    void run() throws Exception {
        target = new byte[order.bytes()];
        long all = order.bytes() <= 64 ? 1_000_000 : order.bytes() <= 256 ? 500_000 : 200_000;
        long records = order.scaled(all);
        Shape shape = new Shape(order.bytes(), records, false, 1);
        fill("warm-up", shape, records / 4 / order.peer().records() * order.peer().records());
        try (PeerLog log = open("warm-up", shape);
                LogReader reader = log.reader()) {
            long one = records / 4 / order.peer().records() * order.peer().records();
            for (long until = System.nanoTime() + WARM_NS; System.nanoTime() < until; ) {
                pass(reader, one);
                reader.rewind();
            }
        }
        delete("warm-up");
        fill("log", shape, records);
        try (PeerLog log = open("log", shape);
                LogReader reader = log.reader()) {
            measure(reader, records);
        }
    }

    private void fill(String name, Shape shape, long records) throws Exception {
        try (PeerLog log = open(name, shape)) {
            append(log.appender(), value(), records / order.peer().records());
            log.finish();
        }
    }

    private void measure(LogReader reader, long records) throws Exception {
        Meter.settle();
        meter.start();
        pass(reader, records);
        put(Metric.FIRST_NS, meter.stop().wallNs() / (double) records);
        if (!Arrays.equals(target, value())) {
            throw new IllegalStateException("the last record read is not the one appended");
        }
        long passes = 0;
        meter.start();
        long until = System.nanoTime() + order.ns(MS);
        while (passes == 0 || System.nanoTime() < until) {
            reader.rewind();
            pass(reader, records);
            passes++;
        }
        Meter.Section section = meter.stop();
        double n = (double) passes * records;
        put(Metric.AGAIN_NS, section.wallNs() / n);
        put(Metric.AGAIN_CPU_NS, section.cpuNs() / n);
        put(Metric.AGAIN_ALLOCATED, section.allocated() / n);
    }

    private void pass(LogReader reader, long records) throws Exception {
        long seen = 0;
        long lastSeen = System.nanoTime();
        while (seen < records) {
            int n = reader.poll(target, () -> {});
            seen += n;
            if (n > 0) {
                lastSeen = 0;
            } else if (lastSeen == 0) {
                lastSeen = System.nanoTime();
            } else if (System.nanoTime() - lastSeen > STUCK_NS) {
                throw new IllegalStateException("read " + seen + " of " + records + " records");
            }
        }
    }
}
