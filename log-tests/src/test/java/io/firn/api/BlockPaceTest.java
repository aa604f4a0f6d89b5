package io.firn.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.Durability;
import io.firn.LogStore;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import io.firn.medium.FileMedium;
import io.firn.medium.FilterFileMedium;
import io.firn.medium.FilterMediumFile;
import io.firn.medium.MediumFile;
import io.firn.sim.SimulatedFileMedium;
import io.firn.store.StoreBuilder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A block that nobody waits for yet is prepared in steps with pauses: all at once, they would take
 * the processor from an appender or a reader that spins for as long as a scheduler allows.
 */
class BlockPaceTest {
    private static final int MIB = 1 << 20;
    private static final int PREPARED = 8 * MIB;
    private static final byte[] VALUE = new byte[8_000];

    private final ManualClock clock = new ManualClock();
    private final Zeros medium = new Zeros(new SimulatedFileMedium());
    private LogStore store;
    private Appender appender;

    @BeforeEach
    void fillTheFirstBlockUntilItsSuccessorIsPrepared() {
        store =
                StoreBuilder.over(Path.of("/sim/store"), medium)
                        .tier(FileTier.builder(Path.of("/sim/segments")).medium(medium).build())
                        .clock(clock)
                        .invokerMode()
                        .open();
        TopicOptions options =
                TopicOptions.defaults()
                        .withSegmentBytes(64 * MIB)
                        .withDurability(Durability.WRITTEN)
                        .withForce(64 * 1024, Duration.ofHours(1))
                        .withPreparedBytes(PREPARED);
        appender = store.createTopic("t", options).partition(0).openAppender();
        appender.append(VALUE);
        assertEquals(1, medium.zeros.size());
        long firstPrepared = medium.zeros.values().iterator().next();
        assertTrue(firstPrepared >= PREPARED, "the appender waited for the first one");
        while (medium.zeros.size() < 2) {
            append(64 * 1024);
            store.doWork();
        }
        assertEquals(MIB, prepared());
    }

    @AfterEach
    void close() {
        appender.close();
        store.close();
    }

    private void append(int bytes) {
        for (int i = 0; i < bytes; i += VALUE.length) {
            appender.append(VALUE);
        }
    }

    /** How much of the second block is prepared. */
    private long prepared() {
        return medium.zeros.values().stream().mapToLong(Long::longValue).sum()
                - medium.zeros.values().stream().mapToLong(Long::longValue).max().getAsLong();
    }

    private void work() {
        for (int i = 0; i < 20; i++) {
            store.doWork();
        }
    }

    /** The step itself may have had the appender's processor. */
    @Test
    void shouldPauseAfterAStepDuringWhichNothingWasAppended() {
        for (int steps = 1; steps < 6; steps++) {
            work();
            assertEquals((long) steps * MIB, prepared());
            clock.advance(1);
        }
    }

    @Test
    void shouldPauseAfterAStepThatTookLongerThanThePause() {
        medium.onZeros = () -> clock.advance(10);
        clock.advance(1);
        work();
        assertEquals(2 * MIB, prepared());
        clock.advance(1);
        work();
        assertEquals(3 * MIB, prepared());
    }

    @Test
    void shouldNotPrepareMoreWheneverAnAppendCalls() {
        for (int i = 0; i < 20; i++) {
            append(16 * 1024); // about a force every fourth time
            work();
        }
        assertEquals(MIB, prepared());
        clock.advance(1);
        work();
        assertEquals(2 * MIB, prepared());
    }

    @Test
    void shouldPauseLongerWhileTheLogIsFilledSteadily() {
        int steps = 0;
        int ms = 0;
        while (prepared() < 7 * MIB) {
            long before = prepared();
            append(8_000);
            clock.advance(1);
            ms++;
            work();
            steps += prepared() > before ? 1 : 0;
            assertTrue(prepared() - before <= MIB);
        }
        assertEquals(6, steps);
        assertTrue(ms >= 1 + 2 + 4 + 8 + 16 + 32, ms + " ms");
    }

    @Test
    void shouldGoOnWhenTheClockIsSetBack() {
        clock.advance(-3_600_000);
        work();
        assertEquals(2 * MIB, prepared());
    }

    @Test
    void shouldNotPauseWhenAnAppendWaits() {
        append(63 * MIB);
        assertTrue(medium.zeros.size() >= 2);
        work();
        assertTrue(prepared() >= PREPARED, prepared() + " bytes");
    }

    /** Counts the zeros that were written into each segment. */
    private static final class Zeros extends FilterFileMedium {
        private static final ByteBuffer PIECE = ByteBuffer.allocate(16 * 1024);
        private final Map<Path, Long> zeros = new TreeMap<>();
        private Runnable onZeros = () -> {};

        Zeros(FileMedium in) {
            super(in);
        }

        @Override
        protected MediumFile wrap(Path path, MediumFile file) {
            return new FilterMediumFile(file) {
                @Override
                public void write(long position, ByteBuffer source) throws IOException {
                    if (path.toString().endsWith(".active") && source.equals(PIECE)) {
                        zeros.merge(path, (long) source.remaining(), Long::sum);
                        onZeros.run();
                    }
                    super.write(position, source);
                }
            };
        }
    }
}
