package io.firn;

import io.firn.PartitionReader.CompactionResult;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * A durable message log in a directory: topics with partitions of records. One process writes; any
 * number of others may have it open read-only. Thread-safe.
 *
 * <pre>{@code
 * try (LogStore store = LogStore.at(dir).tier(FileTier.at(dir.resolve("segments"))).open()) {
 *     Topic topic = store.ensureTopic("orders", TopicOptions.defaults());
 *     try (Appender appender = topic.partition(0).openAppender()) {
 *         appender.append("first".getBytes(UTF_8));       // durable when it returns
 *     }
 *     try (Tailer tailer = topic.openTailer()) {
 *         tailer.forEach(record -> System.out.println(record.offset()), 10);
 *     }
 * }
 * }</pre>
 */
public interface LogStore extends LogReader {

    /** Returns a builder for the store in a directory; {@link LogStoreBuilder#open} opens it. */
    static LogStoreBuilder at(Path directory) {
        return LogStoreBuilder.forStoreIn(directory);
    }

    /**
     * Creates a topic, durably.
     *
     * @throws TopicExistsException when a topic of that name exists
     * @throws UnreadableTopicException when the store has topics that it cannot read, see {@link
     *     #unreadableTopics}, and was opened without {@link
     *     LogStoreBuilder#createTopicsBesideUnreadableOnes}; or when a topic that cannot be read
     *     has that name
     * @throws InvalidOptionException when the name is not 1 to 249 of {@code a–z A–Z 0–9 . _ -}, or
     *     is {@code .} or {@code ..}, or an option does not fit the store's tiers
     * @throws LimitExceededException when the store would have more partitions than {@link
     *     LogStoreBuilder#maxPartitions}
     */
    Topic createTopic(String name, TopicOptions options);

    @Override
    Topic openTopic(String name);

    /**
     * Returns the topic, which has the options that were set; see {@link #ensureTopic(String,
     * TopicOptions, Consumer)}.
     */
    default Topic ensureTopic(String name, TopicOptions options) {
        return ensureTopic(name, options, change -> {});
    }

    /**
     * Creates the topic if there is none, and otherwise changes its options to those that were set,
     * durably. For an application that calls it at each start:
     *
     * <p>An option that is set here wins over any change since. An option that is not set stays as
     * the topic has it, whatever its default is now.
     *
     * <p>What {@link Topic#changeOptions} changes is changed, all of it or nothing. {@link
     * TopicOptions#partitions} is the least number: partitions are added, never removed. Where
     * records have keys, those of a key that come later may then go to another partition. Each
     * change is logged. To change an option by a client of the server and keep it, do not set it
     * here.
     *
     * <p>When two threads call it with different values, the last one wins. A topic that is deleted
     * meanwhile is created again.
     *
     * @param onChange is called on this thread for each option that was changed, after that is
     *     durable; not for a topic that was created
     * @throws InvalidOptionException when the topic exists and an option that is set differs and
     *     cannot be changed, such as the size of a segment: nothing is changed, and both values are
     *     named. {@link #openTopic} opens it as it is. Also when the store is open read-only, and
     *     as {@link #createTopic}
     * @throws UnreadableTopicException as {@link #createTopic}
     * @throws LimitExceededException as {@link #createTopic}
     */
    Topic ensureTopic(String name, TopicOptions options, Consumer<TopicOptions.Change> onChange);

    /**
     * Deletes a topic and its records, durably. Appenders and tailers on it throw {@link
     * UnknownTopicException} from then on; its space is freed when no poll holds it any more.
     *
     * @throws UnknownTopicException when there is none of that name
     * @throws UnreadableTopicException as {@link #openTopic}
     */
    void deleteTopic(String name);

    /**
     * Begins a transaction without a name: a crash aborts it.
     *
     * @throws PoisonedException when the journal of the store's transactions failed
     */
    Transaction beginTransaction();

    /**
     * Opens a named producer of transactions, and fences the one that was opened before with this
     * name.
     *
     * @param name 1 to 249 characters
     * @param timeout after which a transaction that is still open is aborted; at least 1 ms
     * @throws PoisonedException as {@link #beginTransaction}
     * @throws LimitExceededException when the store has as many named producers as it may
     */
    Producer openProducer(String name, Duration timeout);

    /** Moves a sealed segment to another tier at full speed; see the other method of this name. */
    default MoveOutcome migrate(String topic, int partition, long baseOffset, String tier) {
        return migrate(topic, partition, baseOffset, tier, MoveControl.UNLIMITED);
    }

    /**
     * Moves a sealed segment to another tier, on this thread. Readers are not affected; appends,
     * reads and moves of other segments continue meanwhile. After a crash the segment is complete
     * in one of the two tiers.
     *
     * @param baseOffset offset of the segment's first record
     * @param tier the label of the tier to move to, see {@link LogStoreBuilder#tier(String, Tier)}
     * @param control paces and observes the move
     * @throws UnknownTopicException when there is no such topic
     * @throws InvalidOptionException when there is no such partition or tier, or the topic's choice
     *     of tiers, its minimum class or the segment's size forbid the tier, or the store is open
     *     read-only
     * @throws StoreFullException when the tier has no room
     * @throws MediumException when a medium failed; the segment stays in its tier
     */
    MoveOutcome migrate(
            String topic, int partition, long baseOffset, String tier, MoveControl control);

    /** Drains a tier at full speed; see the other method of this name. */
    default boolean drain(String tier) {
        return drain(tier, MoveControl.UNLIMITED);
    }

    /**
     * Empties a tier, so that the store can be opened without it: the tier gets no new segments
     * from now on, active segments in it are ended, and all are moved, on this thread, to the next
     * colder tier that their topics allow and that has room, or else to a hotter one. Appends,
     * reads and other moves continue meanwhile.
     *
     * <p>That the tier gets no new segments stays so when the store is opened again, also after a
     * crash, until {@link #cancelDrain}; the moving does not continue by itself: call this method
     * again. {@link StoreMetrics.TierMetrics#drain} shows how far it is.
     *
     * <p>When it has returned true, open the store without the tier from then on. If it is named
     * nevertheless, it gets nothing. A topic that has chosen it ({@link TopicOptions#tiers}) keeps
     * the label and is in its other tiers. Nothing in the tier's directory is needed any more.
     *
     * @param control paces and observes the moves: the bytes are those of the whole tier. It is
     *     also asked, with 0 for the next piece, while the drain waits for appends, readers or
     *     seals
     * @return true when the tier is empty; false when the control or {@link #cancelDrain} cancelled
     *     it, or the thread was interrupted
     * @throws InvalidOptionException when there is no such tier; when a topic may be in no other
     *     one; when the tier has segments of topics that are not served, or that are too large for
     *     all others; or when the store is open read-only
     * @throws StoreFullException when no other tier has room for some segments; the rest was moved
     * @throws MediumException when a medium failed; segments that were not moved stay in the tier
     * @throws IllegalStateException when the control of a move calls it, or a thread of the store
     */
    boolean drain(String tier, MoveControl control);

    /**
     * Ends a drain: the tier gets new segments again, durably. Also for one that was drained, as
     * long as the store is open with it. Has no effect on other tiers.
     *
     * @throws InvalidOptionException when there is no such tier, or the store is open read-only
     */
    void cancelDrain(String tier);

    /** Compacts a partition at full speed; see the other method of this name. */
    default CompactionResult compact(String topic, int partition) {
        return compact(topic, partition, MoveControl.UNLIMITED);
    }

    /**
     * Compacts a partition of a topic whose options ask for it, on this thread: of each key the
     * latest record stays, at its offset, and earlier ones are removed. Only sealed segments are
     * compacted, so the newest records are not looked at. A record without a value (a tombstone)
     * stays for the tombstone retention after it was first compacted.
     *
     * <p>Appends, reads and moves continue meanwhile. A tailer that reads the old bytes of a
     * segment goes on with them until the end of its poll. After a crash each segment is as it was
     * before, or compacted. One compaction of a store runs at a time; this method waits for others.
     *
     * <p>The store's own thread does this as the topic's options say, except in invoker mode, so
     * this method is for stores in that mode, for tests, and for users who know a better time.
     *
     * <p>When the topic's options no longer ask for compaction, or the thread is interrupted while
     * it waits, it ends as if it was cancelled.
     *
     * @param control paces and observes the work: it is asked before each batch that is read, with
     *     the bytes of that batch and those that were written since the last call
     * @throws UnknownTopicException when there is no such topic
     * @throws InvalidOptionException when there is no such partition, the topic is not compacted,
     *     or the store is open read-only
     * @throws IllegalStateException when the control of a compaction calls it
     */
    CompactionResult compact(String topic, int partition, MoveControl control);

    /** Makes a backup at full speed; see the other method of this name. */
    default Backup backupTo(Path destination) {
        return backupTo(destination, BackupOptions.defaults());
    }

    /**
     * Makes a backup of the store, on this thread: all topics with records, cursors, producers and
     * decisions of transactions, and the files of a server and a shadow in the store's directory.
     * Appends, reads and moves continue meanwhile; a partition is not compacted until it was
     * copied.
     *
     * <p>A backup is as of one point in time: whatever is in it, all that was acknowledged before
     * is in it, too. {@link LogStoreBuilder#restore} makes a store of it, which opens as after a
     * crash at that point: open transactions are aborted, decided ones completed. What retention
     * deletes before it was copied is missing, and the log starts later.
     *
     * <p>A directory has one backup. The next one adds what is new, and has replaced the one before
     * when it is complete; until then, and when it fails, that one stays as it is. A backup that
     * was interrupted is continued by the next one. All bytes that are written are read back and
     * compared.
     *
     * @param destination a directory outside the store and its tiers, which is created if it is
     *     missing
     * @throws InvalidOptionException when the destination is in the store or one of its tiers, or
     *     the other way round; when it has a backup of another store; or when the store is open
     *     read-only
     * @throws BusyException when a backup of the store is in progress, or topics change faster than
     *     they can be copied
     * @throws StoreLockedException when another process makes a backup there
     * @throws StoreFullException when the destination has no room
     * @throws UnreadableTopicException when the store has topics that it cannot read
     * @throws RetryableException when the control cancelled it, or the thread was interrupted
     * @throws MediumException when a medium failed
     */
    Backup backupTo(Path destination, BackupOptions options);

    /**
     * Ends the services that are attached ({@link io.firn.host.HostedStore#attach}), makes
     * everything durable, persists marks, cursors and checkpoints, and releases all resources.
     * Appenders and tailers throw {@link ClosedException} from then on. Idempotent; a second call
     * returns at once, also while the first one is under way in another thread.
     *
     * <p>If a step fails, such as a call of the application's clock, the others follow, and what
     * the first one threw is thrown at last: then the resources are released, but not everything
     * may be durable or persisted.
     *
     * @throws PoisonedException when the medium failed during the close, so that not everything is
     *     durable; the store is closed nevertheless
     */
    @Override
    void close();

    /** The outcome of moving a segment to another tier. */
    enum MoveOutcome {
        /** It is durably in the other tier; its old space is freed when no reader holds it. */
        MOVED,
        /** It was already in that tier. */
        ALREADY_THERE,
        /** There is no such segment: it never existed, or it was deleted, perhaps just now. */
        GONE,
        /** It is still written to, or not yet in its final form: try again later. */
        NOT_SEALED,
        /** Another thread is moving it, or readers still hold its old bytes after the last move. */
        BUSY,
        /** The {@link MoveControl} cancelled it, or the store is being closed; nothing changed. */
        CANCELLED
    }

    /**
     * Paces and observes a move. Called on the moving thread, outside of all locks. It must not
     * close the store or delete the topic, because both wait for the move, and must not begin a
     * compaction.
     */
    @FunctionalInterface
    interface MoveControl {
        /** Returned by {@link #pauseNs} to cancel the move. */
        long CANCEL = -1;

        /** Moves at full speed. */
        MoveControl UNLIMITED = (copied, total, next) -> 0;

        /**
         * Called before each piece is copied.
         *
         * @param copiedBytes bytes that have been copied
         * @param totalBytes bytes to copy in total
         * @param nextBytes bytes of the next piece
         * @return how long to wait before the piece, in ns; {@link #CANCEL} to cancel the move
         */
        long pauseNs(long copiedBytes, long totalBytes, int nextBytes);
    }
}
