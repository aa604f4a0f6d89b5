package io.firn.bench.peers;

import io.firn.bench.peers.PeerLog.LogAppender;
import io.firn.bench.peers.PeerLog.LogReader;
import io.firn.bench.peers.PeerLog.Shape;
import java.nio.file.Files;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Opens a log whose process was killed. The first JVM in a directory fills the log, says so, and
 * appends until it is killed; the second one measures.
 */
final class ReopenWork extends Work {
    /** What the first JVM prints when it can be killed. */
    static final String READY = "ready to be killed";

    private static final long LOG_BYTES = 128 << 20;
    private static final long PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(1);

    ReopenWork(Order order) {
        super(order);
    }

    @Override
    void run() throws Exception {
        long records = order.scaled(LOG_BYTES / order.bytes());
        Shape shape = new Shape(order.bytes(), records, false, 1);
        if (Files.exists(order.directory().resolve("log"))) {
            reopen(shape);
        } else {
            appendUntilKilled(shape);
        }
    }

    private void appendUntilKilled(Shape shape) throws Exception {
        PeerLog log = open("log", shape);
        LogAppender appender = log.appender();
        byte[] value = value();
        append(appender, value, shape.records());
        log.finish();
        System.out.println(READY);
        while (true) {
            appender.append(value);
            LockSupport.parkNanos(PAUSE_NS); // so that the size hardly changes
        }
    }

    private void reopen(Shape shape) throws Exception {
        meter.start();
        PeerLog log = open("log", shape);
        LogAppender appender = log.appender();
        appender.append(value());
        put(Metric.OPEN_MS, meter.stop().wallNs() / 1e6);
        log.finish();
        log.close();
        countAgain(shape);
    }

    /** A log that lost what its row promises would be fast. */
    private void countAgain(Shape shape) throws Exception {
        byte[] target = new byte[order.bytes()];
        long[] seen = new long[1];
        try (PeerLog log = open("log", shape);
                LogReader reader = log.reader()) {
            long lastSeen = System.nanoTime();
            while (seen[0] <= shape.records()
                    && System.nanoTime() - lastSeen < TimeUnit.SECONDS.toNanos(2)) {
                if (reader.poll(target, () -> seen[0]++) > 0) {
                    lastSeen = System.nanoTime();
                }
            }
        }
        if (seen[0] <= shape.records()) {
            throw new IllegalStateException(
                    "only "
                            + seen[0]
                            + " records came back, expected more than "
                            + shape.records());
        }
    }
}
