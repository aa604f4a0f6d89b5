package io.firn.bench;

import io.firn.StoreMetrics.TierMetrics;
import java.util.ArrayList;
import java.util.List;

/** Samples of a load and its tiers, one every tenth of a second. */
final class Timeline implements AutoCloseable {
    private static final long EVERY_MS = 100;

    private final TieredLog log;
    private final Load load;
    private final List<double[]> rows = new ArrayList<>();
    private final Thread thread = new Thread(this::sample, "timeline");
    private final long startNs = System.nanoTime();
    private volatile boolean over;

    /** A column. */
    enum Column {
        SECONDS,
        APPENDED,
        CONSUMED,
        HOT_USED,
        COLD_USED,
        MOVED_DOWN,
        MOVED_UP
    }

    Timeline(TieredLog log, Load load) {
        this.log = log;
        this.load = load;
        thread.start();
    }

    double seconds() {
        return (System.nanoTime() - startNs) / 1e9;
    }

    private void sample() {
        while (!over) {
            TierMetrics hot = log.hotTier();
            TierMetrics cold = log.coldTier();
            double[] row = new double[Column.values().length];
            row[Column.SECONDS.ordinal()] = seconds();
            row[Column.APPENDED.ordinal()] = load.appended() / 1e6;
            row[Column.CONSUMED.ordinal()] = load.consumed() / 1e6;
            row[Column.HOT_USED.ordinal()] = hot == null ? 0 : hot.usedBytes() / 1e6;
            row[Column.COLD_USED.ordinal()] = cold.usedBytes() / 1e6;
            row[Column.MOVED_DOWN.ordinal()] = hot == null ? 0 : hot.movedDownBytes() / 1e6;
            row[Column.MOVED_UP.ordinal()] = cold.movedUpBytes() / 1e6;
            synchronized (rows) {
                rows.add(row);
            }
            try {
                Thread.sleep(EVERY_MS);
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    /** Returns the values of a column; amounts in MB. */
    double[] column(Column column) {
        synchronized (rows) {
            return rows.stream().mapToDouble(row -> row[column.ordinal()]).toArray();
        }
    }

    /** Returns the growth of a column per second, each over half a second. */
    double[] rate(Column column) {
        double[] time = column(Column.SECONDS);
        double[] value = column(column);
        double[] rate = new double[value.length];
        for (int i = 1; i < rate.length; i++) {
            int from = Math.max(0, i - 5);
            rate[i] = (value[i] - value[from]) / (time[i] - time[from]);
        }
        return rate;
    }

    @Override
    public void close() {
        over = true;
        thread.interrupt();
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException("nobody interrupts a benchmark", e);
        }
    }
}
