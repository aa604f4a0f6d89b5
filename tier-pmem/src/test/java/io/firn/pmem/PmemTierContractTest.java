package io.firn.pmem;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.firn.spi.StorageTier;
import io.firn.spi.StorageTierContract;
import java.nio.file.Path;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.io.TempDir;

/** The persistent-memory tier keeps the contract of tiers, on every kind of emulated memory. */
class PmemTierContractTest {

    @Nested
    class Plain extends OnThisMachine {
        @Override
        PmemTier with(PmemTier pool) {
            return pool.withEmulation(Emulation.PLAIN);
        }
    }

    @Nested
    class Forced extends OnThisMachine {
        @Override
        PmemTier with(PmemTier pool) {
            return pool.withEmulation(Emulation.FORCED);
        }
    }

    @Nested
    class ByLlpl extends OnThisMachine {
        @Override
        PmemTier with(PmemTier pool) {
            assumeTrue(NativeAccess.whyNoLlpl() == null, NativeAccess::whyNoLlpl);
            return pool.withEmulation(Emulation.PLAIN).withProvider(Provider.LLPL);
        }
    }

    @Nested
    class ByLibpmem extends OnThisMachine {
        @Override
        PmemTier with(PmemTier pool) {
            assumeTrue(NativeAccess.whyNoLibpmem() == null, NativeAccess::whyNoLibpmem);
            return pool.withEmulation(Emulation.PLAIN).withProvider(Provider.LIBPMEM);
        }
    }

    /** On real files; what is persistent memory there, is used as such. */
    abstract static class OnThisMachine extends StorageTierContract {
        @TempDir Path directory;

        abstract PmemTier with(PmemTier pool);

        @Override
        protected StorageTier newTier() {
            return with(Pools.withBlocks(8, directory.resolve("roomy/tier")));
        }

        @Override
        protected StorageTier newTierWithRoomFor(int segments) {
            return with(Pools.withBlocks(segments, directory.resolve("small")));
        }
    }
}
