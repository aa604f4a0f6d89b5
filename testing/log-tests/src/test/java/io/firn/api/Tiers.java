package io.firn.api;

import io.firn.LogStoreBuilder;
import io.firn.medium.FileMedium;
import io.firn.open.StoreBuilder;
import io.firn.pmem.Emulation;
import io.firn.pmem.PmemTier;
import io.firn.pmem.Provider;
import java.nio.file.Path;

/** The kinds of tiers over which tests of the log run. */
enum Tiers {
    FILES {
        @Override
        LogStoreBuilder at(Path directory, FileMedium medium) {
            return Stores.at(directory, medium);
        }
    },
    /** Emulated persistent memory with few blocks, which are soon used again. */
    MEMORY {
        @Override
        LogStoreBuilder at(Path directory, FileMedium medium) {
            return StoreBuilder.over(directory.resolve("store"), medium)
                    .tier(
                            PmemTier.at(directory.resolve("pool"))
                                    .withMedium(medium)
                                    .withBlockBytes(2 << 20)
                                    .withPoolRatio(1)
                                    .withCapacityBytes(64 << 20)
                                    .withEmulation(Emulation.PLAIN)
                                    .withProvider(Provider.JDK));
        }
    };

    abstract LogStoreBuilder at(Path directory, FileMedium medium);

    /** A store in a directory, on a medium that forces nothing. */
    LogStoreBuilder at(Path directory) {
        return at(directory, new ObservedMedium());
    }
}
