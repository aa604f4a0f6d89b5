package io.firn.sim;

import java.util.function.IntPredicate;

/** Pages survive by their numbers; no names and no sizes do. */
final class Pages implements Survival {
    private final IntPredicate surviving;
    private int asked;

    Pages(IntPredicate surviving) {
        this.surviving = surviving;
    }

    @Override
    public boolean name() {
        return false;
    }

    @Override
    public boolean size() {
        return false;
    }

    @Override
    public Fate page() {
        return surviving.test(asked++) ? Fate.NEW : Fate.OLD;
    }

    @Override
    public boolean piece() {
        return false;
    }

    @Override
    public int pieceBytes() {
        return SimulatedFile.PAGE;
    }
}
