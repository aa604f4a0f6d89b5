package io.firn.kill;

import static io.firn.api.Waiting.HANGS_AFTER_S;

import io.firn.LogStore;
import io.firn.PartitionReader.PartitionMetrics;
import io.firn.kill.Oracle.Violation;
import io.firn.spi.Block;
import io.firn.spi.Mark;
import io.firn.spi.Mark.SegmentState;
import io.firn.spi.StorageTier;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Every block that is not free belongs to somebody: it holds a segment that a partition has, or one
 * that was set aside for it, and no segment lies in two places.
 */
final class Account {
    private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(HANGS_AFTER_S);
    private static final long PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(2);

    private final LogStore store;
    private final List<StorageTier> tiers;
    private final Ground ground;

    private Account(LogStore store, List<StorageTier> tiers, Ground ground) {
        this.store = store;
        this.tiers = tiers;
        this.ground = ground;
    }

    /**
     * Checks a store that was just opened and is not written to. What is set aside or deleted in
     * the background meanwhile may not add up for a moment; what was leaked never does.
     *
     * @return segments in each tier
     */
    static int[] settle(LogStore store, List<StorageTier> tiers, Ground ground) throws Violation {
        Account account = new Account(store, tiers, ground);
        long started = System.nanoTime();
        try {
            String flaw;
            while ((flaw = account.flaw()) != null) {
                if (System.nanoTime() - started > PATIENCE_NS) {
                    throw new Violation("the blocks do not add up: " + flaw);
                }
                LockSupport.parkNanos(PAUSE_NS);
            }
            int[] segments = new int[tiers.size()];
            for (int i = 0; i < segments.length; i++) {
                segments[i] = tiers.get(i).list().size();
            }
            return segments;
        } catch (IOException e) {
            throw new Violation("the blocks cannot be counted: " + e);
        }
    }

    private String flaw() throws IOException {
        Map<String, Integer> setAside = new HashMap<>();
        Map<String, TreeMap<Long, Block>> logs = new HashMap<>();
        int held = 0;
        for (StorageTier tier : tiers) {
            for (Block segment : tier.list()) {
                Mark mark = segment.mark();
                if (mark == null) {
                    return segment.name() + " has no mark";
                }
                String log = mark.topicId() + "-" + mark.partition();
                if (mark.state() == SegmentState.RESERVED) {
                    if (setAside.merge(log, 1, Integer::sum) > 1) {
                        return "several blocks are set aside for " + log;
                    }
                    continue;
                }
                held++;
                Block other =
                        logs.computeIfAbsent(log, l -> new TreeMap<>())
                                .put(mark.baseOffset(), segment);
                if (other != null) {
                    return "one segment lies in " + other + " and in " + segment;
                }
            }
        }
        int owned = 0;
        for (PartitionMetrics partition : store.metrics().partitions()) {
            owned += partition.segments();
        }
        if (held != owned) {
            return held + " blocks hold segments, the partitions have " + owned;
        }
        String overlap = overlapIn(logs);
        return overlap == null ? ground.flaw(tiers) : overlap;
    }

    private static String overlapIn(Map<String, TreeMap<Long, Block>> logs) {
        for (TreeMap<Long, Block> log : logs.values()) {
            Block before = null;
            for (Block segment : log.values()) {
                if (before != null && before.mark().offset() > segment.mark().baseOffset()) {
                    return segment + " overlaps " + before;
                }
                before = segment;
            }
        }
        return null;
    }
}
