package io.firn.crashlab;

import io.firn.LogStore;
import io.firn.LogStoreBuilder;
import io.firn.file.FileTier;
import io.firn.pmem.SimulatedPmem;
import io.firn.sim.SimulatedFileMedium;
import java.nio.file.Path;
import java.time.Duration;
import org.agrona.concurrent.EpochClock;

/** What a store lies on. */
enum Media {
    /** Segments in persistent memory. */
    MEMORY(12, false, false),
    /** The same, with caches that a power cut does not empty. */
    EADR(12, true, false),
    /** Segments in files. */
    FILES(0, false, true),
    /** A few in memory, the others in files. */
    BOTH(3, false, true);

    private static final Path STORE = Path.of("/sim/store");
    private static final Path POOL = Path.of("/sim/pmem");
    private static final Path SEGMENTS = Path.of("/sim/segments");

    private final int blocks;
    private final boolean eadr;
    private final boolean files;

    Media(int blocks, boolean eadr, boolean files) {
        this.blocks = blocks;
        this.eadr = eadr;
        this.files = files;
    }

    /** Whether some of it is memory. */
    boolean hasMemory() {
        return blocks > 0;
    }

    SimulatedFileMedium empty() {
        SimulatedFileMedium medium = new SimulatedFileMedium();
        if (hasMemory()) {
            medium.usePersistentMemory(
                    path -> path.startsWith(POOL) && !path.endsWith("lock"), eadr);
        }
        return medium;
    }

    /** Opens the store on a medium, without threads; some options as the variant decides. */
    LogStore open(SimulatedFileMedium medium, EpochClock clock, int variant) {
        LogStoreBuilder builder = LogStore.in(STORE).medium(medium).clock(clock).invokerMode();
        if (hasMemory()) {
            builder.tier(SimulatedPmem.tier(medium, POOL, blocks));
        }
        if (files) {
            builder.tier(FileTier.builder(SEGMENTS).medium(medium).build());
        }
        if (variant % 3 == 1) {
            builder.markInterval(Duration.ofMillis(10)).cursorInterval(Duration.ofMillis(10));
        } else if (variant % 3 == 2) {
            builder.markInterval(Duration.ofSeconds(10));
        }
        return builder.open();
    }
}
