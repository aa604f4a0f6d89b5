package io.firn.crashlab;

import io.firn.sim.SimulatedFileMedium;
import io.firn.sim.Survival;
import java.util.SplittableRandom;

/**
 * What a power cut at one moment may leave: every combination where there are few; else none, all,
 * all but one, only one, and some that a seed decides, torn ones among them. The same images, under
 * the same numbers, for the same medium and seed.
 */
final class Images {
    private static final int MOST_FLIPS = 48;

    private final SimulatedFileMedium medium;
    private final long seed;
    private final int sampled;
    private final int questions;
    private final boolean isEnumerated;

    /** Whom to show the images. */
    @FunctionalInterface
    interface Visitor {
        /** Looks at one; false to see no more. */
        boolean see(int number, SimulatedFileMedium image);
    }

    /**
     * Finds out what there is to choose.
     *
     * @param mostCombinations above this they are sampled
     * @param sampled how many are left to the seed
     */
    Images(SimulatedFileMedium medium, long seed, long mostCombinations, int sampled) {
        this.medium = medium;
        this.seed = seed;
        this.sampled = sampled;
        Choice everything = Choice.everything();
        Choice nothing = Choice.nothing();
        medium.crash(everything);
        medium.crash(nothing);
        this.questions = Math.max(everything.asked(), nothing.asked());
        long limit = mostCombinations + 1;
        long combinations = Math.max(everything.combinations(limit), nothing.combinations(limit));
        this.isEnumerated = combinations <= mostCombinations;
    }

    boolean isEnumerated() {
        return isEnumerated;
    }

    /** Shows all of them. */
    void each(Visitor visitor) {
        if (isEnumerated) {
            enumerate(visitor);
        } else {
            sample(visitor);
        }
    }

    private void enumerate(Visitor visitor) {
        int number = 0;
        for (Choice choice = Choice.nothing(); choice != null; choice = choice.next()) {
            if (!visitor.see(number++, medium.crash(choice))) {
                return;
            }
        }
        // Torn ones are no combination of whole pages and lines.
        for (int i = 0; i < sampled && questions > 0; i++) {
            if (!visitor.see(number++, medium.crash(random(i)))) {
                return;
            }
        }
    }

    private void sample(Visitor visitor) {
        SplittableRandom random = new SplittableRandom(seed);
        int flips = Math.min(questions, MOST_FLIPS);
        int number = 0;
        boolean go = visitor.see(number++, medium.crash(Choice.nothing()));
        go = go && visitor.see(number++, medium.crash(Choice.everything()));
        for (int i = 0; go && i < flips; i++) {
            int one = flips == questions ? i : random.nextInt(questions);
            go = visitor.see(number++, medium.crash(Choice.onlyOne(one)));
            go = go && visitor.see(number++, medium.crash(Choice.allButOne(one)));
        }
        for (int i = 0; go && i < sampled; i++) {
            go = visitor.see(number++, medium.crash(random(i)));
        }
    }

    private Survival random(int i) {
        long one = seed + i;
        return i % 2 == 0 ? Survival.random(one) : Survival.shredded(one);
    }
}
