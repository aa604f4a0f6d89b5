package io.firn.server.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which connection has to wait, or to give way, when requests use too much memory. */
class ConnectionMemoryTest {
    private static final long SECOND_NS = 1_000_000_000;

    private final MemoryBudget budget = new MemoryBudget(100, 200);
    private final ConnectionMemory first = new ConnectionMemory(budget);
    private final ConnectionMemory second = new ConnectionMemory(budget);

    @BeforeEach
    void begin() {
        first.belongTo("one");
        second.belongTo("other");
    }

    @Test
    void shouldLetASingleRequestExceedTheBudget() {
        second.add(10); // more than a little
        first.partial(150, 0);
        assertFalse(first.isOverBudget());
        assertTrue(second.isOverBudget());
    }

    @Test
    void shouldReportARequestThatHasStalledAndBlocksOthers() {
        first.partial(60, 0);
        assertEquals(0, first.stalledBytes(2 * SECOND_NS, 1_000), "there is room for others");
        second.partial(50, 2 * SECOND_NS);
        assertEquals(60, first.stalledBytes(2 * SECOND_NS, 1_000));
        assertEquals(0, second.stalledBytes(2 * SECOND_NS, 1_000), "it has just grown");
        assertTrue(first.blocksOthers());
    }

    @Test
    void shouldLetABufferGrowOnlyWithinTheBudgetUnlessNobodyElseUsesMemory() {
        first.partial(30, 0);
        assertTrue(first.mayHave(500), "it is alone");
        second.partial(30, 0);
        assertTrue(first.mayHave(70));
        assertFalse(first.mayHave(71));
    }

    @Test
    void shouldLetAClientThatUsesLittleReadOnWhileOthersUseTooMuch() {
        first.partial(150, 0);
        second.add(20);
        assertTrue(second.isOverBudget());
        second.add(-15);
        assertFalse(second.isOverBudget(), "it uses 5");
        ConnectionMemory another = new ConnectionMemory(budget);
        another.belongTo("other");
        another.add(2);
        assertTrue(second.isOverBudget(), "its connections use 7");
        another.release();
        assertFalse(second.isOverBudget());
        first.partial(321, 0);
        assertTrue(second.isOverBudget(), "all together use too much for anybody");
    }

    @Test
    void shouldCountForTheClientThatItBelongsTo() {
        second.belongTo("one");
        first.partial(150, 0);
        second.add(2);
        assertTrue(second.isOverBudget(), "with the first one, it uses much");
        second.belongTo("other");
        assertFalse(second.isOverBudget());
        assertEquals(152, budget.usedBytes());
    }

    @Test
    void shouldCountForItsClientWhatIsKeptBeyondItsEnd() {
        first.add(150);
        Runnable giveBack = first.keep(120);
        first.release();
        assertEquals(120, budget.usedBytes());
        ConnectionMemory next = new ConnectionMemory(budget);
        next.belongTo("one");
        assertTrue(next.isOverBudget());
        assertFalse(second.isOverBudget(), "another client uses nothing");
        giveBack.run();
        assertEquals(0, budget.usedBytes());
        next.add(101);
        next.add(-95);
        second.add(101);
        assertFalse(next.isOverBudget(), "it uses 6");
    }

    @Test
    void shouldReturnEverythingOnceAndCountNothingAfterwards() {
        first.add(40);
        first.partial(30, 0);
        second.add(10);
        assertEquals(80, budget.usedBytes());
        first.release();
        first.add(-40);
        assertEquals(10, budget.usedBytes());
        assertFalse(first.blocksOthers());
    }
}
