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
        PmemTier.Builder with(PmemTier.Builder builder) {
            return builder.emulation(Emulation.PLAIN);
        }
    }

    @Nested
    class Forced extends OnThisMachine {
        @Override
        PmemTier.Builder with(PmemTier.Builder builder) {
            return builder.emulation(Emulation.FORCED);
        }
    }

    @Nested
    class ByLlpl extends OnThisMachine {
        @Override
        PmemTier.Builder with(PmemTier.Builder builder) {
            assumeTrue(NativeAccess.whyNoLlpl() == null, NativeAccess::whyNoLlpl);
            return builder.emulation(Emulation.PLAIN).provider(Provider.LLPL);
        }
    }

    @Nested
    class ByLibpmem extends OnThisMachine {
        @Override
        PmemTier.Builder with(PmemTier.Builder builder) {
            assumeTrue(NativeAccess.whyNoLibpmem() == null, NativeAccess::whyNoLibpmem);
            return builder.emulation(Emulation.PLAIN).provider(Provider.LIBPMEM);
        }
    }

    /** On real files; what is persistent memory there, is used as such. */
    abstract static class OnThisMachine extends StorageTierContract {
        @TempDir Path directory;

        abstract PmemTier.Builder with(PmemTier.Builder builder);

        @Override
        protected StorageTier newTier() {
            return with(Pools.withBlocks(8, directory.resolve("roomy/tier"))).build();
        }

        @Override
        protected StorageTier newTierWithRoomFor(int segments) {
            return with(Pools.withBlocks(segments, directory.resolve("small"))).build();
        }
    }
}
