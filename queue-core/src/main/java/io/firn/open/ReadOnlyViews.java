package io.firn.open;

import io.firn.Cursor;
import io.firn.CursorReader;
import io.firn.Finding;
import io.firn.IsolationLevel;
import io.firn.LogReader;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.PartitionReader;
import io.firn.StoreMetrics;
import io.firn.StoreSnapshot;
import io.firn.Tailer;
import io.firn.TailerOptions;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.TopicReader;
import io.firn.host.ReadOnlyView;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * A store that was opened read-only, without the methods that write, also not by a cast: so are its
 * topics, partitions and cursors. Tailers are those of the store itself. Thread-safe.
 */
final class ReadOnlyViews {
    private ReadOnlyViews() {}

    static LogReader of(LogStore store) {
        return new ShownStore(store);
    }

    /** Shows an object; two that show the same one are equal. */
    private abstract static class Shown<T> implements ReadOnlyView<T> {
        private final T hosted;

        Shown(T hosted) {
            this.hosted = hosted;
        }

        @Override
        public T hosted() {
            return hosted;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Shown<?> that && hosted.equals(that.hosted);
        }

        @Override
        public int hashCode() {
            return hosted.hashCode();
        }

        @Override
        public String toString() {
            return hosted.toString();
        }
    }

    private static final class ShownStore extends Shown<LogStore> implements LogReader {

        ShownStore(LogStore store) {
            super(store);
        }

        @Override
        public TopicReader openTopic(String name) {
            return new ShownTopic(hosted().openTopic(name));
        }

        @Override
        public boolean hasTopic(String name) {
            return hosted().hasTopic(name);
        }

        @Override
        public List<String> topicNames() {
            return hosted().topicNames();
        }

        @Override
        public Map<UUID, String> unreadableTopics() {
            return hosted().unreadableTopics();
        }

        @Override
        public Path directory() {
            return hosted().directory();
        }

        @Override
        public boolean isReadOnly() {
            return hosted().isReadOnly();
        }

        @Override
        public StoreMetrics metrics() {
            return hosted().metrics();
        }

        @Override
        public StoreSnapshot snapshot() {
            return hosted().snapshot();
        }

        @Override
        public List<Finding> findings() {
            return hosted().findings();
        }

        @Override
        public void addFindingListener(Finding.Listener listener) {
            hosted().addFindingListener(listener);
        }

        @Override
        public void removeFindingListener(Finding.Listener listener) {
            hosted().removeFindingListener(listener);
        }

        @Override
        public int doWork() {
            return hosted().doWork();
        }

        @Override
        public void close() {
            hosted().close();
        }
    }

    private static final class ShownTopic extends Shown<Topic> implements TopicReader {
        ShownTopic(Topic topic) {
            super(topic);
        }

        @Override
        public UUID id() {
            return hosted().id();
        }

        @Override
        public String name() {
            return hosted().name();
        }

        @Override
        public TopicOptions options() {
            return hosted().options();
        }

        @Override
        public int partitionCount() {
            return hosted().partitionCount();
        }

        @Override
        public PartitionReader partition(int index) {
            return new ShownPartition(hosted().partition(index));
        }

        @Override
        public Tailer openTailer(TailerOptions options) {
            return hosted().openTailer(options);
        }

        @Override
        public CursorReader cursor(String name) {
            return new ShownCursor(hosted().cursor(name));
        }

        @Override
        public boolean hasCursor(String name) {
            return hosted().hasCursor(name);
        }

        @Override
        public List<String> cursorNames() {
            return hosted().cursorNames();
        }

        @Override
        public List<CursorReader.CursorMetrics> cursorMetrics() {
            return hosted().cursorMetrics();
        }
    }

    private static final class ShownPartition extends Shown<Partition> implements PartitionReader {
        ShownPartition(Partition partition) {
            super(partition);
        }

        @Override
        public TopicReader topic() {
            return new ShownTopic(hosted().topic());
        }

        @Override
        public int index() {
            return hosted().index();
        }

        @Override
        public long logStartOffset() {
            return hosted().logStartOffset();
        }

        @Override
        public long durableOffset() {
            return hosted().durableOffset();
        }

        @Override
        public long nextOffset() {
            return hosted().nextOffset();
        }

        @Override
        public long visibleOffset(IsolationLevel isolation) {
            return hosted().visibleOffset(isolation);
        }

        @Override
        public Tailer openTailer() {
            return hosted().openTailer();
        }

        @Override
        public TimestampedOffset findTimestamp(long timestampMs, IsolationLevel isolation) {
            return hosted().findTimestamp(timestampMs, isolation);
        }

        @Override
        public TimestampedOffset findLatestTimestamp(IsolationLevel isolation) {
            return hosted().findLatestTimestamp(isolation);
        }

        @Override
        public List<DamagedRange> damage() {
            return hosted().damage();
        }

        @Override
        public PartitionMetrics metrics() {
            return hosted().metrics();
        }
    }

    private static final class ShownCursor extends Shown<Cursor> implements CursorReader {
        ShownCursor(Cursor cursor) {
            super(cursor);
        }

        @Override
        public String name() {
            return hosted().name();
        }

        @Override
        public long offset(int partition) {
            return hosted().offset(partition);
        }
    }
}
