package io.firn.tools;

import io.firn.Cursor;
import io.firn.CursorReader.CursorMetrics;
import io.firn.LogReader;
import io.firn.LogStore;
import io.firn.PartitionReader.TimestampedOffset;
import io.firn.TopicReader;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** The cursors of a store, of which those of one name in several topics are a group. */
final class StoreGroups implements Groups {
    private final LogReader store;
    private final Map<String, List<CursorMetrics>> metrics;

    StoreGroups(LogReader store) {
        this.store = store;
        this.metrics = store.cursorMetrics();
    }

    @Override
    public List<String> names() {
        Set<String> names = new TreeSet<>();
        for (String topic : store.topicNames()) {
            names.addAll(store.openTopic(topic).cursorNames());
        }
        return List.copyOf(names);
    }

    @Override
    public List<Lag> lags(String group) {
        List<Lag> lags = new ArrayList<>();
        metrics.forEach(
                (topic, ofTopic) -> {
                    for (CursorMetrics each : ofTopic) {
                        if (each.cursor().equals(group)) {
                            Place place = new Place(topic, each.partition());
                            long end = ends(topic).end(each.partition());
                            Long offset = each.offset() < 0 ? null : each.offset();
                            lags.add(
                                    new Lag(
                                            group,
                                            place,
                                            offset,
                                            end,
                                            each.lagTime().orElse(null),
                                            null));
                        }
                    }
                });
        return lags;
    }

    @Override
    public String state(String group) {
        return null;
    }

    @Override
    public Ends ends(String topic) {
        TopicReader found = StoreTopics.find(store, topic);
        return new Ends() {
            @Override
            public int partitions() {
                return found.partitionCount();
            }

            @Override
            public long start(int partition) {
                return found.partition(partition).logStartOffset();
            }

            @Override
            public long end(int partition) {
                return found.partition(partition).visibleOffset();
            }

            @Override
            public long at(int partition, long timestampMs) {
                TimestampedOffset at = found.partition(partition).findTimestamp(timestampMs);
                return at == null ? end(partition) : at.offset();
            }
        };
    }

    @Override
    public void reset(String group, Map<Place, Long> offsets) {
        LogStore writable = (LogStore) store;
        Set<Cursor> moved = new HashSet<>();
        offsets.forEach(
                (place, offset) -> {
                    Cursor cursor = writable.openTopic(place.topic()).cursor(group);
                    cursor.commit(place.partition(), offset);
                    moved.add(cursor);
                });
        moved.forEach(Cursor::force);
    }

    @Override
    public void close() {
        store.close();
    }
}
