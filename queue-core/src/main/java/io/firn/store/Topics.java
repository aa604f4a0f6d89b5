package io.firn.store;

import io.firn.Finding.Kind;
import io.firn.StoreLockedException;
import io.firn.Topic;
import io.firn.TopicExistsException;
import io.firn.TopicOptions;
import io.firn.UnknownTopicException;
import io.firn.compact.Compactor;
import io.firn.cursor.Cursors;
import io.firn.findings.FindingKey;
import io.firn.findings.Subject;
import io.firn.log.LogContext;
import io.firn.log.SegmentedLog;
import io.firn.log.TierState;
import io.firn.metadata.StoreIdentity;
import io.firn.metadata.TopicFiles;
import io.firn.metadata.UnreadableTopics;
import io.firn.producer.StoreProducers;
import io.firn.store.StoreEnd.CloseSteps;
import io.firn.store.TopicLog.TopicOwner;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * The topics of a store: those that are served, those that cannot be, and those that are being
 * deleted. Thread-safe; the monitor is held while a topic is created, changed or deleted.
 */
public final class Topics implements TopicOwner {
    private final LogContext store;
    private final PartitionLimit limit;
    private final NewTopics newTopics;

    private static final String JOURNAL = TopicFiles.JOURNAL;

    private final Map<String, TopicLog> served = new ConcurrentHashMap<>();
    private final Map<UUID, TopicLog> byId = new ConcurrentHashMap<>();
    private volatile TopicLog journal;
    private final List<TopicDeletionDuty> deletions = new CopyOnWriteArrayList<>();

    private final Object endLock = new Object();
    private volatile UnreadableTopics unreadable = UnreadableTopics.NONE;
    private final Compactor compactor;
    private final StoreProducers producers = StoreProducers.ofHeap();
    private volatile Death death;

    /**
     * Why all partitions refuse appends.
     *
     * @param isLost whether another process may write the store; otherwise a thread has ended
     */
    private record Death(String what, Throwable why, boolean isLost) {
        void poison(SegmentedLog log) {
            if (isLost) {
                log.lose(why);
            } else {
                log.poisonWithStore(what, why);
            }
        }
    }

    Topics(LogContext store) {
        this.store = store;
        this.compactor = new Compactor(store);
        this.newTopics = new NewTopics(store, this);
        this.limit = PartitionLimit.of(store.config().maxPartitions());
    }

    /** Sets what names the store. */
    void own(StoreIdentity identity) {
        newTopics.own(identity);
    }

    // ---- which there are

    /** Those that are served now. */
    Collection<TopicLog> all() {
        return served.values();
    }

    List<String> names() {
        return served.keySet().stream().sorted().toList();
    }

    List<PartitionLog> partitions() {
        List<PartitionLog> all = new ArrayList<>();
        served.values().forEach(topic -> all.addAll(topic.logs()));
        if (journal != null) {
            all.addAll(journal.logs());
        }
        return all;
    }

    /** Returns null when there is none. */
    TopicLog get(String name) {
        return served.get(name);
    }

    TopicLog find(String name) {
        TopicLog topic = served.get(name);
        if (topic == null) {
            unreadable.checkMayBeMissing(name);
            throw new UnknownTopicException(
                    "there is no topic '" + name + "' in " + store.config().directory());
        }
        return topic;
    }

    /** Returns null when there is none that is served. */
    TopicLog byId(UUID id) {
        return byId.get(id);
    }

    /** Serves a topic. */
    public void add(TopicLog topic) {
        if (topic.name().equals(JOURNAL)) {
            journal = topic;
            store.onTransactions();
        } else {
            served.put(topic.name(), topic);
            byId.put(topic.id(), topic);
        }
        refuseAfterDeath();
    }

    /** Serves a topic no longer. */
    public void drop(TopicLog topic) {
        served.remove(topic.name(), topic);
        byId.remove(topic.id(), topic);
    }

    /** Returns the topic that the journal of transactions is in; null when there is none. */
    TopicLog journal() {
        return journal;
    }

    /** Creates the journal, in tiers of the strongest class that there is. */
    synchronized TopicLog createJournal() {
        if (journal == null) {
            addNew(newTopics.journal(JOURNAL));
        }
        return journal;
    }

    @Override
    public Compactor compactor() {
        return compactor;
    }

    @Override
    public StoreProducers producers() {
        return producers;
    }

    @Override
    public void onPartitionsAdded() {
        refuseAfterDeath();
        compareWithDescriptors();
    }

    /** Warns if the process may not open the files of all partitions. */
    public void compareWithDescriptors() {
        long partitions = 0;
        for (TopicLog each : served.values()) {
            partitions += keepsFilesOpen(each) ? each.partitionCount() : 0;
        }
        store.descriptors().expect(partitions);
    }

    private static boolean keepsFilesOpen(TopicLog topic) {
        List<TierState> tiers = topic.context().tiers();
        return !tiers.isEmpty() && tiers.get(0).tier().hasOpenFiles();
    }

    /** Those that cannot be served. */
    public UnreadableTopics unreadable() {
        return unreadable;
    }

    /** Sets the topics that cannot be served. */
    public void unreadable(UnreadableTopics found) {
        Set<FindingKey> keys = new HashSet<>();
        for (UnreadableTopics.Unreadable each : found.all()) {
            FindingKey key =
                    FindingKey.of(Kind.TOPIC_UNREADABLE, Subject.topic(each.id(), each.name()));
            keys.add(key);
            store.findings().begin(key, textOf(each));
        }
        store.findings().retain(Kind.TOPIC_UNREADABLE, keys);
        unreadable = found;
    }

    private String textOf(UnreadableTopics.Unreadable topic) {
        return topic.told()
                + "; it is not served, and nothing of it is deleted"
                + (store.config().createsBesideUnreadable() || store.isReadOnly()
                        ? ""
                        : ", and no topic is created meanwhile")
                + ". "
                + new UnreadableTopics(List.of(topic)).remedy();
    }

    /**
     * Called when a background thread has ended although the store is open: all partitions refuse
     * appends from then on.
     */
    void onDeath(String thread, Throwable why) {
        String what = "the thread " + thread + " ended (" + why + ")" + store.reason(why);
        death = new Death(what, why, false);
        String finding =
                what
                        + ": "
                        + (store.isReadOnly()
                                ? "new records are no longer seen"
                                : "appends are refused")
                        + ", existing records can be read; open the store again";
        // The application's log may fail, too: each is told whatever becomes of the others.
        FindingKey key = FindingKey.of(Kind.THREAD_ENDED, store.subject(), thread);
        new CloseSteps()
                .run(
                        List.of(
                                () -> store.findings().begin(key, finding, why),
                                this::refuseAfterDeath));
    }

    /** Called when another process may write the store. */
    public void onLost(StoreLockedException why) {
        death = new Death(why.getMessage(), why, true);
        FindingKey key = FindingKey.of(Kind.LOCK_LOST, store.subject());
        new CloseSteps()
                .run(
                        List.of(
                                () -> store.findings().begin(key, why.getMessage(), why),
                                this::refuseAfterDeath));
    }

    private void refuseAfterDeath() {
        synchronized (endLock) {
            Death now = death;
            if (now != null && !store.isReadOnly()) {
                new CloseSteps().each(partitions(), each -> now.poison(each.log()));
            }
        }
    }

    // ---- creation

    /** A topic that is deleted meanwhile is created again. Holds no monitor while a topic does. */
    TopicLog ensure(String name, TopicOptions options, Consumer<TopicOptions.Change> onChange) {
        while (true) {
            TopicLog created = createMissing(name, options);
            if (created != null) {
                return created;
            }
            TopicLog topic = served.get(name);
            if (topic != null) {
                try {
                    topic.ensure(options).forEach(onChange);
                    return topic;
                } catch (UnknownTopicException e) {
                    if (isServed(topic)) {
                        throw e;
                    }
                }
            }
        }
    }

    /** Returns null when there is one. */
    private synchronized TopicLog createMissing(String name, TopicOptions options) {
        return served.containsKey(name) ? null : create(name, options);
    }

    synchronized TopicLog create(String name, TopicOptions options) {
        store.checkWritable();
        Topic.checkName(name);
        checkTiers("topic " + name, options);
        Cursors.checkNames(options.retainUntilRead());
        TopicOptions complete = newTopics.complete(options);
        if (served.containsKey(name)) {
            throw new TopicExistsException(
                    "topic " + name + " exists: open it, or delete it first");
        }
        checkRoom(name, complete.partitions());
        unreadable.checkMayCreate(name, store.config().createsBesideUnreadable());
        TopicLog topic = newTopics.create(name, complete);
        addNew(topic);
        return topic;
    }

    private void addNew(TopicLog topic) {
        try {
            add(topic);
        } finally {
            if (isServed(topic)) {
                newTopics.keep(topic);
                compareWithDescriptors();
            }
        }
    }

    @SuppressWarnings("ReferenceEquality") // this very topic
    private boolean isServed(TopicLog topic) {
        return topic == journal || topic == served.get(topic.name());
    }

    /** Those of deleted topics count until they are released. */
    private void checkRoom(String topic, int more) {
        long present = 0;
        for (TopicLog each : served.values()) {
            present += each.partitionCount();
        }
        long deleted = 0;
        for (TopicDeletionDuty each : deletions) {
            deleted += each.topic().partitionCount();
        }
        limit.checkRoom(topic, present + deleted, deleted, more);
    }

    /** Throws when a topic chooses tiers that are not there. */
    public void checkTiers(String topic, TopicOptions options) {
        newTopics.checkTiers(topic, options);
    }

    // ---- change and deletion

    @Override
    public synchronized void change(Topic topic, int morePartitions, TopicFiles.Change change)
            throws IOException {
        store.checkWritable();
        if (!topic.equals(served.get(topic.name()))) {
            throw new UnknownTopicException("topic " + topic.name() + " was deleted");
        }
        if (morePartitions > 0) {
            checkRoom(topic.name(), morePartitions);
        }
        change.write();
    }

    synchronized void delete(String name) {
        store.checkWritable();
        TopicLog topic = find(name);
        TopicFiles files = topic.context().files();
        Object before = files.identity();
        TopicDeletionDuty deletion =
                new TopicDeletionDuty(
                        store, topic, () -> deletions.removeIf(b -> b.topic() == topic));
        try {
            files.writeTombstone(name, topic.options());
        } catch (IOException e) {
            boolean isSameFile = before != null && before.equals(files.identity());
            if (!isSameFile) { // otherwise there is none, which is known without opening a file
                takeTombstoneBack(topic, e);
            }
            throw TopicFiles.failed("topic " + name + " could not be deleted", e);
        }
        try {
            drop(topic);
            store.onTopics();
            topic.logs().forEach(partition -> partition.log().markGone(true));
            store.findings().endAllOf(topic.id());
        } finally {
            deletions.add(deletion); // also when there is too little memory for the rest
            deletion.call();
        }
    }

    /**
     * Removes a tombstone that could not be made durable: it may exist nevertheless, and at the
     * next open would delete what was acknowledged until then.
     */
    private static void takeTombstoneBack(TopicLog topic, IOException failure) {
        TopicFiles files = topic.context().files();
        try {
            TopicFiles.Description there = files.read();
            if (there == null || there.deleted()) {
                files.create(topic.name(), topic.options());
            }
        } catch (IOException e) {
            failure.addSuppressed(e);
            topic.logs().forEach(partition -> partition.log().poison(failure));
        }
    }

    /** Returns how many partitions there may be. */
    public PartitionLimit limit() {
        return limit;
    }

    /** The deletions that have not ended. */
    List<TopicDeletionDuty> deletions() {
        return deletions;
    }

    /** Begins the end of the store when no creation or deletion is in progress. */
    synchronized boolean beginClose() {
        return store.beginClose();
    }
}
