package io.firn.bench.peers;

import io.firn.bench.peers.LatencyWork.OpenLoop;
import io.firn.bench.peers.PeerLog.LogAppender;
import io.firn.bench.peers.PeerLog.LogReader;
import io.firn.bench.peers.PeerLog.Shape;
import java.nio.ByteBuffer;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import org.HdrHistogram.Histogram;

/** Appends at a fixed rate on one thread and reads on another. */
final class EndToEndWork extends Work {
    private static final long WARM_NS = 700_000_000;
    private static final long PACED_WARM_MS = 700;
    private static final long MS = 1000;

    private Histogram histogram = Histograms.create();

    EndToEndWork(Order order) {
        super(order);
    }

    @Override
    void run() throws Exception {
        Shape shape = new Shape(order.bytes(), order.scaled(1_000_000), false, 1);
        warmUp(shape, WARM_NS);
        int rate = order.scenario().rates(order.peer()).get(0);
        OpenLoop loop = new OpenLoop(rate);
        long warm = loop.records(order.ns(PACED_WARM_MS));
        long records = loop.records(order.ns(MS));
        try (PeerLog log = open("log", shape)) {
            LogAppender appender = log.appender();
            CountDownLatch isReading = new CountDownLatch(1);
            FutureTask<Void> reading =
                    new FutureTask<>(
                            () -> {
                                read(log, warm, warm + records, isReading);
                                return null;
                            });
            byte[] value = value();
            ByteBuffer fields = ByteBuffer.wrap(value);
            Meter.settle();
            new Thread(reading, "reader").start();
            isReading.await();
            loop.begin();
            for (long i = 0; i < warm + records && !reading.isDone(); i++) {
                if (i == warm) {
                    meter.start();
                    loop.begin(); // what the meter took is not the log's delay
                }
                fields.putLong(0, loop.awaitNext());
                appender.append(value);
            }
            reading.get();
            meter.stop();
        }
        Histograms.put(figures, rate, histogram);
    }

    private void read(PeerLog log, long warm, long records, CountDownLatch isReading)
            throws Exception {
        byte[] target = new byte[order.bytes()];
        ByteBuffer fields = ByteBuffer.wrap(target);
        Runnable onRecord =
                () -> Histograms.record(histogram, System.nanoTime() - fields.getLong(0));
        try (LogReader reader = log.reader()) {
            isReading.countDown();
            for (long seen = 0; seen < records; ) {
                int n = reader.poll(target, onRecord);
                if (n == 0) {
                    Thread.onSpinWait();
                } else if (seen < warm && seen + n >= warm) {
                    histogram = Histograms.create(); // the lambda reads the field
                }
                seen += n;
            }
        }
    }
}
