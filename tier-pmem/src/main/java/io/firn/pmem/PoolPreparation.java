package io.firn.pmem;

import io.firn.medium.GuardedLog;
import java.io.IOException;
import java.util.UUID;

/** Brings the pool files of a tier into the state in which they can be mapped for writing. */
final class PoolPreparation {
    private static final GuardedLog LOG = GuardedLog.get();

    private final PoolOptions options;
    private final UUID storeId;

    PoolPreparation(PoolOptions options, UUID storeId) {
        this.options = options;
        this.storeId = storeId;
    }

    /** Creates missing pools; repairs and enlarges the existing ones. */
    Superblock[] prepare(PoolFile.Found[] found) throws IOException {
        UUID tierId = null;
        for (PoolFile.Found there : found) {
            tierId = there == null ? tierId : there.superblock().tierId();
        }
        tierId = tierId == null ? UUID.randomUUID() : tierId;
        Superblock[] superblocks = new Superblock[found.length];
        for (int i = found.length - 1; i >= 0; i--) {
            superblocks[i] = found[i] == null ? create(i, tierId) : enlarge(i, found[i]);
        }
        return superblocks;
    }

    private Superblock create(int index, UUID tierId) throws IOException {
        long bytes = capacityOf(index, 0);
        int blockBytes = options.blockBytes();
        int most = (int) Math.min(Integer.MAX_VALUE, bytes / blockBytes);
        PoolFormat format = PoolFormat.forNewPool(blockBytes, most);
        int blocks = format.blocksIn(bytes);
        if (blocks < 1) {
            throw new IOException(
                    options.poolPath(index)
                            + " may have "
                            + bytes
                            + " bytes, the pool's share of the capacity, and needs "
                            + format.fileBytes(1)
                            + " for its header and one block of "
                            + blockBytes
                            + ": ask for more capacity or for smaller blocks");
        }
        Superblock pool =
                new Superblock(
                        UUID.randomUUID(),
                        storeId,
                        tierId,
                        index,
                        options.directories().size(),
                        format,
                        blocks,
                        format.fileBytes(blocks),
                        1);
        PoolFile.create(options.medium(), options.poolPath(index), pool);
        return pool;
    }

    private Superblock enlarge(int index, PoolFile.Found found) throws IOException {
        Superblock pool = PoolFile.repair(options.medium(), options.poolPath(index), found);
        PoolFormat format = pool.format();
        if (format.blockBytes() != options.blockBytes() && options.isBlockSizeSet()) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "{0} has blocks of {1} bytes, {2} were requested: the size was chosen when the"
                            + " pool was created",
                    options.poolPath(index),
                    Integer.toString(format.blockBytes()),
                    Integer.toString(options.blockBytes()));
        }
        int blocks = format.blocksIn(capacityOf(index, pool.fileBytes()));
        return blocks <= pool.blockCount()
                ? pool
                : PoolFile.grow(options.medium(), options.poolPath(index), pool, blocks);
    }

    /** Returns the bytes that a pool's file may have. */
    private long capacityOf(int index, long present) throws IOException {
        long all =
                options.capacityBytes() == PoolOptions.WHOLE_FILE_SYSTEM
                        ? options.medium().usableBytes(options.directories().get(index)) + present
                        : options.capacityBytes() / options.directories().size();
        return (long) (all * options.poolRatio());
    }
}
