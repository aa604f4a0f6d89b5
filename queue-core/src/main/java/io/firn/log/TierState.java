package io.firn.log;

import io.firn.Finding.Kind;
import io.firn.StoreFullException;
import io.firn.StoreMetrics;
import io.firn.background.BackOff;
import io.firn.background.Duty;
import io.firn.findings.FindingKey;
import io.firn.findings.Findings;
import io.firn.findings.Subject;
import io.firn.medium.FileErrors.OutOfDescriptorsException;
import io.firn.medium.GuardedLog;
import io.firn.spi.Block;
import io.firn.spi.BlockCopy;
import io.firn.spi.Mark;
import io.firn.spi.StorageTier;
import java.io.IOException;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import javax.annotation.concurrent.GuardedBy;
import org.agrona.concurrent.NanoClock;

/** A tier as the store sees it: its index, its counters, and whether it works. Thread-safe. */
public final class TierState {
    private static final GuardedLog LOG = GuardedLog.get();

    private final int index;
    private final String label;
    private final boolean isLabelled;
    private final StorageTier tier;
    private final Subject subject;
    private final AtomicLong spilledSegments = new AtomicLong();
    private final AtomicLong spilledBytes = new AtomicLong();
    private final AtomicLong movedDownBytes = new AtomicLong();
    private final AtomicLong movedUpBytes = new AtomicLong();
    private final AtomicInteger movesInFlight = new AtomicInteger();
    private volatile String lastError;
    private volatile boolean hasFailed;
    private volatile boolean failing;

    /** Why it is failing; null when it is not. */
    private volatile Throwable cause;

    private final AtomicInteger reserving = new AtomicInteger();
    private volatile StoreMetrics.Drain drain = StoreMetrics.Drain.NONE;
    private final Findings findings;
    private final FindingKey failingKey;
    private final FindingKey fullKey;
    private final FindingKey drainKey;

    /** Asks again whether there is room; null when there was some when it was asked last. */
    private volatile Duty prober;

    @GuardedBy("this")
    private final BackOff backOff;

    /**
     * Creates the state of a tier.
     *
     * @param label null when the builder was given none
     * @param clock measures the pauses after failures
     */
    TierState(int index, String label, StorageTier tier, NanoClock clock, Findings findings) {
        this.index = index;
        this.findings = findings;
        this.isLabelled = label != null;
        this.label = label == null ? labelOf(index) : label;
        this.tier = tier;
        this.backOff = new BackOff(clock);
        this.subject = Subject.tier(this.label, tier.name());
        this.failingKey = FindingKey.of(Kind.TIER_FAILING, subject);
        this.fullKey = FindingKey.of(Kind.TIER_FULL, subject);
        this.drainKey = FindingKey.of(Kind.TIER_DRAINED, subject);
    }

    /** Returns what a tier without a label is called. */
    public static String labelOf(int index) {
        return "tier-" + index;
    }

    /** 0 for the hottest. */
    public int index() {
        return index;
    }

    public String label() {
        return label;
    }

    /** Whether topics may choose it by its label. */
    public boolean isLabelled() {
        return isLabelled;
    }

    public StorageTier tier() {
        return tier;
    }

    /** Names it in findings. */
    public Subject subject() {
        return subject;
    }

    public void onSpill(long bytes) {
        spilledSegments.incrementAndGet();
        spilledBytes.addAndGet(bytes);
    }

    public void onMoveBegins() {
        movesInFlight.incrementAndGet();
    }

    public void onMoveEnds() {
        movesInFlight.decrementAndGet();
    }

    public void onMovedTo(TierState other, long bytes) {
        (other.index > index ? movedDownBytes : movedUpBytes).addAndGet(bytes);
    }

    // ---- whether it is drained

    public StoreMetrics.Drain drain() {
        return drain;
    }

    public void drain(StoreMetrics.Drain value) {
        drain = value;
        if (value == StoreMetrics.Drain.IN_PROGRESS) {
            findings.begin(
                    drainKey,
                    subject
                            + " is being drained and gets no new segments: LogStore.drain moves"
                            + " what is left in it");
        } else if (isDrained()) {
            findings.begin(
                    drainKey, subject + " was drained: open the store without it the next time");
        } else {
            findings.end(drainKey);
        }
    }

    /** Whether it gets no new segments, because it is drained. */
    public boolean isDrained() {
        return drain != StoreMetrics.Drain.NONE;
    }

    /**
     * Reserves a block, as {@link StorageTier#reserve}.
     *
     * @throws StoreFullException also when the tier is drained
     */
    public Block reserve(UUID topicId, int partition, int bytes, long epoch) throws IOException {
        beginReserving();
        try {
            return tier.reserve(topicId, partition, bytes, epoch);
        } finally {
            reserving.decrementAndGet();
        }
    }

    /**
     * Begins a copy, as {@link StorageTier#beginCopy}.
     *
     * @throws StoreFullException also when the tier is drained
     */
    public BlockCopy beginCopy(Mark sealed, long epoch) throws IOException {
        beginReserving();
        try {
            return tier.beginCopy(sealed, epoch);
        } finally {
            reserving.decrementAndGet();
        }
    }

    private void beginReserving() {
        reserving.incrementAndGet(); // before the look, so that isEmpty sees who was let in
        if (isDrained()) {
            reserving.decrementAndGet();
            throw new StoreFullException(subject + " is drained: it gets no new segments");
        }
    }

    /** Whether a tier that is drained has no block, and will get none. */
    public boolean isEmpty() throws IOException {
        if (reserving.get() != 0 || !tier.list().isEmpty()) {
            return false;
        }
        tier.dropSpares();
        return tier.usedBytes() == 0;
    }

    /** Notes what was found here that is not a segment, and was not touched. */
    public void noteStrangers() {
        for (String each : tier.strangers()) {
            findings.begin(FindingKey.of(Kind.UNKNOWN_CONTENT, subject, each), each);
        }
    }

    /** Notes what was found damaged here and is made again. */
    public void noteDamage(String what) {
        findings.begin(
                FindingKey.of(Kind.FILE_DAMAGED, subject, what),
                what + ": it is ignored, and made again; check the medium");
    }

    // ---- whether it works

    /** Notes an error after which the tier is still used. */
    public void noteError(Throwable e) {
        hasFailed = true;
        lastError = String.valueOf(e.getMessage());
    }

    /** Whether something in it has failed since the store was opened. */
    public boolean hasFailed() {
        return hasFailed;
    }

    /** Notes a failure of its medium: nothing new is put here for a while, longer each time. */
    public synchronized void onFailure(Throwable e) {
        noteError(e);
        if (OutOfDescriptorsException.isReasonFor(e)) {
            return; // its medium works, and who failed tries again
        }
        failing = true;
        cause = e;
        backOff.onFailure();
        findings.begin(
                failingKey,
                subject
                        + " failed when it was used last, and gets no new segments for a while,"
                        + " longer each time: they go to other tiers of their topic, or appends"
                        + " fail; check the medium: "
                        + lastError,
                e);
    }

    /**
     * Notes that appends are refused, because neither it nor another tier of a topic had room for a
     * segment. That holds until it has some.
     *
     * @param duty asks again from time to time, unless another one does already
     */
    public synchronized void onRefusal(StoreFullException e, Duty duty) {
        if (prober == null) {
            prober = duty;
        }
        findings.begin(
                fullKey,
                subject
                        + " had no room for a segment when it was asked last, nor had another tier"
                        + " of the topic: until there is some, appends are refused once their"
                        + " segment is full; free some space or delete records: "
                        + e.getMessage());
    }

    /** Whether a duty is the one that asks again. */
    public boolean isProbedBy(Duty duty) {
        return prober == duty;
    }

    /** Called when a duty does not ask again: what is known will not be corrected. */
    public void stopProbing(Duty duty) {
        if (prober == duty) {
            noteRoom();
        }
    }

    private synchronized void noteRoom() {
        prober = null;
        findings.end(fullKey);
    }

    /** Notes a success. */
    public void onSuccess() {
        if (prober != null) {
            noteRoom();
        }
        if (failing) {
            recover();
        }
    }

    /** Whether an error is the one for which the tier counts as failing. */
    boolean isFailingBy(Throwable e) {
        Throwable known = cause;
        Throwable each = known == null ? null : e;
        while (each != null && each != known) {
            each = each.getCause();
        }
        return each != null;
    }

    private synchronized void recover() {
        failing = false;
        cause = null;
        backOff.onSuccess();
        findings.end(failingKey);
    }

    /**
     * Has the tier remove what it keeps for a deleted topic, of which nothing is left in it. It is
     * tried once: what remains is empty, and the next open removes it.
     */
    public void forgetTopic(UUID topicId) {
        try {
            tier.forgetTopic(topicId);
        } catch (IOException | RuntimeException e) {
            noteError(e);
            LOG.log(
                    System.Logger.Level.WARNING,
                    subject
                            + " keeps the empty directories of the deleted topic "
                            + topicId
                            + " until the store is opened again: "
                            + e.getMessage(),
                    e);
        }
    }

    /** Whether new segments and copies may be tried here. */
    public boolean isInRotation() {
        return !isDrained() && (!failing || isTimeToTryAgain());
    }

    private synchronized boolean isTimeToTryAgain() {
        return backOff.leftNs() <= 0;
    }

    public StoreMetrics.TierMetrics metrics(int segments) {
        return new TierCounts(
                label,
                tier.name(),
                tier.survives(),
                tier.capacityBytes(),
                tier.usedBytes(),
                tier.freeBytes(),
                segments,
                spilledSegments.get(),
                spilledBytes.get(),
                movedDownBytes.get(),
                movedUpBytes.get(),
                movesInFlight.get(),
                isInRotation(),
                drain,
                Optional.ofNullable(lastError),
                tier.uncollectedBytes());
    }

    @Override
    public String toString() {
        return label;
    }
}
