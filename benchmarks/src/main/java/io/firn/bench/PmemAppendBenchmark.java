package io.firn.bench;

import io.firn.ExclusiveAppender;
import io.firn.pmem.Emulation;
import io.firn.pmem.PmemTier;
import io.firn.pmem.Provider;
import java.io.IOException;
import java.nio.file.Path;
import org.openjdk.jmh.annotations.Param;

/** Appends to a pool of emulated persistent memory, whose cache lines are really flushed. */
public class PmemAppendBenchmark extends AppendBenchmark {
    // Enough for the whole warm-up, which rolls faster than retention makes room.
    private static final int BLOCKS = 12;

    /** The provider that flushes. */
    @Param("LLPL")
    public Provider provider;

    private PmemTier tier;

    /**
     * Appends until the block of the next segment is reserved. The reservation begins when an
     * eighth of this segment is filled and would take memory bandwidth during the measurement.
     */
    @Override
    void prepare(ExclusiveAppender appending, byte[] filler) throws IOException {
        long enough = ((long) segmentMib << 20) / 4;
        int before = tier.list().size();
        for (long filled = 0; tier.list().size() == before; ) {
            if (filled < enough) {
                for (int i = 0; i < 1000; i++) {
                    appending.append(filler);
                }
                filled += 1000L * (filler.length + BatchImage.batch(new byte[0], 1).length);
            }
        }
    }

    @Override
    FirnLog openLog() throws IOException {
        // Somewhat more than the segment, because a block also has room for indexes.
        int blockBytes = (segmentMib + 4) << 20;
        FirnLog log =
                FirnLog.open(dir, directory -> tier = newTier(provider, directory, blockBytes));
        if (tier.provider() != provider) {
            log.close();
            throw new IllegalStateException(
                    provider + " is not available on this machine: " + tier.providerReason());
        }
        return log;
    }

    private static PmemTier newTier(Provider provider, Path directory, int blockBytes) {
        return PmemTier.at(directory.resolve("pmem"))
                .withProvider(provider)
                .withEmulation(Emulation.PLAIN)
                .withBlockBytes(blockBytes)
                .withCapacityBytes((long) BLOCKS * blockBytes + (4 << 20))
                .withPoolRatio(1);
    }
}
