package io.firn.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.CleanupPolicy;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.RetainUntilRead;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import io.firn.medium.FileMedium;
import io.firn.open.StoreBuilder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Options with the largest values that there are: they mean for ever, or as much as there is. */
class HugeOptionsTest {
    private static final Duration LONGEST = Duration.ofMillis(Long.MAX_VALUE);
    private static final int RECORDS = 100;

    @TempDir private Path directory;
    private final ManualClock clock = new ManualClock();

    private LogStore open(long capacityBytes) {
        return StoreBuilder.over(directory.resolve("store"), FileMedium.real())
                .tier(FileTier.at(directory.resolve("tier")).withCapacityBytes(capacityBytes))
                .clock(clock)
                .nanoClock(() -> clock.time() * 1_000_000)
                .producerExpiry(LONGEST)
                .producerNameExpiry(LONGEST)
                .invokerMode()
                .open();
    }

    @ParameterizedTest
    @EnumSource
    void shouldKeepAndAppendRecordsWithTheLargestValueOfEachOption(CleanupPolicy cleanup) {
        TopicOptions options =
                Stores.small()
                        .withCleanup(cleanup)
                        .withRollAge(LONGEST)
                        .withRetentionAge(LONGEST)
                        .withRetentionBytes(Long.MAX_VALUE)
                        .withForce(Integer.MAX_VALUE, LONGEST)
                        .withMinCompactionLag(Duration.ofDays(365))
                        .withMaxCompactionLag(LONGEST)
                        .withTombstoneRetention(LONGEST);
        if (cleanup == CleanupPolicy.DELETE) {
            options =
                    options.withRetainUntilRead(
                            RetainUntilRead.by("c")
                                    .withLimitAge(LONGEST)
                                    .withLimitBytes(Long.MAX_VALUE));
        }
        try (LogStore store = open(Long.MAX_VALUE - 1)) {
            Partition partition = store.createTopic("t", options).partition(0);
            append(partition);
            for (int i = 0; i < 4; i++) {
                clock.advance(Duration.ofDays(180).toMillis());
                Stores.work(store);
            }
            append(partition);
            assertEquals(0, partition.logStartOffset());
            assertFalse(partition.metrics().isPoisoned());
            assertEquals(0, store.metrics().backgroundErrors());
            assertEquals(List.of(), store.findings());
            assertEquals(
                    OptionalLong.of(Long.MAX_VALUE - 1),
                    store.metrics().tiers().get(0).capacityBytes());
        }
        try (LogStore store = open(Long.MAX_VALUE)) {
            Partition partition = store.openTopic("t").partition(0);
            assertEquals(2 * RECORDS, partition.nextOffset());
            append(partition);
            assertTrue(store.metrics().toString().contains("capacityBytes=unlimited"));
        }
    }

    private void append(Partition partition) {
        try (Appender appender = partition.openAppender()) {
            for (int i = 0; i < RECORDS; i++) {
                appender.append(Stores.bytes("k" + i), new byte[2_000]);
            }
        }
    }
}
