package io.firn.server.log;

import io.firn.BatchTooLargeException;
import io.firn.BusyException;
import io.firn.ClosedException;
import io.firn.DamagedRangeException;
import io.firn.FirnException;
import io.firn.InvalidOptionException;
import io.firn.LimitExceededException;
import io.firn.LimitExceededException.Limit;
import io.firn.MissingCodecException;
import io.firn.OffsetOutOfRangeException;
import io.firn.PoisonedException;
import io.firn.ProducerFencedException;
import io.firn.RecordTooLargeException;
import io.firn.StoreFullException;
import io.firn.TopicExistsException;
import io.firn.TruncatedException;
import io.firn.UnknownTopicException;
import io.firn.UnreadableTopicException;
import io.firn.host.InvalidBatchException;
import io.firn.host.OutOfOrderSequenceException;
import io.firn.host.ReplicatedTopicException;
import io.firn.host.TransactionStateException;
import io.firn.host.UnknownProducerException;
import io.firn.server.wire.WireErrors;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.CompletionException;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;

/**
 * Maps failures to Kafka's error codes, and to what a client is told of them. Messages about
 * storage name files and directories, and those of unexpected failures may contain anything: they
 * are for the log, and a client gets a text of its own.
 */
public final class ErrorMapper implements WireErrors {
    private static final System.Logger LOG = System.getLogger("io.firn.server");

    /** Those whose messages are about the request and what it names. */
    private static final Map<Class<? extends RuntimeException>, Errors> OF_REQUESTS =
            Map.ofEntries(
                    Map.entry(InvalidBatchException.class, Errors.INVALID_RECORD),
                    Map.entry(
                            OutOfOrderSequenceException.class, Errors.OUT_OF_ORDER_SEQUENCE_NUMBER),
                    Map.entry(ProducerFencedException.class, Errors.INVALID_PRODUCER_EPOCH),
                    Map.entry(TransactionStateException.class, Errors.INVALID_TXN_STATE),
                    Map.entry(UnknownProducerException.class, Errors.INVALID_PRODUCER_ID_MAPPING),
                    Map.entry(RecordTooLargeException.class, Errors.MESSAGE_TOO_LARGE),
                    Map.entry(TopicExistsException.class, Errors.TOPIC_ALREADY_EXISTS),
                    // As Kafka's controller for too many at once.
                    Map.entry(LimitExceededException.class, Errors.POLICY_VIOLATION),
                    // Only the source, or the application, appends to it: another try would not
                    // succeed.
                    Map.entry(ReplicatedTopicException.class, Errors.POLICY_VIOLATION),
                    Map.entry(BusyException.class, Errors.POLICY_VIOLATION),
                    Map.entry(OffsetOutOfRangeException.class, Errors.OFFSET_OUT_OF_RANGE),
                    Map.entry(TruncatedException.class, Errors.OFFSET_OUT_OF_RANGE),
                    Map.entry(InvalidOptionException.class, Errors.INVALID_REQUEST));

    private static Throwable unwrap(Throwable thrown) {
        return thrown instanceof CompletionException && thrown.getCause() != null
                ? thrown.getCause()
                : thrown;
    }

    /** Returns the error code for an exception; logs unexpected exceptions. */
    public static Errors codeOf(Throwable thrown) {
        Throwable error = unwrap(thrown);
        if (error instanceof ApiException) {
            return Errors.forException(error);
        }
        if (error instanceof InvalidBatchException invalid && invalid.isCorrupt()) {
            return Errors.CORRUPT_MESSAGE;
        }
        if (error instanceof LimitExceededException e && e.limit() == Limit.PRODUCERS) {
            return Errors.COORDINATOR_NOT_AVAILABLE; // the client tries again
        }
        Errors ofRequest = OF_REQUESTS.get(error.getClass());
        if (ofRequest != null) {
            return ofRequest;
        }
        if (error instanceof UnknownTopicException) {
            return Errors.UNKNOWN_TOPIC_OR_PARTITION;
        }
        if (error instanceof DamagedRangeException) {
            return Errors.CORRUPT_MESSAGE;
        }
        if (error instanceof BatchTooLargeException) {
            return Errors.MESSAGE_TOO_LARGE; // another try would not succeed
        }
        if (error instanceof PoisonedException
                || error instanceof StoreFullException
                || error instanceof UnreadableTopicException) {
            return Errors.KAFKA_STORAGE_ERROR; // the store has logged it
        }
        if (error instanceof ClosedException) {
            return Errors
                    .NOT_LEADER_OR_FOLLOWER; // the server is closing: clients look for another node
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

    /** Returns what a client is told of an exception; null for the text of its error code. */
    public static String textOf(Throwable thrown) {
        Throwable error = unwrap(thrown);
        if (error instanceof ApiException || OF_REQUESTS.containsKey(error.getClass())) {
            return error.getMessage();
        }
        if (error instanceof StoreFullException) {
            return "The store has no room. The server's log says where; free some, then try again.";
        }
        if (error instanceof PoisonedException) {
            return "The partition takes no more records since its storage failed. The server's log"
                    + " says how.";
        }
        if (error instanceof UnreadableTopicException) {
            return "The store has a topic that cannot be read, which may be this one. The server's"
                    + " log says which.";
        }
        return null;
    }

    /** Logs that a change of what the server stores failed; returns what the client is told. */
    public static String notWritten(IOException error) {
        LOG.log(System.Logger.Level.ERROR, "a change that a client asked for was not made", error);
        return "The change could not be written. The server's log says why.";
    }

    @Override
    public Throwable toWire(ApiKeys key, Throwable error) {
        return error instanceof ApiException ? error : codeOf(error).exception(textOf(error));
    }
}
