package io.firn.block;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.firn.log.InMemory;
import io.firn.log.LogEvents;
import io.firn.log.SegmentedLog;
import io.firn.metadata.LeasedCounter;
import io.firn.spi.MemoryTier;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Blocks that are reserved on the thread that waits for one, as the marker of a transaction does.
 */
class BlockSupplyDutyTest {
    private MemoryTier tier;
    private SegmentedLog log;
    private NextBlock next;
    private BlockSupplyDuty supply;

    @BeforeEach
    void open() throws IOException {
        tier = InMemory.tier();
        log = InMemory.log(tier);
        log.connect(
                nobody(LogEvents.ForceWaiters.class),
                nobody(LogEvents.AppendAlarm.class),
                nobody(LogEvents.class));
        log.store().files().medium().createDirectories(Path.of("/store"));
        log.store().own(new LeasedCounter(log.store().files(), Path.of("/store/epochs"), true));
        next = new NextBlock(log);
        supply = new BlockSupplyDuty(log.store().tidying(), log, next, new Backlog(log));
        next.suppliedBy(supply);
    }

    /** One that ignores all calls. */
    private static <T> T nobody(Class<T> type) {
        return type.cast(
                Proxy.newProxyInstance(
                        type.getClassLoader(),
                        new Class<?>[] {type},
                        (proxy, method, arguments) ->
                                method.getReturnType() == boolean.class ? false : null));
    }

    @Test
    void shouldReserveABlockThatIsWanted() {
        assertNull(next.take());
        supply.supplyNow();
        assertNotNull(next.take());
        assertEquals(1, tier.list().size());
    }

    /** Else the block outlives the topic, since its deletion may have ended before. */
    @Test
    void shouldReserveNothingForATopicThatWasDeletedWhileItWasWaitedFor() {
        assertNull(next.take());
        log.markGone(true);
        supply.supplyNow();
        assertNull(next.withdraw());
        assertEquals(List.of(), tier.list());
    }
}
