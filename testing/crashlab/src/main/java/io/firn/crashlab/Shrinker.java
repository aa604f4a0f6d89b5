package io.firn.crashlab;

import io.firn.crashlab.CrashRun.Failure;
import io.firn.sim.SimulatedFileMedium;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** Removes from a failing workload the actions without which it still fails. */
final class Shrinker {
    private final Workload all;
    private final CrashRun.Shares shares;
    private final Supplier<SimulatedFileMedium> medium;

    /**
     * Creates a shrinker.
     *
     * @param all the workload that fails
     * @param medium creates the medium on which each attempt begins
     */
    Shrinker(Workload all, CrashRun.Shares shares, Supplier<SimulatedFileMedium> medium) {
        this.all = all;
        this.shares = shares;
        this.medium = medium;
    }

    /**
     * The actions that are left.
     *
     * @param kept the indexes of the actions
     * @param failure how they fail; empty if only one of the few images showed it that are checked
     *     while the workload shrinks
     */
    record Result(List<Integer> kept, Optional<Failure> failure) {}

    /**
     * Removes halves of the workload, then smaller and smaller pieces, as long as it still fails.
     */
    Result shrink(List<Integer> failing) {
        List<Integer> smallest = failing;
        int piece = Math.max(1, smallest.size() / 2);
        while (true) {
            boolean smaller = false;
            for (int from = 0; from < smallest.size(); ) {
                List<Integer> without = new ArrayList<>(smallest.subList(0, from));
                int to = Math.min(from + piece, smallest.size());
                without.addAll(smallest.subList(to, smallest.size()));
                if (explore(without, CrashRun.Limits.FEW).isPresent()) {
                    smallest = without;
                    smaller = true;
                } else {
                    from = to;
                }
            }
            if (piece == 1 && !smaller) {
                return new Result(
                        smallest, explore(smallest, CrashRun.Limits.of(all.seed(), shares)));
            }
            piece = Math.max(1, piece / 2);
        }
    }

    private Optional<Failure> explore(List<Integer> kept, CrashRun.Limits limits) {
        return new CrashRun(all.keep(kept), limits, new Matrix(), () -> false, () -> {})
                .on(medium).run().stream().findFirst();
    }

    /** Returns the indexes of all of a number of actions. */
    static List<Integer> everything(int actions) {
        return IntStream.range(0, actions).boxed().toList();
    }
}
