package io.firn.pmem;

import java.nio.file.Path;

/** Small pools for tests. */
final class Pools {
    static final int BLOCK_BYTES = PoolFormat.MIN_BLOCK_BYTES;

    private Pools() {}

    /** A tier with so many of the smallest blocks in each pool. */
    static PmemTier.Builder withBlocks(int blocks, Path... directories) {
        return PmemTier.builder(directories)
                .blockBytes(BLOCK_BYTES)
                .poolRatio(1)
                .capacityBytes(fileBytes(blocks) * directories.length);
    }

    static long fileBytes(int blocks) {
        return PoolFormat.forNewPool(BLOCK_BYTES, blocks).fileBytes(blocks);
    }
}
