package io.firn.background;

import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.IdleStrategy;

/**
 * How a tailer waits for records that another process appends, which cannot wake it: it looks again
 * after a pause that grows to a millisecond. When looks cost much, because there are many
 * partitions, the pause is longer, so that they take at most a hundredth of the time. After a
 * second without records it no longer looks by itself ({@link LongWaits}). For one thread.
 */
public final class TailerRest implements IdleStrategy {
    private static final long SPIN_NS = 20_000;
    private static final long FIRST_PAUSE_NS = 20_000;
    private static final long LONG_PAUSE_NS = 1_000_000;
    private static final long PATIENCE_NS = 1_000_000_000;

    private static final int COST_SHARE = 100;
    private static final long MOST_FOR_COST_NS = 20_000_000;

    /** Longer than a look: the tailer was not waiting. */
    private static final long NO_LOOK_NS = 2_000_000;

    private final LongWaits longWaits;
    private final LongWaits.Place place;
    private long sinceNs;
    private long wokenNs;
    private long pauseNs;

    /**
     * Creates it for one tailer.
     *
     * @param news what the tailer waits for
     */
    public TailerRest(LongWaits longWaits, LongWaits.News news) {
        this.longWaits = longWaits;
        this.place = new LongWaits.Place(news);
    }

    @Override
    public void idle(int workCount) {
        if (workCount > 0) {
            reset();
        } else {
            idle();
        }
    }

    @Override
    public void idle() {
        idle(Long.MAX_VALUE);
    }

    /** As {@link #idle()}, for a limited time. */
    public void idle(long mostNs) {
        long now = System.nanoTime();
        if (pauseNs == 0) {
            sinceNs = now;
            pauseNs = FIRST_PAUSE_NS;
            wokenNs = now;
        }
        if (now - sinceNs < SPIN_NS) {
            Thread.onSpinWait();
            wokenNs = now;
            return;
        }
        if (now - sinceNs > PATIENCE_NS) {
            longWaits.await(place, mostNs);
            return;
        }
        long cost = now - wokenNs < NO_LOOK_NS ? now - wokenNs : 0;
        long pause = Math.max(pauseNs, Math.min(MOST_FOR_COST_NS, COST_SHARE * cost));
        LockSupport.parkNanos(Math.min(mostNs, pause));
        wokenNs = System.nanoTime();
        pauseNs = Math.min(LONG_PAUSE_NS, 2 * pauseNs);
    }

    @Override
    public void reset() {
        pauseNs = 0;
    }
}
