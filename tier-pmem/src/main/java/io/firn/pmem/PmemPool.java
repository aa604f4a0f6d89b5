package io.firn.pmem;

import io.firn.medium.MediumFile;
import io.firn.spi.Mark;
import io.firn.spi.View;
import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * An open pool: its memory, its table, which blocks are free and what is in the others. A block's
 * life: taken from the free ones → entry RESERVED, durable → used by its segment → entry FREE,
 * durable → nobody pins its views any more → among the free ones again. A crash anywhere leaves an
 * entry that says which.
 */
final class PmemPool {
    private static final int READ_TRIES = 4;

    private final PmemTier tier;
    private final Path path;
    private final Superblock superblock;
    private final MediumFile file;
    private final PmemMemory memory;
    private final BlockTable table;
    private final FreeBlocks free;
    private final AutoCloseable lock;
    private final boolean readOnly;
    private final ConcurrentHashMap<Integer, PmemBlock> segments = new ConcurrentHashMap<>();
    private final ConcurrentLinkedQueue<View> retired = new ConcurrentLinkedQueue<>();
    private final AtomicLong highestFreeEpoch = new AtomicLong(-1);

    // The innermost lock: a look holds the pool's, then the segment's, and may release a view.
    private final Object mapped = new Object();
    private int views;
    private boolean handedOut;
    private boolean closed;

    /**
     * Takes over an open pool file.
     *
     * @param lock held while the pool is open; null when read-only
     */
    PmemPool(
            PmemTier tier,
            Path path,
            Superblock superblock,
            MediumFile file,
            PmemMemory memory,
            AutoCloseable lock) {
        this.tier = tier;
        this.path = path;
        this.superblock = superblock;
        this.file = file;
        this.memory = memory;
        this.lock = lock;
        this.readOnly = lock == null;
        this.table = new BlockTable(memory, superblock);
        this.free = new FreeBlocks(superblock.blockCount());
    }

    PmemTier tier() {
        return tier;
    }

    Path path() {
        return path;
    }

    PoolFormat format() {
        return superblock.format();
    }

    Superblock superblock() {
        return superblock;
    }

    PmemMemory memory() {
        return memory;
    }

    MediumFile file() {
        return file;
    }

    boolean isReadOnly() {
        return readOnly;
    }

    long usedBytes() {
        // Another process allocates and frees: what is free is as of the last scan.
        int used = readOnly ? segments.size() : free.usedCount();
        return (long) used * format().blockBytes();
    }

    long capacityBytes() {
        return (long) superblock.blockCount() * format().blockBytes();
    }

    long highestFreeEpoch() {
        return highestFreeEpoch.get();
    }

    /** Finds out what is in the blocks. */
    void load() throws IOException {
        if (readOnly) {
            look();
            return;
        }
        BlockEntry[] entries = table.settle();
        for (int block = 0; block < entries.length; block++) {
            BlockEntry entry = entries[block];
            if (entry != null && entry.isFree()) {
                highestFreeEpoch.accumulateAndGet(entry.epoch(), Math::max);
                free.give(block);
            } else {
                // One whose entry is destroyed is kept, too: it may hold what was acknowledged.
                segments.put(block, new PmemBlock(this, block, entry));
            }
        }
    }

    /** As {@link #load}, beside another process that writes. */
    private synchronized void look() throws IOException {
        for (int block = 0; block < superblock.blockCount(); block++) {
            BlockEntry entry = entry(block);
            PmemBlock known = segments.get(block);
            if (known != null && known.isLife(entry)) {
                known.refreshMark();
                continue;
            }
            if (known != null) {
                segments.remove(block);
                known.leave();
            }
            if (entry == null || !entry.isFree()) {
                segments.put(block, new PmemBlock(this, block, entry));
            }
        }
        sweep();
    }

    /**
     * Whether the block is still in the life that a segment of ours began, so that no byte of a
     * later one was read yet.
     */
    boolean isLife(int block, long life) {
        // Before the process that writes stored the first byte of a new life, both slots told of
        // the old one's end: whoever copied such a byte finds that out here.
        VarHandle.acquireFence();
        try {
            if (table.isLife(block, life)) {
                return true;
            }
            BlockEntry found = entry(block);
            return found != null && found.life() == life && !found.isFree();
        } catch (IOException | InternalError e) {
            return false; // the pool was cut, which the next look will say
        }
    }

    List<PmemBlock> list() throws IOException {
        if (readOnly) {
            look();
        }
        return new ArrayList<>(new TreeMap<>(segments).values());
    }

    /** The entry as it is now; read again when the owner was caught writing it. */
    BlockEntry entry(int block) throws IOException {
        BlockEntry entry = null;
        for (int i = 0; i < READ_TRIES && entry == null; i++) {
            entry = table.read(block);
        }
        return entry;
    }

    /** Sets a block aside; null when none is free. */
    PmemBlock reserve(Mark reserved, int bytes) throws IOException {
        sweep();
        requireWhole();
        int block = free.take();
        if (block < 0) {
            return null;
        }
        // Unless it says otherwise, a failure leaves the block reserved until the pool is opened
        // again and its entry is read.
        BlockEntry before = table.read(block);
        if (before == null || !before.isFree()) {
            throw new IOException(
                    path + ": the entry of block " + block + ", which was free, is " + before);
        }
        BlockEntry entry = before.reserved(reserved, bytes);
        prefault(block);
        write(block, before, entry, true);
        PmemBlock segment = new PmemBlock(this, block, entry);
        segments.put(block, segment);
        return segment;
    }

    private void prefault(int block) throws IOException {
        boolean done = false;
        try {
            memory.prefault(format().blockPosition(block), format().blockBytes());
            done = true;
        } finally {
            if (!done) {
                free.give(block); // as it was
            }
        }
    }

    /** Writes an entry; durable on return. */
    void write(int block, BlockEntry before, BlockEntry next, boolean both) throws IOException {
        requireWhole();
        table.write(block, before, next, both);
        requireWhole();
    }

    /** Stores bytes that are not batches; durable on return. */
    void store(long position, byte[] bytes) throws IOException {
        requireWhole();
        memory.storeAndForce(position, bytes);
        requireWhole();
    }

    /**
     * Called before a store outside of the append path, because native code that stores or flushes
     * beyond the end of a truncated file ends the JVM, and after it, because what was stored there
     * is lost silently.
     */
    private void requireWhole() throws IOException {
        long size = file.size();
        if (size != superblock.fileBytes()) {
            throw PoolFile.changedSize(path, superblock.fileBytes(), size);
        }
    }

    /** Whether the process that writes has added blocks since this pool was opened. */
    boolean isOutgrown() {
        try {
            return file.size() > superblock.fileBytes()
                    && PoolFile.read(tier.medium(), path).superblock().blockCount()
                            > superblock.blockCount();
        } catch (IOException e) {
            return false; // it is growing just now; what is known stays readable
        }
    }

    void forget(PmemBlock segment, long epoch) {
        highestFreeEpoch.accumulateAndGet(epoch, Math::max);
        segments.remove(segment.block(), segment);
    }

    /** Lets a block be used again; its entry is durably FREE and nobody pins its views. */
    void giveBack(int block) {
        free.give(block);
    }

    /** Releases a retired view, now or when its last reader has gone. */
    void releaseWhenFree(View view) {
        if (!view.tryRelease()) {
            retired.add(view);
        }
    }

    private void sweep() {
        retired.removeIf(View::tryRelease);
    }

    void viewOpened() {
        synchronized (mapped) {
            views++;
        }
    }

    void viewReleased(boolean wasHandedOut) {
        synchronized (mapped) {
            handedOut |= wasHandedOut;
            views--;
            unmapWhenUnused();
        }
    }

    private void unmapWhenUnused() {
        if (closed && views == 0) {
            if (handedOut) {
                memory.abandon();
            } else {
                memory.close();
            }
        }
    }

    /** Lets go of everything; the memory is unmapped when the last pinned view is released. */
    void close() throws IOException {
        segments.values().forEach(readOnly ? PmemBlock::leave : PmemBlock::release);
        // From here on nobody sweeps: whoever lets go last, unmaps.
        retired.forEach(View::leave);
        try {
            synchronized (mapped) {
                closed = true;
                unmapWhenUnused();
            }
            file.close();
        } finally {
            unlock();
        }
    }

    private void unlock() throws IOException {
        try {
            if (lock != null) {
                lock.close();
            }
        } catch (IOException e) {
            throw e;
        } catch (Exception e) {
            throw new IOException("could not unlock " + path, e);
        }
    }
}
