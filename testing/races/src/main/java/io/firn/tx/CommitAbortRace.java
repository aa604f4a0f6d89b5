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
 * A commit against an abort by another one who opens the same producer, which is how a time-out
 * aborts, too: the transaction is committed if, and only if, its producer was told so.
 */
@JCStressTest
@Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "committed")
@Outcome(id = "0, 1", expect = Expect.ACCEPTABLE, desc = "aborted")
@Outcome(expect = Expect.FORBIDDEN, desc = "both, or none")
@State
public class CommitAbortRace {
    private final String name = RaceStore.name();
    private final Producer producer = RaceStore.open(name);
    private final Transaction transaction = producer.beginTransaction();
    private final long offset = RaceStore.append(transaction);

    /** The producer. */
    @Actor
    public void commit(II_Result result) {
        try {
            transaction.commit();
            result.r1 = 1;
        } catch (FirnException e) {
            result.r1 = 0;
        }
    }

    /** Another one of the same name. */
    @Actor
    public void abort() {
        RaceStore.open(name);
    }

    /** Looks at what is left. */
    @Arbiter
    public void look(II_Result result) {
        result.r2 = RaceStore.isAborted(producer, offset);
        transaction.close();
    }
}
