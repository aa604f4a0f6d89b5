package io.firn.bench.peers;

import io.firn.Appender;
import io.firn.Batch;
import io.firn.Claim;
import io.firn.Durability;
import io.firn.ExclusiveAppender;
import io.firn.LogRecord;
import io.firn.LogStore;
import io.firn.LogStoreBuilder;
import io.firn.Partition;
import io.firn.RecordHandler;
import io.firn.RecordHandler.Action;
import io.firn.Tailer;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadFactory;

/**
 * Firn with a file tier and its defaults; with prepared space where all pages are to be touched.
 */
final class FirnPeer implements PeerLog {
    /** The ways to append. */
    enum Way {
        EXCLUSIVE,
        CLAIM,
        SHARED,
        BATCH
    }

    private static final int LIMIT = 64;
    private static final int MAX_SEGMENT = 1 << 30;

    private final TopicOptions options;
    private final Way way;
    private final ThreadFactory threadFactory;
    private final List<Appender> appenders = new ArrayList<>();
    private LogStore store;
    private Partition partition;
    private int threads;

    FirnPeer(Durability durability, Way way) {
        this(TopicOptions.defaults().withDurability(durability), way, null);
    }

    /**
     * Creates one with other options.
     *
     * @param threadFactory makes the store's threads; null for its own
     */
    FirnPeer(TopicOptions options, Way way, ThreadFactory threadFactory) {
        this.options = options;
        this.way = way;
        this.threadFactory = threadFactory;
    }

    @Override
    public void open(Path directory, Shape shape) {
        threads = shape.threads();
        TopicOptions ofTopic = options;
        if (shape.touched()) {
            // When an eighth is full, the next segment is prepared, which is not to be measured.
            int all = (int) Math.min(MAX_SEGMENT, 8 * shape.room());
            ofTopic = options.withSegmentBytes(all).withPreparedBytes(all);
        }
        LogStoreBuilder builder =
                LogStore.at(directory.resolve("store"))
                        .tier(FileTier.at(directory.resolve("segments")));
        if (threadFactory != null) {
            builder.threadFactory(threadFactory);
        }
        store = builder.open();
        partition = store.ensureTopic("records", ofTopic).partition(0);
    }

    @Override
    public LogAppender appender() {
        if (way == Way.SHARED || threads > 1) {
            return add(partition.openAppender())::append;
        }
        ExclusiveAppender appender = add(partition.openExclusiveAppender());
        return switch (way) {
            case CLAIM -> value -> claim(appender, value);
            case BATCH -> batches(appender);
            default -> appender::append;
        };
    }

    private synchronized <A extends Appender> A add(A appender) {
        appenders.add(appender);
        return appender;
    }

    private static void claim(ExclusiveAppender appender, byte[] value) {
        Claim claim = appender.tryClaim(value.length);
        while (claim == null) {
            Thread.onSpinWait();
            claim = appender.tryClaim(value.length);
        }
        claim.buffer().put(value);
        claim.commit();
    }

    private static LogAppender batches(ExclusiveAppender appender) {
        Batch batch = appender.newBatch();
        return value -> {
            batch.clear();
            for (int i = 0; i < Peer.BATCH; i++) {
                batch.add(value);
            }
            appender.append(batch);
        };
    }

    @Override
    public LogReader reader() {
        return new Reader(partition.openTailer());
    }

    @Override
    public String version() {
        return "as built";
    }

    @Override
    public void close() {
        appenders.forEach(Appender::close);
        store.close();
    }

    /** Copies records as a tailer finds them. */
    static final class Reader implements LogReader {
        private final Tailer tailer;
        private final RecordHandler copying = this::copy;
        private byte[] target;
        private Runnable onRecord;

        Reader(Tailer tailer) {
            this.tailer = tailer;
        }

        @Override
        public int poll(byte[] to, Runnable callback) {
            target = to;
            onRecord = callback;
            return tailer.poll(copying, LIMIT);
        }

        private Action copy(LogRecord record) {
            record.getValue(target, 0);
            onRecord.run();
            return Action.CONTINUE;
        }

        @Override
        public void rewind() {
            tailer.seekToStart();
        }

        @Override
        public void close() {
            tailer.close();
        }
    }
}
