package io.firn.pmem;

import io.firn.medium.FileMedium;
import io.firn.spi.Mark;
import io.firn.spi.StorageTier;
import io.firn.spi.View;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The blocks of an open pool: the segments in them, and which ones are free. Thread-safe. The state
 * of a block:
 *
 * <pre>
 *       allocate          entry RESERVED, durable         entry FREE, durable        no view pinned
 * free ─────────▶ allocated ─────────────▶ used by a segment ─────────────▶ deleted ─────────────▶ free
 * </pre>
 *
 * After a crash at any point the entry shows whether the block is free.
 */
final class PmemPool implements PmemBlock.Owner {
    private final StorageTier tier;
    private final MappedPool mapped;
    private final FreeBlocks free;
    private final ConcurrentHashMap<Integer, PmemBlock> segments = new ConcurrentHashMap<>();
    private final ConcurrentLinkedQueue<View> retired = new ConcurrentLinkedQueue<>();
    private final AtomicLong highestFreeEpoch = new AtomicLong(-1);

    PmemPool(StorageTier tier, MappedPool mapped) {
        this.tier = tier;
        this.mapped = mapped;
        this.free = new FreeBlocks(mapped.superblock().blockCount());
    }

    @Override
    public StorageTier tier() {
        return tier;
    }

    Superblock superblock() {
        return mapped.superblock();
    }

    PoolFormat format() {
        return mapped.format();
    }

    boolean isReadOnly() {
        return mapped.isReadOnly();
    }

    /** See {@link MappedPool#lost}. */
    String lost() {
        return mapped.lost();
    }

    /** Returns whether the writing process has added blocks since this pool was opened. */
    boolean isOutgrown(FileMedium medium) {
        return mapped.isOutgrown(medium);
    }

    BlockEntry entry(int block) throws IOException {
        return mapped.entry(block);
    }

    long usedBytes() {
        // In a read-only pool another process allocates and frees: counted as of the last scan.
        int used = isReadOnly() ? segments.size() : free.usedCount();
        return (long) used * format().blockBytes();
    }

    long capacityBytes() {
        return (long) superblock().blockCount() * format().blockBytes();
    }

    long highestFreeEpoch() {
        return highestFreeEpoch.get();
    }

    /** Reads the block table; called once. */
    void load() throws IOException {
        if (isReadOnly()) {
            scan();
            return;
        }
        BlockEntry[] entries = mapped.recoverEntries();
        for (int block = 0; block < entries.length; block++) {
            BlockEntry entry = entries[block];
            if (entry != null && entry.isFree()) {
                highestFreeEpoch.accumulateAndGet(entry.epoch(), Math::max);
                free.free(block);
            } else {
                // Also a block whose entry is destroyed: it may hold acknowledged records.
                segments.put(block, new PmemBlock(this, mapped, block, entry));
            }
        }
    }

    /** Reads the table again while another process writes. */
    private synchronized void scan() throws IOException {
        for (int block = 0; block < superblock().blockCount(); block++) {
            BlockEntry entry = entry(block);
            PmemBlock known = segments.get(block);
            if (known != null && known.isSameSegment(entry)) {
                known.refreshMark();
                continue;
            }
            if (known != null) {
                segments.remove(block);
                known.freedByWriter();
            }
            if (entry == null || !entry.isFree()) {
                segments.put(block, new PmemBlock(this, mapped, block, entry));
            }
        }
        releaseRetired();
    }

    List<PmemBlock> list() throws IOException {
        if (isReadOnly()) {
            scan();
        }
        return new ArrayList<>(new TreeMap<>(segments).values());
    }

    /** Reserves a block; returns null when none is free. */
    PmemBlock reserve(Mark reserved, int bytes) throws IOException {
        releaseRetired();
        mapped.requireSize();
        int block = free.allocate();
        if (block < 0) {
            return null;
        }
        // Except where noted, a failure leaves the block allocated until the pool is opened again
        // and its entry is read.
        BlockEntry before = mapped.ownEntry(block);
        if (before == null || !before.isFree()) {
            throw new IOException(
                    mapped.path()
                            + ": the entry of block "
                            + block
                            + ", which was free, is "
                            + before);
        }
        BlockEntry entry = before.reserved(reserved, bytes);
        mapped.write(block, before, entry, true);
        PmemBlock segment = new PmemBlock(this, mapped, block, entry);
        segments.put(block, segment);
        return segment;
    }

    @Override
    public void forget(PmemBlock segment, long epoch) {
        highestFreeEpoch.accumulateAndGet(epoch, Math::max);
        segments.remove(segment.block(), segment);
    }

    @Override
    public void giveBack(int block) {
        free.free(block);
    }

    @Override
    public void releaseWhenUnpinned(View view) {
        if (!view.tryRelease()) {
            retired.add(view);
        }
    }

    private void releaseRetired() {
        retired.removeIf(View::tryRelease);
    }

    /** Closes the pool; its memory is unmapped when the last pinned view is released. */
    void close() throws IOException {
        segments.values().forEach(isReadOnly() ? PmemBlock::freedByWriter : PmemBlock::release);
        // Nobody tries to release them after this, so the last reader to unpin a view does it.
        retired.forEach(View::leave);
        mapped.close();
    }
}
