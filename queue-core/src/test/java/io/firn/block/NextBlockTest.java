package io.firn.block;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.FirnException;
import io.firn.RefusedException;
import io.firn.StoreFullException;
import io.firn.log.InMemory;
import io.firn.log.LogContext.FreedBlocks;
import io.firn.log.LogSegment;
import io.firn.log.SegmentedLog;
import io.firn.log.SparseIndex;
import io.firn.spi.Block;
import io.firn.spi.MemoryTier;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How the background hands the next block to the writer. */
class NextBlockTest {
    private MemoryTier tier;
    private FreedBlocks freed;
    private NextBlock next;
    private int calls;

    @BeforeEach
    void open() throws IOException {
        tier = InMemory.tier();
        SegmentedLog log = InMemory.log(tier);
        freed = log.store().freedBlocks();
        next = new NextBlock(log);
        next.suppliedBy(
                new NextBlock.BlockSource() {
                    @Override
                    public void call() {
                        calls++;
                    }

                    @Override
                    public void supplyNow() {
                        throw new AssertionError("nobody waits here");
                    }
                });
    }

    private LogSegment segment() {
        Block block = InMemory.block(tier, 7);
        return new LogSegment(block, 7, new SparseIndex(block.capacity()));
    }

    @Test
    void shouldAskOnceUntilItIsAnswered() {
        assertNull(next.take());
        assertNull(next.take());
        assertEquals(1, calls);
        LogSegment segment = segment();
        next.offer(segment);
        assertFalse(next.isWanted());
        assertSame(segment, next.take());
        assertNull(next.take());
        assertEquals(2, calls);
    }

    @Test
    void shouldTellAFailureOnceAndThenAskAgain() {
        assertNull(next.take());
        next.refuse(new RefusedException("on purpose", null));
        FirnException e = assertThrows(FirnException.class, next::take);
        assertTrue(e.getMessage().contains("on purpose"), e.getMessage());
        assertNull(next.take());
        assertEquals(2, calls);
    }

    @Test
    void shouldNotTellAFailureThatNobodyWaitedFor() {
        next.refuse(new RefusedException("on purpose", null));
        assertNull(next.take());
        next.refuse(new RefusedException("on purpose", null));
        next.offer(segment());
        assertTrue(next.isReserved());
        next.withdraw();
        assertNull(next.take(), "a block came after the failure");
    }

    @Test
    void shouldRefuseWhileTheTiersAreFullUntilABlockIsFreed() {
        assertNull(next.take());
        next.refuseAsFull(new StoreFullException("full"), freed.count());
        assertThrows(StoreFullException.class, next::checkRoom);
        assertTrue(next.isKnownToBeFull());
        freed.onFreed();
        next.checkRoom();
        assertNull(next.take());
        assertEquals(2, calls);
    }

    /** That the tiers are full says nothing to an append whose segment has room. */
    @Test
    void shouldNotRefuseAnAppendThatWaitsForZerosOnly() {
        assertNull(next.take());
        next.refuseAsFull(new StoreFullException("full"), freed.count());
        assertThrows(StoreFullException.class, next::checkRoom);
        next.onZeros();
        assertFalse(next.isMissing());
        next.checkRoom();
        assertNull(next.take());
        assertTrue(next.isMissing());
        assertThrows(StoreFullException.class, next::checkRoom);
    }

    /**
     * One that is offered between the two looks of the writer: the background has answered, and
     * does not again. Nothing in between calls anybody, so two threads have to meet there.
     */
    @Test
    void shouldNotWaitForAnAnswerThatWasGivenWhileItAsked() throws InterruptedException {
        LogSegment block = segment();
        int rounds = 100_000;
        AtomicInteger round = new AtomicInteger();
        AtomicInteger offered = new AtomicInteger();
        Thread background =
                new Thread(
                        () -> {
                            for (int i = 1; i <= rounds; i++) {
                                meet(round, i);
                                spin(i % 40);
                                next.offer(block);
                                offered.set(i);
                            }
                        });
        background.start();
        int unanswered = 0;
        for (int i = 1; i <= rounds; i++) {
            round.set(i);
            spin(i / 40 % 40);
            LogSegment taken = next.take();
            meet(offered, i);
            if (taken == null) {
                unanswered += next.isWanted() ? 1 : 0;
                assertSame(block, next.take());
            }
        }
        background.join();
        assertEquals(0, unanswered);
    }

    private static void meet(AtomicInteger other, int number) {
        for (int tries = 0; other.get() < number; tries++) {
            if (tries > 1_000) {
                Thread.yield();
            }
            Thread.onSpinWait();
        }
    }

    private static void spin(int times) {
        for (int i = 0; i < times; i++) {
            Thread.onSpinWait();
        }
    }

    @Test
    void shouldForgetThatTheTiersWereFullWhenTheyBreak() {
        assertNull(next.take());
        next.refuseAsFull(new StoreFullException("full"), freed.count());
        next.refuse(new RefusedException("on purpose", null));
        assertFalse(next.isKnownToBeFull());
    }
}
