package io.firn.log;

import io.firn.producer.PartitionTransactions;
import io.firn.producer.Producers;
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

/**
 * A reader of committed records does not pass a transaction before it is decided, and when it
 * passes one that was aborted, it knows that.
 */
@JCStressTest
@Outcome(id = "0, [01]", expect = Expect.ACCEPTABLE, desc = "stops before the transaction")
@Outcome(id = "2, 1", expect = Expect.ACCEPTABLE, desc = "passes it, and its marker, as aborted")
@Outcome(id = "1, [01]", expect = Expect.FORBIDDEN, desc = "sees what is not decided")
@Outcome(id = "2, 0", expect = Expect.FORBIDDEN, desc = "sees what was aborted as committed")
@State
public class UndecidedRace {
    private static final int LENGTH = 64;
    private static final long PRODUCER = 7;
    private static final UUID TOPIC = new UUID(1, 1);

    private final PartitionTransactions transactions = new Producers().transactions();
    private final LogSegment segment =
            new LogSegment(block(ByteBuffer.allocate(2 * LENGTH)), 1, new SparseIndex(2 * LENGTH));

    private static Block block(ByteBuffer memory) {
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

    /** Appends a transaction's first batch and its marker, in the order of ProducerAppends. */
    @Actor
    public void append() {
        transactions.hold(0, PRODUCER);
        segment.setWritten(LENGTH, 1);
        segment.setWritten(2 * LENGTH, 2);
        transactions.ended(0, PRODUCER, 1, false);
        transactions.release(0);
    }

    /** A reader. */
    @Actor
    public void poll(JJ_Result result) {
        result.r1 = transactions.stable(segment.offsetOf(segment.end()));
        result.r2 = transactions.aborted().contains(PRODUCER, 0) ? 1 : 0;
    }
}
