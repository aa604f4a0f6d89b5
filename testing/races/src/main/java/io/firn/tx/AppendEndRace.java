package io.firn.tx;

import io.firn.FirnException;
import io.firn.Producer;
import io.firn.Transaction;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * The first append of a transaction against its end, by another one who opens the same producer: no
 * batch comes behind its marker, where it would hold up readers for ever (O11).
 */
@JCStressTest
@Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "appended, and aborted")
@Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "refused")
@Outcome(expect = Expect.FORBIDDEN, desc = "appended behind the end, where it hangs")
@State
public class AppendEndRace {
    private final String name = RaceStore.name();
    private final Producer producer = RaceStore.open(name);
    private final Transaction transaction = producer.beginTransaction();
    private long offset = -1;

    /** The producer. */
    @Actor
    public void append(II_Result result) {
        try {
            offset = RaceStore.append(transaction);
            result.r1 = 1;
        } catch (FirnException e) {
            result.r1 = 0;
        }
    }

    /** Another one of the same name. */
    @Actor
    public void end() {
        RaceStore.open(name);
    }

    /** Looks at what is left. */
    @Arbiter
    public void look(II_Result result) {
        result.r2 = offset < 0 ? 0 : RaceStore.isAborted(producer, offset);
        transaction.close();
    }
}
