package io.firn.bench.peers;

import io.firn.Appender;
import io.firn.Durability;
import io.firn.ExclusiveAppender;
import io.firn.LogStore;
import io.firn.LogStoreBuilder;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import io.firn.host.HostedStore;
import io.firn.pmem.Emulation;
import io.firn.pmem.PmemTier;
import java.nio.file.Path;
import org.agrona.concurrent.UnsafeBuffer;

/** One process of two with Firn: the writer, or the reader with a read-only store. */
final class PairFirn implements PeerLog {
    private static final String TOPIC = "records";
    private static final long LEAST_POOL_BYTES = 512L << 20;

    /** Of a batch with one record, its header included. */
    private static final long MORE_THAN_VALUE = 80;

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
        LogStoreBuilder builder = LogStore.at(directory.resolve("store"));
        Path tier = directory.resolve("tier");
        if (isInMemory) {
            builder.tier(
                    PmemTier.at(tier)
                            .withEmulation(Emulation.PLAIN)
                            .withCapacityBytes(poolBytes(shape))
                            .withPoolRatio(1));
        } else {
            builder.tier(FileTier.at(tier));
        }
        if (isReader) {
            store = HostedStore.of(builder.openReadOnly());
            topic = store.openTopic(TOPIC);
        } else {
            store = builder.open();
            topic = store.createTopic(TOPIC, options);
        }
    }

    /** Returns room for all records, and for the blocks that are prepared ahead of them. */
    private static long poolBytes(Shape shape) {
        long all = shape.records() * (shape.bytes() + MORE_THAN_VALUE);
        return Math.max(LEAST_POOL_BYTES, all + all / 4);
    }

    @Override
    public LogAppender appender() {
        appender = topic.partition(0).openExclusiveAppender();
        if (options.durability() == Durability.WRITTEN || isInMemory) {
            return appender::append;
        }
        UnsafeBuffer view = new UnsafeBuffer(0, 0);
        return value -> {
            view.wrap(value);
            while (appender.tryAppend(view, 0, value.length) == Appender.BACK_PRESSURED) {
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
