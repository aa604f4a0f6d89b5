package io.firn.tools;

import io.firn.InvalidOptionException;
import io.firn.LogReader;
import io.firn.LogStore;
import io.firn.PartitionReader.PartitionMetrics;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.TopicReader;
import io.firn.server.log.TopicTexts;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The topics of a store, which is open only during a call. */
final class StoreTopics implements Topics {
    private static final int MOST_SHOWN = 20;

    private final Place place;

    StoreTopics(Place place) {
        this.place = place;
    }

    @Override
    public List<Description> all() {
        try (LogReader store = place.openReadOnly()) {
            return all(store);
        }
    }

    /** Returns the topics of a store that is open. */
    static List<Description> all(LogReader store) {
        return store.topicNames().stream().map(name -> description(store.openTopic(name))).toList();
    }

    @Override
    public Description describe(String name) {
        try (LogReader store = place.openReadOnly()) {
            return description(find(store, name));
        }
    }

    /**
     * Returns a topic.
     *
     * @throws InvalidOptionException when there is none of that name
     */
    static TopicReader find(LogReader store, String name) {
        check(store, name);
        return store.openTopic(name);
    }

    /** Throws as {@link #find(LogReader, String)}. */
    static void check(LogReader store, String name) {
        if (!store.hasTopic(name)) {
            throw new InvalidOptionException(unknown(store, name));
        }
    }

    /** Returns a topic to change it; see the other method of this name. */
    static Topic find(LogStore store, String name) {
        check(store, name);
        return store.openTopic(name);
    }

    private static String unknown(LogReader store, String name) {
        List<String> names = store.topicNames();
        int others = names.size() - MOST_SHOWN;
        String shown = String.join(", ", names.subList(0, Math.min(names.size(), MOST_SHOWN)));
        return "there is no topic '"
                + Escapes.printable(name)
                + "' in "
                + store.directory()
                + (names.isEmpty() ? ", which has none" : ": it has " + shown)
                + (others > 0 ? ", and " + others + " others" : "");
    }

    private static Description description(TopicReader topic) {
        List<PartitionState> partitions = new ArrayList<>();
        for (int i = 0; i < topic.partitionCount(); i++) {
            PartitionMetrics metrics = topic.partition(i).metrics();
            partitions.add(
                    new PartitionState(
                            i,
                            metrics.logStartOffset(),
                            metrics.durableOffset(),
                            metrics.nextOffset(),
                            (long) metrics.segments(),
                            metrics.bytes()));
        }
        Map<String, String> config = new TreeMap<>(TopicTexts.of(topic.options()));
        config.entrySet().removeAll(TopicTexts.of(TopicOptions.defaults()).entrySet());
        return new Description(topic.name(), topic.id().toString(), partitions, config);
    }

    @Override
    public void create(String name, int partitions, Map<String, String> config) {
        Topic.checkName(name);
        TopicOptions options = TopicTexts.create(partitions, config);
        try (LogStore store = place.open()) {
            store.createTopic(name, options);
        }
    }

    @Override
    public void alter(
            String name, int partitions, Map<String, String> config, Collection<String> unset) {
        Map<String, String> changes = new HashMap<>(config);
        Map<String, String> defaults = TopicTexts.of(TopicOptions.defaults());
        unset.forEach(key -> changes.put(key, defaults.get(key)));
        try (LogStore store = place.open()) {
            Topic topic = find(store, name);
            if (!changes.isEmpty()) {
                topic.updateOptions(options -> TopicTexts.change(options, changes));
            }
            if (partitions > 0) {
                topic.addPartitions(partitions);
            }
        }
    }

    @Override
    public void delete(String name) {
        try (LogStore store = place.open()) {
            store.deleteTopic(find(store, name).name());
        }
    }

    @Override
    public void close() {}
}
