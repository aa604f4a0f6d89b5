package io.firn.open;

import io.firn.background.Background;
import io.firn.background.FailedSubjects;
import io.firn.findings.FindingKey;
import io.firn.follow.BatchesAboveMark;
import io.firn.follow.CrashTail;
import io.firn.follow.FollowedBlocks;
import io.firn.follow.FollowedLog;
import io.firn.follow.FollowedLogs;
import io.firn.follow.FollowedOffsets.Published;
import io.firn.follow.FollowedSegments;
import io.firn.follow.FollowedTruncations;
import io.firn.follow.MissingSegments;
import io.firn.log.LogContext;
import io.firn.log.SegmentedLog;
import io.firn.log.TierState;
import io.firn.replica.TruncationHistory;
import io.firn.spi.Block;
import io.firn.store.Topics;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;

/**
 * Looks at a store that another process writes.
 *
 * <ul>
 *   <li>While the writer publishes its offsets ({@link FollowedLogs}), readers see them without a
 *       look. The follower looks only at what the writer says has changed.
 *   <li>Otherwise it looks again and again. In a DURABLE topic it shows what the marks prove, with
 *       a lag of at most a mark interval; in a WRITTEN one it also shows whole batches above them
 *       ({@link BatchesAboveMark}).
 *   <li>When the writer has ended without closing the store, it shows what recovery would accept
 *       ({@link CrashTail}), and then waits for another writer.
 * </ul>
 */
final class Follower implements Background.Following {
    private static final long TOPICS_EVERY_NS = 100_000_000;
    private static final long LOOK_EVERY_NS = 5_000_000;

    /** How often to look whether the writer that publishes its offsets was killed. */
    private static final long WRITER_EVERY_NS = 200_000_000;

    /** The same, while no segment changes: another writer is noticed without it (O22). */
    private static final long WRITER_WHEN_IDLE_NS = 1_000_000_000;

    /**
     * The longest pause while no segment changes and there is no listener for new ends: readers see
     * those without a look, and find the segment that an end is in. After a change the pauses
     * double up to it.
     */
    private static final long LOOK_WHEN_IDLE_NS = 160_000_000;

    /** A look at everything, in case that a change was not published. */
    private static final long ALL_EVERY_NS = 30_000_000_000L;

    /** The same while a medium fails: nothing tells that it works again. */
    private static final long ALL_IN_TROUBLE_NS = 5_000_000_000L;

    /** Looks at everything take at most one part of these while nothing is known to change. */
    private static final int ALL_COST_SHARE = 200;

    private final LogContext store;
    private final FollowedTopics topics;
    private final FollowedSegments segments;
    private final FollowedTruncations truncations;
    private final CrashTail crashTail;

    /** Logs whose medium failed at the last look. */
    private final FailedSubjects<SegmentedLog> trouble;

    private final FollowedBlocks media;
    private final FollowedLogs followed;

    private long nextLookNs;
    private long nextAllNs;
    private long nextTopicsNs;
    private long pauseNs = LOOK_EVERY_NS;
    private long lastTopicsNs;
    private boolean looked;
    private boolean opened;

    /**
     * Creates a follower that has seen nothing yet.
     *
     * @param served gets the topics that are found
     * @param lock the lock file of the writer
     * @param epochs the file that each writer changes when it opens the store
     */
    Follower(LogContext store, Topics served, UUID storeId, Path lock, Path epochs) {
        this.store = store;
        this.topics = new FollowedTopics(store, served);
        this.trouble = new FailedSubjects<>(store.attempts());
        BatchesAboveMark batches = new BatchesAboveMark();
        this.segments = new FollowedSegments(batches);
        this.truncations = new FollowedTruncations(segments);
        this.media = new FollowedBlocks(store.attempts(), segments);
        this.crashTail = new CrashTail(store.config().medium(), lock, epochs, batches);
        this.followed = new FollowedLogs(store, storeId, lock, this::lookFor);
    }

    @Override
    public synchronized int look() throws IOException {
        if (store.descriptors().isNow()) {
            store.descriptors().look();
        }
        long now = System.nanoTime();
        if (looked && now - nextLookNs < 0) {
            return 0;
        }
        boolean atTopics = !looked || now - lastTopicsNs >= TOPICS_EVERY_NS;
        if (followed.isOpen()) {
            return follow(now);
        }
        if (now - nextAllNs < 0 && isQuiet()) {
            nextLookNs = now + TOPICS_EVERY_NS;
            return 0;
        }
        return look(now, atTopics);
    }

    /** While the writer publishes its offsets: looks at what it says has changed. */
    private int follow(long now) throws IOException {
        long writerNs = pauseNs == LOOK_WHEN_IDLE_NS ? WRITER_WHEN_IDLE_NS : WRITER_EVERY_NS;
        boolean isThorough = now - lastTopicsNs >= writerNs;
        if (!followed.isBelieved(isThorough)) {
            followed.close();
            return look(now, true);
        }
        if (isThorough) {
            lastTopicsNs = now;
        }
        if (now - nextAllNs >= 0 || (followed.hasOtherTopics() && now - nextTopicsNs >= 0)) {
            return look(now, true);
        }
        int moved = 0;
        pauseNs = Math.min(2 * pauseNs, LOOK_WHEN_IDLE_NS);
        for (FollowedLog changed : followed.changed()) {
            moved += lookAt(changed) ? 1 : 0;
            pauseNs = LOOK_EVERY_NS;
        }
        boolean isInDoubt = segments.missing().isAny();
        if (isInDoubt || store.hasListeners()) {
            for (SegmentedLog log : followed.logs()) {
                if (isInDoubt && segments.missing().isAnyIn(log)) {
                    lookAt(followed.of(log));
                }
                if (log.readers().hasListeners()) {
                    log.catchUp();
                }
            }
            pauseNs = LOOK_EVERY_NS;
        }
        nextLookNs = now + pauseNs;
        return moved;
    }

    @Override
    public synchronized long untilLookNs() {
        return looked ? nextLookNs - System.nanoTime() : 0;
    }

    /**
     * Looks until nothing is held back that may be an effect of the look itself, but not for ever:
     * what a medium that fails meanwhile keeps in doubt is shown by later looks.
     */
    void lookFirst() throws IOException {
        look();
        for (int i = 1; i < MissingSegments.LOOKS && isInDoubt(); i++) {
            LockSupport.parkNanos(LOOK_EVERY_NS);
            refreshNow();
        }
    }

    private synchronized boolean isInDoubt() {
        return segments.missing().isAtGap();
    }

    /** Looks at everything once, for a caller that waits for it. */
    synchronized int refreshNow() throws IOException {
        return look(System.nanoTime(), true);
    }

    private int look(long now, boolean atTopics) throws IOException {
        if (atTopics) {
            lastTopicsNs = now;
            crashTail.beginLook();
            if (!followed.isOpen()) {
                followed.open();
            }
        }
        followed.noteChanges();
        if (atTopics) {
            for (SegmentedLog gone : topics.refresh()) {
                forget(gone);
            }
            followed.follow(topics.logs());
        }
        looked = true;
        Map<SegmentedLog, TruncationHistory> histories = topics.histories(trouble, isFirstLook());
        Map<SegmentedLog, Published> published = followed.published();
        Map<SegmentedLog, List<Block>> found = new HashMap<>();
        Set<Block> blocks = Collections.newSetFromMap(new IdentityHashMap<>());
        for (TierState tier : store.tiers()) {
            for (Block block : media.blocksIn(tier, null, isFirstLook())) {
                blocks.add(block);
                SegmentedLog log = topics.logOf(media.markOf(block, tier, isFirstLook()));
                if (log != null) {
                    found.computeIfAbsent(log, p -> new ArrayList<>()).add(block);
                }
            }
        }
        segments.retain(blocks);
        media.retain(blocks);
        int moved = 0;
        for (SegmentedLog log : topics.logs()) {
            long before = log.nextOffset();
            Published read = published.get(log);
            look(log, found.getOrDefault(log, List.of()), read, histories.get(log));
            moved += log.nextOffset() > before ? 1 : 0;
        }
        if (atTopics && !followed.isOpen()) {
            lookBehindCrash(found);
        }
        opened = true;
        pauseNs = LOOK_EVERY_NS;
        // A look at a large store costs more: looks take at most a fifth of the time.
        long cost = System.nanoTime() - now;
        nextTopicsNs = now + Math.max(LOOK_EVERY_NS, 5 * cost);
        nextLookNs = followed.isOpen() ? now + LOOK_EVERY_NS : nextTopicsNs;
        long allNs = trouble.isAny() || media.isAnyFailing() ? ALL_IN_TROUBLE_NS : ALL_EVERY_NS;
        nextAllNs = now + Math.max(allNs, ALL_COST_SHARE * cost);
        return moved;
    }

    // ---- the published offsets

    /** A reader's thread has seen an end in a segment that is not known yet. */
    private synchronized void lookFor(FollowedLog follows) {
        try {
            Published read = follows.offsets().read();
            if (read != null && !begin(follows, read)) {
                lookAt(follows);
            }
        } catch (IOException | RuntimeException | InternalError e) {
            trouble.onFailure(follows.log(), newsOf(follows.log()), e);
        }
    }

    /** Shows the segment that the writer has just begun, without a look at others. */
    private boolean begin(FollowedLog follows, Published read) throws IOException {
        SegmentedLog log = follows.log();
        if (trouble.isLeftAlone(log)) {
            return true;
        }
        if (read.position() == 0) {
            return truncations.isAsShown(log) && segments.begin(log, null, follows, read);
        }
        for (TierState tier : log.topic().tiers()) {
            Block found = tier.tier().find(log.topic().id(), log.index(), read.epoch());
            if (found != null) {
                return truncations.isAsShown(log) && segments.begin(log, found, follows, read);
            }
        }
        return false;
    }

    /** Looks at the blocks of one log; returns whether more of it is seen. */
    private boolean lookAt(FollowedLog follows) throws IOException {
        SegmentedLog log = follows.log();
        long before = log.nextOffset();
        TruncationHistory history = FollowedTruncations.of(log);
        Published read = follows.offsets().read();
        if (read == null) {
            return false; // it changes just now, or the writer ends
        }
        List<Block> blocks = new ArrayList<>();
        for (TierState tier : store.tiers()) {
            for (Block block : media.blocksIn(tier, log, isFirstLook())) {
                if (media.markOf(block, tier, isFirstLook()) != null) {
                    blocks.add(block);
                }
            }
        }
        look(log, blocks, read, history);
        return log.nextOffset() > before;
    }

    // ---- when a medium fails, what is known about it stays, and news elsewhere is seen

    private void look(
            SegmentedLog log, List<Block> blocks, Published read, TruncationHistory before)
            throws IOException {
        if (!trouble.isLeftAlone(log)) {
            try {
                truncations.refresh(log, blocks, followed.of(log), read, before);
                trouble.onSuccess(log);
            } catch (IOException | RuntimeException | InternalError e) {
                if (isFirstLook()) {
                    throw e;
                }
                trouble.onFailure(log, newsOf(log), e);
            }
        }
    }

    /** At open, the caller is told what is wrong. */
    private boolean isFirstLook() {
        return !opened;
    }

    private void forget(SegmentedLog log) {
        log.markGone(true);
        segments.forget(log);
        truncations.forget(log);
        log.catchUpBy(null);
        trouble.onSuccess(log);
        crashTail.forget(log);
    }

    // ---- after a crash

    /** Shows what recovery would accept when no process writes the store any more. */
    private void lookBehindCrash(Map<SegmentedLog, List<Block>> found) throws IOException {
        if (!crashTail.isWriterGone()) {
            return;
        }
        List<CrashTail.Found> tails = new ArrayList<>();
        for (Map.Entry<SegmentedLog, List<Block>> e : found.entrySet()) {
            CrashTail.Found tail = tailOf(e.getKey(), e.getValue());
            if (tail != null) {
                tails.add(tail);
            }
        }
        if (!crashTail.isWriterGone()) {
            return; // a writer that opened it meanwhile writes marks
        }
        for (CrashTail.Found tail : tails) {
            segments.show(tail);
            crashTail.settle(tail);
        }
        crashTail.endLook();
    }

    /** Whether the last look has shown all that the last writer left, and there is no other. */
    private boolean isQuiet() throws IOException {
        return crashTail.isAllShown() && !segments.missing().isAtGap() && crashTail.isWriterGone();
    }

    private CrashTail.Found tailOf(SegmentedLog log, List<Block> blocks) throws IOException {
        if (trouble.isLeftAlone(log)) {
            return null;
        }
        try {
            if (!truncations.isAsShown(log)) {
                return null; // a truncation was interrupted
            }
            return crashTail.look(log, blocks);
        } catch (IOException | RuntimeException | InternalError e) {
            if (isFirstLook()) {
                throw e;
            }
            trouble.onFailure(log, newsOf(log), e);
            return null;
        }
    }

    /** Unmaps what was mapped; there are no more looks. */
    synchronized void close() {
        followed.close();
    }

    /** Names the look at a log in findings. */
    static FindingKey newsOf(SegmentedLog log) {
        return FindingKey.job(log.subject(), "a look at what is new, and cannot be seen");
    }

    @Override
    public FindingKey job() {
        return FindingKey.job(store.subject(), "a look at what is new");
    }
}
