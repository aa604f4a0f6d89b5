package io.firn.crashlab;

import io.firn.crashlab.Explorer.Failure;
import io.firn.sim.SimulatedFileMedium;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** Leaves out of a failing workload whatever it fails without. */
final class Shrinker {
    private final Media media;
    private final long seed;
    private final List<Action> all;
    private final int deepShare;
    private final Supplier<SimulatedFileMedium> medium;

    /**
     * A shrinker.
     *
     * @param all the workload that fails
     * @param medium what each try begins on
     */
    Shrinker(
            Media media,
            long seed,
            List<Action> all,
            int deepShare,
            Supplier<SimulatedFileMedium> medium) {
        this.media = media;
        this.seed = seed;
        this.all = all;
        this.deepShare = deepShare;
        this.medium = medium;
    }

    /**
     * What is left.
     *
     * @param kept which of the actions, by their places
     * @param failure how they fail; empty when only the few images showed it that are looked at
     *     while a workload is made smaller
     */
    record Small(List<Integer> kept, Optional<Failure> failure) {}

    /** Leaves out pieces of half of the workload, then ever smaller ones, while anything goes. */
    Small shrink(List<Integer> failing) {
        List<Integer> smallest = failing;
        int piece = Math.max(1, smallest.size() / 2);
        while (true) {
            boolean smaller = false;
            for (int from = 0; from < smallest.size(); ) {
                List<Integer> without = new ArrayList<>(smallest.subList(0, from));
                int to = Math.min(from + piece, smallest.size());
                without.addAll(smallest.subList(to, smallest.size()));
                if (explore(without, Explorer.Limits.FEW).isPresent()) {
                    smallest = without;
                    smaller = true;
                } else {
                    from = to;
                }
            }
            if (piece == 1 && !smaller) {
                return new Small(smallest, explore(smallest, Explorer.Limits.of(seed, deepShare)));
            }
            piece = Math.max(1, piece / 2);
        }
    }

    private Optional<Failure> explore(List<Integer> kept, Explorer.Limits limits) {
        return new Explorer(
                        media,
                        seed,
                        Action.pick(all, kept),
                        limits,
                        new Matrix(),
                        () -> false,
                        () -> {})
                .on(medium).explore().stream().findFirst();
    }

    /** The places of all of so many actions. */
    static List<Integer> everything(int actions) {
        return IntStream.range(0, actions).boxed().toList();
    }
}
