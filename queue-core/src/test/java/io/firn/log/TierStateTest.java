package io.firn.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.StoreFullException;
import io.firn.StoreMetrics.Drain;
import io.firn.findings.Findings;
import io.firn.spi.Block;
import io.firn.spi.Mark;
import io.firn.spi.MemoryTier;
import io.firn.spi.StorageTier;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.agrona.concurrent.SystemNanoClock;
import org.junit.jupiter.api.Test;

class TierStateTest {
    private static final UUID TOPIC = UUID.randomUUID();

    /** Whoever has looked before it was drained, and asks only now. */
    @Test
    void shouldLetNothingIntoATierThatIsDrained() throws IOException {
        TierState state =
                new TierState(0, "ssd", InMemory.tier(), SystemNanoClock.INSTANCE, new Findings());
        Block block = state.reserve(TOPIC, 0, 100, 1);
        state.drain(Drain.IN_PROGRESS);
        StoreFullException refusal =
                assertThrows(StoreFullException.class, () -> state.reserve(TOPIC, 0, 100, 2));
        assertTrue(refusal.getMessage().contains("is drained"), refusal.getMessage());
        Mark mark = block.mark();
        assertThrows(StoreFullException.class, () -> state.beginCopy(mark, 3));
        assertFalse(state.isEmpty());
        block.delete();
        assertTrue(state.isEmpty());
        state.drain(Drain.NONE);
        assertEquals(4, state.reserve(TOPIC, 0, 100, 4).mark().epoch());
    }

    /** A drain that looks meanwhile must not find the tier empty. */
    @Test
    void shouldCountABlockFromTheMomentThatItIsAskedFor() throws IOException {
        MemoryTier tier = InMemory.tier();
        TierState[] state = new TierState[1];
        List<Boolean> seen = new ArrayList<>();
        StorageTier watched =
                (StorageTier)
                        Proxy.newProxyInstance(
                                getClass().getClassLoader(),
                                new Class<?>[] {StorageTier.class},
                                (proxy, method, args) -> {
                                    if (method.getName().equals("reserve")) {
                                        seen.add(state[0].isEmpty());
                                    }
                                    return method.invoke(tier, args);
                                });
        state[0] = new TierState(0, "ssd", watched, SystemNanoClock.INSTANCE, new Findings());
        assertTrue(state[0].isEmpty());
        state[0].reserve(TOPIC, 0, 100, 1);
        assertEquals(List.of(false), seen);
    }
}
