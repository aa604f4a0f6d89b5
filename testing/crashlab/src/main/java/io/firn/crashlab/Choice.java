package io.firn.crashlab;

import io.firn.sim.Survival;
import java.util.Arrays;

/**
 * Decides what survives a power cut by a sequence of answers, each a number from 0 (nothing) to the
 * number of versions. Keeps the questions, so that the next combination can be derived from it.
 */
final class Choice implements Survival {
    private static final int NOT_FLIPPED = -1;

    private final boolean everything;
    private final int flipped;
    private final int[] prefix;
    private int[] most = new int[64];
    private int asked;

    private Choice(boolean everything, int flipped, int... prefix) {
        this.everything = everything;
        this.flipped = flipped;
        this.prefix = prefix;
    }

    static Choice nothing() {
        return new Choice(false, NOT_FLIPPED);
    }

    static Choice everything() {
        return new Choice(true, NOT_FLIPPED);
    }

    static Choice onlyOne(int index) {
        return new Choice(false, index);
    }

    static Choice allButOne(int index) {
        return new Choice(true, index);
    }

    /** Returns how many questions were asked. */
    int asked() {
        return asked;
    }

    /** Returns the number of combinations of the questions asked so far, at most the limit. */
    long combinations(long limit) {
        long product = 1;
        for (int i = 0; i < asked && product < limit; i++) {
            product *= most[i] + 1;
        }
        return Math.min(product, limit);
    }

    /** Returns the combination after this one; null if this was the last. */
    Choice next() {
        int[] digits = Arrays.copyOf(prefix, asked);
        for (int i = asked - 1; i >= 0; i--) {
            if (digits[i] < most[i]) {
                digits[i]++;
                return new Choice(false, NOT_FLIPPED, Arrays.copyOf(digits, i + 1));
            }
        }
        return null;
    }

    private int answer(int largest) {
        if (asked == most.length) {
            most = Arrays.copyOf(most, 2 * asked);
        }
        int index = asked++;
        most[index] = largest;
        if (index < prefix.length) {
            return Math.min(prefix[index], largest);
        }
        return everything != (index == flipped) ? largest : 0;
    }

    @Override
    public boolean name() {
        return answer(1) == 1;
    }

    @Override
    public boolean size() {
        return answer(1) == 1;
    }

    @Override
    public Fate page() {
        return answer(1) == 1 ? Fate.NEW : Fate.OLD;
    }

    @Override
    public int line(int versions) {
        return answer(versions);
    }

    @Override
    public boolean piece() {
        throw new AssertionError("nothing is torn");
    }

    @Override
    public int pieceBytes() {
        throw new AssertionError("nothing is torn");
    }
}
