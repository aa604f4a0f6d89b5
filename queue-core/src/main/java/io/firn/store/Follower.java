package io.firn.store;

import io.firn.background.Background;
import io.firn.background.Trouble;
import io.firn.log.LogContext;
import io.firn.log.SegmentedLog;
import io.firn.log.TierState;
import io.firn.metadata.TopicFiles;
import io.firn.metadata.TopicScan;
import io.firn.metadata.UnreadableTopics;
import io.firn.metadata.UnreadableTopics.Unreadable;
import io.firn.recovery.BatchesAboveMark;
import io.firn.recovery.CrashTail;
import io.firn.recovery.FollowedSegments;
import io.firn.spi.Block;
import io.firn.spi.Mark;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;

/**
 * Looks again and again at a store that another process writes. In a DURABLE topic it shows what
 * the marks prove, with a lag of at most a mark interval; in a WRITTEN one it also shows whole
 * batches above them ({@link BatchesAboveMark}). When the writer has ended without closing the
 * store, it shows in both what recovery would accept ({@link CrashTail}).
 */
final class Follower implements Background.Following {
    private static final long TOPICS_EVERY_NS = 100_000_000;
    private static final long LOOK_EVERY_NS = 5_000_000;

    private final LogContext store;
    private final Topics served;
    private final Map<UUID, TopicLog> topics = new HashMap<>();
    private final FollowedSegments segments;
    private final CrashTail crashTail;

    /** Tiers, blocks and partitions whose medium failed at the last look. */
    private final Trouble trouble;

    private long nextLookNs;
    private long lastTopicsNs;
    private boolean looked;
    private boolean opened;

    /**
     * Creates a follower that has seen nothing yet.
     *
     * @param served gets the topics that are found
     * @param lock the lock file of the writer
     */
    Follower(LogContext store, Topics served, Path lock) {
        this.store = store;
        this.served = served;
        this.trouble = new Trouble(store.attempts());
        BatchesAboveMark batches = new BatchesAboveMark();
        this.segments = new FollowedSegments(batches);
        this.crashTail = new CrashTail(store.config().medium(), lock, batches);
    }

    @Override
    public synchronized int look() throws IOException {
        long now = System.nanoTime();
        if (looked && now - nextLookNs < 0) {
            return 0;
        }
        return look(now, !looked || now - lastTopicsNs >= TOPICS_EVERY_NS);
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
        for (int i = 1; i < FollowedSegments.LOOKS_AT_A_GAP && isInDoubt(); i++) {
            LockSupport.parkNanos(LOOK_EVERY_NS);
            refreshNow();
        }
    }

    private synchronized boolean isInDoubt() {
        return segments.isInDoubt();
    }

    /** Looks at everything once, for a caller that waits for it. */
    synchronized int refreshNow() throws IOException {
        return look(System.nanoTime(), true);
    }

    private int look(long now, boolean atTopics) throws IOException {
        if (atTopics) {
            lastTopicsNs = now;
            refreshTopics();
        }
        looked = true;
        Map<SegmentedLog, List<Block>> found = new HashMap<>();
        Set<Block> blocks = Collections.newSetFromMap(new IdentityHashMap<>());
        for (TierState tier : store.tiers()) {
            for (Block block : blocksIn(tier)) {
                blocks.add(block);
                Mark mark = markOf(block, tier);
                TopicLog topic = mark == null ? null : topics.get(mark.topicId());
                if (topic != null && mark.partition() < topic.partitionCount()) {
                    SegmentedLog log = topic.partitionLog(mark.partition()).log();
                    found.computeIfAbsent(log, p -> new ArrayList<>()).add(block);
                }
            }
        }
        segments.retain(blocks);
        trouble.forget(each -> each instanceof Block gone && !blocks.contains(gone));
        int moved = 0;
        for (TopicLog topic : topics.values()) {
            for (SegmentedLog log : topic.segmentedLogs()) {
                long before = log.nextOffset();
                look(log, found.getOrDefault(log, List.of()));
                moved += log.nextOffset() > before ? 1 : 0;
            }
        }
        if (atTopics) {
            lookBehindCrash(found);
        }
        opened = true;
        // A look at a large store costs more: looks take at most a fifth of the time.
        long cost = System.nanoTime() - now;
        nextLookNs = now + Math.max(LOOK_EVERY_NS, 5 * cost);
        return moved;
    }

    // ---- when a medium fails, what is known about it stays, and news elsewhere is seen

    private List<Block> blocksIn(TierState tier) throws IOException {
        if (!trouble.isLeftAlone(tier)) {
            try {
                List<Block> all = tier.tier().list();
                trouble.onSuccess(tier);
                return all;
            } catch (IOException | RuntimeException | InternalError e) {
                if (isFirstLook()) {
                    throw e;
                }
                tier.noteError(e);
                trouble.onFailure(tier, "tier " + tier + " could not be listed", e);
            }
        }
        return segments.blocks().stream().filter(block -> isIn(block, tier)).toList();
    }

    @SuppressWarnings("ReferenceEquality") // this very tier
    private static boolean isIn(Block block, TierState tier) {
        return block.tier() == tier.tier();
    }

    private Mark markOf(Block block, TierState tier) throws IOException {
        if (!trouble.isLeftAlone(block)) {
            try {
                Mark mark = block.refreshMark();
                trouble.onSuccess(block);
                return mark;
            } catch (IOException | RuntimeException | InternalError e) {
                if (isFirstLook()) {
                    throw e;
                }
                tier.noteError(e);
                trouble.onFailure(block, block.name() + ": its mark could not be read", e);
            }
        }
        return block.mark();
    }

    private void look(SegmentedLog log, List<Block> blocks) throws IOException {
        if (!trouble.isLeftAlone(log)) {
            try {
                segments.refresh(log, blocks);
                trouble.onSuccess(log);
            } catch (IOException | RuntimeException | InternalError e) {
                if (isFirstLook()) {
                    throw e;
                }
                trouble.onFailure(log, log + ": nothing new can be seen", e);
            }
        }
    }

    /** At open, the caller is told what is wrong. */
    private boolean isFirstLook() {
        return !opened;
    }

    // ---- what there is

    private void refreshTopics() throws IOException {
        TopicScan scan = TopicScan.of(store.files());
        List<Unreadable> unreadable = new ArrayList<>(scan.unreadable());
        // What is served already stays served, whatever happens to its file.
        Set<UUID> kept = new HashSet<>(topics.keySet());
        kept.retainAll(unreadable.stream().map(Unreadable::id).toList());
        unreadable.removeIf(each -> kept.contains(each.id()));
        Set<UUID> shared = new HashSet<>();
        scan.sharedNames()
                .forEach(
                        (name, ids) -> {
                            shared.addAll(ids);
                            unreadable.removeIf(each -> ids.contains(each.id()));
                            ids.forEach(id -> unreadable.add(shared(id, name, ids.size())));
                        });
        scan.readable()
                .forEach(
                        (id, description) -> {
                            if (!description.deleted() && !shared.contains(id)) {
                                kept.add(id);
                                show(id, description);
                            }
                        });
        served.unreadable(new UnreadableTopics(unreadable));
        // A tombstone exists only briefly: usually the topic's absence is seen instead.
        for (TopicLog topic : List.copyOf(topics.values())) {
            if (!kept.contains(topic.id())) {
                topics.remove(topic.id());
                served.drop(topic);
                for (SegmentedLog log : topic.segmentedLogs()) {
                    log.markGone(true);
                    segments.forget(log);
                    trouble.onSuccess(log);
                    crashTail.forget(log);
                }
            }
        }
    }

    private Unreadable shared(UUID id, String name, int count) {
        return new Unreadable(
                id,
                new TopicFiles(store.files(), id).topicFile(),
                name,
                count + " topics have that name: keep one");
    }

    private void show(UUID id, TopicFiles.Description description) {
        TopicLog topic = topics.get(id);
        if (topic == null) {
            topic = new TopicLog(store, served, id, description.name(), description.options());
            topic.startEmpty();
            topics.put(id, topic);
            served.add(topic);
        } else {
            topic.follow(description.options());
        }
    }

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
        if (tails.isEmpty() || !crashTail.isWriterGone()) {
            return; // a writer that opened it meanwhile writes marks
        }
        for (CrashTail.Found tail : tails) {
            segments.show(tail);
            crashTail.settle(tail);
        }
    }

    private CrashTail.Found tailOf(SegmentedLog log, List<Block> blocks) throws IOException {
        if (trouble.isLeftAlone(log)) {
            return null;
        }
        try {
            return crashTail.look(log, blocks);
        } catch (IOException | RuntimeException | InternalError e) {
            if (isFirstLook()) {
                throw e;
            }
            trouble.onFailure(log, log + ": what a crash left above its mark cannot be read", e);
            return null;
        }
    }

    @Override
    public String toString() {
        return "store " + store.config().directory();
    }
}
