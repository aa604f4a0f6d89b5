package io.firn.bench.peers;

import io.firn.bench.peers.PeerLog.LogAppender;
import io.firn.bench.peers.PeerLog.Shape;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/** Appends at fixed rates, and measures when each append returned. */
final class LatencyWork extends Work {
    private static final long WARM_NS = 700_000_000;
    private static final long MS = 800;
    private static final long RATE_WARM_MS = 200;

    LatencyWork(Order order) {
        super(order);
    }

    @Override
    void run() throws Exception {
        Shape shape = new Shape(order.bytes(), order.scaled(1_000_000), false, 1);
        warmUp(shape, WARM_NS);
        try (PeerLog log = open("log", shape)) {
            LogAppender appender = log.appender();
            byte[] value = value();
            appender.append(value);
            Meter.settle();
            for (int rate : order.scenario().rates(order.peer())) {
                OpenLoop loop = new OpenLoop(rate);
                append(loop, appender, value, order.ns(RATE_WARM_MS), Histograms.create());
                Histogram histogram = Histograms.create();
                meter.start();
                append(loop, appender, value, order.ns(MS), histogram);
                meter.stop();
                Histograms.put(figures, rate, histogram);
            }
            log.finish();
        }
    }

    private static void append(
            OpenLoop loop, LogAppender appender, byte[] value, long ns, Histogram histogram)
            throws Exception {
        loop.begin();
        long records = loop.records(ns);
        for (long i = 0; i < records; i++) {
            long due = loop.awaitNext();
            appender.append(value);
            Histograms.record(histogram, System.nanoTime() - due);
        }
    }

    /** Says when records are due, however late the earlier ones were. */
    static final class OpenLoop {
        private final long intervalNs;
        private long due;

        OpenLoop(int rate) {
            intervalNs = TimeUnit.SECONDS.toNanos(1) / rate;
        }

        void begin() {
            due = System.nanoTime();
        }

        long records(long ns) {
            return ns / intervalNs;
        }

        /** Returns the moment at which the next record is due, after it. */
        long awaitNext() {
            due += intervalNs;
            while (System.nanoTime() - due < 0) {
                Thread.onSpinWait();
            }
            return due;
        }
    }
}
