package io.firn.server.tx;

import io.firn.BusyException;
import io.firn.ProducerFencedException;
import io.firn.host.TransactionStateException;
import io.firn.server.log.ErrorMapper;
import org.apache.kafka.common.protocol.Errors;

/** Maps what the coordinator of transactions refuses to the errors that its clients expect. */
final class CoordinatorErrors {
    private CoordinatorErrors() {}

    /**
     * Returns the error code for an exception.
     *
     * @param knowsFenced whether the version of the request is new enough for PRODUCER_FENCED
     */
    static Errors codeOf(RuntimeException refusal, boolean knowsFenced) {
        return refusal instanceof ProducerFencedException && knowsFenced
                ? Errors.PRODUCER_FENCED
                : ErrorMapper.codeOf(refusal);
    }

    /** As {@link #codeOf}, for what joins a transaction: one that just ends is waited for. */
    static Errors ofJoining(RuntimeException refusal, boolean knowsFenced) {
        return refusal instanceof BusyException || refusal instanceof TransactionStateException
                ? Errors.CONCURRENT_TRANSACTIONS
                : codeOf(refusal, knowsFenced);
    }
}
