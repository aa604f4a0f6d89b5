package io.firn.bench.peers;

import io.firn.Appender;
import io.firn.Durability;
import io.firn.ExclusiveAppender;
import io.firn.LogStore;
import io.firn.LogStoreBuilder;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import io.firn.pmem.Emulation;
import io.firn.pmem.PmemTier;
import java.nio.file.Path;

/** One process of two with Firn: the writer, or the reader with a read-only store. */
final class PairFirn implements PeerLog {
    private static final String TOPIC = "records";
    private static final long POOL_BYTES = 512L << 20;

    private final TopicOptions options;
    private final boolean isInMemory;
    private final boolean isReader;
    private LogStore store;
    private Topic topic;
    private ExclusiveAppender appender;

    PairFirn(Durability durability, boolean isInMemory, boolean isReader) {
        this(TopicOptions.defaults().withDurability(durability), isInMemory, isReader);
    }

    PairFirn(TopicOptions options, boolean isInMemory, boolean isReader) {
        this.options = options;
        this.isInMemory = isInMemory;
        this.isReader = isReader;
    }

    @Override
    public void open(Path directory, Shape shape) {
        LogStoreBuilder builder = LogStore.in(directory.resolve("store"));
        Path tier = directory.resolve("tier");
        if (isInMemory) {
            builder.tier(
                    PmemTier.builder(tier)
                            .emulation(Emulation.PLAIN)
                            .capacityBytes(POOL_BYTES)
                            .poolRatio(1)
                            .build());
        } else {
            builder.tier(FileTier.at(tier));
        }
        if (isReader) {
            store = builder.readOnly().open();
            topic = store.openTopic(TOPIC);
        } else {
            store = builder.open();
            topic = store.createTopic(TOPIC, options);
        }
    }

    @Override
    public LogAppender appender() {
        appender = topic.partition(0).openAppender();
        if (options.durability() == Durability.WRITTEN || isInMemory) {
            return appender::append;
        }
        return value -> {
            while (appender.appendAsync(value, 0, value.length) == Appender.BACK_PRESSURED) {
                Thread.onSpinWait();
            }
        };
    }

    @Override
    public LogReader reader() {
        return new FirnPeer.Reader(topic.partition(0).openTailer());
    }

    @Override
    public String version() {
        return "as built";
    }

    @Override
    public void close() {
        if (appender != null) {
            appender.close();
        }
        store.close();
    }
}
