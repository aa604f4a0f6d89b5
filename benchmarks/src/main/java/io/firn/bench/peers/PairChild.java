package io.firn.bench.peers;

import io.firn.bench.peers.LatencyWork.OpenLoop;
import io.firn.bench.peers.PeerLog.LogAppender;
import io.firn.bench.peers.PeerLog.LogReader;
import io.firn.bench.peers.PeerLog.Shape;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * The program of the two JVMs of a run. The writer appends a record at once, so that the log exists
 * when the reader opens it, and then waits for a byte from its parent before it appends at its
 * rate. Records carry the moment at which they were due, and their number. Both processes read one
 * clock, {@link System#nanoTime()}, which is that of the machine on Linux.
 */
final class PairChild {
    /** Says that a side is open. */
    static final String READY = "ready";

    /** Says that all figures were printed. */
    static final String END = "end";

    static final String CPU = "cpu";
    static final int MIN_BYTES = 16;

    private static final int NUMBER = 8;

    /** The warm-up is read in so many calls, so that the end of a call is compiled, too. */
    private static final int WARM_PARTS = 10;

    private final Plan plan;
    private final Meter meter = new Meter();
    private final Map<String, String> figures = new TreeMap<>();
    private final Histogram histogram = Histograms.create();

    private PairChild(Plan plan) {
        this.plan = plan;
    }

    /**
     * What a run does.
     *
     * @param bytes of a record's value
     * @param rate records in a second
     * @param warmMs time at that rate before the measurement
     * @param ms time of the measurement
     * @param directory of the log, empty before the run
     */
    record Plan(Pair pair, int bytes, int rate, int warmMs, int ms, Path directory) {
        long warm() {
            return new OpenLoop(rate).records(TimeUnit.MILLISECONDS.toNanos(warmMs));
        }

        /** A while before the measurement, because the meter takes some time itself. */
        long settled() {
            return warm() * 9 / 10;
        }

        long all() {
            return warm() + new OpenLoop(rate).records(TimeUnit.MILLISECONDS.toNanos(ms));
        }

        Shape shape() {
            return new Shape(bytes, all() + 1, false, 1);
        }

        String[] arguments(boolean isWriter) {
            return new String[] {
                Boolean.toString(isWriter),
                pair.name(),
                Integer.toString(bytes),
                Integer.toString(rate),
                Integer.toString(warmMs),
                Integer.toString(ms),
                directory.toString()
            };
        }

        static Plan of(String[] args) {
            return new Plan(
                    Pair.valueOf(args[1]),
                    Integer.parseInt(args[2]),
                    Integer.parseInt(args[3]),
                    Integer.parseInt(args[4]),
                    Integer.parseInt(args[5]),
                    Path.of(args[6]));
        }
    }

    /** Runs one side, as {@link Plan#arguments} says. */
    public static void main(String[] args) throws Exception {
        PairChild child = new PairChild(Plan.of(args));
        if (Boolean.parseBoolean(args[0])) {
            child.write();
        } else {
            child.read();
        }
        child.figures.forEach(
                (name, value) -> System.out.println(Child.FIGURE + name + "=" + value));
        System.out.println(END);
        // The other side may still need this one, and some libraries leave threads behind.
        while (System.in.read() >= 0) {
            continue;
        }
        Runtime.getRuntime().halt(0);
    }

    private void write() throws Exception {
        byte[] value = new byte[plan.bytes];
        ByteBuffer fields = ByteBuffer.wrap(value);
        PeerLog log = plan.pair.create(true);
        log.open(plan.directory, plan.shape());
        LogAppender appender = log.appender();
        boolean isKept = plan.pair != Pair.AERON_IPC;
        if (isKept) {
            fields.putLong(NUMBER, -1);
            appender.append(value);
        }
        System.out.println(READY);
        if (System.in.read() < 0) {
            return;
        }
        long settled = plan.settled();
        long all = plan.all();
        OpenLoop loop = new OpenLoop(plan.rate);
        loop.begin();
        for (long i = 0; i < all; i++) {
            if (i == settled) {
                meter.start();
                loop.begin(); // what the meter took is not the log's delay
            }
            fields.putLong(0, loop.awaitNext());
            fields.putLong(NUMBER, i);
            appender.append(value);
        }
        Meter.Section section = meter.stop();
        figures.put(CPU, Double.toString(100.0 * section.cpuNs() / section.wallNs()));
    }

    private void read() throws Exception {
        byte[] target = new byte[plan.bytes];
        ByteBuffer fields = ByteBuffer.wrap(target);
        PeerLog log = plan.pair.create(false);
        log.open(plan.directory, plan.shape());
        long warm = plan.warm();
        long all = plan.all();
        long[] next = {0};
        Runnable onRecord =
                () -> {
                    long number = fields.getLong(NUMBER);
                    if (number < 0) {
                        return;
                    }
                    if (number != next[0]) {
                        throw new IllegalStateException(
                                "record " + number + " follows " + (next[0] - 1));
                    }
                    next[0]++;
                    Histograms.record(histogram, System.nanoTime() - fields.getLong(0));
                };
        try (LogReader reader = log.reader()) {
            System.out.println(READY);
            for (int part = 1; part <= WARM_PARTS; part++) {
                await(reader, target, onRecord, next, plan.settled() / WARM_PARTS * part);
            }
            meter.start();
            await(reader, target, onRecord, next, warm);
            // Not by a branch that is taken for the first time here: compiled code would be lost.
            histogram.reset();
            await(reader, target, onRecord, next, all);
            Meter.Section section = meter.stop();
            figures.put(CPU, Double.toString(100.0 * section.cpuNs() / section.wallNs()));
        }
        Disturbance disturbance = meter.disturbance();
        figures.put(Child.PRESSURE, Double.toString(disturbance.pressure()));
        figures.put(Child.FOREIGN, Double.toString(disturbance.foreign()));
        Histograms.put(figures, plan.rate, histogram);
        figures.put("version", log.version());
    }

    private static void await(
            LogReader reader, byte[] target, Runnable onRecord, long[] next, long count)
            throws Exception {
        while (next[0] < count) {
            if (reader.poll(target, onRecord) == 0) {
                Thread.onSpinWait();
            }
        }
    }
}
