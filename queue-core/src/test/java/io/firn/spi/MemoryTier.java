package io.firn.spi;

import io.firn.StoreFullException;
import io.firn.StoreLockedException;
import io.firn.Survives;
import io.firn.spi.StorageTier.TierContext;
import java.io.IOException;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.UUID;

/**
 * A tier of byte buffers: the least that core needs to run, and what a force makes durable is lost
 * with the JVM. Thread-safe.
 */
public final class MemoryTier implements StorageTier {
    private static final int MAX_SEGMENT_BYTES = 1 << 20;

    private final Place place;
    private final Map<StoredSegment, MemoryBlock> blocks = new IdentityHashMap<>();
    private boolean readOnly;
    private boolean isOpen;

    /** What a tier leaves when it is closed, and finds again when it is opened. Thread-safe. */
    public static final class Place {
        private final long capacityBytes;
        private final List<StoredSegment> segments = new ArrayList<>();
        private UUID tierId;
        private UUID storeId;
        private MemoryTier writer;

        /** Creates an empty place with room for so many bytes. */
        public Place(long capacityBytes) {
            this.capacityBytes = capacityBytes;
        }

        private synchronized void open(MemoryTier tier, TierContext context) throws IOException {
            if (storeId == null) {
                if (!context.mayCreate() || context.isReadOnly()) {
                    throw new IOException("expected a tier in memory, found none");
                }
                storeId = context.storeId();
                tierId = UUID.randomUUID();
            } else if (!storeId.equals(context.storeId())) {
                throw new IOException(
                        "the tier belongs to store " + storeId + ", found " + context.storeId());
            }
            if (!context.isReadOnly()) {
                if (writer != null) {
                    throw new StoreLockedException("the tier is open for writing");
                }
                writer = tier;
            }
        }

        private synchronized void close(MemoryTier tier) {
            if (writer == tier) {
                writer = null;
            }
        }

        private synchronized List<StoredSegment> segments() {
            return List.copyOf(segments);
        }

        private synchronized void add(StoredSegment segment) {
            if (usedBytes() + segment.room() > capacityBytes) {
                throw new StoreFullException(
                        segment.room() + " bytes wanted, the tier holds " + capacityBytes);
            }
            segments.add(segment);
        }

        synchronized void remove(StoredSegment segment) {
            segments.remove(segment);
        }

        private synchronized long usedBytes() {
            return segments.stream().mapToLong(StoredSegment::room).sum();
        }
    }

    /** A tier in a place of its own. */
    public MemoryTier() {
        this(new Place(Long.MAX_VALUE));
    }

    /** A tier with what an earlier one left in the place. */
    public MemoryTier(Place place) {
        this.place = place;
    }

    @Override
    public String name() {
        return "memory";
    }

    @Override
    public synchronized void open(TierContext context) throws IOException {
        place.open(this, context);
        readOnly = context.isReadOnly();
        isOpen = true;
    }

    @Override
    public UUID id() {
        return place.tierId;
    }

    @Override
    public Survives survives() {
        return Survives.PROCESS_CRASH;
    }

    @Override
    public OptionalLong capacityBytes() {
        return OptionalLong.of(place.capacityBytes);
    }

    @Override
    public long usedBytes() {
        return place.usedBytes();
    }

    @Override
    public int maxSegmentBytes() {
        return MAX_SEGMENT_BYTES;
    }

    @Override
    public synchronized List<Block> list() {
        List<Block> found = new ArrayList<>();
        for (StoredSegment segment : place.segments()) {
            found.add(block(segment));
        }
        return found;
    }

    private MemoryBlock block(StoredSegment segment) {
        return blocks.computeIfAbsent(segment, each -> new MemoryBlock(this, each));
    }

    @Override
    public List<String> strangers() {
        return List.of();
    }

    @Override
    public synchronized Block reserve(UUID topicId, int partition, int bytes, long epoch) {
        requireWriter();
        if (bytes < 1 || bytes > MAX_SEGMENT_BYTES) {
            throw new IllegalArgumentException(
                    "1 to " + MAX_SEGMENT_BYTES + " bytes fit into a block, found " + bytes);
        }
        StoredSegment segment = new StoredSegment(bytes, Mark.reserved(topicId, partition, epoch));
        place.add(segment);
        return block(segment);
    }

    void requireWriter() {
        if (readOnly) {
            throw new IllegalStateException("the tier is open read-only and cannot be changed");
        }
    }

    void remove(StoredSegment segment) {
        place.remove(segment);
    }

    @Override
    public synchronized void close() {
        if (isOpen) {
            isOpen = false;
            place.close(this);
            blocks.clear();
        }
    }
}
