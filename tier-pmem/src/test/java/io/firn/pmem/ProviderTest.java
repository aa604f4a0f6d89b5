package io.firn.pmem;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.firn.Survives;
import io.firn.medium.FileMedium;
import io.firn.spi.Block;
import io.firn.spi.StorageTier.TierContext;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Who flushes, what that gives, and what is said about it. */
class ProviderTest {
    @TempDir Path directory;

    private boolean isPersistent() throws IOException {
        try (PmemTier tier = Pools.open(Pools.withBlocks(1, directory.resolve("probe")))) {
            return tier.survives() == Survives.POWER_LOSS;
        }
    }

    static String whyNot(Provider provider) {
        return switch (provider) {
            case LLPL -> NativeAccess.whyNoLlpl();
            case LIBPMEM -> NativeAccess.whyNoLibpmem();
            default -> null;
        };
    }

    @ParameterizedTest
    @EnumSource(Provider.class)
    void shouldBeTheOneThatWasNamedOrBeRefused(Provider wanted) throws IOException {
        PmemTier pool = Pools.withBlocks(2, directory).withProvider(wanted);
        String why = whyNot(wanted);
        if (why != null) {
            IOException refused = assertThrows(IOException.class, () -> Pools.open(pool));
            assertTrue(refused.getMessage().contains(why), refused.getMessage());
            assertTrue(refused.getMessage().contains("AUTO"), refused.getMessage());
            return;
        }
        try (PmemTier tier = Pools.open(pool)) {
            if (wanted == Provider.AUTO) {
                assertTrue(tier.provider() != Provider.AUTO);
            } else {
                assertEquals(wanted, tier.provider());
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Provider.class)
    void shouldKeepWhatItForced(Provider wanted) throws IOException {
        assumeTrue(whyNot(wanted) == null, whyNot(wanted));
        PmemTier pool = Pools.withBlocks(2, directory).withProvider(wanted);
        byte[] index = Pools.bytes(7, 777);
        try (PmemTier tier = Pools.open(pool)) {
            Pools.seal(Pools.fill(Pools.reserve(tier, 1), 9000)).finishSeal(index, index);
            Block active = Pools.fill(Pools.reserve(tier, 2), 9000);
            for (int from = 1; from < 200; from += 7) {
                active.force(from, from + from);
            }
            assertThrows(IndexOutOfBoundsException.class, () -> active.force(0, Pools.ROOM + 1));
            assertThrows(IndexOutOfBoundsException.class, () -> active.force(-1, 1));
        }
        try (PmemTier tier = Pools.open(pool, false)) {
            byte[] read = new byte[9000];
            for (Block segment : tier.list()) {
                segment.read(0, read, 0, read.length);
                assertArrayEquals(Pools.bytes(segment.mark().epoch(), 9000), read);
            }
            Pools.assertAccountedFor(tier);
        }
    }

    @ParameterizedTest
    @EnumSource(Provider.class)
    void shouldMapPersistentMemorySynchronously(Provider wanted) throws IOException {
        assumeTrue(isPersistent(), "no persistent memory");
        PmemTier pool = Pools.withBlocks(1, directory).withEmulation(Emulation.NONE);
        try (PmemTier tier = Pools.open(pool.withProvider(wanted))) {
            assertEquals(Survives.POWER_LOSS, tier.survives());
            List<String> flags = Pools.mappingFlags(directory.resolve(PoolFile.NAME));
            assertTrue(!flags.isEmpty(), "mappings");
            assertTrue(flags.stream().allMatch(line -> line.contains(" sf")), flags.toString());
        }
    }

    /** Not that a package is to be installed, which would not help. */
    @Test
    void shouldSayThatLlplIsForOnePlatform() {
        assertNull(NativeAccess.whyNoLlplOn("Linux", "amd64"));
        String why = NativeAccess.whyNoLlplOn("Linux", "aarch64");
        assertTrue(why.contains("needs Linux on x86-64, this is Linux on aarch64"), why);
    }

    @Test
    void shouldRefuseWhatIsNotPersistentUnlessEmulationWasAskedFor() throws IOException {
        assumeTrue(!isPersistent(), "persistent memory");
        Path place = directory.resolve("refused");
        PmemTier tier = Pools.withBlocks(1, place).withEmulation(Emulation.NONE);
        TierContext context = new TierContext(Pools.STORE, true, false);

        IOException refused = assertThrows(IOException.class, () -> tier.open(context));

        assertTrue(refused.getMessage().contains(place.toString()), refused.getMessage());
        assertTrue(refused.getMessage().contains("emulation"), refused.getMessage());
        try (var left = Files.list(place)) {
            assertTrue(left.allMatch(file -> file.endsWith(PoolFile.LOCK)), "files left behind");
        }
    }

    @Test
    void shouldClaimOnlyWhatEmulationGives() throws IOException {
        assumeTrue(!isPersistent(), "persistent memory");
        PmemTier plain = Pools.withBlocks(1, directory.resolve("plain"));
        PmemTier forced =
                Pools.withBlocks(1, directory.resolve("forced")).withEmulation(Emulation.FORCED);
        try (PmemTier tier = Pools.open(plain)) {
            assertEquals(Survives.PROCESS_CRASH, tier.survives());
            assertTrue(tier.providerReason().contains("plain emulation"));
        }
        try (PmemTier tier = Pools.open(forced)) {
            assertEquals(FileMedium.real().survives(directory), tier.survives());
            assertTrue(tier.providerReason().contains("forced emulation"));
        }
    }

    @Test
    void shouldRefuseForcedEmulationByAProviderThatCannotForceFiles() throws IOException {
        assumeTrue(!isPersistent(), "persistent memory");
        for (Provider provider : new Provider[] {Provider.LLPL, Provider.LIBPMEM}) {
            PmemTier tier =
                    Pools.withBlocks(1, directory.resolve("forced"))
                            .withProvider(provider)
                            .withEmulation(Emulation.FORCED);
            TierContext context = new TierContext(Pools.STORE, true, false);
            IOException refused = assertThrows(IOException.class, () -> tier.open(context));
            assertTrue(refused.getMessage().contains(provider.name()), refused.getMessage());
        }
    }
}
