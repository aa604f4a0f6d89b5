package io.firn;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * A durable message log in a directory: topics with partitions of records. One process writes; any
 * number may have it open read-only. Thread-safe.
 *
 * <pre>{@code
 * try (LogStore store = LogStore.in(dir).tier(FileTier.at(dir.resolve("segments"))).open()) {
 *     Topic topic = store.openOrCreateTopic("orders", TopicOptions.defaults());
 *     try (Appender appender = topic.partition(0).openAppender()) {
 *         appender.append("first".getBytes(UTF_8));       // durable when it returns
 *     }
 *     Tailer tailer = topic.openTailer();
 *     tailer.poll(record -> { System.out.println(record.offset()); return Verdict.CONTINUE; }, 10);
 * }
 * }</pre>
 */
public interface LogStore extends AutoCloseable {

    /** Begins to describe the store in a directory; {@link LogStoreBuilder#open} opens it. */
    static LogStoreBuilder in(Path directory) {
        return new LogStoreBuilder(directory);
    }

    /**
     * Creates a topic, durably.
     *
     * @throws TopicExistsException when there is one of that name
     * @throws UnreadableTopicException when the store has topics that it cannot read, see {@link
     *     #unreadableTopics}, and {@link LogStoreBuilder#createTopicsBesideUnreadableOnes} was not
     *     asked for; or when one that cannot be read has that name
     * @throws InvalidOptionException when the name is not 1 to 249 of {@code a–z A–Z 0–9 . _ -}, or
     *     is {@code .} or {@code ..}, or an option does not fit the store's tiers
     */
    Topic createTopic(String name, TopicOptions options);

    /**
     * Opens a topic.
     *
     * @throws UnknownTopicException when there is none of that name
     * @throws UnreadableTopicException when there is none of that name among the topics that can be
     *     read, and the store has some that it cannot read
     */
    Topic openTopic(String name);

    /**
     * Opens the topic, or creates it; the options count only when it is created.
     *
     * @throws UnreadableTopicException as {@link #createTopic}
     */
    Topic openOrCreateTopic(String name, TopicOptions options);

    /** The names of all topics that are served, sorted. */
    List<String> topicNames();

    /**
     * Returns the topics that cannot be served, by their ids, each with what was found: their topic
     * file is damaged or missing, has options that this version does not know, or has the name of
     * another topic. Nothing of them is changed or deleted. Repair them and open the store again.
     * Empty in a store that is whole.
     */
    Map<UUID, String> unreadableTopics();

    /**
     * Deletes a topic and its records, durably. Appenders and tailers on it throw {@link
     * UnknownTopicException} from now on; its space comes back when no poll holds it.
     *
     * @throws UnknownTopicException when there is none of that name
     * @throws UnreadableTopicException as {@link #openTopic}
     */
    void deleteTopic(String name);

    /** An id for an idempotent producer that no other has had or will have. */
    long newProducerId();

    /** Where the store's metadata lies. */
    Path directory();

    /** Numbers, now; cheap enough to take every second. */
    StoreMetrics metrics();

    /**
     * Which segment lies in which tier, now; costs about as much as there are segments.
     *
     * @throws ClosedException when the store is closed
     */
    StoreSnapshot snapshot();

    /** Moves a sealed segment to another tier, at full speed; see the other method of this name. */
    default MoveOutcome migrate(String topic, int partition, long baseOffset, int tier) {
        return migrate(topic, partition, baseOffset, tier, MoveControl.UNLIMITED);
    }

    /**
     * Moves a sealed segment to another tier, on this thread. Readers do not notice; appends, reads
     * and moves of other segments go on meanwhile. A crash leaves the segment in the one tier or in
     * the other, whole.
     *
     * @param baseOffset offset of the segment's first record
     * @param tier index of the tier to move to, 0 for the hottest
     * @param control paces and watches the move
     * @throws UnknownTopicException when there is no such topic
     * @throws InvalidOptionException when there is no such partition or tier, or the topic's choice
     *     of tiers, its minimum class or the segment's size forbid the tier, or the store is open
     *     read-only
     * @throws StoreFullException when the tier has no room
     * @throws FirnException when a medium failed; the segment stays where it was
     */
    MoveOutcome migrate(
            String topic, int partition, long baseOffset, int tier, MoveControl control);

    /**
     * What was found at open that belongs to no topic, or is damaged; and a thread of the store's
     * that ended, for whatever reason: then it takes no appends any more. One line each.
     */
    List<String> findings();

    /**
     * Does what is due of the background work, and returns how much; only for a store that was
     * opened with {@link LogStoreBuilder#invokerMode}, on one thread.
     */
    int doWork();

    /**
     * Makes everything durable, writes down where everything stands, and releases what the store
     * holds. Appenders and tailers throw {@link ClosedException} from now on. Idempotent.
     *
     * @throws PoisonedException when the medium failed just now, so that not everything is durable;
     *     the store is closed all the same
     */
    @Override
    void close();
}
