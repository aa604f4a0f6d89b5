package io.firn.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.CleanupPolicy;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.Survives;
import io.firn.TopicOptions;
import io.firn.format.BatchFormat;
import io.firn.format.FillerBatch;
import io.firn.host.BatchReader;
import io.firn.host.BatchRun;
import io.firn.host.HostedPartition;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The epoch in a filler. The block in which a segment is rewritten has a fresh epoch, so that after
 * a crash nothing in it counts; a filler with that epoch would.
 */
class FillerEpochTest {
    private final ManualClock clock = new ManualClock();

    @TempDir private Path directory;

    private record Header(long baseOffset, long nextOffset, int epochBits, boolean isFiller) {
        boolean contains(Header other) {
            return baseOffset <= other.baseOffset && other.nextOffset <= nextOffset;
        }
    }

    @ParameterizedTest
    @EnumSource(Tiers.class)
    void shouldBeThatOfABatchThatTheFillerReplaces(Tiers tiers) {
        KeyedRecords records = new KeyedRecords(31, 40, 10);
        TopicOptions options =
                Stores.small()
                        .withMinimumClass(Survives.PROCESS_CRASH)
                        .withCleanup(CleanupPolicy.COMPACT)
                        .withMinDirtyRatio(1); // only on request
        List<Header> appended = new ArrayList<>();
        int fillers = 0;
        try (LogStore store = tiers.at(directory).invokerMode().clock(clock).open()) {
            Partition partition = store.createTopic("t", options).partition(0);
            for (int round = 0; round < 3; round++) {
                long from = partition.nextOffset();
                try (Appender appender = partition.openAppender()) {
                    for (int i = 0; i < 10; i++) {
                        records.append(appender, 100, clock.time());
                        Stores.work(store);
                    }
                }
                appended.addAll(headers(partition, from));
                assertEquals(List.of(), store.compact("t", 0).skipped());
                for (Header each : headers(partition, 0)) {
                    if (each.isFiller) {
                        fillers++;
                        assertTrue(
                                appended.stream()
                                        .filter(each::contains)
                                        .anyMatch(one -> one.epochBits == each.epochBits),
                                each + " has the epoch of no batch in its range");
                    }
                }
            }
        }
        assertTrue(fillers > 10, fillers + " fillers");
        assertTrue(appended.stream().mapToInt(Header::epochBits).distinct().count() > 5);
    }

    private static List<Header> headers(Partition partition, long from) {
        List<Header> all = new ArrayList<>();
        BatchReader reader = HostedPartition.of(partition).openBatchReader();
        long next = from;
        while (next < partition.visibleOffset()) {
            try (BatchRun run = reader.read(next, 1 << 20, true)) {
                ByteBuffer bytes = run.bytes();
                for (int at = bytes.position(); at < bytes.limit(); ) {
                    long base = bytes.getLong(at + BatchFormat.BASE_OFFSET);
                    all.add(
                            new Header(
                                    base,
                                    base + bytes.getInt(at + BatchFormat.LAST_OFFSET_DELTA) + 1,
                                    bytes.getInt(at + BatchFormat.EPOCH),
                                    FillerBatch.isAt(bytes, at)));
                    at += bytes.getInt(at + BatchFormat.LENGTH) + BatchFormat.LENGTH_OVERHEAD;
                }
                next = run.nextOffset();
            }
        }
        return all;
    }
}
