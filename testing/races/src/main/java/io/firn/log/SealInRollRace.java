package io.firn.log;

import io.firn.spi.Block;
import io.firn.spi.Mark;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.UUID;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A segment that is sealed as soon as its end is seen is sealed when the roll has ended, too. */
@JCStressTest
@Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "the end was not seen")
@Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "the end was seen, and it is sealed")
@Outcome(expect = Expect.FORBIDDEN, desc = "its block is sealed, and the next force seals it again")
@State
public class SealInRollRace {
    private static final Mark RESERVED = Mark.reserved(new UUID(1, 1), 0, 1);
    private static final ByteBuffer MEMORY = ByteBuffer.allocate(64);
    private static final Block BLOCK =
            (Block)
                    Proxy.newProxyInstance(
                            Block.class.getClassLoader(),
                            new Class<?>[] {Block.class},
                            (proxy, method, arguments) ->
                                    switch (method.getName()) {
                                        case "memory" -> MEMORY;
                                        case "capacity" -> MEMORY.capacity();
                                        case "isWrittenByCalls" -> false;
                                        case "mark" -> RESERVED;
                                        case "seal" -> null;
                                        default -> throw new AssertionError(method);
                                    });

    private final LogSegment segment = new LogSegment(BLOCK, 1, new SparseIndex(64));

    /** The writer. */
    @Actor
    public void roll() {
        segment.roll(1);
    }

    /** The holder of the force gate. */
    @Actor
    public void seal(II_Result result) {
        if (segment.endOffset() == LogSegment.OPEN) {
            return;
        }
        try {
            segment.seal(0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        result.r1 = 1;
    }

    /** Afterwards. */
    @Arbiter
    public void look(II_Result result) {
        result.r2 = segment.isSealed() ? 1 : 0;
    }
}
