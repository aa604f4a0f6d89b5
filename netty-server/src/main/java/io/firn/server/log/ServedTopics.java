package io.firn.server.log;

import io.firn.FirnException;
import io.firn.InvalidOptionException;
import io.firn.LogStore;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.UnknownTopicException;
import io.firn.UnreadableTopicException;
import io.firn.medium.FileMedium;
import io.firn.medium.SmallFile;
import io.firn.server.config.ServerConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.Errors;

/**
 * The store's topics, as clients see them, with what was configured for each in a small file beside
 * the store's own. The application that embeds the server may create and delete topics, too: the
 * store is always asked. Thread-safe.
 */
public final class ServedTopics implements AutoCloseable {
    private static final String MAGIC = "topic-config";
    private static final int VERSION = 1;

    private final LogStore store;
    private final FileMedium medium;
    private final Path directory;
    private final ServerConfig config;
    private final Map<String, String> defaults;
    private final Map<String, ServedTopic> byName = new ConcurrentHashMap<>();
    private final Map<Uuid, ServedTopic> byId = new ConcurrentHashMap<>();

    /**
     * Over a store.
     *
     * @param directory for what is configured
     */
    public ServedTopics(LogStore store, ServerConfig config, FileMedium medium, Path directory)
            throws IOException {
        this.store = store;
        this.config = config;
        this.defaults = config.topicDefaults();
        this.medium = medium;
        this.directory = directory.resolve("topics");
        medium.createDirectories(this.directory);
        for (String name : store.topicNames()) {
            find(name);
        }
        dropOrphans();
    }

    /** What was configured for topics that are gone; of one that is only unreadable it stays. */
    private void dropOrphans() throws IOException {
        Set<UUID> unreadable = store.unreadableTopics().keySet();
        for (String file : medium.list(directory)) {
            boolean known =
                    byId.values().stream()
                            .anyMatch(each -> file.equals(each.topic().id().toString()));
            boolean kept = unreadable.stream().anyMatch(id -> file.equals(id.toString()));
            if (!known && !kept) {
                medium.delete(directory.resolve(file));
            }
        }
    }

    /** The store below. */
    public LogStore store() {
        return store;
    }

    /** The id of the one node. */
    public int nodeId() {
        return config.nodeId();
    }

    ServerConfig config() {
        return config;
    }

    /** The names of all topics, sorted. */
    public List<String> names() {
        return store.topicNames();
    }

    /** A topic by its name; null when there is none. */
    public ServedTopic find(String name) {
        Topic topic;
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
                : Errors.KAFKA_STORAGE_ERROR; // it may be one of those: not gone for good
    }

    /** A topic by its id; null when there is none. */
    public ServedTopic find(Uuid id) {
        ServedTopic served = byId.get(id);
        if (served == null) {
            // Somebody else may have created it.
            for (String name : store.topicNames()) {
                if (!byName.containsKey(name)) {
                    find(name);
                }
            }
            served = byId.get(id);
        }
        return served == null || find(served.name()) == served ? served : null;
    }

    private synchronized ServedTopic serve(Topic topic) {
        ServedTopic before = byName.get(topic.name());
        if (before != null && before.topic().id().equals(topic.id())) {
            return before;
        }
        forget(before);
        ServedTopic served =
                new ServedTopic(topic, TopicSettings.stored(readSet(topic), defaultsOf(topic)));
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

    /** What was fixed when it was created stays, whatever the server's defaults are now. */
    private Map<String, String> defaultsOf(Topic topic) {
        Map<String, String> own = new HashMap<>(defaults);
        own.put("firn.durability", topic.options().durability().name().toLowerCase(Locale.ROOT));
        own.put("segment.bytes", Integer.toString(topic.options().segmentBytes()));
        return own;
    }

    // ---- changing

    /** Checks what a topic would be created with. */
    TopicSettings check(Map<String, String> set) {
        return TopicSettings.checked(set, Map.of(), defaults);
    }

    /** Checks what a topic would be changed to. */
    TopicSettings check(ServedTopic served, Map<String, String> set) {
        TopicSettings changed =
                TopicSettings.checked(set, served.settings().set(), defaultsOf(served.topic()));
        String now = defaultsOf(served.topic()).get("firn.durability");
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
                    writeSet(topic, settings);
                }
            } catch (RuntimeException e) {
                store.deleteTopic(name); // nobody has seen it
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
            try {
                medium.delete(file(served.topic()));
            } catch (IOException e) {
                // Swept at the next start; its topic is gone, and ids do not come again.
                System.getLogger("io.firn.server")
                        .log(
                                System.Logger.Level.WARNING,
                                "could not delete, left in place: " + file(served.topic()),
                                e);
            }
        }
    }

    /** Configures a topic, durably. */
    synchronized void configure(ServedTopic served, Map<String, String> set) {
        TopicSettings changed = check(served, set);
        writeSet(served.topic(), changed);
        served.settings(changed);
        TopicOptions options = served.topic().options();
        if (!changed.applyTo(options).equals(options)) {
            served.topic().changeOptions(changed.applyTo(options));
        }
    }

    private Path file(Topic topic) {
        return directory.resolve(topic.id().toString());
    }

    private Map<String, String> readSet(Topic topic) {
        try {
            Map<String, String> set = SmallFile.read(medium, file(topic), MAGIC, VERSION);
            return set == null ? Map.of() : set;
        } catch (IOException e) {
            throw new FirnException(
                    "the configuration of topic "
                            + topic.name()
                            + " cannot be read: "
                            + e.getMessage(),
                    e);
        }
    }

    private void writeSet(Topic topic, TopicSettings settings) {
        try {
            SmallFile.write(medium, file(topic), MAGIC, VERSION, settings.set());
        } catch (IOException e) {
            throw new FirnException(
                    "the configuration of topic "
                            + topic.name()
                            + " could not be written: "
                            + e.getMessage(),
                    e);
        }
    }

    /** Releases all topics, but not the store. */
    @Override
    public void close() {
        new ArrayList<>(byName.values()).forEach(this::forget);
    }
}
