package io.firn.log;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/**
 * A reader finds the entries that it may know of while the arrays are replaced by larger ones.
 *
 * <p>On x86 this fails when the larger arrays are published before they are filled, but not when
 * the fence between the copy and the publication is missing: an x86 processor does not reorder
 * stores. To see that, run it on a processor that does, such as an ARM one.
 */
@JCStressTest
@Outcome(id = "20000, 4, 3", expect = Expect.ACCEPTABLE, desc = "the fourth entry, as it was added")
@Outcome(expect = Expect.FORBIDDEN, desc = "an entry of an array that is not filled yet")
@State
public class SparseIndexRace {
    private static final int SIZE = 5_000;

    /** With as many entries as there is room for at first. */
    private final SparseIndex index = new SparseIndex(1 << 20);

    public SparseIndexRace() {
        for (int i = 0; i <= 4; i++) {
            add(i);
        }
    }

    private void add(int number) {
        index.onBatch(number * SIZE, SIZE, number, number);
    }

    /** Who appends: the next entry needs more room. */
    @Actor
    public void append() {
        add(5);
    }

    /** Who searches. */
    @Actor
    public void search(III_Result result) {
        int entry = index.entryBefore(4);
        result.r1 = index.position(entry);
        result.r2 = index.lastOffset(entry);
        result.r3 = index.timeOffset(index.timeBefore(4));
    }
}
