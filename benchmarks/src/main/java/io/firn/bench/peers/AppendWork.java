package io.firn.bench.peers;

import io.firn.bench.peers.PeerLog.LogAppender;
import io.firn.bench.peers.PeerLog.Shape;

/**
 * Appends as fast as possible. Touched pages are appended to in several logs, one after the other:
 * one of them is full after some hundredths of a second, and the JIT compilers need more.
 */
final class AppendWork extends Work {
    private static final long WARM_NS = 700_000_000;

    /** So many logs are filled first; then nothing is compiled any more. */
    private static final int WARM_LOGS = 6;

    private static final int LOGS = 5;

    private final boolean touched;
    private final long appends;
    private final Shape shape;

    AppendWork(Order order) {
        super(order);
        touched = order.scenario() == Scenario.APPEND_TOUCHED;
        long all = order.bytes() <= 64 ? 1_500_000 : order.bytes() <= 256 ? 800_000 : 300_000;
        long records = order.scaled(touched ? all / 3 : all); // 70 to 110 MB, 200 to 330 MB
        appends = records / order.peer().records() - 1;
        shape = new Shape(order.bytes(), records, touched, 1);
    }

    @Override
    void run() throws Exception {
        if (touched) {
            fill(WARM_LOGS, new Meter());
        } else {
            warmUp(shape, WARM_NS);
        }
        int logs = touched ? LOGS : 1;
        Meter.Section section = fill(logs, meter);
        double n = (double) logs * appends * order.peer().records();
        put(Metric.NS, section.wallNs() / n);
        put(Metric.CPU_NS, section.cpuNs() / n);
        put(Metric.CPU_USER, section.userNs() / n);
        put(Metric.CPU_SYSTEM, (section.cpuNs() - section.userNs()) / n);
        put(Metric.ALLOCATED, section.allocated() / n);
        put(Metric.DISK, (double) Trees.allocatedBytes(order.directory()) / shape.records());
    }

    /** Fills new logs, of which the last one remains, and returns what the appends took in all. */
    private Meter.Section fill(int logs, Meter by) throws Exception {
        Meter.Section all = Meter.Section.NONE;
        for (int i = 0; i < logs; i++) {
            delete("log");
            try (PeerLog log = open("log", shape)) {
                LogAppender appender = log.appender();
                byte[] value = value();
                appender.append(value); // waits for the first file
                Meter.settle();
                by.start();
                append(appender, value, appends);
                log.finish();
                all = all.plus(by.stop());
            }
        }
        return all;
    }
}
