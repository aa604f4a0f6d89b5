package io.firn.crashlab;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** Leaves out of a failing workload whatever it fails without. */
final class Shrinker {
    private final Predicate<List<Action>> fails;

    /** With a test whether a workload fails. */
    Shrinker(Predicate<List<Action>> fails) {
        this.fails = fails;
    }

    /** Pieces of half of the workload, then ever smaller ones, for as long as anything goes. */
    List<Action> shrink(List<Action> failing) {
        List<Action> smallest = failing;
        int piece = Math.max(1, smallest.size() / 2);
        while (true) {
            boolean smaller = false;
            for (int from = 0; from < smallest.size(); ) {
                List<Action> without = new ArrayList<>(smallest.subList(0, from));
                int to = Math.min(from + piece, smallest.size());
                without.addAll(smallest.subList(to, smallest.size()));
                if (fails.test(without)) {
                    smallest = without;
                    smaller = true;
                } else {
                    from = to;
                }
            }
            if (piece == 1 && !smaller) {
                return smallest;
            }
            piece = Math.max(1, piece / 2);
        }
    }
}
