package io.firn.tools;

import io.firn.BatchTooLargeException;
import io.firn.DamagedRangeException;
import io.firn.FirnException;
import io.firn.LogReader;
import io.firn.OffsetOutOfRangeException;
import io.firn.PartitionReader.TimestampedOffset;
import io.firn.StoredRecord;
import io.firn.Tailer;
import io.firn.TailerOptions;
import io.firn.TopicReader;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/** The records of a topic in a store. */
final class StoreRecords implements RecordSource {
    private static final int RECORDS_AT_ONCE = 1_000;

    private final LogReader store;
    private final TopicReader topic;
    private final List<Integer> partitions;
    private Tailer tailer;
    private boolean hadNothing;

    private StoreRecords(LogReader store, TopicReader topic, List<Integer> chosen) {
        this.store = store;
        this.topic = topic;
        this.partitions =
                chosen.isEmpty()
                        ? IntStream.range(0, topic.partitionCount()).boxed().toList()
                        : chosen;
        this.tailer = tailer(partitions.stream().mapToInt(Integer::intValue).toArray());
    }

    private Tailer tailer(int... numbers) {
        return topic.openTailer(TailerOptions.defaults().withPartitions(numbers));
    }

    /** Opens the store for them; all partitions if none is chosen. */
    static StoreRecords open(Place place, String topic, List<Integer> partitions) {
        LogReader store = place.openReadOnly();
        try {
            return new StoreRecords(store, StoreTopics.find(store, topic), partitions);
        } catch (RuntimeException e) {
            store.close();
            throw e;
        }
    }

    @Override
    public List<Integer> partitions() {
        return partitions;
    }

    @Override
    public long start(int partition) {
        return topic.partition(partition).logStartOffset();
    }

    @Override
    public long end(int partition) {
        return topic.partition(partition).visibleOffset();
    }

    @Override
    public long at(int partition, long timestampMs) {
        TimestampedOffset found = topic.partition(partition).findTimestamp(timestampMs);
        return found == null ? end(partition) : found.offset();
    }

    @Override
    public void only(int partition) {
        tailer.close();
        tailer = tailer(partition);
    }

    @Override
    public void seek(int partition, long offset) {
        hadNothing = false;
        tailer.seek(partition, Math.min(Math.max(offset, start(partition)), end(partition)));
    }

    @Override
    public long position(int partition) {
        return tailer.offset(partition);
    }

    @Override
    public void poll(
            Consumer<StoredRecord> records, Consumer<FirnException> gaps, Duration timeout) {
        try {
            int count =
                    tailer.forEach(
                            record -> records.accept(record.copy()), RECORDS_AT_ONCE, timeout);
            hadNothing = count == 0;
        } catch (DamagedRangeException e) {
            gaps.accept(e);
            tailer.seek(e.partition(), e.toOffset());
        } catch (BatchTooLargeException e) {
            gaps.accept(e);
            tailer.seek(e.partition(), e.toOffset());
        } catch (OffsetOutOfRangeException e) {
            gaps.accept(e);
            seek(e.partition(), e.offset());
        }
    }

    @Override
    public boolean isAt(int partition, long end) {
        // Also at the end of what was visible and is not any more.
        return hadNothing || position(partition) >= end;
    }

    @Override
    public void close() {
        tailer.close();
        store.close();
    }
}
