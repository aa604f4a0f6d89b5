package io.firn.host;

import io.firn.BusyException;
import io.firn.InvalidOptionException;
import io.firn.LimitExceededException;
import io.firn.Partition;
import io.firn.Producer;
import io.firn.ProducerFencedException;
import io.firn.Topic;
import io.firn.Transaction;
import io.firn.Transaction.State;
import io.firn.UnknownTopicException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * The named producers of a store and their transactions, for servers, whose clients make the
 * batches themselves: applications use {@link Transaction} and {@link Producer}. A batch with the
 * transactional attribute is accepted by {@link HostedAppender#appendBatch} when its producer has
 * an open transaction which the partition was {@linkplain #add added} to.
 *
 * <p>Each method returns when its effect is durable; none should be called on a thread that must
 * not wait for a disk, but {@link #add} and those that only look. Thread-safe.
 */
public interface TransactionCoordinator {

    /** How many named producers a store has at most; fewer where the heap is below 2 GiB. */
    int MOST_NAMES = 50_000;

    /** A named producer at one moment. Immutable; equal when all of it is. */
    interface NamedProducer {

        /** Returns its name. */
        String name();

        /** Returns what its batches have to contain. */
        ProducerIdentity identity();

        /** Returns after which time an open transaction is aborted. */
        Duration timeout();

        /** Returns how far its open or last transaction is. */
        State state();

        /** Returns those of its open or last decided transaction that have no marker yet. */
        List<Partition> partitions();

        /** Returns when the open transaction began; empty when none is open. */
        Optional<Instant> startTime();
    }

    /** A producer with state in a partition, at one moment. Immutable; equal when all of it is. */
    interface PartitionProducer {

        /** Returns what its batches there contain. */
        ProducerIdentity identity();

        /** Returns the sequence of its last record; −1 when it has none. */
        int lastSequence();

        /** Returns when it appended last. */
        Instant lastTime();

        /** Returns what its last marker there says as coordinator epoch; −1 when it has none. */
        int markerEpoch();

        /** Returns the first offset of its open transaction; −1 when it has none. */
        long firstOffset();
    }

    /**
     * A position that a cursor gets when a transaction commits.
     *
     * @param partition of the cursor's topic
     * @param offset the next record to be read; or any other, as for {@link HostedCursor#commitAny}
     * @param note what the caller keeps beside the position, in the journal as long as the commit
     *     is there; null for nothing
     */
    record CursorMove(Topic topic, String cursor, int partition, long offset, String note) {
        /** Creates one without a note. */
        public CursorMove(Topic topic, String cursor, int partition, long offset) {
            this(topic, cursor, partition, offset, null);
        }
    }

    /**
     * Opens a named producer, which fences the one before: an open transaction of it is aborted.
     *
     * @param timeout after which an open transaction is aborted
     * @param expected the present identity, for a producer that goes on after an error; null for
     *     any
     * @return its identity from now on
     * @throws ProducerFencedException when {@code expected} is not the present identity
     * @throws LimitExceededException when the store has as many named producers as it may
     */
    ProducerIdentity open(String name, Duration timeout, ProducerIdentity expected);

    /**
     * Adds partitions to the producer's transaction, and begins one if none is open. Waits for
     * nothing.
     *
     * @throws UnknownProducerException when the name is unknown or has another id
     * @throws ProducerFencedException when the epoch is not the present one
     * @throws BusyException when the last transaction is being ended
     */
    void add(String name, ProducerIdentity producer, Collection<Partition> partitions);

    /** Returns whether {@link #add} was called for a partition in the open transaction. */
    boolean has(String name, ProducerIdentity producer, Partition partition);

    /**
     * Begins a transaction if none is open, without a partition; the exceptions are those of {@link
     * #add}.
     */
    void begin(String name, ProducerIdentity producer);

    /**
     * Adds cursor commits to the open transaction, and begins one if none is open; otherwise the
     * exceptions are those of {@link #add}. None is added when one of them is refused.
     *
     * @throws InvalidOptionException when a partition does not exist, a topic is another store's,
     *     or a name cannot be a cursor's
     * @throws UnknownTopicException when a topic was deleted
     */
    void commitCursors(String name, ProducerIdentity producer, List<CursorMove> commits);

    /**
     * Returns the cursor commits with notes that a producer has made, and of which {@link
     * #keptNotes} was not called, also those before a restart. A later one of a producer in the
     * same place replaces its earlier one.
     */
    List<CursorMove> notes(String name);

    /**
     * Called when notes are durable elsewhere, so that the journal can forget them. It does so with
     * the producer's next entry: after a crash before that they are returned again.
     */
    void keptNotes(String name, Collection<CursorMove> kept);

    /**
     * Returns about how many bytes the journal needs for a named producer: for the partitions,
     * cursor commits and notes of its open transaction, and for what is still to be done for the
     * last one; 0 when the name is unknown.
     */
    long journalBytes(String name);

    /** Returns whether an open transaction is to set a cursor in a partition. */
    boolean isCommitting(Topic topic, String cursor, int partition);

    /**
     * Ends the open transaction. To end it again the same way does nothing, and neither does an
     * abort of what a restart of the process has forgotten: one without batches or cursor commits.
     *
     * @param bumpsEpoch whether the producer gets a new epoch for the next transaction
     * @return its identity from now on
     * @throws UnknownProducerException when the name is unknown or has another id
     * @throws ProducerFencedException when the epoch is not the present one
     * @throws TransactionStateException when there is no open transaction, or it was ended the
     *     other way
     */
    ProducerIdentity end(
            String name, ProducerIdentity producer, boolean commit, boolean bumpsEpoch);

    /** Returns a named producer; null when the name is unknown. */
    NamedProducer find(String name);

    /** Returns all named producers. */
    List<NamedProducer> producers();

    /** Returns the producers that a partition has state of. */
    List<PartitionProducer> producersOf(Partition partition);

    /**
     * Aborts an open transaction of any producer in one partition: for an administrator.
     *
     * @throws TransactionStateException when the producer has no open transaction there
     * @throws ProducerFencedException when the epoch is older than the partition's
     */
    void abort(Partition partition, ProducerIdentity producer);
}
