package io.firn.pmem;

import io.firn.Survives;
import io.firn.medium.MediumFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * The tests' word that they run on persistent memory, with the provider that {@code
 * -Dfirn.test.persistent} names: pools of {@link Pools} are opened by it, and one that is not of
 * class {@code POWER_LOSS}, or is mapped without MAP_SYNC, fails. Without that property nothing is
 * demanded.
 */
final class PersistentMemory {
    static final String PROPERTY = "firn.test.persistent";
    private static final String NAMED = System.getProperty(PROPERTY);
    private static final Map<Provider, Integer> MAPPED = new EnumMap<>(Provider.class);

    private PersistentMemory() {}

    /** Who opens the pools of a test that does not say. */
    static Provider provider() {
        return NAMED == null ? Provider.AUTO : Provider.valueOf(NAMED);
    }

    static boolean isDemanded() {
        return NAMED != null;
    }

    /** How many pools were found to be on persistent memory, for each provider. */
    static synchronized Map<Provider, Integer> mapped() {
        return new EnumMap<>(MAPPED);
    }

    private static synchronized void count(Provider provider) {
        MAPPED.merge(provider, 1, Integer::sum);
    }

    /** A provider that makes sure of its memory when that is demanded. */
    static PmemProvider demand(PmemProvider provider) {
        return isDemanded() ? new Demanding(provider) : provider;
    }

    private record Demanding(PmemProvider below) implements ProviderOver {
        @Override
        public PmemMemory map(MediumFile file, Path path, Superblock pool) throws IOException {
            require(survives() == Survives.POWER_LOSS, path, survives());
            PmemMemory memory = below.map(file, path, pool);
            // A read-only store of the same test maps it, too, and stores nothing.
            List<String> flags =
                    Pools.mappingFlags(path).stream()
                            .filter(line -> line.contains(" wr "))
                            .toList();
            require(!flags.isEmpty(), path, "not mapped");
            require(flags.stream().allMatch(line -> line.contains(" sf")), path, flags);
            count(kind());
            return memory;
        }

        private void require(boolean condition, Path path, Object found) {
            if (!condition) {
                // An error: no test that expects a refusal may take it for one.
                throw new AssertionError(
                        path + " by " + kind() + " should be persistent memory, found " + found);
            }
        }
    }
}
