package io.firn.log;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;

/** A tailer that has removed its note of a partition misses no end that is published meanwhile. */
@JCStressTest
@Outcome(id = "0, 1", expect = Expect.ACCEPTABLE, desc = "published after the poll, and noted")
@Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "read, and noted once more")
@Outcome(id = "1, -1", expect = Expect.ACCEPTABLE, desc = "read, and no longer noted")
@Outcome(expect = Expect.FORBIDDEN, desc = "an end that nobody will read")
@State
public class UnreadRace {
    private static final VarHandle END;

    static {
        try {
            END = MethodHandles.lookup().findVarHandle(UnreadRace.class, "end", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final TopicTailers.UnreadPartitions unread =
            new TopicTailers.UnreadPartitions(this, new int[] {0, 1});

    @SuppressWarnings("UnusedVariable") // through its handle
    private long end;

    /** Who appends. */
    @Actor
    public void publish() {
        unread.begin(0);
        END.setRelease(this, 1L);
        unread.end(0);
    }

    /** The tailer, to which the partition is noted at first. */
    @Actor
    public void poll(JJ_Result result) {
        result.r1 = look();
    }

    /** A later poll. */
    @Arbiter
    public void pollAgain(JJ_Result result) {
        result.r2 = unread.next(0, 1) == 0 ? (long) END.getAcquire(this) : -1;
    }

    private long look() {
        long seen = (long) END.getAcquire(this);
        unread.clear(0);
        if ((long) END.getAcquire(this) > seen) {
            unread.note(0);
        }
        return seen;
    }
}
