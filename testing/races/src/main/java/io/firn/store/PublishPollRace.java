package io.firn.store;

import io.firn.log.LogSegment;
import io.firn.log.SparseIndex;
import io.firn.spi.Block;
import io.firn.spi.Mark;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.UUID;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;

/** A reader that sees a new end of a segment sees the bytes below it and the offset of that end. */
@JCStressTest
@Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "nothing visible yet")
@Outcome(id = "1, 7", expect = Expect.ACCEPTABLE, desc = "the first end and the bytes below it")
@Outcome(id = "2, 8", expect = Expect.ACCEPTABLE, desc = "the second end and the bytes below it")
@Outcome(expect = Expect.FORBIDDEN, desc = "an end without its bytes, or a mixture of two ends")
@State
public class PublishPollRace {
    private static final int LENGTH = 64;
    private static final UUID TOPIC = new UUID(1, 1);

    private final ByteBuffer memory = ByteBuffer.allocateDirect(2 * LENGTH);
    private final LogSegment segment =
            new LogSegment(block(memory), 1, new SparseIndex(2 * LENGTH));

    /** A block that consists of memory only. */
    static Block block(ByteBuffer memory) {
        return (Block)
                Proxy.newProxyInstance(
                        Block.class.getClassLoader(),
                        new Class<?>[] {Block.class},
                        (proxy, method, arguments) ->
                                switch (method.getName()) {
                                    case "memory" -> memory;
                                    case "capacity" -> memory.capacity();
                                    case "isWrittenByCalls" -> false;
                                    case "mark" -> Mark.reserved(TOPIC, 0, 1);
                                    default -> throw new AssertionError(method);
                                });
    }

    /** The writer. */
    @Actor
    public void append() {
        memory.putLong(0, 7);
        segment.setWritten(LENGTH, 1);
        memory.putLong(LENGTH, 8);
        segment.setWritten(2 * LENGTH, 2);
    }

    /** A reader. */
    @Actor
    public void poll(JJ_Result result) {
        long end = segment.end();
        int position = LogSegment.positionOf(end);
        result.r1 = segment.offsetOf(end);
        result.r2 = position == 0 ? 0 : memory.getLong(position - LENGTH);
        if (position != result.r1 * LENGTH) {
            result.r1 = -1;
        }
    }
}
