package io.firn.medium;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.firn.medium.MediumFile.Mapping;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the garbage collector is asked for on behalf of a full disk. */
class UncollectedTest {
    private static final long SECOND_NS = 1_000_000_000;

    private long nowNs = Long.MAX_VALUE - SECOND_NS / 2; // about to overflow
    private long costNs = 1_000;
    private int collections;

    private final Uncollected uncollected =
            new Uncollected(
                    () -> {
                        collections++;
                        nowNs += costNs;
                    },
                    () -> nowNs);

    /** Kept by a user. */
    private final ByteBuffer kept = ByteBuffer.allocate(100);

    @BeforeEach
    void release() {
        uncollected.release(new Left(kept), true);
        assertEquals(100, uncollected.bytes());
    }

    @Test
    void shouldNotCollectWhatWouldNotBeEnough() {
        uncollected.collect(101);
        assertEquals(0, collections);
        uncollected.collect(100);
        assertEquals(1, collections);
    }

    @Test
    void shouldCollectAgainOnlyAfterAPause() {
        for (int i = 0; i < 100; i++) {
            uncollected.collect(1);
        }
        assertEquals(1, collections);
        nowNs += SECOND_NS;
        uncollected.collect(1);
        uncollected.collect(1);
        assertEquals(2, collections);
    }

    @Test
    void shouldPauseLongerWhereACollectionTakesLong() {
        costNs = SECOND_NS;
        uncollected.collect(1);
        nowNs += 49 * SECOND_NS;
        uncollected.collect(1);
        assertEquals(1, collections);
        nowNs += SECOND_NS;
        uncollected.collect(1);
        assertEquals(2, collections);
    }

    /** A mapping that only the garbage collector may unmap. */
    private record Left(ByteBuffer buffer) implements Mapping {
        @Override
        public void force(int position, int length) {}

        @Override
        public void prefault(int position, int length) {}

        @Override
        public void unmap() {
            throw new AssertionError("a user holds it");
        }

        @Override
        public boolean abandon() {
            return true;
        }
    }
}
