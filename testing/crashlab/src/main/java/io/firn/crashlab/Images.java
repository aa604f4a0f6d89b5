package io.firn.crashlab;

import io.firn.sim.SimulatedFileMedium;
import io.firn.sim.Survival;
import java.util.SplittableRandom;

/**
 * The images that a power cut at one moment may leave. Every combination of surviving writes where
 * there are few; otherwise none, all, all except one, only one, and some that a seed chooses,
 * including torn ones. The same medium and seed give the same images with the same numbers.
 */
final class Images {
    private static final int MOST_FLIPS = 48;

    private final SimulatedFileMedium medium;
    private final long seed;
    private final int sampled;
    private final int questions;
    private final boolean isEnumerated;

    /** Receives the images. */
    @FunctionalInterface
    interface Visitor {
        /** Receives one; returns false to receive no more. */
        boolean visit(int number, SimulatedFileMedium image);
    }

    /**
     * Counts the combinations.
     *
     * @param mostCombinations above this number they are sampled
     * @param sampled how many images the seed chooses
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

    /** Passes all images to a visitor. */
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
            if (!visitor.visit(number++, medium.crash(choice))) {
                return;
            }
        }
        // Torn pages are not among the combinations of whole pages and lines.
        for (int i = 0; i < sampled && questions > 0; i++) {
            if (!visitor.visit(number++, medium.crash(random(i)))) {
                return;
            }
        }
    }

    private void sample(Visitor visitor) {
        SplittableRandom random = new SplittableRandom(seed);
        int flips = Math.min(questions, MOST_FLIPS);
        int number = 0;
        boolean go = visitor.visit(number++, medium.crash(Choice.nothing()));
        go = go && visitor.visit(number++, medium.crash(Choice.everything()));
        for (int i = 0; go && i < flips; i++) {
            int one = flips == questions ? i : random.nextInt(questions);
            go = visitor.visit(number++, medium.crash(Choice.onlyOne(one)));
            go = go && visitor.visit(number++, medium.crash(Choice.allButOne(one)));
        }
        for (int i = 0; go && i < sampled; i++) {
            go = visitor.visit(number++, medium.crash(random(i)));
        }
    }

    private Survival random(int i) {
        long one = seed + i;
        return i % 2 == 0 ? Survival.random(one) : Survival.shredded(one);
    }
}
