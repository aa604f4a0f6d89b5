package io.firn.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.Durability;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.TopicOptions;
import java.nio.file.Path;
import java.time.Duration;
import org.agrona.concurrent.CachedEpochClock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** When a WRITTEN topic is forced that is forced by bytes again and again. */
class ForceByBytesTest {
    private static final int FORCE_BYTES = 20_000;
    private static final int FORCE_MS = 100;
    private static final byte[] VALUE = new byte[1_000];
    private static final int ENOUGH = FORCE_BYTES / VALUE.length;

    @TempDir Path directory;
    private final CachedEpochClock clock = new CachedEpochClock();
    private LogStore store;
    private Partition partition;
    private Appender appender;

    @BeforeEach
    void open() {
        TopicOptions options =
                Stores.small()
                        .withDurability(Durability.WRITTEN)
                        .withForce(FORCE_BYTES, Duration.ofMillis(FORCE_MS));
        clock.update(1_000_000);
        store = Stores.at(directory).clock(clock).invokerMode().open();
        partition = store.createTopic("t", options).partition(0);
        appender = partition.openExclusiveAppender();
        append(ENOUGH);
        assertForced();
    }

    @AfterEach
    void close() {
        appender.close();
        store.close();
    }

    private void append(int records) {
        for (int i = 0; i < records; i++) {
            appender.append(VALUE);
        }
    }

    private void assertForced() {
        store.doWork();
        assertEquals(partition.nextOffset(), partition.durableOffset());
    }

    private void assertNotForced(long durable) {
        store.doWork();
        assertEquals(durable, partition.durableOffset());
    }

    @Test
    void shouldBeForcedByBytesAgainThoughNoTimeHasPassed() {
        for (int i = 0; i < 3; i++) {
            append(ENOUGH);
            assertForced();
        }
    }

    @Test
    void shouldForceAfterTheTimeWhatFollowsAForceByBytes() {
        long durable = partition.durableOffset();
        append(1);
        assertNotForced(durable);
        clock.update(clock.time() + FORCE_MS - 1);
        assertNotForced(durable);
        clock.update(clock.time() + 1);
        assertForced();
    }

    @Test
    void shouldForceAfterTheTimeWhatIsAppendedAfterARest() {
        for (int i = 0; i < 5; i++) {
            clock.update(clock.time() + FORCE_MS);
            store.doWork();
        }
        long durable = partition.durableOffset();
        append(1);
        assertNotForced(durable);
        clock.update(clock.time() + FORCE_MS);
        assertForced();
        append(ENOUGH);
        assertForced();
    }

    /** The segment has three times as many bytes as are forced at once. */
    @Test
    void shouldBeForcedByBytesAlsoInTheNextSegments() {
        for (int i = 0; i < 12; i++) {
            append(ENOUGH + 1);
            assertForced();
        }
        assertTrue(partition.metrics().segments() > 2);
    }
}
