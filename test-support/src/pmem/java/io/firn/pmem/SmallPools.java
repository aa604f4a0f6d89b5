package io.firn.pmem;

import java.nio.file.Path;

/** Pools of a few small blocks in emulated persistent memory. */
public final class SmallPools {
    static final int BLOCK_BYTES = PoolFormat.MIN_BLOCK_BYTES;

    private SmallPools() {}

    /** A tier with so many of the smallest blocks in each pool. */
    public static PmemTier.Builder withBlocks(int blocks, Path... directories) {
        return PmemTier.builder(directories)
                .blockBytes(BLOCK_BYTES)
                .poolRatio(1)
                .capacityBytes(fileBytes(blocks) * directories.length)
                .emulation(Emulation.PLAIN)
                .provider(Provider.JDK);
    }

    static long fileBytes(int blocks) {
        return PoolFormat.forNewPool(BLOCK_BYTES, blocks).fileBytes(blocks);
    }
}
