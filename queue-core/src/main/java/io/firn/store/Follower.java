package io.firn.store;

import io.firn.batch.BatchFormat;
import io.firn.batch.BatchVerifier;
import io.firn.spi.Mark;
import io.firn.spi.Segment;
import io.firn.spi.SegmentState;
import io.firn.spi.StorageTier;
import io.firn.spi.UnsupportedVersionException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * Looks again and again at a store that another process writes. Of a DURABLE topic it shows what
 * the marks prove, at most a mark interval behind; of a WRITTEN one it also shows whole batches
 * above them, read through the file and not through a mapping, since the writer may cut the file
 * meanwhile.
 */
final class Follower {
    private static final long TOPICS_EVERY_NS = 100_000_000;
    private static final long LOOK_EVERY_NS = 5_000_000;

    private final Store store;
    private final Map<UUID, TopicLog> topics = new HashMap<>();
    private final Map<Segment, LogSegment> known = new IdentityHashMap<>();
    private final BatchVerifier verifier = new BatchVerifier();
    private ByteBuffer scratch = ByteBuffer.allocate(64 * 1024);
    private long nextLookNs;
    private long lastTopicsNs;
    private boolean looked;

    Follower(Store store) {
        this.store = store;
    }

    /** One look, when it is time. */
    synchronized int refresh() throws IOException {
        long now = System.nanoTime();
        if (looked && now - nextLookNs < 0) {
            return 0;
        }
        if (!looked || now - lastTopicsNs >= TOPICS_EVERY_NS) {
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
        // A look at a large store costs more: it takes a fifth of the time at most.
        long cost = System.nanoTime() - now;
        nextLookNs = now + Math.max(LOOK_EVERY_NS, 5 * cost);
        return moved;
    }

    private void refreshTopics() throws IOException {
        var directory = TopicFiles.topicsIn(store.config().directory());
        for (String name : store.config().medium().list(directory)) {
            UUID id = StoreOpener.idOf(name);
            if (id == null) {
                continue;
            }
            try {
                TopicFiles.Description description = new TopicFiles(store, id).read();
                TopicLog topic = topics.get(id);
                if (description == null || description.deleted()) {
                    if (topic != null) {
                        topic.logs().forEach(log -> log.markGone(true));
                        topics.remove(id);
                        store.dropTopic(topic);
                    }
                } else if (topic == null) {
                    topic = new TopicLog(store, id, description.name(), description.options());
                    topic.startEmpty();
                    topics.put(id, topic);
                    store.addTopic(topic);
                }
            } catch (UnsupportedVersionException e) {
                throw e;
            } catch (IOException e) {
                store.addFinding(e.getMessage());
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
        all.sort(Comparator.comparingLong(segment -> segment.baseOffset));
        long start = log.topicLog().files().readLogStart(log.index());
        long visible = Math.max(start, log.nextOffset());
        for (LogSegment segment : all) {
            if (!segment.sealed && !log.isDurable()) {
                lookAboveMark(segment);
            }
            visible = Math.max(visible, segment.offsetOf(segment.end()));
        }
        log.publishFound(
                all.toArray(new LogSegment[0]), Math.max(start, log.logStartOffset()), visible);
    }

    /** The log's segment for a block, brought up to its mark; null while it proves nothing. */
    private LogSegment segmentOf(Segment block) {
        Mark mark = block.mark();
        LogSegment segment = known.get(block);
        if (mark.state() == SegmentState.RESERVED) {
            return null;
        }
        if (segment == null) {
            segment = new LogSegment(block, mark.baseOffset());
            known.put(block, segment);
        }
        if (mark.offset() >= segment.offsetOf(segment.end())) {
            segment.setWritten(mark.position(), mark.offset());
        }
        if (mark.state() == SegmentState.SEALED) {
            segment.endOffset = mark.offset();
            segment.sealed = true;
        }
        return segment;
    }

    private void lookAboveMark(LogSegment segment) throws IOException {
        int epoch = BatchFormat.epochBits(segment.block.mark().epoch());
        while (true) {
            int position = segment.written();
            long offset = segment.offsetOf(segment.end());
            int n = read(segment, position, BatchFormat.HEADER_LENGTH);
            if (n < BatchFormat.HEADER_LENGTH || scratch.getInt(BatchFormat.EPOCH) != epoch) {
                return;
            }
            int size = BatchFormat.size(scratch, 0);
            if (size < BatchFormat.HEADER_LENGTH || size > segment.block.capacity() - position) {
                return;
            }
            if (read(segment, position, size) < size
                    || verifier.check(scratch, 0, size, offset) < 0) {
                return;
            }
            segment.setWritten(position + size, BatchFormat.nextOffset(scratch, 0));
        }
    }

    private int read(LogSegment segment, int position, int length) throws IOException {
        if (scratch.capacity() < length) {
            scratch = ByteBuffer.allocate(Math.max(length, scratch.capacity() * 2));
        }
        return segment.block.read(position, scratch.array(), 0, length);
    }
}
