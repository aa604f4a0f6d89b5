package io.firn.server.log;

import io.firn.AppenderBusyException;
import io.firn.ClosedException;
import io.firn.DamagedRangeException;
import io.firn.FirnException;
import io.firn.InvalidBatchException;
import io.firn.InvalidOptionException;
import io.firn.MissingCodecException;
import io.firn.OffsetOutOfRangeException;
import io.firn.OutOfOrderSequenceException;
import io.firn.PoisonedException;
import io.firn.ProducerFencedException;
import io.firn.RecordTooLargeException;
import io.firn.ReplicatedTopicException;
import io.firn.StoreFullException;
import io.firn.TooManyPartitionsException;
import io.firn.TooManyProducersException;
import io.firn.TopicExistsException;
import io.firn.TransactionStateException;
import io.firn.UnknownProducerException;
import io.firn.UnknownTopicException;
import io.firn.UnreadableTopicException;
import io.firn.server.wire.WireErrors;
import java.util.concurrent.CompletionException;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;

/** Maps failures to Kafka's error codes. */
public final class ErrorMapper implements WireErrors {
    private static final System.Logger LOG = System.getLogger("io.firn.server");

    /** Returns the error code for an exception; logs unexpected exceptions. */
    public static Errors codeOf(Throwable thrown) {
        Throwable error =
                thrown instanceof CompletionException && thrown.getCause() != null
                        ? thrown.getCause()
                        : thrown;
        if (error instanceof ApiException) {
            return Errors.forException(error);
        }
        if (error instanceof InvalidBatchException invalid) {
            return invalid.isCorrupt() ? Errors.CORRUPT_MESSAGE : Errors.INVALID_RECORD;
        }
        if (error instanceof OutOfOrderSequenceException) {
            return Errors.OUT_OF_ORDER_SEQUENCE_NUMBER;
        }
        if (error instanceof ProducerFencedException) {
            return Errors.INVALID_PRODUCER_EPOCH;
        }
        if (error instanceof TransactionStateException) {
            return Errors.INVALID_TXN_STATE;
        }
        if (error instanceof UnknownProducerException) {
            return Errors.INVALID_PRODUCER_ID_MAPPING;
        }
        if (error instanceof RecordTooLargeException) {
            return Errors.MESSAGE_TOO_LARGE;
        }
        if (error instanceof UnknownTopicException) {
            return Errors.UNKNOWN_TOPIC_OR_PARTITION;
        }
        if (error instanceof TopicExistsException) {
            return Errors.TOPIC_ALREADY_EXISTS;
        }
        if (error instanceof TooManyPartitionsException) {
            return Errors.POLICY_VIOLATION; // as Kafka's controller for too many at once
        }
        if (error instanceof ReplicatedTopicException || error instanceof AppenderBusyException) {
            // Only the source, or the application, appends to it: another try would not succeed.
            return Errors.POLICY_VIOLATION;
        }
        if (error instanceof TooManyProducersException) {
            return Errors.COORDINATOR_NOT_AVAILABLE; // the client tries again
        }
        if (error instanceof OffsetOutOfRangeException) {
            return Errors.OFFSET_OUT_OF_RANGE;
        }
        if (error instanceof DamagedRangeException) {
            return Errors.CORRUPT_MESSAGE;
        }
        if (error instanceof PoisonedException
                || error instanceof StoreFullException
                || error instanceof UnreadableTopicException) {
            return Errors.KAFKA_STORAGE_ERROR;
        }
        if (error instanceof ClosedException) {
            return Errors
                    .NOT_LEADER_OR_FOLLOWER; // the server is closing: clients look for another node
        }
        if (error instanceof InvalidOptionException) {
            return Errors.INVALID_REQUEST;
        }
        if (error instanceof MissingCodecException) {
            LOG.log(System.Logger.Level.ERROR, "a request failed: " + error.getMessage());
            return Errors.UNSUPPORTED_COMPRESSION_TYPE;
        }
        if (error instanceof FirnException) {
            LOG.log(System.Logger.Level.ERROR, "a request failed", error);
            return Errors.KAFKA_STORAGE_ERROR;
        }
        LOG.log(System.Logger.Level.ERROR, "a request failed unexpectedly", error);
        return Errors.UNKNOWN_SERVER_ERROR;
    }

    @Override
    public Throwable toWire(ApiKeys key, Throwable error) {
        return error instanceof ApiException ? error : codeOf(error).exception(error.getMessage());
    }
}
