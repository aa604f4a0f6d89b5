package io.firn.pmem;

import io.firn.file.FileTier;
import io.firn.kill.Ground;
import io.firn.spi.StorageTier;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Emulated persistent memory with few blocks, and files below it for what finds none free. */
public final class PmemGround implements Ground {
    private static final int BLOCKS = 24;

    @Override
    public List<StorageTier> tiers(Path directory) {
        return List.of(
                Pools.withBlocks(BLOCKS, directory.resolve("pmem")),
                FileTier.at(directory.resolve("segments")));
    }

    /** Free and used are all, in the table on the medium as in what is handed out. */
    @Override
    public String flaw(List<StorageTier> tiers) throws IOException {
        PmemTier tier = (PmemTier) tiers.get(0);
        PmemPool pool = tier.pools().get(0);
        int listed = tier.list().size();
        int free = 0;
        for (int block = 0; block < BLOCKS; block++) {
            BlockEntry entry = pool.entry(block);
            if (entry == null) {
                return "the entry of block " + block + " is destroyed";
            }
            free += entry.isFree() ? 1 : 0;
        }
        long used = tier.usedBytes() / Pools.BLOCK_BYTES;
        return free + used == BLOCKS && used == listed
                ? null
                : free
                        + " of "
                        + BLOCKS
                        + " blocks are free by the table, "
                        + used
                        + " are in use, "
                        + listed
                        + " hold segments";
    }
}
