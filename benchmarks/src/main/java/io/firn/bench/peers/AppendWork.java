package io.firn.bench.peers;

import io.firn.bench.peers.PeerLog.LogAppender;
import io.firn.bench.peers.PeerLog.Shape;

/** Appends as fast as possible. */
final class AppendWork extends Work {
    private static final long WARM_NS = 700_000_000;

    AppendWork(Order order) {
        super(order);
    }

    /** Returns the number of records: 100 to 400 MiB, some tenths of a second at least. */
    private long records(boolean touched) {
        long all = order.bytes() <= 64 ? 1_500_000 : order.bytes() <= 256 ? 800_000 : 300_000;
        return order.scaled(touched ? all * 2 / 3 : all);
    }

    @Override
    void run() throws Exception {
        boolean touched = order.scenario() == Scenario.APPEND_TOUCHED;
        long records = records(touched);
        Shape shape = new Shape(order.bytes(), records, touched, 1);
        warmUp(shape, WARM_NS);
        try (PeerLog log = open("log", shape)) {
            LogAppender appender = log.appender();
            byte[] value = value();
            appender.append(value); // waits for the first file
            long appends = records / order.peer().records() - 1;
            Meter.settle();
            meter.start();
            append(appender, value, appends);
            log.finish();
            Meter.Section section = meter.stop();
            double n = appends * order.peer().records();
            put(Metric.NS, section.wallNs() / n);
            put(Metric.CPU_NS, section.cpuNs() / n);
            put(Metric.CPU_USER, section.userNs() / n);
            put(Metric.CPU_SYSTEM, (section.cpuNs() - section.userNs()) / n);
            put(Metric.ALLOCATED, section.allocated() / n);
        }
        put(Metric.DISK, (double) Trees.allocatedBytes(order.directory()) / records);
    }
}
