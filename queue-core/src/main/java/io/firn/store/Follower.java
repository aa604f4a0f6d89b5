package io.firn.store;

import io.firn.spi.Block;
import io.firn.spi.Mark;
import io.firn.spi.SegmentState;
import io.firn.store.UnreadableTopics.Unreadable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * Looks again and again at a store that another process writes. In a DURABLE topic it shows what
 * the marks prove, with a lag of at most a mark interval; in a WRITTEN one it also shows whole
 * batches above them ({@link BatchesAboveMark}). When the writer has ended without closing the
 * store, it shows in both what recovery would accept ({@link CrashTail}).
 */
final class Follower {
    private static final long TOPICS_EVERY_NS = 100_000_000;
    private static final long LOOK_EVERY_NS = 5_000_000;
    private static final int LOOKS_AT_A_GAP = 20;
    private static final Comparator<LogSegment> BY_BASE =
            Comparator.comparingLong(segment -> segment.baseOffset);

    private final Store store;
    private final Map<UUID, TopicLog> topics = new HashMap<>();
    private final Map<Block, LogSegment> known = new IdentityHashMap<>();
    private final Set<LogSegment> missed = Collections.newSetFromMap(new IdentityHashMap<>());
    private final Map<PartitionLog, Integer> gaps = new HashMap<>();
    private final BatchesAboveMark batches = new BatchesAboveMark();
    private final CrashTail crashTail;

    /** Tiers, blocks and partitions whose medium failed at the last look. */
    private final Map<Object, BackOff> trouble = new IdentityHashMap<>();

    private long nextLookNs;
    private long lastTopicsNs;
    private boolean looked;
    private boolean opened;

    Follower(Store store) {
        this.store = store;
        this.crashTail = new CrashTail(store, batches);
    }

    /** Looks once, if it is time. */
    synchronized int refresh() throws IOException {
        long now = System.nanoTime();
        if (looked && now - nextLookNs < 0) {
            return 0;
        }
        return look(now, !looked || now - lastTopicsNs >= TOPICS_EVERY_NS);
    }

    /** The time until the next look, in ns. */
    synchronized long untilLookNs() {
        return looked ? nextLookNs - System.nanoTime() : 0;
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
        Map<PartitionLog, List<Block>> found = new HashMap<>();
        Set<Block> blocks = Collections.newSetFromMap(new IdentityHashMap<>());
        for (TierState tier : store.tiers()) {
            for (Block block : blocksIn(tier)) {
                blocks.add(block);
                Mark mark = markOf(block, tier);
                TopicLog topic = mark == null ? null : topics.get(mark.topicId());
                if (topic != null && mark.partition() < topic.partitionCount()) {
                    found.computeIfAbsent(topic.log(mark.partition()), p -> new ArrayList<>())
                            .add(block);
                }
            }
        }
        known.keySet().retainAll(blocks);
        trouble.keySet().removeIf(each -> each instanceof Block gone && !blocks.contains(gone));
        int moved = 0;
        for (TopicLog topic : topics.values()) {
            for (PartitionLog log : topic.logs()) {
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
        if (!isLeftAlone(tier)) {
            try {
                List<Block> all = tier.tier().list();
                trouble.remove(tier);
                return all;
            } catch (IOException | RuntimeException | InternalError e) {
                if (isFirstLook()) {
                    throw e;
                }
                tier.noteError(e);
                onTrouble(tier, "tier " + tier + " could not be listed", e);
            }
        }
        return known.keySet().stream().filter(block -> isIn(block, tier)).toList();
    }

    @SuppressWarnings("ReferenceEquality") // this very tier
    private static boolean isIn(Block block, TierState tier) {
        return block.tier() == tier.tier();
    }

    private Mark markOf(Block block, TierState tier) throws IOException {
        if (!isLeftAlone(block)) {
            try {
                Mark mark = block.refreshMark();
                trouble.remove(block);
                return mark;
            } catch (IOException | RuntimeException | InternalError e) {
                if (isFirstLook()) {
                    throw e;
                }
                tier.noteError(e);
                onTrouble(block, block.name() + ": its mark could not be read", e);
            }
        }
        return block.mark();
    }

    private void look(PartitionLog log, List<Block> blocks) throws IOException {
        if (!isLeftAlone(log)) {
            try {
                refresh(log, blocks);
                trouble.remove(log);
            } catch (IOException | RuntimeException | InternalError e) {
                if (isFirstLook()) {
                    throw e;
                }
                onTrouble(log, log + ": nothing new can be seen", e);
            }
        }
    }

    /** At open, the caller is told what is wrong. */
    private boolean isFirstLook() {
        return !opened;
    }

    private boolean isLeftAlone(Object subject) {
        BackOff backOff = trouble.get(subject);
        return backOff != null && backOff.leftNs() > 0;
    }

    private void onTrouble(Object subject, String what, Throwable e) {
        BackOff backOff = trouble.computeIfAbsent(subject, each -> new BackOff());
        store.attempts().failed(what, e, backOff);
    }

    // ---- what there is

    private void refreshTopics() throws IOException {
        TopicScan scan = TopicScan.of(store);
        List<Unreadable> unreadable = new ArrayList<>(scan.unreadable());
        // What is served already stays served, whatever happens to its file.
        Set<UUID> served = new HashSet<>(topics.keySet());
        served.retainAll(unreadable.stream().map(Unreadable::id).toList());
        unreadable.removeIf(each -> served.contains(each.id()));
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
                                served.add(id);
                                show(id, description);
                            }
                        });
        store.unreadable(new UnreadableTopics(unreadable));
        // A tombstone exists only briefly: usually the topic's absence is seen instead.
        for (TopicLog topic : List.copyOf(topics.values())) {
            if (!served.contains(topic.id())) {
                topics.remove(topic.id());
                store.dropTopic(topic);
                for (PartitionLog log : topic.logs()) {
                    log.markGone(true);
                    gaps.remove(log);
                    trouble.remove(log);
                    crashTail.forget(log);
                    missed.removeAll(List.of(log.segments()));
                }
            }
        }
    }

    private Unreadable shared(UUID id, String name, int count) {
        return new Unreadable(
                id,
                new TopicFiles(store, id).topicFile(),
                name,
                count + " topics have that name: keep one");
    }

    private void show(UUID id, TopicFiles.Description description) {
        TopicLog topic = topics.get(id);
        if (topic == null) {
            topic = new TopicLog(store, id, description.name(), description.options());
            topic.startEmpty();
            topics.put(id, topic);
            store.addTopic(topic);
        } else {
            topic.follow(description.options());
        }
    }

    private void refresh(PartitionLog log, List<Block> blocks) throws IOException {
        List<LogSegment> all = new ArrayList<>();
        for (Block block : blocks) {
            LogSegment segment = segmentOf(block);
            if (segment != null) {
                all.add(segment);
            }
        }
        all.sort(BY_BASE); // stable: of two copies of one segment, the hotter comes first
        for (int i = all.size() - 1; i > 0; i--) {
            if (all.get(i).baseOffset == all.get(i - 1).baseOffset) {
                all.remove(i); // it is being moved
            }
        }
        for (int i = 0; i < all.size() - 1; i++) {
            if (!all.get(i).sealed) {
                // Sealed since the last look: otherwise its successor would have no mark yet.
                all.get(i).block.refreshMark();
                segmentOf(all.get(i).block);
            }
        }
        long start = log.topicLog().files().readLogStart(log.index());
        keepMissed(log, all, start);
        stopAtGap(log, all);
        long durable = Math.max(start, log.durableOffset());
        long visible = Math.max(durable, log.nextOffset());
        for (LogSegment segment : all) {
            // What was seen above the mark is not proven yet.
            long marked = segment.sealed ? segment.endOffset : segment.block.mark().offset();
            durable = Math.max(durable, marked);
            if (!segment.sealed && !log.isDurable()) {
                lookAboveMark(segment);
            }
            visible = Math.max(visible, segment.offsetOf(segment.end()));
        }
        log.publishFound(
                all.toArray(new LogSegment[0]),
                Math.max(start, log.logStartOffset()),
                durable,
                visible);
    }

    /**
     * A look during a rename may find neither name, so a segment that was there at the last look
     * and was not deleted counts as missing only when it is not found twice.
     */
    private void keepMissed(PartitionLog log, List<LogSegment> all, long start) {
        List<LogSegment> found = List.copyOf(all);
        for (LogSegment before : log.segments()) {
            int at = Collections.binarySearch(found, before, BY_BASE);
            if (at < 0 && !before.sealed && -at - 1 < found.size()) {
                // It has a successor, so it is complete; its end has not been seen.
                before.endOffset = before.offsetOf(before.end());
            }
            if (at < 0 && before.endOffset > start && missed.add(before)) {
                all.add(before);
            } else {
                missed.remove(before);
            }
        }
        all.sort(BY_BASE);
    }

    /**
     * A gap may also be an effect of the look itself: it is shown when it is still there after a
     * while.
     */
    private void stopAtGap(PartitionLog log, List<LogSegment> all) {
        for (int i = 0; i < all.size() - 1; i++) {
            if (all.get(i).endOffset < all.get(i + 1).baseOffset) {
                int looks = gaps.merge(log, 1, Integer::sum);
                if (looks < LOOKS_AT_A_GAP && all.get(i).endOffset >= log.nextOffset()) {
                    all.subList(i + 1, all.size()).clear();
                }
                return;
            }
        }
        gaps.remove(log);
    }

    /**
     * Returns the log's segment for a block, updated to its mark; null while the mark proves
     * nothing.
     */
    private LogSegment segmentOf(Block block) throws IOException {
        Mark mark = block.mark();
        LogSegment segment = known.get(block);
        if (mark.state() == SegmentState.RESERVED) {
            return segment; // known since it was found after a crash
        }
        if (segment == null) {
            segment = new LogSegment(block, mark.baseOffset());
            known.put(block, segment);
        }
        if (segment.sealed) {
            return segment;
        }
        boolean isSealed = mark.state() == SegmentState.SEALED;
        long end = mark.offset();
        if (isSealed && end < 0) { // its mark was lost
            end = PartitionRecovery.endByBatches(block, block.capacity());
        }
        if (end >= segment.offsetOf(segment.end())) {
            segment.setWritten(mark.position(), end);
        }
        if (isSealed) {
            segment.endOffset = end;
            segment.sealed = true;
            segment.index(null); // an index that was made earlier covers only a part
        }
        return segment;
    }

    private void lookAboveMark(LogSegment segment) throws IOException {
        long pair = segment.end();
        int position = LogSegment.positionOf(pair);
        BatchesAboveMark.End end = batches.after(segment.block, position, segment.offsetOf(pair));
        segment.setWritten(end.position(), end.offset());
    }

    /** Shows what recovery would accept when no process writes the store any more. */
    private void lookBehindCrash(Map<PartitionLog, List<Block>> found) throws IOException {
        if (!crashTail.isWriterGone()) {
            return;
        }
        List<CrashTail.Found> tails = new ArrayList<>();
        for (Map.Entry<PartitionLog, List<Block>> e : found.entrySet()) {
            CrashTail.Found tail = tailOf(e.getKey(), e.getValue());
            if (tail != null) {
                tails.add(tail);
            }
        }
        if (tails.isEmpty() || !crashTail.isWriterGone()) {
            return; // a writer that opened it meanwhile writes marks
        }
        for (CrashTail.Found tail : tails) {
            show(tail);
            crashTail.settle(tail);
        }
    }

    private CrashTail.Found tailOf(PartitionLog log, List<Block> blocks) throws IOException {
        if (isLeftAlone(log)) {
            return null;
        }
        try {
            return crashTail.look(log, blocks);
        } catch (IOException | RuntimeException | InternalError e) {
            if (isFirstLook()) {
                throw e;
            }
            onTrouble(log, log + ": what a crash left above its mark cannot be read", e);
            return null;
        }
    }

    private void show(CrashTail.Found tail) {
        PartitionLog log = tail.log();
        List<LogSegment> all = new ArrayList<>(List.of(log.segments()));
        long next = log.nextOffset();
        for (CrashTail.Piece piece : tail.pieces()) {
            LogSegment segment = known.get(piece.block());
            if (segment == null) {
                segment = new LogSegment(piece.block(), piece.baseOffset());
                known.put(piece.block(), segment);
                if (!all.isEmpty()) {
                    all.get(all.size() - 1).endOffset = piece.baseOffset();
                }
                all.add(segment);
            }
            segment.setWritten(piece.end().position(), piece.end().offset());
            next = Math.max(next, piece.end().offset());
        }
        long durable = Math.max(next, log.durableOffset());
        log.publishFound(all.toArray(new LogSegment[0]), log.logStartOffset(), durable, next);
    }
}
