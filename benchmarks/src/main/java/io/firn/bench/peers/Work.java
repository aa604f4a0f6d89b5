package io.firn.bench.peers;

import io.firn.bench.peers.PeerLog.LogAppender;
import io.firn.bench.peers.PeerLog.Shape;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** What one run does in its own JVM. */
abstract class Work {
    private static final int WARM_STEP = 256;

    /** The figures of the run. */
    final Map<String, String> figures = new TreeMap<>();

    final Meter meter = new Meter();

    /** The run. */
    final Order order;

    Work(Order order) {
        this.order = order;
    }

    /**
     * What is to be run.
     *
     * @param scenario what is measured
     * @param peer with what
     * @param bytes of a record's value
     * @param directory to use, which is empty
     * @param quick whether to run a quarter of it
     */
    record Order(Scenario scenario, Peer peer, int bytes, Path directory, boolean quick) {
        /** Returns a number of records, fewer if the run is to be quick. */
        long scaled(long records) {
            long all = quick ? records / 4 : records;
            return all / peer.records() * peer.records();
        }

        /** Returns a time, shorter if the run is to be quick. */
        long ns(long ms) {
            return TimeUnit.MILLISECONDS.toNanos(quick ? ms / 4 : ms);
        }
    }

    static Work of(Order order) {
        return switch (order.scenario) {
            case APPEND_FRESH, APPEND_TOUCHED -> new AppendWork(order);
            case LATENCY -> new LatencyWork(order);
            case END_TO_END -> new EndToEndWork(order);
            case REPLAY -> new ReplayWork(order);
            case DURABLE_1 -> new DurableWork(order, 1);
            case DURABLE_8 -> new DurableWork(order, 8);
            case REOPEN -> new ReopenWork(order);
        };
    }

    /** Measures, and fills the figures. */
    abstract void run() throws Exception;

    /** Opens a new log in a directory of its own. */
    final PeerLog open(String name, Shape shape) throws Exception {
        PeerLog log = order.peer.create();
        log.open(Files.createDirectories(order.directory.resolve(name)), shape);
        figures.put("version", log.version());
        return log;
    }

    /** Appends records. */
    static void append(LogAppender appender, byte[] value, long appends) throws Exception {
        for (long i = 0; i < appends; i++) {
            appender.append(value);
        }
    }

    /** Appends to logs of its own until the JIT compilers are done, and deletes them. */
    final void warmUp(Shape shape, long ns) throws Exception {
        long until = System.nanoTime() + ns;
        do {
            try (PeerLog log = open("warm-up", shape)) {
                warmUp(log, shape, until);
            }
            delete("warm-up");
        } while (System.nanoTime() < until);
    }

    private void warmUp(PeerLog log, Shape shape, long until) throws Exception {
        LogAppender appender = log.appender();
        byte[] value = value();
        int step = order.peer.isForced() ? 1 : WARM_STEP;
        long records = (long) step * order.peer.records();
        for (long appended = records;
                appended <= shape.records() && System.nanoTime() < until;
                appended += records) {
            append(appender, value, step);
        }
        log.finish();
    }

    final void delete(String name) throws IOException {
        Trees.delete(order.directory.resolve(name));
    }

    /** Returns bytes that cannot be compressed or predicted, the same in each run. */
    final byte[] value() {
        byte[] value = new byte[order.bytes];
        new Random(order.bytes).nextBytes(value);
        return value;
    }

    final void put(Metric metric, double value) {
        figures.put(metric.key(), Double.toString(value));
    }
}
