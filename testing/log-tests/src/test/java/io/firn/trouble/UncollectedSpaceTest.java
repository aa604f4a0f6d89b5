package io.firn.trouble;

import static io.firn.api.Waiting.HANGS_AFTER_S;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.StoreFullException;
import io.firn.Tailer;
import io.firn.file.FileTier;
import io.firn.medium.FileMedium;
import io.firn.medium.FilterFileMedium;
import io.firn.open.StoreBuilder;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A disk without any space but that of deleted segments, which on Java 17 to 21 stay mapped until
 * the garbage collector finds that nobody holds what a reader got.
 */
class UncollectedSpaceTest {
    private static final int RECORDS = 30;

    @TempDir private Path directory;
    private boolean isFull;
    private FileTier tier;

    private final FileMedium medium =
            new FilterFileMedium(FileMedium.real()) {
                @Override
                public long usableBytes(Path path) {
                    return isFull && tier.uncollectedBytes() > 0 ? 0 : 1L << 30;
                }
            };

    /** Tries rarely: with enough garbage, the collector would run by itself. */
    private static void await(BooleanSupplier condition) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(HANGS_AFTER_S);
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() - deadline < 0, "waited in vain");
            Thread.sleep(100);
        }
    }

    private static boolean append(Appender appender, long number) {
        try {
            appender.append(Disk.value(number));
            return true;
        } catch (StoreFullException e) {
            return false;
        }
    }

    @Test
    void shouldGoOnAfterADeletionAlthoughAReaderWasHandedWhatIsDeleted() throws Exception {
        tier = FileTier.at(directory.resolve("segments")).withMedium(medium);
        try (LogStore store =
                StoreBuilder.over(directory.resolve("store"), medium).tier(tier).open()) {
            Partition partition = Disk.partition(store);
            try (Appender appender = partition.openExclusiveAppender()) {
                for (int i = 0; i < RECORDS; i++) {
                    appender.append(Disk.value(i));
                }
                int[] read = {0};
                ByteBuffer[] held = {null}; // or the collector could come before anybody looks
                try (Tailer tailer = partition.openTailer()) {
                    tailer.forEach(
                            record -> {
                                held[0] = record.value().slice();
                                assertEquals(Disk.value(read[0]++)[0], held[0].get(0));
                            },
                            RECORDS,
                            Duration.ofSeconds(10));
                }
                assertEquals(RECORDS, read[0]);
                isFull = true;
                partition.deleteRecordsBefore(partition.durableOffset());
                boolean isUnmapped = Runtime.version().feature() >= 22;
                await(() -> isUnmapped || tier.uncollectedBytes() > 0);
                held[0] = null;
                for (int i = 0; i < RECORDS; i++) {
                    int number = RECORDS + i;
                    await(() -> append(appender, number));
                }
            }
            assertEquals(2 * RECORDS, partition.nextOffset());
        }
    }
}
