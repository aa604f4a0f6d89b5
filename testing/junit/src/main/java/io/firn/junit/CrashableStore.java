package io.firn.junit;

import io.firn.FirnException;
import io.firn.LogStore;
import io.firn.LogStoreBuilder;
import io.firn.file.FileTier;
import io.firn.open.StoreBuilder;
import io.firn.sim.SimulatedFileMedium;
import io.firn.sim.Survival;
import java.nio.file.Path;
import java.util.Objects;
import java.util.function.UnaryOperator;

/**
 * A store on a simulated disk in memory, whose power can be cut and whose process can be killed, so
 * that a test can see what its application does afterwards.
 *
 * <p>The disk keeps apart what was forced from what was only written, as a real one does: bytes,
 * sizes of files and names of files each survive by themselves. It is the disk on which Firn's own
 * crash tests run.
 *
 * <p>After a power cut or a kill, {@link #store} returns another store, opened on what was left.
 * Appenders, tailers and cursors of the one before throw {@link io.firn.ClosedException}, or {@link
 * io.firn.MediumException} when they were in the middle of something.
 *
 * <p>Thread-safe: a test may cut the power while other threads append.
 *
 * @see FirnStore
 */
public final class CrashableStore implements AutoCloseable {
    private static final Path DIRECTORY = Path.of("/simulated/store");
    private static final Path SEGMENTS = Path.of("/simulated/segments");

    private final UnaryOperator<LogStoreBuilder> options;
    private SimulatedFileMedium medium = new SimulatedFileMedium();
    private LogStore store;

    private CrashableStore(UnaryOperator<LogStoreBuilder> options) {
        this.options = options;
        store = openStore();
    }

    /** Opens an empty store with one tier. */
    public static CrashableStore open() {
        return open(UnaryOperator.identity());
    }

    /**
     * Opens an empty store with one tier.
     *
     * @param options sets what else the store shall have, at each start: a clock, for example
     */
    public static CrashableStore open(UnaryOperator<LogStoreBuilder> options) {
        return new CrashableStore(Objects.requireNonNull(options, "options"));
    }

    /** Returns the store that is open now. */
    public synchronized LogStore store() {
        return store;
    }

    /**
     * Cuts the power and starts the store again: nothing survives that was not forced. What an
     * append to a topic with {@link io.firn.Durability#DURABLE} returned, is there.
     *
     * @return the store that is open now
     */
    public LogStore powerCut() {
        return restart(Survival.NONE);
    }

    /**
     * Cuts the power and starts the store again; of what was not forced, some survives, in pieces:
     * the seed decides. Run with many seeds, this finds what {@link #powerCut()} cannot: a half
     * written state that was never meant to be seen.
     *
     * @return the store that is open now
     */
    public LogStore powerCut(long seed) {
        return restart(Survival.random(seed));
    }

    /**
     * Kills the process and starts the store again: everything that was written is there, forced or
     * not.
     *
     * @return the store that is open now
     */
    public LogStore kill() {
        return restart(null);
    }

    /**
     * The copy is taken before the old store closes, since that close would force and tidy up; and
     * from then on the old disk does nothing, so that no append is acknowledged that is lost.
     */
    private synchronized LogStore restart(Survival survival) {
        SimulatedFileMedium before = medium;
        SimulatedFileMedium left;
        synchronized (before) {
            left = survival == null ? before.kill() : before.crash(survival);
            before.faults().failOperations(operation -> true);
        }
        try {
            store.close();
        } catch (FirnException e) {
            // Its disk is gone.
        }
        medium = left;
        store = openStore();
        return store;
    }

    private LogStore openStore() {
        LogStoreBuilder builder = StoreBuilder.over(DIRECTORY, medium);
        return options.apply(builder.tier(FileTier.at(SEGMENTS).withMedium(medium))).open();
    }

    /** Closes the store and forgets the disk. */
    @Override
    public synchronized void close() {
        store.close();
    }
}
