package io.firn.crash;

import io.firn.Durability;
import io.firn.LogStore;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import io.firn.open.StoreBuilder;
import io.firn.sim.SimulatedFileMedium;
import java.nio.file.Path;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.agrona.concurrent.CachedEpochClock;

/** A store on a simulated medium, without threads and with a clock of its own. */
final class Simulation {
    static final Path DIRECTORY = Path.of("/sim/store");
    static final Path SEGMENTS = Path.of("/sim/segments");
    static final TopicOptions SMALL = TopicOptions.defaults().withSegmentBytes(64 * 1024);
    static final TopicOptions SMALL_WRITTEN = SMALL.withDurability(Durability.WRITTEN);

    private static final long START_MS = 1_700_000_000_000L;
    private static final Logger LOG = Logger.getLogger("io.firn");

    final CachedEpochClock clock = new CachedEpochClock();
    final SimulatedFileMedium medium;

    Simulation(SimulatedFileMedium medium) {
        this.medium = medium;
        clock.update(START_MS);
    }

    /** Thousands of recoveries tell thousands of stories. */
    static void silenceLog() {
        LOG.setLevel(Level.OFF);
    }

    LogStore open() {
        return StoreBuilder.over(DIRECTORY, medium)
                .tier(FileTier.at(SEGMENTS).withMedium(medium))
                .clock(clock)
                .invokerMode()
                .open();
    }

    /** Lets time pass in which the background does what is due. */
    void pass(LogStore store, long ms) {
        clock.advance(ms);
        for (int i = 0; i < 3; i++) {
            store.doWork();
        }
    }
}
