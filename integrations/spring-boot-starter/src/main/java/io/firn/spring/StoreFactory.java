package io.firn.spring;

import io.firn.InvalidOptionException;
import io.firn.LogStore;
import io.firn.LogStoreBuilder;
import io.firn.RetainUntilRead;
import io.firn.Tier;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import io.firn.pmem.PmemTier;
import io.firn.spring.FirnProperties.TierKind;
import io.firn.spring.FirnProperties.TierProperties;
import io.firn.spring.FirnProperties.TopicProperties;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.springframework.util.ClassUtils;
import org.springframework.util.unit.DataSize;

/** Opens a store as the properties say. */
final class StoreFactory {
    private final FirnProperties properties;

    StoreFactory(FirnProperties properties) {
        this.properties = properties;
    }

    LogStore open(Stream<LogStoreCustomizer> customizers) {
        LogStoreBuilder builder = LogStore.at(properties.directory());
        if (properties.tiers().isEmpty()) {
            builder.tier(FileTier.at(properties.directory().resolve("segments")));
        }
        for (TierProperties each : properties.tiers()) {
            builder.tier(each.name(), tier(each));
        }
        customizers.forEach(each -> each.customize(builder));
        LogStore store = builder.open();
        boolean isReady = false;
        try {
            for (TopicProperties each : properties.topics()) {
                store.ensureTopic(each.name(), options(each));
            }
            isReady = true;
            return store;
        } finally {
            if (!isReady) {
                store.close();
            }
        }
    }

    private static Tier tier(TierProperties tier) {
        if (tier.kind() == TierKind.PMEM) {
            return pmemTier(tier);
        }
        FileTier files = FileTier.at(tier.directory());
        if (tier.capacity() != null) {
            files = files.withCapacityBytes(tier.capacity().toBytes());
        }
        return tier.declaredDurable() ? files.withDeclaredDurable() : files;
    }

    private static Tier pmemTier(TierProperties tier) {
        ClassLoader loader = StoreFactory.class.getClassLoader();
        if (!ClassUtils.isPresent("io.firn.pmem.PmemTier", loader)) {
            throw new InvalidOptionException(
                    "firn.tiers: the tier '"
                            + tier.name()
                            + "' is on persistent memory, and its classes are missing: add the"
                            + " artifact io.firn:firn-tier-pmem");
        }
        PmemTier pools = PmemTier.at(tier.directory());
        return tier.capacity() == null ? pools : pools.withCapacityBytes(tier.capacity().toBytes());
    }

    static TopicOptions options(TopicProperties topic) {
        TopicOptions options = TopicOptions.defaults();
        options = with(options, topic.partitions(), TopicOptions::withPartitions);
        options = with(options, topic.durability(), TopicOptions::withDurability);
        options = with(options, topic.survives(), TopicOptions::withMinimumClass);
        options = with(options, topic.tiers(), TopicOptions::withTiers);
        options = with(options, topic.cleanup(), TopicOptions::withCleanup);
        options = with(options, topic.retentionAge(), TopicOptions::withRetentionAge);
        options = with(options, topic.rollAge(), TopicOptions::withRollAge);
        options =
                with(
                        options,
                        topic.retentionSize(),
                        (all, size) -> all.withRetentionBytes(size.toBytes()));
        options =
                with(
                        options,
                        topic.retainUntilRead(),
                        (all, names) -> all.withRetainUntilRead(RetainUntilRead.by(names)));
        options =
                with(
                        options,
                        topic.segmentSize(),
                        (all, size) -> all.withSegmentBytes(bytes(topic, "segment-size", size)));
        return with(
                options,
                topic.maxRecordSize(),
                (all, size) -> all.withMaxRecordBytes(bytes(topic, "max-record-size", size)));
    }

    /** What is not set is left as the topic has it. */
    private static <T> TopicOptions with(
            TopicOptions options, T value, BiFunction<TopicOptions, T, TopicOptions> change) {
        return value == null ? options : change.apply(options, value);
    }

    private static int bytes(TopicProperties topic, String property, DataSize size) {
        if (size.toBytes() > Integer.MAX_VALUE) {
            throw new InvalidOptionException(
                    "firn.topics: "
                            + property
                            + " of '"
                            + topic.name()
                            + "' is at most 1 GiB, found "
                            + size);
        }
        return (int) size.toBytes();
    }
}
