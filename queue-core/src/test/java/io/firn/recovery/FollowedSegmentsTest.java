package io.firn.recovery;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.DurabilityClass;
import io.firn.log.AppendAlarm;
import io.firn.log.ForceWaiters;
import io.firn.log.InMemory;
import io.firn.log.LogContext;
import io.firn.log.LogEvents;
import io.firn.log.RecoveredPartition;
import io.firn.log.SegmentedLog;
import io.firn.log.StoreConfig;
import io.firn.log.TopicContext;
import io.firn.sim.SimulatedFileMedium;
import io.firn.spi.Block;
import io.firn.spi.MemoryTier;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import org.agrona.concurrent.BusySpinIdleStrategy;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a read-only store shows of a log whose segments it finds one look after another. */
class FollowedSegmentsTest {
    private static final int LOOKS = 100;

    private final FollowedSegments followed = new FollowedSegments(new BatchesAboveMark());
    private MemoryTier tier;
    private SegmentedLog log;

    @BeforeEach
    void open() throws IOException {
        tier = InMemory.tier();
        StoreConfig config =
                new StoreConfig(
                        Path.of("/store"),
                        List.of(tier),
                        Collections.singletonList(null),
                        new SimulatedFileMedium(),
                        () -> 0,
                        BusySpinIdleStrategy::new,
                        true,
                        false,
                        true,
                        100,
                        100,
                        100);
        LogContext store = new LogContext(config, (thread, why) -> {});
        TopicContext topic =
                new TopicContext(
                        store,
                        UUID.randomUUID(),
                        "t",
                        InMemory.small().withMinimumClass(DurabilityClass.PROCESS_CRASH));
        log = new SegmentedLog(topic, 0, RecoveredPartition.empty());
        log.connect(nobody(ForceWaiters.class), nobody(AppendAlarm.class), nobody(LogEvents.class));
    }

    private static <T> T nobody(Class<T> type) {
        return type.cast(
                Proxy.newProxyInstance(
                        type.getClassLoader(), new Class<?>[] {type}, (self, method, all) -> null));
    }

    private Block sealed(long epoch, long base, int records) throws IOException {
        Block block = InMemory.block(tier, epoch);
        int end = InMemory.put(block.memory(), 0, base, epoch, records);
        block.seal(block.mark().sealed(epoch, base, end, base + records, 1));
        return block;
    }

    @Test
    void shouldShowNothingUntilASegmentIsFoundThatTheFirstLookMissed() throws IOException {
        Block first = sealed(1, 0, 10);
        Block second = sealed(2, 10, 10);
        followed.refresh(log, List.of(second));
        assertTrue(followed.isInDoubt());
        assertEquals(0, log.nextOffset());
        assertEquals(0, log.segments().length);
        followed.refresh(log, List.of(first, second));
        assertFalse(followed.isInDoubt());
        assertEquals(20, log.nextOffset());
        assertEquals(2, log.segments().length);
    }

    @Test
    void shouldShowWhatIsThereWhenTheFirstSegmentStaysMissing() throws IOException {
        Block second = sealed(2, 10, 10);
        for (int i = 0; i < LOOKS && (i == 0 || followed.isInDoubt()); i++) {
            followed.refresh(log, List.of(second));
        }
        assertFalse(followed.isInDoubt());
        assertEquals(20, log.nextOffset());
        assertEquals(1, log.segments().length);
    }
}
