package io.firn.pmem;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.TopicOptions;
import io.firn.medium.MediumFile;
import io.firn.open.StoreBuilder;
import io.firn.sim.FirstRunOnly;
import io.firn.sim.SimulatedFileMedium;
import io.firn.sim.Survival;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import org.agrona.concurrent.CachedEpochClock;
import org.junit.jupiter.api.Test;

/**
 * Zeros follow the last batch, durable with it, so that whoever reads the raw bytes of a block that
 * was used before sees where the log ends.
 */
@FirstRunOnly
class TailZerosTest {
    private static final Path POOL = Path.of("/sim/pmem");
    private static final int BLOCKS = 2;
    private static final int SEGMENT_BYTES = 64 * 1024;
    private static final int ZEROS = 12;
    private static final int LINE = 64;

    private final SimulatedFileMedium medium = new SimulatedFileMedium();
    private final CachedEpochClock clock = new CachedEpochClock();

    @Test
    void shouldFollowTheLastBatchInABlockThatWasUsedBefore() throws IOException {
        medium.usePersistentMemory(path -> path.startsWith(POOL) && !path.endsWith("lock"), false);
        TopicOptions options = TopicOptions.defaults().withSegmentBytes(SEGMENT_BYTES);
        try (LogStore store =
                StoreBuilder.over(Path.of("/sim/store"), medium)
                        .tier(SimulatedPmem.tier(medium, POOL, BLOCKS))
                        .clock(clock)
                        .invokerMode()
                        .open()) {
            Partition partition = store.createTopic("t", options).partition(0);
            try (Appender appender = partition.openExclusiveAppender()) {
                useAllBlocks(store, partition, appender);
                // One of these lengths brings the end of a batch to the end of a cache line.
                for (int length = 8; length < 8 + LINE; length++) {
                    byte[] value = unlikeAnyOther(length);
                    appender.append(value);
                    assertZerosAfter(value, pool(medium));
                    assertZerosAfter(value, pool(medium.crash(Survival.NONE)));
                }
            }
        }
    }

    private void useAllBlocks(LogStore store, Partition partition, Appender appender) {
        byte[] ones = new byte[1_000];
        Arrays.fill(ones, (byte) -1);
        while (partition.metrics().rolls() < 3L * BLOCKS) {
            appender.append(ones);
            partition.deleteRecordsBefore(partition.durableOffset());
            clock.advance(1_000);
            store.doWork();
        }
    }

    private static byte[] unlikeAnyOther(int length) {
        byte[] value = new byte[length];
        Arrays.fill(value, (byte) 0x55);
        value[0] = (byte) length;
        return value;
    }

    private static byte[] pool(SimulatedFileMedium medium) throws IOException {
        try (MediumFile file = medium.open(POOL.resolve(PoolFile.NAME), false)) {
            byte[] bytes = new byte[(int) file.size()];
            file.read(0, bytes, 0, bytes.length);
            return bytes;
        }
    }

    private static void assertZerosAfter(byte[] value, byte[] pool) {
        int at = new String(pool, ISO_8859_1).indexOf(new String(value, ISO_8859_1));
        int end = at + value.length + 1; // a record ends in its number of headers
        assertArrayEquals(
                new byte[ZEROS],
                Arrays.copyOfRange(pool, end, end + ZEROS),
                "after a value of " + value.length + " bytes");
        boolean isUsed = false;
        for (int i = end + ZEROS; i < end + ZEROS + LINE; i++) {
            isUsed |= pool[i] != 0;
        }
        assertTrue(isUsed, "the block was used before");
    }
}
