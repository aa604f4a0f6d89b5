package io.firn.bench.peers;

import io.firn.bench.peers.PeerLog.LogAppender;
import io.firn.bench.peers.PeerLog.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Appends that wait for a force, by one thread or several, for a fixed time. */
final class DurableWork extends Work {
    private static final long WARM_NS = 500_000_000;
    private static final long MS = 1000;
    private static final long MAX_RECORDS = 1_000_000;

    private final int threads;
    private LogAppender only; // of the calling thread, where it is the only one
    private Meter.Section section;

    DurableWork(Order order, int threads) {
        super(order);
        this.threads = threads;
    }

    @Override
    void run() throws Exception {
        Shape shape = new Shape(order.bytes(), order.scaled(MAX_RECORDS), false, threads);
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try (PeerLog log = open("log", shape)) {
            measure(log, pool, WARM_NS);
            Meter.settle();
            long records = measure(log, pool, order.ns(MS));
            put(Metric.NS, section.wallNs() / (double) records);
            put(Metric.CPU_NS, section.cpuNs() / (double) records);
            put(Metric.ALLOCATED, section.allocated() / (double) records);
        } finally {
            pool.shutdownNow();
        }
    }

    private long measure(PeerLog log, ExecutorService pool, long ns) throws Exception {
        if (threads == 1 && only == null) {
            only = log.appender();
        }
        long appends = 0;
        meter.start();
        long until = System.nanoTime() + ns;
        if (threads == 1) {
            appends = appendUntil(only, until);
        } else {
            List<Callable<Long>> tasks = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                tasks.add(() -> appendUntil(log.appender(), until));
            }
            for (Future<Long> each : pool.invokeAll(tasks)) {
                appends += each.get();
            }
        }
        section = meter.stop();
        return appends * order.peer().records();
    }

    private long appendUntil(LogAppender appender, long until) throws Exception {
        byte[] value = value();
        long appends = 0;
        while (System.nanoTime() < until
                && appends < MAX_RECORDS / threads / order.peer().records()) {
            appender.append(value);
            appends++;
        }
        return appends;
    }
}
