package io.firn.migrator;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.LogStore;
import io.firn.LogStoreBuilder;
import io.firn.Partition;
import io.firn.RecordHandler.Action;
import io.firn.StoreMetrics.TierMetrics;
import io.firn.StoreSnapshot;
import io.firn.StoreSnapshot.SegmentPlace;
import io.firn.Survives;
import io.firn.Tailer;
import io.firn.TopicOptions;
import io.firn.api.Waiting;
import io.firn.file.FileTier;
import io.firn.medium.FileMedium;
import io.firn.open.StoreBuilder;
import io.firn.pmem.Emulation;
import io.firn.pmem.PmemTier;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;

/** A store with three tiers, as most of these tests want it, and what is looked at. */
final class Tiered {
    static final String HOT = "pmem";
    static final String WARM = "ssd";
    static final String COLD = "hdd";

    static final int SEGMENT_BYTES = 64 * 1024;
    static final int BLOCK_BYTES = 2 << 20;
    static final int VALUE_BYTES = 10_000;

    /** Of {@link #append}'s records. */
    static final int RECORDS_IN_SEGMENT = 6;

    private Tiered() {}

    static TopicOptions small() {
        return TopicOptions.defaults()
                .withSegmentBytes(SEGMENT_BYTES)
                .withMaxRecordBytes(32_000)
                .withMinimumClass(Survives.PROCESS_CRASH);
    }

    /** Emulated persistent memory with room for so many segments, and two directories. */
    static LogStoreBuilder at(Path directory, int hotSegments) {
        return at(directory, hotSegments, FileMedium.real());
    }

    static LogStoreBuilder at(Path directory, int hotSegments, FileMedium medium) {
        return StoreBuilder.over(directory.resolve("store"), medium)
                .tier(HOT, pmem(directory, hotSegments, medium))
                .tier(WARM, FileTier.at(directory.resolve("ssd")).withMedium(medium))
                .tier(COLD, FileTier.at(directory.resolve("hdd")).withMedium(medium));
    }

    static PmemTier pmem(Path directory, int segments, FileMedium medium) {
        return PmemTier.at(directory.resolve("pmem"))
                .withMedium(medium)
                .withBlockBytes(BLOCK_BYTES)
                .withPoolRatio(1)
                // The header takes less than a block.
                .withCapacityBytes((segments + 1L) * BLOCK_BYTES)
                .withEmulation(Emulation.PLAIN);
    }

    static byte[] value(long offset) {
        byte[] value = new byte[VALUE_BYTES];
        for (int i = 0; i < value.length; i++) {
            value[i] = (byte) (i < 8 ? offset >>> (8 * i) : offset + i * 31L);
        }
        return value;
    }

    /** Appends so many segments full, and the first record of the next one. */
    static void appendSegments(Partition partition, int segments) {
        append(partition, segments * RECORDS_IN_SEGMENT + 1);
    }

    static void append(Partition partition, int count) {
        try (Appender appender = partition.openAppender()) {
            for (int i = 0; i < count; i++) {
                appender.append(value(partition.nextOffset()));
            }
        }
    }

    /** Reads from the start to the end; every record once, in order, and the right one. */
    static void assertAllThere(Partition partition) {
        Tailer tailer = partition.openTailer();
        long[] next = {partition.logStartOffset()};
        long end = partition.visibleOffset();
        while (tailer.poll(
                        record -> {
                            assertEquals(next[0]++, record.offset());
                            assertArrayEquals(value(record.offset()), record.copy().value());
                            return Action.CONTINUE;
                        },
                        1_000)
                > 0) {
            continue;
        }
        assertTrue(next[0] >= end, "reads to " + next[0] + ", not " + end);
        assertEquals(List.of(), partition.damage());
    }

    /** The segments of a topic's first partition. */
    static List<SegmentPlace> segments(LogStore store, String topic) {
        return store.snapshot().partitions().stream()
                .filter(p -> p.topic().equals(topic) && p.partition() == 0)
                .findFirst()
                .orElseThrow()
                .segments();
    }

    /** The tiers that the segments lie in, in order. */
    static List<String> tiersOf(LogStore store, String topic) {
        return segments(store, topic).stream().map(SegmentPlace::tier).toList();
    }

    /** What the segments of all topics occupy in each tier that has some. */
    static Map<String, Long> usedBySegments(StoreSnapshot snapshot) {
        Map<String, Long> used = new HashMap<>();
        snapshot.partitions()
                .forEach(
                        p ->
                                p.segments()
                                        .forEach(
                                                s ->
                                                        used.merge(
                                                                s.tier(),
                                                                s.usedBytes(),
                                                                Long::sum)));
        return used;
    }

    static void awaitMovable(LogStore store, String topic, int segments) {
        await(
                segments + " sealed segments",
                () ->
                        segments(store, topic).stream().filter(SegmentPlace::isMovable).count()
                                >= segments);
    }

    static TierMetrics tier(LogStore store, String label) {
        return store.metrics().tier(label);
    }

    static void await(String what, BooleanSupplier condition) {
        Waiting.await(what, condition);
    }
}
