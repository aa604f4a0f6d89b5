package io.firn.server.log;

import io.firn.Cleanup;
import io.firn.FirnException;
import io.firn.InvalidOptionException;
import io.firn.LogStore;
import io.firn.RetainUntilRead;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.UnknownTopicException;
import io.firn.UnreadableTopicException;
import io.firn.medium.FileMedium;
import io.firn.server.config.ServerConfig;
import io.firn.server.config.TopicKeys;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.Errors;

/**
 * The topics of the store, as clients see them, with their configurations. The application that
 * embeds the server may create and delete topics as well, so every look-up asks the store.
 * Thread-safe.
 */
public final class ServedTopics implements AutoCloseable {
    /** The largest number of partitions of a topic. */
    static final int MAX_PARTITIONS = 100_000;

    private static final System.Logger LOG = System.getLogger("io.firn.server");
    private static final long LEAST_TRANSACTION_BYTES = 4 << 20;
    private static final long LOOK_INTERVAL_NS = TimeUnit.MILLISECONDS.toNanos(100);

    private final AtomicLong lastLookNs = new AtomicLong(System.nanoTime() - LOOK_INTERVAL_NS);
    private final LogStore store;
    private final TopicConfigFiles files;
    private final TransactionMemory transactionMemory;
    private final ServerConfig config;
    private final Map<String, String> defaults;
    private final Map<String, ServedTopic> byName = new ConcurrentHashMap<>();
    private final Map<Uuid, ServedTopic> byId = new ConcurrentHashMap<>();

    /**
     * Reads the configurations of all topics.
     *
     * @param directory the server's directory
     * @throws IOException if the directory cannot be read or created
     */
    public ServedTopics(LogStore store, ServerConfig config, FileMedium medium, Path directory)
            throws IOException {
        this.store = store;
        this.transactionMemory =
                new TransactionMemory(
                        store.transactions(),
                        Math.max(LEAST_TRANSACTION_BYTES, Runtime.getRuntime().maxMemory() / 16));
        this.config = config;
        this.defaults = config.topicDefaults();
        this.files = new TopicConfigFiles(medium, directory.resolve("topics"));
        for (String name : store.topicNames()) {
            find(name);
        }
        // The configuration of deleted topics goes; that of unreadable ones stays.
        Set<UUID> kept = new HashSet<>(store.unreadableTopics().keySet());
        byId.values().forEach(each -> kept.add(each.topic().id()));
        files.deleteOthers(kept);
    }

    /** Returns the store. */
    public LogStore store() {
        return store;
    }

    /** Returns the memory of open transactions. */
    public TransactionMemory transactionMemory() {
        return transactionMemory;
    }

    /** Returns the node id. */
    public int nodeId() {
        return config.nodeId();
    }

    /** Returns the configuration of the server. */
    public ServerConfig config() {
        return config;
    }

    /** Returns the names of all topics, sorted. */
    public List<String> names() {
        return store.topicNames();
    }

    /** Returns about how many partitions there are in all topics. */
    int partitionCount() {
        int sum = 0;
        for (ServedTopic each : byName.values()) {
            sum += each.topic().partitionCount();
        }
        return sum;
    }

    /** Returns a topic by its name; null if there is none. */
    public ServedTopic find(String name) {
        Topic topic;
        if (!store.hasTopic(name)) { // an exception for each of very many names takes long
            forget(byName.get(name));
            return null;
        }
        try {
            topic = store.openTopic(name);
        } catch (UnknownTopicException | UnreadableTopicException e) {
            forget(byName.get(name));
            return null;
        }
        ServedTopic served = byName.get(name);
        return served != null && served.topic().id().equals(topic.id()) ? served : serve(topic);
    }

    /** Returns the error for a topic that {@link #find(String)} did not find. */
    Errors missing() {
        return store.unreadableTopics().isEmpty()
                ? Errors.UNKNOWN_TOPIC_OR_PARTITION
                : Errors.KAFKA_STORAGE_ERROR; // it may be one of those
    }

    /** Returns a topic by its id; null if there is none. */
    public ServedTopic find(Uuid id) {
        ServedTopic served = byId.get(id);
        if (served == null && mayLookForOthers()) {
            for (String name : store.topicNames()) {
                if (!byName.containsKey(name)) {
                    find(name);
                }
            }
            served = byId.get(id);
        }
        return served == null || find(served.name()) == served ? served : null;
    }

    /**
     * The application may have created a topic. That is looked up a few times a second: a request
     * may have very many unknown ids, and clients know an id from a response of this server.
     */
    private boolean mayLookForOthers() {
        long now = System.nanoTime();
        long last = lastLookNs.get();
        return now - last > LOOK_INTERVAL_NS && lastLookNs.compareAndSet(last, now);
    }

    private synchronized ServedTopic serve(Topic topic) {
        ServedTopic before = byName.get(topic.name());
        if (before != null && before.topic().id().equals(topic.id())) {
            return before;
        }
        forget(before);
        Map<String, String> set = files.read(topic);
        TopicSettings settings = TopicSettings.stored(set, defaultsOf(topic, set));
        compactIfSet(topic, settings);
        ServedTopic served = new ServedTopic(topic, settings);
        byName.put(served.name(), served);
        byId.put(served.id(), served);
        return served;
    }

    /**
     * What clients have set may not have come to the log: a version without compaction only stored
     * it, and a crash may have come in between.
     */
    private static void compactIfSet(Topic topic, TopicSettings settings) {
        TopicOptions options = topic.options();
        if (settings.isCompacted() == options.cleanup().isCompacting()) {
            return;
        }
        try {
            topic.changeOptions(settings.applyTo(options, settings.set()));
        } catch (FirnException e) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "topic {0}: cleanup.policy={1} has no effect until the next start: {2}",
                    topic.name(),
                    settings.get("cleanup.policy"),
                    e.getMessage());
        }
    }

    private void forget(ServedTopic gone) {
        if (gone != null) {
            byName.remove(gone.name(), gone);
            byId.remove(gone.id(), gone);
            gone.close();
        }
    }

    /** Releases topics that the application has deleted, so that their space is freed. */
    public void forgetDeleted() {
        byName.keySet().forEach(this::find);
    }

    /**
     * Returns the defaults of a topic: some values were fixed when it was created, and some are the
     * application's, unless a client has set them.
     */
    private Map<String, String> defaultsOf(Topic topic, Map<String, String> set) {
        Map<String, String> own = new HashMap<>(defaults);
        own.put("firn.durability", topic.options().durability().name().toLowerCase(Locale.ROOT));
        own.put("segment.bytes", Integer.toString(topic.options().segmentBytes()));
        RetainUntilRead readers = topic.options().retainUntilRead();
        Map<String, String> applications = new HashMap<>();
        applications.put(
                TopicKeys.RETAIN_UNTIL_READ,
                readers.isAll() ? "*" : String.join(",", readers.cursors()));
        applications.put(TopicKeys.UNREAD_LIMIT_BYTES, Long.toString(readers.limitBytes()));
        applications.put(TopicKeys.UNREAD_LIMIT_MS, Long.toString(readers.limitMs()));
        putCompaction(applications, topic.options());
        applications.keySet().removeAll(set.keySet());
        own.putAll(applications);
        return own;
    }

    private static void putCompaction(Map<String, String> values, TopicOptions options) {
        Cleanup cleanup = options.cleanup();
        if (!cleanup.isCompacting()) {
            values.put("cleanup.policy", "delete");
            return;
        }
        values.put("cleanup.policy", cleanup.isDeleting() ? "compact,delete" : "compact");
        long most = options.maxCompactionLagMs();
        values.put("min.compaction.lag.ms", Long.toString(options.minCompactionLagMs()));
        values.put(
                "max.compaction.lag.ms",
                Long.toString(most == TopicOptions.UNLIMITED ? Long.MAX_VALUE : most));
        values.put("min.cleanable.dirty.ratio", Double.toString(options.minDirtyRatio()));
        values.put("delete.retention.ms", Long.toString(options.tombstoneRetentionMs()));
    }

    // ---- changes

    /** Checks the configuration of a new topic. */
    TopicSettings check(Map<String, String> set) {
        return TopicSettings.checked(set, Map.of(), defaults);
    }

    /** Checks a new configuration of a topic. */
    TopicSettings check(ServedTopic served, Map<String, String> set) {
        Map<String, String> before = served.settings().set();
        TopicSettings changed =
                TopicSettings.checked(set, before, defaultsOf(served.topic(), before));
        String now = defaultsOf(served.topic(), before).get("firn.durability");
        if (!changed.get("firn.durability").equals(now)) {
            throw new InvalidOptionException(
                    "firn.durability is chosen when a topic is created; "
                            + served.name()
                            + " is "
                            + now);
        }
        return changed;
    }

    /** Creates a topic, durably. */
    public ServedTopic create(String name, int partitions, Map<String, String> set) {
        TopicSettings settings = check(set);
        TopicOptions options = settings.options(partitions);
        synchronized (this) {
            Topic topic = store.createTopic(name, options);
            try {
                if (!set.isEmpty()) {
                    files.write(topic, settings.set());
                }
            } catch (RuntimeException e) {
                store.deleteTopic(name); // no client has seen it
                throw e;
            }
            return serve(topic);
        }
    }

    /** Deletes a topic, durably. */
    public synchronized void delete(String name) {
        ServedTopic served = byName.get(name);
        store.deleteTopic(name);
        if (served != null) {
            forget(served);
            files.delete(served.topic());
        }
    }

    /** Changes the configuration of a topic, durably. */
    synchronized void configure(ServedTopic served, Map<String, String> set) {
        Map<String, String> before = served.settings().set();
        TopicSettings changed = check(served, set);
        files.write(served.topic(), changed.set());
        served.settings(changed);
        TopicOptions options = served.topic().options();
        TopicOptions applied = changed.applyTo(options, before);
        if (!applied.equals(options)) {
            served.topic().changeOptions(applied);
        }
    }

    /** Releases all topics, but not the store. */
    @Override
    public void close() {
        new ArrayList<>(byName.values()).forEach(this::forget);
    }
}
