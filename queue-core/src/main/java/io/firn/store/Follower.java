package io.firn.store;

import io.firn.spi.Mark;
import io.firn.spi.Segment;
import io.firn.spi.SegmentState;
import io.firn.spi.StorageTier;
import io.firn.spi.UnsupportedVersionException;
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
 * Looks again and again at a store that another process writes. Of a DURABLE topic it shows what
 * the marks prove, at most a mark interval behind; of a WRITTEN one it also shows whole batches
 * above them ({@link BatchesAboveMark}). When the writer is gone without having closed the store,
 * it shows of both what recovery would accept ({@link CrashTail}).
 */
final class Follower {
    private static final long TOPICS_EVERY_NS = 100_000_000;
    private static final long LOOK_EVERY_NS = 5_000_000;
    private static final int LOOKS_AT_A_GAP = 20;
    private static final Comparator<LogSegment> BY_BASE =
            Comparator.comparingLong(segment -> segment.baseOffset);

    private final Store store;
    private final Map<UUID, TopicLog> topics = new HashMap<>();
    private final Map<Segment, LogSegment> known = new IdentityHashMap<>();
    private final Set<LogSegment> missed = Collections.newSetFromMap(new IdentityHashMap<>());
    private final Map<PartitionLog, Integer> gaps = new HashMap<>();
    private final BatchesAboveMark batches = new BatchesAboveMark();
    private final CrashTail crashTail;
    private long nextLookNs;
    private long lastTopicsNs;
    private boolean looked;

    Follower(Store store) {
        this.store = store;
        this.crashTail = new CrashTail(store, batches);
    }

    /** One look, when it is time. */
    synchronized int refresh() throws IOException {
        long now = System.nanoTime();
        if (looked && now - nextLookNs < 0) {
            return 0;
        }
        return look(now, !looked || now - lastTopicsNs >= TOPICS_EVERY_NS);
    }

    /** One look at everything, for somebody who waits for it. */
    synchronized int refreshNow() throws IOException {
        return look(System.nanoTime(), true);
    }

    private int look(long now, boolean atTopics) throws IOException {
        if (atTopics) {
            lastTopicsNs = now;
            refreshTopics();
        }
        looked = true;
        Map<PartitionLog, List<Segment>> found = new HashMap<>();
        Set<Segment> blocks = Collections.newSetFromMap(new IdentityHashMap<>());
        for (StorageTier tier : store.config().tiers()) {
            for (Segment block : tier.list()) {
                blocks.add(block);
                Mark mark = block.refreshMark();
                TopicLog topic = mark == null ? null : topics.get(mark.topicId());
                if (topic != null && mark.partition() < topic.partitionCount()) {
                    found.computeIfAbsent(topic.log(mark.partition()), p -> new ArrayList<>())
                            .add(block);
                }
            }
        }
        known.keySet().retainAll(blocks);
        int moved = 0;
        for (TopicLog topic : topics.values()) {
            for (PartitionLog log : topic.logs()) {
                long before = log.nextOffset();
                refresh(log, found.getOrDefault(log, List.of()));
                moved += log.nextOffset() > before ? 1 : 0;
            }
        }
        if (atTopics) {
            lookBehindCrash(found);
        }
        // A look at a large store costs more: it takes a fifth of the time at most.
        long cost = System.nanoTime() - now;
        nextLookNs = now + Math.max(LOOK_EVERY_NS, 5 * cost);
        return moved;
    }

    private void refreshTopics() throws IOException {
        Set<UUID> listed = new HashSet<>();
        var directory = TopicFiles.topicsIn(store.config().directory());
        for (String name : store.config().medium().list(directory)) {
            UUID id = StoreOpener.idOf(name);
            if (id == null) {
                continue;
            }
            listed.add(id);
            try {
                TopicFiles.Description description = new TopicFiles(store, id).read();
                TopicLog topic = topics.get(id);
                if (description == null || description.deleted()) {
                    listed.remove(id);
                } else if (topic == null) {
                    topic = new TopicLog(store, id, description.name(), description.options());
                    topic.startEmpty();
                    topics.put(id, topic);
                    store.addTopic(topic);
                } else {
                    topic.follow(description.options());
                }
            } catch (UnsupportedVersionException e) {
                throw e;
            } catch (IOException e) {
                store.addFinding(e.getMessage());
            }
        }
        // A tombstone is there for a moment only: mostly it is the topic's absence that is seen.
        for (TopicLog topic : List.copyOf(topics.values())) {
            if (!listed.contains(topic.id())) {
                topics.remove(topic.id());
                store.dropTopic(topic);
                for (PartitionLog log : topic.logs()) {
                    log.markGone(true);
                    gaps.remove(log);
                    crashTail.forget(log);
                    missed.removeAll(List.of(log.segments()));
                }
            }
        }
    }

    private void refresh(PartitionLog log, List<Segment> blocks) throws IOException {
        List<LogSegment> all = new ArrayList<>();
        for (Segment block : blocks) {
            LogSegment segment = segmentOf(block);
            if (segment != null) {
                all.add(segment);
            }
        }
        all.sort(BY_BASE); // stable: of two that are the same one, the hotter first
        for (int i = all.size() - 1; i > 0; i--) {
            if (all.get(i).baseOffset == all.get(i - 1).baseOffset) {
                all.remove(i); // it is being moved
            }
        }
        for (int i = 0; i < all.size() - 1; i++) {
            if (!all.get(i).sealed) {
                // Sealed since we looked at it, or its successor would have no mark yet.
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
            // What was seen above the mark is not proven by having been seen.
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
     * A look beside a rename may find neither name: what was there at the last look, and was not
     * deleted, is believed to be there until it is missed twice.
     */
    private void keepMissed(PartitionLog log, List<LogSegment> all, long start) {
        List<LogSegment> found = List.copyOf(all);
        for (LogSegment before : log.segments()) {
            int at = Collections.binarySearch(found, before, BY_BASE);
            if (at < 0 && !before.sealed && -at - 1 < found.size()) {
                // It has a successor, so it is complete; how far it goes we have not seen.
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
     * A gap, too, may be one in what was seen: it is shown when it is still there after a while.
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

    /** The log's segment for a block, brought up to its mark; null while it proves nothing. */
    private LogSegment segmentOf(Segment block) throws IOException {
        Mark mark = block.mark();
        LogSegment segment = known.get(block);
        if (mark.state() == SegmentState.RESERVED) {
            return segment; // known when it was found behind a crash
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
            segment.index(null); // one that was made before knows a part of it only
        }
        return segment;
    }

    private void lookAboveMark(LogSegment segment) throws IOException {
        long pair = segment.end();
        int position = LogSegment.positionOf(pair);
        BatchesAboveMark.End end = batches.after(segment.block, position, segment.offsetOf(pair));
        segment.setWritten(end.position(), end.offset());
    }

    /** When no process writes the store any more, what recovery would accept is shown. */
    private void lookBehindCrash(Map<PartitionLog, List<Segment>> found) throws IOException {
        if (!crashTail.isWriterGone()) {
            return;
        }
        List<CrashTail.Found> tails = new ArrayList<>();
        for (Map.Entry<PartitionLog, List<Segment>> e : found.entrySet()) {
            CrashTail.Found tail = crashTail.look(e.getKey(), e.getValue());
            if (tail != null) {
                tails.add(tail);
            }
        }
        if (tails.isEmpty() || !crashTail.isWriterGone()) {
            return; // whoever opened it meanwhile writes marks
        }
        for (CrashTail.Found tail : tails) {
            show(tail);
            crashTail.settle(tail);
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
