package io.firn.move;

import io.firn.LogStore.MoveControl;
import java.util.function.BooleanSupplier;

/** Waits between the pieces of a copy as long as its control demands. For one thread. */
public final class Pace {
    private static final long SLICE_MS = 5;

    private final MoveControl control;
    private final BooleanSupplier isWanted;
    private boolean isCancelled;

    /**
     * Creates a pace.
     *
     * @param isWanted whether the copy is still wanted; asked again and again during a wait
     */
    public Pace(MoveControl control, BooleanSupplier isWanted) {
        this.control = control;
        this.isWanted = isWanted;
    }

    /** Returns whether the copy is still wanted. */
    public boolean isWanted() {
        return !isCancelled && isWanted.getAsBoolean();
    }

    /**
     * Waits before a piece; see {@link MoveControl#pauseNs} for the parameters. Once it was
     * cancelled, by the control or by an interrupt, the copy is not wanted any more.
     *
     * @return false when the copy is not wanted any more
     */
    public boolean pause(long copied, long total, int next) {
        long pauseNs = control.pauseNs(copied, total, next);
        if (pauseNs < 0) {
            isCancelled = true;
            return false;
        }
        long until = System.nanoTime() + pauseNs;
        try {
            for (long left = pauseNs; left > 0 && isWanted(); left = until - System.nanoTime()) {
                long ms = Math.min(left / 1_000_000, SLICE_MS);
                Thread.sleep(ms, ms == SLICE_MS ? 0 : (int) (left % 1_000_000));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            isCancelled = true;
            return false;
        }
        return isWanted();
    }
}
