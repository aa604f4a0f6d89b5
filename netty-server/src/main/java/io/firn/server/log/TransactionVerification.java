package io.firn.server.log;

import io.firn.BusyException;
import io.firn.Partition;
import io.firn.host.ProducerIdentity;
import io.firn.host.TransactionCoordinator;
import io.firn.host.TransactionCoordinator.NamedProducer;
import io.firn.host.TransactionStateException;
import io.firn.host.UnknownProducerException;
import java.util.List;
import org.apache.kafka.common.protocol.Errors;

/**
 * What a partition needs before it takes a batch of a transaction. Older clients add it to the
 * transaction by a request of its own; newer ones leave that to the produce request. Waits for
 * nothing. Thread-safe.
 */
final class TransactionVerification {
    private static final short FIRST_WITH_ABORTABLE = 11;
    private static final short FIRST_THAT_ADDS = 12;

    private final TransactionCoordinator coordinator;
    private final TransactionMemory memory;

    TransactionVerification(ServedTopics topics) {
        this.coordinator = topics.store().transactions();
        this.memory = topics.transactionMemory();
    }

    /**
     * Checks that a batch belongs to the open transaction of the name that the client was
     * authorized for, and that the partition was added to it; adds it for newer clients.
     *
     * @param owner the client whose share of memory is used
     * @throws io.firn.FirnException for {@link #codeOf}
     */
    void admit(
            String name,
            String owner,
            ProducerIdentity producer,
            Partition partition,
            short version) {
        if (coordinator.has(name, producer, partition)) {
            return;
        }
        if (version >= FIRST_THAT_ADDS) {
            add(name, owner, producer, partition);
            return;
        }
        NamedProducer known = coordinator.find(name);
        if (known == null || known.identity().id() != producer.id()) {
            throw new UnknownProducerException(
                    "the transactional id '" + name + "' does not have producer " + producer.id());
        }
        if (known.identity().epoch() != producer.epoch()) {
            throw Errors.INVALID_PRODUCER_EPOCH.exception();
        }
        throw new TransactionStateException(
                "partition " + partition.index() + " was not added to the transaction of " + name);
    }

    private void add(String name, String owner, ProducerIdentity producer, Partition partition) {
        if (!memory.add(name, owner, TransactionMemory.PARTITION_BYTES)) {
            throw Errors.NOT_ENOUGH_REPLICAS.exception( // the client tries again
                    "The open transactions of the client have too many partitions");
        }
        boolean isAdded = false;
        try {
            coordinator.add(name, producer, List.of(partition));
            isAdded = true;
        } catch (BusyException | TransactionStateException e) {
            // Its last transaction is just ending: the client tries again.
            throw Errors.CONCURRENT_TRANSACTIONS.exception(e.getMessage());
        } finally {
            if (!isAdded) {
                memory.giveBack(name, TransactionMemory.PARTITION_BYTES);
            }
        }
    }

    /** Returns the error for a batch of a transaction that was not appended. */
    static Errors codeOf(RuntimeException refusal, short version) {
        Errors error = ErrorMapper.codeOf(refusal);
        return error == Errors.INVALID_TXN_STATE && version >= FIRST_WITH_ABORTABLE
                ? Errors.TRANSACTION_ABORTABLE
                : error;
    }
}
