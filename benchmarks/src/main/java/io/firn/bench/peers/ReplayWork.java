package io.firn.bench.peers;

import io.firn.bench.peers.PeerLog.LogReader;
import io.firn.bench.peers.PeerLog.Shape;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/**
 * Reads a log from its start, several times, and opens it anew several times: the first pass after
 * an open is other code than later ones, and the JIT compilers need many of both.
 */
final class ReplayWork extends Work {
    private static final long WARM_NS = 3_000_000_000L;
    private static final int WARM_PASSES = 3; // after each open, the first one included
    private static final int OPENS = 5;
    private static final long MS = 120; // of later passes after each open
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
        fill("log", shape, records);
        long warmNs = order.quick() ? WARM_NS / 4 : WARM_NS;
        for (long until = System.nanoTime() + warmNs; System.nanoTime() < until; ) {
            warm(shape, records);
        }
        Meter.Section first = Meter.Section.NONE;
        Meter.Section again = Meter.Section.NONE;
        long passes = 0;
        for (int i = 0; i < OPENS; i++) {
            try (PeerLog log = open("log", shape);
                    LogReader reader = log.reader()) {
                Meter.settle();
                meter.start();
                pass(reader, records);
                first = first.plus(meter.stop());
                check();
                meter.start();
                passes += passes(reader, records);
                again = again.plus(meter.stop());
            }
        }
        put(Metric.FIRST_NS, first.wallNs() / ((double) OPENS * records));
        double n = (double) passes * records;
        put(Metric.AGAIN_NS, again.wallNs() / n);
        put(Metric.AGAIN_CPU_NS, again.cpuNs() / n);
        put(Metric.AGAIN_ALLOCATED, again.allocated() / n);
    }

    private void warm(Shape shape, long records) throws Exception {
        try (PeerLog log = open("log", shape);
                LogReader reader = log.reader()) {
            pass(reader, records);
            for (int i = 1; i < WARM_PASSES; i++) {
                reader.rewind();
                pass(reader, records);
            }
        }
    }

    private void fill(String name, Shape shape, long records) throws Exception {
        try (PeerLog log = open(name, shape)) {
            append(log.appender(), value(), records / order.peer().records());
            log.finish();
        }
    }

    private void check() {
        if (!Arrays.equals(target, value())) {
            throw new IllegalStateException("the last record read is not the one appended");
        }
    }

    /** Reads the log again, once at least; returns how often. */
    private long passes(LogReader reader, long records) throws Exception {
        long passes = 0;
        long until = System.nanoTime() + order.ns(MS);
        while (passes == 0 || System.nanoTime() < until) {
            reader.rewind();
            pass(reader, records);
            passes++;
        }
        return passes;
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
