package io.firn.store;

import io.firn.spi.View;
import java.nio.ByteBuffer;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A pinned view is not released before it is unpinned, and is released exactly once. */
@JCStressTest
@Outcome(id = "0, 1", expect = Expect.ACCEPTABLE, desc = "the reader came too late")
@Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "the reader pinned it")
@Outcome(expect = Expect.FORBIDDEN, desc = "released while pinned, never, or twice")
@State
public class PinFreeRace {
    private final ByteBuffer buffer = ByteBuffer.allocate(1);
    private final View view = new View(buffer, this::release);
    private int released;

    private void release(boolean handedOut) {
        released++;
        buffer.put(0, (byte) 1);
    }

    /** A reader. */
    @Actor
    public void read(II_Result result) {
        if (view.pin()) {
            boolean before = view.buffer().get(0) == 0;
            boolean after = view.buffer().get(0) == 0;
            result.r1 = before && after ? 1 : -1;
            view.unpin();
        }
    }

    /** The owner of the segment. */
    @Actor
    public void free() {
        view.leave();
    }

    /** Checks the result after both actors. */
    @Arbiter
    public void look(II_Result result) {
        result.r2 = released;
    }
}
