package io.firn.scrub;

import io.firn.Finding.Kind;
import io.firn.FirnException;
import io.firn.MediumException;
import io.firn.background.Duty;
import io.firn.findings.FindingKey;
import io.firn.findings.Subject;
import io.firn.log.LogContext;
import io.firn.log.LogSegment;
import io.firn.log.SegmentedLog;
import io.firn.read.LogCheck;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * Verifies the sealed segments of a store, all of them once in a period: a step is followed by a
 * pause that is as long, in relation to the period, as what it has verified is in relation to
 * everything. The pause is at least as long as the step took, so that other work gets half of a
 * busy disk or processor.
 */
public final class ScrubDuty extends Duty {
    private static final int STEP = 256 * 1024;

    /** How much there is, and whether the file was written, is looked at again after these. */
    private static final long RECOUNT_MS = 60_000;

    private static final long LONGEST_REST_MS = Duration.ofHours(1).toMillis();

    private final LogContext store;
    private final Supplier<List<SegmentedLog>> logs;
    private final long periodMs;
    private ScrubPlace place;
    private LogCheck check;
    private long total;
    private long countedMs = Long.MIN_VALUE;
    private long savedMs;
    private long dueMs;
    private Set<FindingKey> unreadable = new HashSet<>();
    private Set<FindingKey> unreadableBefore = new HashSet<>();
    private final AtomicLong bytes = new AtomicLong();
    private volatile long completedMs = -1;

    /**
     * Creates the duty of a store.
     *
     * @param logs all that there are when it is called
     */
    public ScrubDuty(LogContext store, Supplier<List<SegmentedLog>> logs) {
        super(
                store.background().scrubbing(),
                Subject.store(store.config().directory()),
                "scrub of sealed segments");
        this.store = store;
        this.logs = logs;
        this.periodMs = store.config().scrubPeriodMs();
    }

    /** Returns the bytes that were verified since the store was opened. */
    public long bytes() {
        return bytes.get();
    }

    /** Returns when the last complete pass began. */
    public Optional<Instant> completed() {
        long ms = completedMs;
        return ms < 0 ? Optional.empty() : Optional.of(Instant.ofEpochMilli(ms));
    }

    @Override
    public int run() throws IOException {
        long now = nowMs();
        if (place == null) {
            place = ScrubPlace.read(store.config().medium(), store.config().directory(), now, STEP);
            completedMs = place.completedMs();
            savedMs = now;
        }
        count(now);
        int work = 0;
        if (total > 0 && now >= Math.max(dueMs, dueMs())) {
            step(now);
            work = 1;
        }
        if (now - savedMs >= RECOUNT_MS) {
            savedMs = now;
            place.write(store.config().medium(), store.config().directory());
        }
        long next = total == 0 ? NEVER : Math.max(dueMs, dueMs());
        againAt(Math.min(next, later(now, bytes.get() == 0 ? RECOUNT_MS : LONGEST_REST_MS)));
        return work;
    }

    /** When what was verified last is as old as its share of the period. */
    private long dueMs() {
        double share = Math.min(1, (double) place.lastBytes() / Math.max(1, total));
        return later(place.lastMs(), (long) (periodMs * share));
    }

    private void count(long now) {
        if (countedMs != Long.MIN_VALUE && now - countedMs < Math.min(RECOUNT_MS, periodMs / 8)) {
            return;
        }
        countedMs = now;
        total = 0;
        for (SegmentedLog log : logs.get()) {
            for (LogSegment each : log.segments()) {
                total += each.isSealed() ? each.written() : 0;
            }
        }
    }

    private void step(long now) throws IOException {
        long beganNs = System.nanoTime();
        long before = bytes.get();
        try {
            verify(now);
        } catch (InternalError e) {
            throw e; // of a medium
        } catch (VirtualMachineError | LinkageError e) {
            throw new IOException("the scrub has ended with " + e, e); // no reason to end all
        }
        long tookMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - beganNs);
        place = place.after(now, bytes.get() - before);
        dueMs = later(now, 2 * tookMs);
    }

    private void verify(long now) {
        if (check != null && verifyIn(check.log())) {
            return;
        }
        List<SegmentedLog> all =
                logs.get().stream()
                        .filter(log -> !place.isAfter(log.topic().id(), log.index()))
                        .sorted(
                                Comparator.comparing((SegmentedLog log) -> log.topic().id())
                                        .thenComparing(SegmentedLog::index))
                        .toList();
        for (SegmentedLog log : all) {
            if (!place.isIn(log.topic().id(), log.index())) {
                place = place.at(log.topic().id(), log.index(), 0);
            }
            if (verifyIn(log)) {
                return;
            }
        }
        completedMs = place.beganMs();
        place = place.newPass(now, completedMs);
        check = null;
        countedMs = Long.MIN_VALUE;
        unreadableBefore.removeAll(unreadable);
        unreadableBefore.forEach(store.findings()::end); // it was deleted, or can be read again
        unreadableBefore = unreadable;
        unreadable = new HashSet<>();
    }

    /** Returns false when nothing is left there. */
    @SuppressWarnings("ReferenceEquality") // this very log
    private boolean verifyIn(SegmentedLog log) {
        long from = Math.max(place.offset(), log.logStartOffset());
        LogSegment next = null;
        for (LogSegment each : log.segments()) {
            if (each.isSealed() && each.endOffset() > from && !each.isDoomed()) {
                next = each;
                break;
            }
        }
        if (next == null) {
            check = null;
            return false;
        }
        LogCheck checked = check != null && check.log() == log ? check : new LogCheck(log);
        check = checked;
        long end = next.endOffset();
        long begun = checked.bytes();
        try {
            long start = Math.max(place.offset(), next.baseOffset());
            place = place.at(log.topic().id(), log.index(), checked.check(start, end, STEP));
        } catch (FirnException e) {
            onUnreadable(log, next, e);
            place = place.at(log.topic().id(), log.index(), end);
            bytes.incrementAndGet(); // so that the next step is another one
        }
        bytes.addAndGet(checked.bytes() - begun);
        return true;
    }

    /** It may have been deleted or truncated just now; a medium that fails is a finding. */
    private void onUnreadable(SegmentedLog log, LogSegment segment, FirnException e) {
        check = null;
        if (!(e instanceof MediumException) || segment.isDoomed() || !log.state().mayMove()) {
            return;
        }
        store.stateOf(segment.block().tier()).noteError(e);
        FindingKey key =
                FindingKey.of(
                        Kind.RECORDS_DAMAGED,
                        log.subject(),
                        segment.baseOffset(),
                        segment.endOffset());
        unreadable.add(key);
        store.findings()
                .begin(
                        key,
                        e.getMessage()
                                + ": readers get a MediumException there, and go on after it by a"
                                + " seek; restore its records from a copy, and check the medium",
                        e);
    }
}
