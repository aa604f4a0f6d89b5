package io.firn.store;

import io.firn.append.AppendTurn;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** Shared appenders take turns: each gets an offset of its own, and no offset is skipped. */
@JCStressTest
@Outcome(id = "0, 1, 2", expect = Expect.ACCEPTABLE, desc = "the first one was first")
@Outcome(id = "1, 0, 2", expect = Expect.ACCEPTABLE, desc = "the second one was first")
@Outcome(expect = Expect.FORBIDDEN, desc = "an offset assigned twice or skipped")
@State
public class SharedAppendRace {
    private final AppendTurn turn = new AppendTurn(thrown -> {});
    private int nextOffset;

    private int append() {
        turn.enter();
        try {
            return nextOffset++;
        } finally {
            turn.leave();
        }
    }

    /** An appender. */
    @Actor
    public void first(III_Result result) {
        result.r1 = append();
    }

    /** Another appender. */
    @Actor
    public void second(III_Result result) {
        result.r2 = append();
    }

    /** Checks the result after both actors. */
    @Arbiter
    public void look(III_Result result) {
        result.r3 = nextOffset;
    }
}
