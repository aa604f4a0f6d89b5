package io.firn.tools;

import io.firn.LogStore.MoveControl;
import java.io.PrintWriter;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Shows how far something is that takes longer than a second, in one line of a terminal, and limits
 * its rate. Shows nothing elsewhere. For one thread.
 */
final class ProgressLine implements MoveControl, AutoCloseable {
    private static final long SILENT_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long AGAIN_NS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final int BAR = 30;

    private final PrintWriter out;
    private final String what;
    private final Long bytesPerSecond;
    private final boolean isShown;
    private final LongSupplier clockNs;
    private final long beganNs;
    private long nextNs;
    private boolean wasShown;

    /**
     * Begins.
     *
     * @param out the standard error
     * @param what the work, such as "copied"
     * @param bytesPerSecond null for no limit
     */
    ProgressLine(PrintWriter out, String what, Long bytesPerSecond) {
        this(out, what, bytesPerSecond, Terminal.isOne(), System::nanoTime);
    }

    ProgressLine(
            PrintWriter out,
            String what,
            Long bytesPerSecond,
            boolean isShown,
            LongSupplier clockNs) {
        this.out = out;
        this.what = what;
        this.bytesPerSecond = bytesPerSecond;
        this.isShown = isShown;
        this.clockNs = clockNs;
        this.beganNs = clockNs.getAsLong();
        this.nextNs = beganNs + SILENT_NS;
    }

    @Override
    public long pauseNs(long done, long total, int next) {
        long now = clockNs.getAsLong();
        show(done, total, now);
        if (bytesPerSecond == null) {
            return 0;
        }
        double dueNs = (done + next) * 1e9 / bytesPerSecond;
        return Math.max(0, (long) dueNs - (now - beganNs));
    }

    private void show(long done, long total, long now) {
        if (!isShown || now - nextNs < 0) {
            return;
        }
        nextNs = now + AGAIN_NS;
        wasShown = true;
        // More is read than was counted at the beginning when the store grows.
        int percent = total <= 0 ? 0 : (int) Math.min(100, done * 100 / total);
        int filled = percent * BAR / 100;
        out.printf(
                "\r[%s%s] %3d %%  %s of %s %s\u001b[K",
                "#".repeat(filled),
                ".".repeat(BAR - filled),
                percent,
                Table.size(done),
                Table.size(total),
                what);
        out.flush();
    }

    /** Removes the line. */
    @Override
    public void close() {
        if (wasShown) {
            out.print("\r\u001b[K");
            out.flush();
        }
    }
}
