package io.firn.bench;

import io.firn.pmem.Emulation;
import io.firn.pmem.PmemTier;
import io.firn.pmem.Provider;
import java.io.IOException;
import java.nio.file.Path;
import org.openjdk.jmh.annotations.Param;

/** Appends to a pool of emulated persistent memory, whose cache lines are flushed for real. */
public class PmemAppendBenchmark extends AppendBenchmark {
    // For all of the warm-up: it rolls faster than retention makes room.
    private static final int BLOCKS = 12;

    /** Who flushes. */
    @Param("LLPL")
    public Provider provider;

    @Override
    FirnLog openLog() throws IOException {
        // A little more than the segment: a block has room for indexes, too.
        int blockBytes = (segmentMib + 4) << 20;
        PmemTier[] made = new PmemTier[1];
        FirnLog log =
                FirnLog.open(dir, directory -> made[0] = newTier(provider, directory, blockBytes));
        if (made[0].provider() != provider) {
            log.close();
            throw new IllegalStateException(
                    provider + " is not to be had here: " + made[0].providerReason());
        }
        return log;
    }

    private static PmemTier newTier(Provider provider, Path directory, int blockBytes) {
        return PmemTier.builder(directory.resolve("pmem"))
                .provider(provider)
                .emulation(Emulation.PLAIN)
                .blockBytes(blockBytes)
                .capacityBytes((long) BLOCKS * blockBytes + (4 << 20))
                .poolRatio(1)
                .build();
    }
}
