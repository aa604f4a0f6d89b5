package io.firn.kill;

import io.firn.Appender;
import io.firn.Batch;
import io.firn.ClosedException;
import io.firn.Cursor;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.Topic;
import io.firn.host.HostedStore;
import io.firn.kill.Plan.Standing;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;

/**
 * Appends a lane's batches, up to five in flight as Kafka's producers do, and reports what was
 * acknowledged. It begins with what the parent has not heard of, in the same batches with the same
 * sequences.
 */
final class LaneWriter implements Runnable {
    /** As many as core remembers. */
    private static final int MOST_IN_FLIGHT = 5;

    private final Lane lane;
    private final LogStore store;
    private final Topic topic;
    private final Partition partition;
    private final Appender appender;
    private final Cursor cursor;
    private final Content content;
    private final Reporter reporter;
    private final SplittableRandom random;
    private final Batch[] batches = new Batch[MOST_IN_FLIGHT];
    private final long endAtOpen;
    private final boolean mute;
    private Standing next;
    private int appended;
    private volatile boolean muted;
    private volatile boolean stopped;

    LaneWriter(Lane lane, LogStore store, Plan plan, Reporter reporter) {
        this.lane = lane;
        this.store = store;
        this.topic = lane.openTopic(store);
        this.partition = topic.partition(lane.partition());
        this.appender =
                lane.exclusive() ? partition.openExclusiveAppender() : partition.openAppender();
        this.cursor = topic.cursor(lane.cursor());
        this.content = new Content(plan.seed());
        this.reporter = reporter;
        this.random = new SplittableRandom(plan.seed() + 31L * plan.round() + lane.id());
        this.endAtOpen = partition.nextOffset();
        this.mute = plan.muted() == lane.id();
        this.next = plan.lanes().get(lane.id());
        for (int i = 0; i < batches.length; i++) {
            batches[i] = appender.newBatch();
        }
    }

    /** Whether the lane has kept a window to itself, and ended. */
    boolean isMuted() {
        return muted;
    }

    void stop() {
        stopped = true;
    }

    @Override
    public void run() {
        try {
            if (next.producer() < 0) {
                renew(true);
            }
            appendWindow(true);
            for (int window = 0; !stopped; window++) {
                if (mute && window > 0) {
                    appendWindow(false);
                    muted = true;
                    return;
                }
                if (appended >= MOST_IN_FLIGHT && random.nextInt(40) == 0) {
                    renew(random.nextBoolean());
                }
                appendWindow(true);
                if (random.nextInt(20) == 0) {
                    advance();
                }
            }
        } catch (ClosedException e) {
            if (!reporter.isClosing()) {
                throw e;
            }
        }
    }

    /**
     * Goes on with a new producer, or a new epoch of this one, as soon as nothing can be in the log
     * that the parent has not heard of: it would be stored again.
     */
    private void renew(boolean another) {
        boolean wraps = random.nextInt(3) == 0;
        next =
                another
                        // Any sequence starts a producer; this one soon wraps.
                        ? next.renewed(
                                HostedStore.of(store).newProducerId(),
                                0,
                                wraps ? Integer.MAX_VALUE - 50 : 0)
                        : next.renewed(next.producer(), next.epoch() + 1, 0);
        reporter.renewed(lane, next);
    }

    private void appendWindow(boolean heard) {
        int count = 1 + random.nextInt(MOST_IN_FLIGHT);
        boolean waits = random.nextBoolean();
        Standing[] sent = new Standing[count];
        long[] offsets = new long[count];
        for (int i = 0; i < count; i++) {
            content.fill(batches[i], lane.id(), next.first());
            batches[i].producer(next.producer(), next.epoch(), next.sequence());
            offsets[i] = waits ? appender.append(batches[i]) : tryAppend(batches[i]);
            sent[i] = next;
            next = next.after(batches[i].count());
        }
        if (!waits && lane.isDurable()) {
            for (int i = 0; i < count; i++) {
                // Repeated ones may lie anywhere: each is waited for.
                appender.awaitDurable(offsets[i] + batches[i].count() - 1);
            }
        }
        for (int i = 0; i < count && heard; i++) {
            int sum = content.crcOf(lane.id(), sent[i].first());
            reporter.acked(lane, sent[i].first(), offsets[i], sum, offsets[i] < endAtOpen);
        }
        appended += count;
    }

    private long tryAppend(Batch batch) {
        long offset;
        while ((offset = appender.tryAppend(batch)) == Appender.BACK_PRESSURED) {
            LockSupport.parkNanos(50_000);
        }
        return offset;
    }

    private void advance() {
        long offset = partition.visibleOffset();
        cursor.commit(lane.partition(), offset);
        if (random.nextBoolean()) {
            cursor.force();
            reporter.cursor(lane, offset);
        }
    }
}
