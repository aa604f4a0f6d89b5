package io.firn.pmem;

import io.firn.medium.FileMedium;
import io.firn.medium.FileMedium.MediumLock;
import io.firn.medium.MediumFile;
import io.firn.medium.TwoSlots;
import io.firn.spi.Mark;
import java.io.IOException;
import java.nio.file.Path;
import java.util.UUID;

/**
 * Repairs a pool in which both slots of a block's entry are destroyed, so that the store cannot be
 * opened for writing. Recreates the entry from the batches in the block, or saves the batches to a
 * file and frees the block. Locks the pool meanwhile, and changes nothing else in it. For one
 * thread; for {@code bin/firn repair}.
 *
 * <p>The batches do not contain their partition: {@code bin/firn verify} shows which partition
 * lacks their offsets.
 *
 * @see PmemTier
 */
public final class PoolRepair implements AutoCloseable {
    private final FileMedium medium;
    private final Path path;
    private final MediumLock lock;
    private final MediumFile file;
    private final Superblock pool;

    private PoolRepair(
            FileMedium medium, Path path, MediumLock lock, MediumFile file, Superblock pool) {
        this.medium = medium;
        this.path = path;
        this.lock = lock;
        this.file = file;
        this.pool = pool;
    }

    /**
     * The offsets of the batches in a block.
     *
     * @param from the first
     * @param to the one after the last
     */
    public record Offsets(long from, long to) {
        private static Offsets of(BatchChain chain) {
            return new Offsets(chain.from(), chain.to());
        }
    }

    /**
     * Opens the pool in a directory.
     *
     * @throws IOException when it cannot be trusted as a whole
     * @throws io.firn.StoreLockedException when a store has it open
     */
    public static PoolRepair open(Path directory) throws IOException {
        return open(FileMedium.real(), directory);
    }

    /**
     * Opens the pool in a directory of a medium.
     *
     * @throws IOException when it cannot be trusted as a whole
     * @throws io.firn.StoreLockedException when a store has it open
     */
    static PoolRepair open(FileMedium medium, Path directory) throws IOException {
        Path path = directory.resolve(PoolFile.NAME);
        if (!medium.exists(path)) {
            throw new IOException("there is no pool in " + directory);
        }
        MediumLock lock = medium.lock(directory.resolve(PoolFile.LOCK));
        boolean done = false;
        try {
            Superblock pool = PoolFile.read(medium, path).superblock();
            MediumFile file = medium.open(path, true);
            done = true;
            return new PoolRepair(medium, path, lock, file, pool);
        } finally {
            if (!done) {
                lock.close();
            }
        }
    }

    /**
     * Gives the block to a partition, durable to its last batch.
     *
     * @throws IOException when there is no such block, its entry is whole, or it holds no batch
     */
    public Offsets restore(int block, UUID topicId, int partition) throws IOException {
        BatchChain chain = batchesIn(block);
        if (chain.isEmpty()) {
            throw new IOException("block " + block + " holds no batch: free it instead");
        }
        BlockEntry like = newestOfAll();
        // −1 when no other block was ever used.
        long highBits = Math.max(like.epoch(), 0) & ~(long) Integer.MAX_VALUE;
        long epoch = highBits | chain.epochBits();
        Mark mark =
                Mark.reserved(topicId, partition, epoch)
                        .active(epoch, chain.from(), chain.bytes(), chain.to());
        write(block, like.freed().reserved(mark, pool.format().room()));
        return Offsets.of(chain);
    }

    /**
     * Saves the batches durably to a new file, which may be empty, and frees the block.
     *
     * @throws IOException when there is no such block, its entry is whole, or the file exists or
     *     cannot be written; the block is not freed then
     */
    public Offsets free(int block, Path saveTo) throws IOException {
        BatchChain chain = batchesIn(block);
        byte[] bytes = read(pool.format().blockPosition(block), chain.bytes());
        try (MediumFile saved = medium.create(saveTo)) {
            saved.write(0, bytes, 0, bytes.length);
            saved.force();
        }
        // The name too: from here on nothing else has these batches.
        medium.forceDirectory(saveTo.toAbsolutePath().getParent());
        write(block, newestOfAll().freed());
        return Offsets.of(chain);
    }

    private BatchChain batchesIn(int block) throws IOException {
        if (block < 0 || block >= pool.blockCount()) {
            throw new IOException(path + " has blocks 0 to " + (pool.blockCount() - 1));
        }
        BlockEntry entry = entry(block);
        if (entry != null) {
            throw new IOException(
                    "the entry of block "
                            + block
                            + " is whole, "
                            + (entry.isFree() ? "free" : entry.mark())
                            + ": there is nothing to repair");
        }
        return BatchChain.in(read(pool.format().blockPosition(block), pool.format().room()));
    }

    /** Returns an entry with the highest numbers of all, so that one made from it is the newest. */
    private BlockEntry newestOfAll() throws IOException {
        BlockEntry newest = BlockEntry.neverUsed();
        long epoch = newest.epoch();
        for (int block = 0; block < pool.blockCount(); block++) {
            BlockEntry entry = entry(block);
            if (entry != null) {
                newest = entry.writes() > newest.writes() ? entry : newest;
                epoch = Math.max(epoch, entry.epoch());
            }
        }
        return newest.withEpoch(epoch);
    }

    private BlockEntry entry(int block) throws IOException {
        return TwoSlots.newest(slot -> readSlot(block, slot), BlockEntry::writes).record();
    }

    private BlockEntry readSlot(int block, int slot) throws IOException {
        byte[] bytes = read(pool.format().slotPosition(block, slot), BlockEntry.SLOT_BYTES);
        return BlockEntry.decode(bytes, pool.poolId(), block);
    }

    private void write(int block, BlockEntry entry) throws IOException {
        byte[] bytes = entry.encode(pool.poolId(), block);
        for (int slot = 0; slot < PoolFormat.SLOTS; slot++) {
            file.write(pool.format().slotPosition(block, slot), bytes, 0, bytes.length);
            file.force();
        }
    }

    private byte[] read(long position, int length) throws IOException {
        byte[] bytes = new byte[length];
        file.read(position, bytes, 0, length);
        return bytes;
    }

    @Override
    public void close() throws IOException {
        try {
            file.close();
        } finally {
            lock.close();
        }
    }
}
