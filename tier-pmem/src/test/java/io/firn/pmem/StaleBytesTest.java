package io.firn.pmem;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.TopicOptions;
import io.firn.open.StoreBuilder;
import io.firn.sim.FirstRunOnly;
import io.firn.sim.SimulatedFileMedium;
import io.firn.sim.Survival;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.agrona.concurrent.CachedEpochClock;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What recovery says of bytes that an earlier segment left in a block. */
@FirstRunOnly
class StaleBytesTest {
    private static final Path POOL = Path.of("/sim/pmem");
    private static final int BLOCKS = 2;

    private final SimulatedFileMedium medium = new SimulatedFileMedium();
    private final CachedEpochClock clock = new CachedEpochClock();
    private final List<String> warnings = new ArrayList<>();
    private final Logger log = Logger.getLogger("io.firn");
    private Level level;
    private final Handler handler =
            new Handler() {
                @Override
                public void publish(LogRecord record) {
                    if (record.getLevel().intValue() >= Level.WARNING.intValue()) {
                        warnings.add(new SimpleFormatter().formatMessage(record));
                    }
                }

                @Override
                public void flush() {}

                @Override
                public void close() {}
            };

    @BeforeEach
    void listen() {
        medium.usePersistentMemory(path -> path.startsWith(POOL) && !path.endsWith("lock"), false);
        level = log.getLevel();
        log.setLevel(Level.WARNING); // another test of this JVM may have silenced it
        log.addHandler(handler);
    }

    @AfterEach
    void listenNoMore() {
        log.removeHandler(handler);
        log.setLevel(level);
    }

    private LogStore open(SimulatedFileMedium on) throws IOException {
        return StoreBuilder.over(Path.of("/sim/store"), on)
                .tier(SimulatedPmem.tier(on, POOL, BLOCKS))
                .clock(clock)
                .invokerMode()
                .open();
    }

    private void useAllBlocks(LogStore store, Partition partition, Appender appender) {
        byte[] ones = new byte[1_000];
        java.util.Arrays.fill(ones, (byte) -1);
        while (partition.metrics().rolls() < 3L * BLOCKS) {
            appender.append(ones);
            partition.deleteRecordsBefore(partition.durableOffset());
            clock.advance(1_000);
            store.doWork();
        }
        appender.append(ones);
    }

    @Test
    void shouldNotBeReportedAfterACleanClose() throws IOException {
        TopicOptions options = TopicOptions.defaults().withSegmentBytes(64 * 1024);
        long next;
        try (LogStore store = open(medium)) {
            Partition partition = store.createTopic("t", options).partition(0);
            try (Appender appender = partition.openExclusiveAppender()) {
                useAllBlocks(store, partition, appender);
            }
            next = partition.nextOffset();
        }
        for (int i = 0; i < 3; i++) {
            try (LogStore store = open(medium)) {
                assertEquals(next, store.openTopic("t").partition(0).nextOffset());
            }
        }
        assertEquals(List.of(), warnings);
    }

    /** A torn batch is reported still. */
    @Test
    void shouldNotHideWhatACrashToreInABlockThatWasUsedBefore() throws IOException {
        TopicOptions options = TopicOptions.defaults().withSegmentBytes(64 * 1024);
        boolean isReported = false;
        try (LogStore store = open(medium)) {
            Partition partition = store.createTopic("t", options).partition(0);
            try (Appender appender = partition.openAppender()) {
                useAllBlocks(store, partition, appender);
                appender.tryAppend(new UnsafeBuffer(new byte[5_000]), 0, 5_000);
                for (int seed = 0; seed < 40; seed++) {
                    open(medium.crash(Survival.random(seed))).close();
                    isReported |= warnings.stream().anyMatch(w -> w.contains("unproven bytes cut"));
                }
            }
        }
        assertTrue(isReported);
        assertFalse(warnings.isEmpty());
    }
}
