package io.firn.server.log;

import io.firn.InvalidOptionException;
import io.firn.LogStore;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.UnknownTopicException;
import io.firn.UnreadableTopicException;
import io.firn.budget.HeapBudget;
import io.firn.host.HostedStore;
import io.firn.medium.FileMedium;
import io.firn.server.config.ServerConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.Errors;

/**
 * The topics of the store, as clients see them, with their configurations. The application that
 * embeds the server may create and delete topics as well, so every look-up asks the store.
 * Thread-safe.
 */
public final class ServedTopics implements AutoCloseable {
    /** A topic that no client sees: the server appends to it to find out whether that works. */
    public static final String HIDDEN = "__firn_health";

    /** The largest number of partitions of a topic. */
    public static final int MAX_PARTITIONS = 100_000;

    private static final long LEAST_TRANSACTION_BYTES = 1 << 20;
    private static final long LOOK_INTERVAL_NS = TimeUnit.MILLISECONDS.toNanos(100);

    private final AtomicLong lastLookNs = new AtomicLong(System.nanoTime() - LOOK_INTERVAL_NS);
    private final HostedStore store;
    private final TopicConfigFiles files;
    private final TransactionMemory transactionMemory;
    private final DynamicConfig node;
    private final TopicConfigs configs;
    private final Map<String, ServedTopic> byName = new ConcurrentHashMap<>();
    private final Map<Uuid, ServedTopic> byId = new ConcurrentHashMap<>();

    /**
     * Reads the configurations of all topics.
     *
     * @param directory the server's directory
     * @throws IOException if the directory cannot be read or created
     */
    public ServedTopics(LogStore served, DynamicConfig node, FileMedium medium, Path directory)
            throws IOException {
        this.store = HostedStore.of(served);
        this.transactionMemory =
                new TransactionMemory(
                        store.transactions(),
                        HeapBudget.TRANSACTIONS.bytes(LEAST_TRANSACTION_BYTES, Long.MAX_VALUE));
        this.node = node;
        this.files = new TopicConfigFiles(medium, directory.resolve("topics"));
        this.configs = new TopicConfigs(files, node.now().topicDefaults());
        for (String name : store.topicNames()) {
            find(name);
        }
        // The configuration of deleted topics goes; that of unreadable ones stays.
        Set<UUID> kept = new HashSet<>(store.unreadableTopics().keySet());
        byId.values().forEach(each -> kept.add(each.topic().id()));
        files.deleteOthers(kept);
        node.onChange(this::follow);
    }

    /** Returns the store. */
    public HostedStore store() {
        return store;
    }

    /** Returns the store's directory, as messages to clients name it. */
    public String shownDirectory() {
        return store.directory().toAbsolutePath().toString();
    }

    /** Returns the memory of open transactions. */
    public TransactionMemory transactionMemory() {
        return transactionMemory;
    }

    /** Returns the node id. */
    public int nodeId() {
        return node.now().nodeId();
    }

    /**
     * Checks that a name is that of the node, or empty.
     *
     * @throws org.apache.kafka.common.errors.InvalidRequestException if it is another one
     */
    public void checkNode(String name) {
        if (!name.isEmpty() && !name.equals(Integer.toString(nodeId()))) {
            throw Errors.INVALID_REQUEST.exception(
                    "The only node is " + nodeId() + ", not " + name + ".");
        }
    }

    /** Returns the configuration of the server that holds now. */
    public ServerConfig config() {
        return node.now();
    }

    /** Returns the configuration of the server, with where it is from. */
    public DynamicConfig node() {
        return node;
    }

    /** Returns the names of all topics that clients see, sorted. */
    public List<String> names() {
        return store.topicNames().stream().filter(each -> !each.equals(HIDDEN)).toList();
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
        if (name.equals(HIDDEN)
                || !store.hasTopic(name)) { // an exception for each of very many names takes long
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
    public Errors missing() {
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
        ServedTopic served = configs.serve(topic);
        byName.put(served.name(), served);
        byId.put(served.id(), served);
        return served;
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

    // ---- changes

    /** Checks the configuration of a new topic, and returns what it will be. */
    public synchronized EffectiveTopicConfig check(Map<String, String> named) {
        return configs.check(named, 1);
    }

    /** Creates a topic, durably. */
    public synchronized ServedTopic create(String name, int partitions, Map<String, String> named) {
        if (name.equals(HIDDEN)) {
            throw new InvalidOptionException(
                    "the topic " + HIDDEN + " is the server's own; choose another name");
        }
        TopicOptions options = configs.check(named, partitions).options(); // of the same defaults
        Topic topic = store.createTopic(name, options);
        try {
            configs.created(topic, named);
        } catch (RuntimeException e) {
            store.deleteTopic(name); // no client has seen it
            throw e;
        }
        return serve(topic);
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

    /**
     * Changes what clients name for a topic, durably.
     *
     * @param change returns what they name now; of null it returns what is checked for a topic that
     *     does not exist
     * @return whether there is such a topic
     */
    public synchronized boolean configure(
            String name, Function<ServedTopic, Map<String, String>> change, boolean validateOnly) {
        ServedTopic served = find(name);
        Map<String, String> named = change.apply(served); // no other change comes between
        if (served == null) {
            configs.check(named, 1);
            return false;
        }
        configs.check(served, named);
        if (!validateOnly) {
            configs.configure(served, named);
        }
        return true;
    }

    /**
     * Makes topics follow other defaults of the server. A crash leaves the rest of them to the next
     * start, because the defaults are durable before. Where these change again meanwhile, topics
     * follow the latest.
     */
    private void follow() {
        synchronized (this) {
            configs.defaults(node.now().topicDefaults());
        }
        for (ServedTopic each : new ArrayList<>(byName.values())) {
            synchronized (this) { // others need not wait for all of them
                if (each.equals(byName.get(each.name()))) {
                    configs.follow(each);
                }
            }
        }
    }

    /** Releases all topics, but not the store. */
    @Override
    public void close() {
        new ArrayList<>(byName.values()).forEach(this::forget);
    }
}
