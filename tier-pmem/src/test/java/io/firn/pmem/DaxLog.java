package io.firn.pmem;

import io.firn.Appender;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.RecordHandler.Action;
import io.firn.Survives;
import io.firn.Tailer;
import io.firn.TopicOptions;
import io.firn.medium.FileMedium;
import io.firn.spi.StorageTier.TierContext;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;

/**
 * A log on real persistent memory, for bin/check dax: one run appends until the machine is killed,
 * the next one compares what is there with what was acknowledged.
 */
public final class DaxLog {
    private static final TopicOptions SMALL_SEGMENTS =
            TopicOptions.defaults()
                    .withSegmentBytes(64 * 1024)
                    .withMaxRecordBytes(16 * 1024)
                    .withRetentionBytes(1 << 20);
    private static final int BLOCKS = 40;
    private static final int ACKS_PER_LINE = 10;

    private final Path directory;
    private final PmemTier tier;

    private DaxLog(Provider provider, Path directory) {
        this.directory = directory;
        this.tier = newTier(provider, directory);
    }

    private static PmemTier newTier(Provider provider, Path directory) {
        return Pools.withBlocks(BLOCKS, directory.resolve("pmem"))
                .withMedium(FileMedium.real())
                .withEmulation(Emulation.NONE)
                .withProvider(provider);
    }

    /** {@code append PROVIDER DIRECTORY} or {@code check PROVIDER DIRECTORY ACKNOWLEDGED}. */
    public static void main(String[] args) throws IOException {
        Provider provider = Provider.valueOf(args[1]);
        Path directory = Path.of(args[2]);
        DaxLog log = new DaxLog(provider, directory);
        try (LogStore store = LogStore.at(directory.resolve("store")).tier(log.tier).open()) {
            System.out.println("CREATED");
            require(log.tier.provider() == provider, "provider " + log.tier.provider());
            require(log.tier.survives() == Survives.POWER_LOSS, "class " + log.tier.survives());
            Partition partition = store.ensureTopic("t", SMALL_SEGMENTS).partition(0);
            if (args[0].equals("append")) {
                append(partition);
                return;
            }
            log.check(partition, Long.parseLong(args[3]));
        }
        log.account(provider);
    }

    private static void append(Partition partition) {
        long rolls = 0;
        try (Appender appender = partition.openExclusiveAppender()) {
            while (true) {
                byte[] value = Pools.value(partition.nextOffset());
                long offset = appender.append(value);
                if (offset % ACKS_PER_LINE == 0) {
                    System.out.println("ACKED " + (offset + 1));
                }
                if (partition.metrics().rolls() > rolls) {
                    rolls = partition.metrics().rolls();
                    System.out.println("ROLLED " + rolls);
                }
            }
        }
    }

    private void check(Partition partition, long acknowledged) throws IOException {
        long end = partition.durableOffset();
        require(end >= acknowledged, "only " + end + " of " + acknowledged + " are there");
        long[] next = {partition.logStartOffset()};
        try (Tailer tailer = partition.openTailer()) {
            tailer.seekToStart();
            while (next[0] < end) {
                int polled =
                        tailer.poll(
                                record -> {
                                    byte[] value = new byte[record.valueLength()];
                                    record.getValue(value, 0);
                                    require(
                                            record.offset() == next[0]
                                                    && Arrays.equals(value, Pools.value(next[0])),
                                            "another record at offset " + next[0]);
                                    next[0]++;
                                    return Action.CONTINUE;
                                },
                                100);
                require(polled > 0, "nothing at offset " + next[0] + " of " + end);
            }
        }
        Path pool = directory.resolve("pmem").resolve(PoolFile.NAME);
        List<String> flags = Pools.mappingFlags(pool);
        require(
                !flags.isEmpty() && flags.stream().allMatch(line -> line.contains(" sf")),
                "mapping flags " + flags);
        System.out.printf(
                "SURVIVED %d of %d acknowledged, from %d on; %s, %s, sf%n",
                end, acknowledged, partition.logStartOffset(), tier.provider(), tier.survives());
    }

    /** Free and used blocks are all blocks. */
    private void account(Provider provider) throws IOException {
        Path pool = directory.resolve("pmem").resolve(PoolFile.NAME);
        UUID storeId = PoolFile.read(FileMedium.real(), pool).superblock().storeId();
        try (PmemTier again = newTier(provider, directory)) {
            again.open(new TierContext(storeId, false, false));
            Pools.assertAccountedFor(again);
            System.out.printf(
                    "BLOCKS %d used of %d%n", again.usedBytes() / Pools.BLOCK_BYTES, BLOCKS);
        }
    }

    private static void require(boolean condition, String otherwise) {
        if (!condition) {
            throw new IllegalStateException(otherwise);
        }
    }
}
