package io.firn.crashlab;

import io.firn.StoreFullException;
import io.firn.file.FileTier;
import io.firn.pmem.Emulation;
import io.firn.pmem.PmemTier;
import io.firn.pmem.SimulatedPmem;
import io.firn.sim.SimulatedFileMedium;
import io.firn.spi.StorageTier;
import java.io.IOException;
import java.nio.file.Path;

/** Short workloads that random ones rarely contain. Each ends at the first error. */
enum Scenario {
    /** A pool grows. */
    GROWTH(true) {
        @Override
        void run(ScenarioStore store) {
            store.during(pool(store, 2), each -> each.append(8));
            store.during(pool(store, 5), each -> each.append(20));
        }
    },

    /** A pool uses the whole file system, in files that are mapped and forced. */
    WHOLE_FILE_SYSTEM(false) {
        @Override
        void run(ScenarioStore store) {
            store.medium.faults().limitBytes(FILE_SYSTEM_BYTES);
            store.during(emulated(store), each -> each.append(6));
            store.during(emulated(store), each -> each.append(6));
        }
    },

    /** A read-only store follows the writer in files. */
    FOLLOWED_FILES(false) {
        @Override
        void run(ScenarioStore store) {
            store.followed(files(store), files(store));
        }
    },

    /** A read-only store follows the writer in a pool. */
    FOLLOWED_POOL(false) {
        @Override
        void run(ScenarioStore store) {
            store.medium.faults().limitBytes(FILE_SYSTEM_BYTES);
            store.followed(emulated(store), emulated(store));
        }
    },

    /** A cursor is created, forced and deleted. */
    CURSOR(false) {
        @Override
        void run(ScenarioStore store) {
            store.during(
                    files(store),
                    each -> {
                        each.append(1);
                        each.topic.cursor("c").commit(0, 1);
                        each.topic.cursor("c").force();
                        each.topic.deleteCursor("c");
                    });
        }
    },

    /** Records are deleted while the disk is full; later there is space again. */
    FULL_DISK(false) {
        @Override
        void run(ScenarioStore store) {
            store.during(
                    files(store),
                    each -> {
                        each.append(20);
                        each.fillDisk();
                        try {
                            each.append(40);
                        } catch (StoreFullException e) {
                            each.startAsked = each.partition.durableOffset() / 2;
                        }
                        each.fillDisk();
                        each.partition.deleteRecordsBefore(each.startAsked);
                        each.pass();
                        each.medium.faults().limitBytes(Long.MAX_VALUE);
                        each.pass();
                    });
        }
    },

    /** The mark of a sealed segment is missing. */
    LOST_MARK(false) {
        @Override
        void run(ScenarioStore store) throws IOException {
            store.during(files(store), each -> each.append(30));
            store.deleteMarks(FILES);
            store.during(files(store), each -> each.append(10));
        }
    };

    private static final Path POOL = Path.of("/sim/pmem");
    private static final Path FILES = Path.of("/sim/segments");
    private static final int FILE_SYSTEM_BYTES = 12 << 20;

    private final boolean isInMemory;

    Scenario(boolean isInMemory) {
        this.isInMemory = isInMemory;
    }

    /** Executes the scenario; throws the first error. */
    abstract void run(ScenarioStore store) throws IOException;

    SimulatedFileMedium empty() {
        return (isInMemory ? Media.MEMORY : Media.FILES).empty();
    }

    private static StorageTier pool(ScenarioStore store, int blocks) {
        return SimulatedPmem.tier(store.medium, POOL, blocks);
    }

    private static StorageTier emulated(ScenarioStore store) {
        return PmemTier.at(POOL)
                .withMedium(store.medium)
                .withBlockBytes(2 << 20)
                .withPoolRatio(0.8)
                .withEmulation(Emulation.FORCED);
    }

    private static StorageTier files(ScenarioStore store) {
        return FileTier.at(FILES).withMedium(store.medium);
    }

    /** Opens what is left after a scenario and compares it with what was acknowledged. */
    void check(SimulatedFileMedium left, ScenarioStore before) {
        ScenarioStore after = new ScenarioStore(left);
        StorageTier tier =
                switch (this) {
                    case GROWTH -> pool(after, 5);
                    case WHOLE_FILE_SYSTEM, FOLLOWED_POOL -> {
                        left.faults().limitBytes(FILE_SYSTEM_BYTES);
                        yield emulated(after);
                    }
                    case FOLLOWED_FILES, CURSOR, FULL_DISK, LOST_MARK -> files(after);
                };
        after.checkAgainst(before, tier);
    }
}
