package io.firn.store;

import io.firn.append.AppendTurn;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/**
 * The thread of an exclusive appender takes its turn without a locked instruction, while a
 * background thread takes the turn from it. If both had the turn at once, a count would be lost.
 */
@JCStressTest
@Outcome(id = "3, 1, 0", expect = Expect.ACCEPTABLE, desc = "one after the other")
@Outcome(expect = Expect.FORBIDDEN, desc = "both at once, or an append refused")
@State
public class ExclusiveTurnRace {
    private final AppendTurn turn = new AppendTurn(thrown -> {});
    private int counted;

    /** The exclusive appender. */
    @Actor
    public void append(III_Result result) {
        for (int i = 0; i < 3; i++) {
            if (turn.tryEnter(() -> false)) {
                counted++;
                turn.leave();
                result.r1++;
            }
        }
    }

    /** The background. */
    @Actor
    public void borrow(III_Result result) {
        turn.enter();
        counted++;
        turn.leave();
        result.r2 = 1;
    }

    /** Checks the result after both actors. */
    @Arbiter
    public void look(III_Result result) {
        result.r3 = counted - result.r1 - result.r2;
    }
}
