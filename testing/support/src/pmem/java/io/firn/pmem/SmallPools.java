package io.firn.pmem;

import java.nio.file.Path;

/** Pools of a few small blocks in emulated persistent memory. */
public final class SmallPools {
    static final int BLOCK_BYTES = PoolFormat.MIN_BLOCK_BYTES;

    private SmallPools() {}

    /** A tier with so many of the smallest blocks in each pool. */
    public static PmemTier withBlocks(int blocks, Path... directories) {
        return PmemTier.at(directories)
                .withBlockBytes(BLOCK_BYTES)
                .withPoolRatio(1)
                .withCapacityBytes(fileBytes(blocks) * directories.length)
                .withEmulation(Emulation.PLAIN)
                .withProvider(Provider.JDK);
    }

    static long fileBytes(int blocks) {
        return PoolFormat.forNewPool(BLOCK_BYTES, blocks).fileBytes(blocks);
    }
}
