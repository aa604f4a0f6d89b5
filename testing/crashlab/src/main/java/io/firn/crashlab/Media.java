package io.firn.crashlab;

import io.firn.LogStore;
import io.firn.LogStoreBuilder;
import io.firn.file.FileTier;
import io.firn.open.StoreBuilder;
import io.firn.pmem.SimulatedPmem;
import io.firn.sim.SimulatedFileMedium;
import java.nio.file.Path;
import java.time.Duration;
import org.agrona.concurrent.EpochClock;
import org.agrona.concurrent.NanoClock;

/** The media on which a store is simulated. */
enum Media {
    /** Segments in persistent memory. */
    MEMORY(12, false, 0),
    /** The same, with processor caches that survive a power cut (eADR). */
    EADR(12, true, 0),
    /** Segments in files. */
    FILES(0, false, 1),
    /** A few segments in persistent memory, the others in files. */
    BOTH(3, false, 1),
    /** Segments move between persistent memory and two directories of files. */
    MOVES(8, false, 2),
    /** The same with topics that are compacted. */
    COMPACT(8, false, 2),
    /** Transactions over topics in persistent memory. */
    TRANSACTIONS_MEMORY(24, false, 0),
    /** Transactions over topics in files. */
    TRANSACTIONS_FILES(0, false, 1),
    /** Transactions while segments move between persistent memory and directories of files. */
    TRANSACTIONS_BOTH(12, false, 2),
    /** The same with topics that are compacted. */
    TRANSACTIONS_COMPACT(12, false, 2);

    /** So small that it is copied fast, and rolls. */
    private static final int JOURNAL_SEGMENT_BYTES = 64 * 1024;

    private static final Path STORE = Path.of("/sim/store");
    private static final Path POOL = Path.of("/sim/pmem");
    private static final Path[] SEGMENTS = {Path.of("/sim/segments"), Path.of("/sim/archive")};

    private final int blocks;
    private final boolean eadr;
    private final int directories;

    Media(int blocks, boolean eadr, int directories) {
        this.blocks = blocks;
        this.eadr = eadr;
        this.directories = directories;
    }

    /** Whether there are segments in files. */
    boolean hasFiles() {
        return directories > 0;
    }

    /** Whether segments move between tiers. */
    boolean hasMoves() {
        return directories > 1;
    }

    /** Whether tiers are drained, after which others may have no room. */
    boolean hasDrains() {
        return hasMoves() && !hasTransactions();
    }

    /** Whether the topics are compacted, and their records have keys. */
    boolean isCompacted() {
        return this == COMPACT || this == TRANSACTIONS_COMPACT;
    }

    /** Whether there are transactions. */
    boolean hasTransactions() {
        return this == TRANSACTIONS_MEMORY
                || this == TRANSACTIONS_FILES
                || this == TRANSACTIONS_BOTH
                || this == TRANSACTIONS_COMPACT;
    }

    /** Whether there is persistent memory. */
    boolean hasMemory() {
        return blocks > 0;
    }

    /** How many segments the persistent memory has room for. */
    int blocks() {
        return blocks;
    }

    /** Returns a new medium without any files. */
    SimulatedFileMedium empty() {
        SimulatedFileMedium medium = new SimulatedFileMedium();
        if (hasMemory()) {
            medium.usePersistentMemory(
                    path -> path.startsWith(POOL) && !path.endsWith("lock"), eadr);
        }
        return medium;
    }

    /** Opens the store in invoker mode; the variant decides how often marks are written. */
    LogStore open(SimulatedFileMedium medium, EpochClock clock, int variant) {
        return builder(medium, clock, variant).open();
    }

    /** Returns what {@link #open} opens. */
    LogStoreBuilder builder(SimulatedFileMedium medium, EpochClock clock, int variant) {
        LogStoreBuilder builder =
                StoreBuilder.over(STORE, medium)
                        .journalSegmentBytes(JOURNAL_SEGMENT_BYTES)
                        .clock(clock)
                        .nanoClock(new SteppingClock())
                        .invokerMode();
        if (hasMemory()) {
            builder.tier(SimulatedPmem.tier(medium, POOL, blocks));
        }
        for (int i = 0; i < directories; i++) {
            builder.tier(FileTier.at(SEGMENTS[i]).withMedium(medium));
        }
        if (variant % 3 == 1) {
            builder.markInterval(Duration.ofMillis(10)).cursorInterval(Duration.ofMillis(10));
        } else if (variant % 3 == 2) {
            builder.markInterval(Duration.ofSeconds(10));
        }
        return builder;
    }

    /** Goes on at each look, so that nobody waits for a pause after a failure. */
    private static final class SteppingClock implements NanoClock {
        private static final long STEP_NS = 50_000_000;
        private long now;

        @Override
        public long nanoTime() {
            return now += STEP_NS;
        }
    }
}
