package io.firn.migrator.kill;

import io.firn.LogStore;
import io.firn.LogStoreBuilder;
import io.firn.Survives;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import io.firn.migrator.MigrationPolicy;
import io.firn.migrator.Move;
import io.firn.migrator.Policies;
import io.firn.pmem.Emulation;
import io.firn.pmem.PmemTier;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** The store that is killed: three tiers, four topics, and what is in them. */
final class KillStore {
    static final int BLOCK_BYTES = 2 << 20;
    static final int HOT_BLOCKS = 12;
    static final int SEGMENT_BYTES = 256 * 1024;

    /** Deleted and made anew all the time. */
    static final String MORTAL = "mortal";

    private static final long WARM_BYTES = 3L << 20;
    private static final TopicOptions SMALL =
            TopicOptions.defaults()
                    .withSegmentBytes(SEGMENT_BYTES)
                    .withMaxRecordBytes(64 * 1024)
                    .withMinimumClass(Survives.PROCESS_CRASH);

    /** What the kills are about: everywhere, never in memory, with retention, deleted again. */
    static final List<String> TOPICS = List.of("everywhere", "never-hot", "short", MORTAL);

    private KillStore() {}

    static LogStoreBuilder at(Path directory) {
        return LogStore.at(directory.resolve("store"))
                .tier(
                        "pmem",
                        PmemTier.at(directory.resolve("pmem"))
                                .withBlockBytes(BLOCK_BYTES)
                                .withPoolRatio(1)
                                .withCapacityBytes((HOT_BLOCKS + 1L) * BLOCK_BYTES)
                                .withEmulation(Emulation.PLAIN))
                .tier("ssd", FileTier.at(directory.resolve("ssd")).withCapacityBytes(WARM_BYTES))
                .tier("hdd", FileTier.at(directory.resolve("hdd")));
    }

    static TopicOptions options(String topic) {
        return switch (topic) {
            case "never-hot" -> SMALL.withTiers("ssd", "hdd");
            case "short" -> SMALL.withRetentionBytes(4L * SEGMENT_BYTES);
            default -> SMALL;
        };
    }

    /** Another one in each round. */
    static MigrationPolicy policy(int round) {
        return switch (round % 6) {
            case 0 -> Policies.threshold(0.5);
            case 1 -> Policies.watermarks(0.7, 0.3);
            case 2 -> Policies.age(Duration.ofMillis(100), Duration.ofMillis(400));
            case 3 -> Policies.consumerAware(0.5, 2);
            case 4 -> restless(round);
            default -> Policies.threshold(0);
        };
    }

    /** Moves anything anywhere. */
    private static MigrationPolicy restless(int seed) {
        SplittableRandom random = new SplittableRandom(seed);
        return snapshot -> {
            List<Move> moves = new ArrayList<>();
            for (var partition : snapshot.partitions()) {
                for (var segment : partition.segments()) {
                    String to = partition.tiers().get(random.nextInt(partition.tiers().size()));
                    if (segment.isMovable()
                            && !to.equals(segment.tier())
                            && random.nextInt(4) == 0) {
                        moves.add(Move.of(partition, segment, to));
                    }
                }
            }
            return moves;
        };
    }

    /** The record at an offset: all of it follows from that and the topic. */
    static byte[] value(String topic, long offset) {
        SplittableRandom random = new SplittableRandom(offset * 31 + topic.hashCode());
        byte[] value = new byte[8 + random.nextInt(random.nextInt(8) == 0 ? 30_000 : 1_500)];
        random.nextBytes(value);
        for (int i = 0; i < 8; i++) {
            value[i] = (byte) (offset >>> (8 * i));
        }
        return value;
    }
}
