package io.firn;

import io.firn.CursorReader.CursorMetrics;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/**
 * A log in a directory that is read: as {@link LogStoreBuilder#openReadOnly} opens it beside the
 * process that writes it, or a {@link LogStore}, which also writes. Thread-safe.
 */
public interface LogReader extends AutoCloseable {

    /**
     * Opens a topic.
     *
     * @throws UnknownTopicException when there is none of that name
     * @throws UnreadableTopicException when no topic that can be read has that name, and the store
     *     has topics that it cannot read
     */
    TopicReader openTopic(String name);

    /**
     * Returns whether {@link #openTopic} finds a topic; costs little if there is none. Thread-safe.
     */
    boolean hasTopic(String name);

    /** Returns the names of all topics that are served, sorted. */
    List<String> topicNames();

    /**
     * Returns the topics that cannot be served, by id, each with the reason: its topic file is
     * corrupted or missing, has options that this version does not know, or has the name of another
     * topic. Nothing of these topics is changed or deleted. Repair them and open the store again.
     * The map is empty when all topics can be served.
     */
    Map<UUID, String> unreadableTopics();

    /** Returns the directory of the store's metadata. */
    Path directory();

    /** Returns whether it was opened read-only, beside the process that writes it. */
    boolean isReadOnly();

    /** Returns current metrics; cheap enough to call every second. */
    StoreMetrics metrics();

    /**
     * Returns how far the cursors of each topic are behind, by topic, in records, bytes and time;
     * topics without cursors are left out. It costs more than {@link #metrics}: see {@link
     * Topic#cursorMetrics}.
     */
    default Map<String, List<CursorMetrics>> cursorMetrics() {
        Map<String, List<CursorMetrics>> lags = new TreeMap<>();
        for (String name : topicNames()) {
            try {
                List<CursorMetrics> ofTopic = openTopic(name).cursorMetrics();
                if (!ofTopic.isEmpty()) {
                    lags.put(name, ofTopic);
                }
            } catch (UnknownTopicException e) {
                continue; // it was deleted meanwhile
            }
        }
        return lags;
    }

    /**
     * Returns which segment is in which tier now; the cost grows with the number of segments.
     *
     * @throws ClosedException when the store is closed
     */
    StoreSnapshot snapshot();

    /**
     * Returns the conditions that are present and that a user should know of, in the order in which
     * they began. What was found damaged, lost or unknown when the store was opened stays until it
     * is opened again, unless it is deleted; {@link Finding.Kind} names all kinds.
     */
    List<Finding> findings();

    /**
     * Registers a listener for findings. It is called first for those that are present, then when
     * one begins or ends; see {@link Finding.Listener}.
     *
     * @throws ClosedException when the store is closed
     */
    void addFindingListener(Finding.Listener listener);

    /** Undoes {@link #addFindingListener}; a call that is in progress ends. */
    void removeFindingListener(Finding.Listener listener);

    /**
     * Does the background work that is due, and returns the amount of work done. Only for a store
     * that was opened with {@link LogStoreBuilder#invokerMode}; for one thread.
     *
     * @throws IllegalStateException when the store has threads of its own
     */
    int doWork();

    /** Releases all resources. Tailers throw {@link ClosedException} from then on. Idempotent. */
    @Override
    void close();
}
